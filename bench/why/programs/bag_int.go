// Fills bags with numbers and adds them up.
package main

import "fmt"

type item = int

//go:noinline
func fill(bag []item, count int) []item {
	for i := 0; i < count; i++ {
		bag = append(bag, i/7%1000+1000)
	}
	return bag
}

func main() {
	bag := make([]item, 0, 10000)
	sum := 0
	for round := 0; round < 600; round++ {
		bag = fill(bag[:0], 10000)
		for _, x := range bag {
			sum += x
		}
	}
	fmt.Println(sum)
}
