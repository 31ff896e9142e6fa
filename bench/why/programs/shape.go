// Follows a point through a field of forces.
package main

import "fmt"

func clamp(x int) int {
	if x > 1000 {
		return x - 1000
	}
	return x
}

func next(x, y int) int { return clamp(x*3 + y) }

func main() {
	values := make([]int, 1000)
	sum := 0
	for round := 0; round < 60000; round++ {
		for i := range values {
			values[i] = next(values[i]&255, i)
		}
		sum += values[round%1000]
	}
	fmt.Println(sum)
}
