// Package main receives readings from a meter, with a limit on how long it waits for each.
package main

import (
	"fmt"
	"time"
)

func readings(count int) <-chan int {
	out := make(chan int, 512)
	go func() {
		n := 1
		for i := 0; i < count; i++ {
			for step := 0; step < 60; step++ {
				n = n * 48271 % 2147483647
			}
			out <- n
		}
		close(out)
	}()
	return out
}

func smooth(window []int, n int) int {
	window[n%len(window)] = n
	sum := 0
	for _, w := range window {
		sum += w & 1023
	}
	return sum
}

func main() {
	in := readings(150000)
	late := time.NewTimer(time.Hour) //-AFTER
	window := make([]int, 16)
	total := 0
	for open := true; open; {
		select {
		case n, ok := <-in:
			open = ok
			total += smooth(window, n)
		case <-time.After(time.Hour): //AFTER
		case <-late.C: //-AFTER
			fmt.Println("late")
			return
		}
	}
	fmt.Println(total)
}
