// Builds small trees and counts their leaves.
package main

import "fmt"

type node struct{ left, right *node }

func build(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{build(depth - 1), build(depth - 1)}
}

func (n *node) leaves() int {
	if n.left == nil {
		return 1
	}
	return n.left.leaves() + n.right.leaves()
}

func main() {
	kept := build(17)
	sum := 0
	for round := 0; round < 400; round++ {
		sum += build(10).leaves()
	}
	fmt.Println(sum, kept.leaves())
}
