// Makes orders, bills them by customer and renders the bills.
package main

import (
	"bufio" //-UNBUFFERED
	"fmt"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

type Order struct {
	Customer, Item string
	Cents          int
}

var code = regexp.MustCompile(`^item-[0-9]+7$`) //-REGEXP

func special(o *Order) bool {
	code := regexp.MustCompile(`^item-[0-9]+7$`) //REGEXP
	return o.Cents%8 == 0 && code.MatchString(o.Item)
}

func orders(n int) []*Order {
	var all []*Order
	x := uint32(17)
	for i := 0; i < n; i++ {
		x = x*1664525 + 1013904223
		all = append(all, &Order{
			"customer " + strconv.Itoa(int(x>>16)%500),
			"item-" + strconv.Itoa(int(x>>8)%1000),
			int(x>>4) % 100000,
		})
	}
	return all
}

func line(o *Order) string {
	return fmt.Sprintf("%s %s %d\n", o.Customer, o.Item, o.Cents) //SPRINTF
	return o.Customer + " " + o.Item + " " + strconv.Itoa(o.Cents) + "\n"
}

func bill(list []*Order) string {
	text := "" //CONCAT
	for _, o := range list { //CONCAT
		text += line(o) //CONCAT
	} //CONCAT
	return text //CONCAT
	var text2 strings.Builder
	for _, o := range list {
		text2.WriteString(line(o))
	}
	return text2.String()
}

func median(list []*Order) int {
	cents := make([]int, 0, len(list))
	for _, o := range list {
		cents = append(cents, o.Cents)
		sort.Ints(cents) //RESORT
	}
	sort.Ints(cents)
	return cents[len(cents)/2]
}

func total(list []*Order) int {
	sum := 0
	results := make(chan int) //CHANNEL
	go func() { //CHANNEL
		for _, o := range list { //CHANNEL
			results <- o.Cents //CHANNEL
		} //CHANNEL
		close(results) //CHANNEL
	}() //CHANNEL
	for cents := range results { //CHANNEL
		sum += cents //CHANNEL
	} //CHANNEL
	for _, o := range list { //-CHANNEL
		sum += o.Cents //-CHANNEL
	} //-CHANNEL
	return sum
}

func main() {
	all := orders(60000)
	by := map[string][]*Order{}
	matches := 0
	for _, o := range all {
		by[o.Customer] = append(by[o.Customer], o)
		if special(o) {
			matches++
		}
	}
	out := os.Stdout //UNBUFFERED
	out := bufio.NewWriter(os.Stdout) //-UNBUFFERED
	defer out.Flush() //-UNBUFFERED
	sum := 0
	names := make([]string, 0, len(by))
	for name := range by {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		text := bill(by[name])
		sum += len(text) + median(by[name])
		for _, part := range strings.SplitAfter(text, "\n") {
			fmt.Fprint(out, part)
		}
	}
	sum += total(all)
	fmt.Fprintln(out, sum, matches)
}
