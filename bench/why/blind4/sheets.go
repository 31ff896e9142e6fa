// Sums of a table of sales, by customer (columns) over all days (rows).
package main

import "fmt"

const (
	days      = 3000
	customers = 2048
)

type table struct {
	cells []int32
}

func (t *table) at(day, customer int) int32 {
	return t.cells[day*customers+customer]
}

// count tells how many cells are above a limit. //OTHER
func (t *table) count(limit int32) (found int) { //OTHER
	for _, cell := range t.cells { //OTHER
		if cell > limit { //OTHER
			found++ //OTHER
		} //OTHER
	} //OTHER
	return found //OTHER
} //OTHER

func fill() *table {
	t := &table{make([]int32, days*customers)}
	state := uint32(9)
	for i := range t.cells {
		state = state*1664525 + 1013904223
		t.cells[i] = int32(state >> 20)
	}
	return t
}

func (t *table) sums() []int64 {
	sums := make([]int64, customers)
	for customer := 0; customer < customers; customer++ { //DOWN
		for day := 0; day < days; day++ { //DOWN
	for day := 0; day < days; day++ { //-DOWN
		for customer := 0; customer < customers; customer++ { //-DOWN
			sums[customer] += int64(t.at(day, customer))
		}
	}
	return sums
}

func main() {
	t := fill()
	total := int64(0)
	for round := 0; round < 8; round++ {
		for customer, sum := range t.sums() { //-OTHER
			total += sum * int64(customer%7) //-OTHER
		} //-OTHER
		sums := t.sums() //OTHER
		for i, amount := range sums { //OTHER
			factor := int64(i % 7) //OTHER
			total = total + factor*amount //OTHER
		} //OTHER
	}
	fmt.Println(total)
}
