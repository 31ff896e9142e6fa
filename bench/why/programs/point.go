// Adds up the places of points.
package main

import "fmt"

type point struct{ x, y, z, w int }

//go:noinline
func middle(a, b *point, into **point) {
	*into = &point{(a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2, (a.w + b.w) / 2}
}

func main() {
	a, b := &point{1, 2, 3, 4}, &point{5, 6, 7, 8}
	var m *point
	sum := 0
	for i := 0; i < 4000000; i++ {
		middle(a, b, &m)
		sum += m.x + i
	}
	fmt.Println(sum)
}
