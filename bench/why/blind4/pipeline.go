// Three stages in a row: numbers are made, changed and added up.
package main

import "fmt"

const count = 300000
const batch = 1000 //-SINGLE
const batch = 1    //SINGLE

func produce(out chan<- []int) {
	next := 0
	for next < count {
		values := make([]int, 0, batch)
		for len(values) < batch {
			values = append(values, next*7919%10007)
			next++
		}
		out <- values
	}
	close(out)
}

func change(in <-chan []int, out chan<- []int) {
	for values := range in {
		for i, value := range values {
			values[i] = value*value%10007 + 1
		}
		out <- values
	}
	close(out)
}

func main() {
	made, changed := make(chan []int), make(chan []int)
	go produce(made)
	go change(made, changed)
	total := 0
	for values := range changed {
		for _, value := range values {
			total += value
		}
	}
	fmt.Println(total)
}
