// Counts the letters of a text by classes.
package main

import "fmt"

//go:noinline
func classes(text []byte, class []int, counts []int) {
	for i := 0; i+2 < len(text); i++ {
		counts[class[text[i]]]++
		counts[class[text[i+2]]+4]++
	}
}

func main() {
	text := make([]byte, 20000)
	class := make([]int, 256)
	for i := range text {
		text[i] = byte(i * i >> 3)
	}
	for i := range class {
		class[i] = i % 4
	}
	counts := make([]int, 8)
	for round := 0; round < 2500; round++ {
		classes(text, class, counts)
	}
	fmt.Println(counts)
}
