// Sums what each customer ordered, day by day.
package main

import (
	"fmt"
	"sort"
)

type order struct {
	customer uint32
	cents    int
	items    int
}

type sum struct {
	cents, items, orders int
}

type day struct {
	number int
	orders []order
}

func drawn(number, count int) day {
	d := day{number: number, orders: make([]order, count)}
	seed := uint32(number*7919 + 1)
	for i := range d.orders {
		seed = seed*1664525 + 1013904223
		d.orders[i] = order{(seed >> 7) % 60000, int(seed>>12) % 5000, 1 + int(seed>>28)}
	}
	return d
}

func (d *day) sums() map[uint32]sum {
	sums := make(map[uint32]sum)                //GROW
	sums := make(map[uint32]sum, len(d.orders)) //-GROW
	for _, o := range d.orders {
		s := sums[o.customer]
		s.cents += o.cents
		s.items += o.items
		s.orders++
		sums[o.customer] = s
	}
	return sums
}

type best struct {
	customer uint32
	cents    int
}

func top(sums map[uint32]sum, n int) []best {
	list := make([]best, 0, n+1)    //-SORT
	for customer, s := range sums { //-SORT
		if len(list) == n && s.cents <= list[n-1].cents { //-SORT
			continue //-SORT
		} //-SORT
		at := sort.Search(len(list), func(i int) bool { return list[i].cents < s.cents }) //-SORT
		list = append(list, best{})                                                       //-SORT
		copy(list[at+1:], list[at:])                                                      //-SORT
		list[at] = best{customer, s.cents}                                                //-SORT
		if len(list) > n {                                                                //-SORT
			list = list[:n] //-SORT
		} //-SORT
	} //-SORT
	list := make([]best, 0, len(sums)) //SORT
	for customer, s := range sums {    //SORT
		list = append(list, best{customer, s.cents}) //SORT
	} //SORT
	sort.Slice(list, func(i, j int) bool { return list[i].cents > list[j].cents }) //SORT
	list = list[:n]                                                                //SORT
	return list
}

func main() {
	total, orders, highest := 0, 0, 0
	for number := 0; number < 90; number++ {
		d := drawn(number, 24000)
		sums := d.sums()
		for _, s := range sums {
			total += s.cents
			orders += s.orders
		}
		highest += top(sums, 10)[0].cents
	}
	fmt.Println(total, orders, highest)
}
