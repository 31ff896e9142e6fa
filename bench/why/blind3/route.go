// Finds the shortest ways over a map of squares with Dijkstra's algorithm and a heap.
package main

import (
	"container/heap"
	"fmt"
)

const width, height = 400, 300

type step struct{ cost, place int }

type queue []step

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].cost < q[j].cost }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(step)) }
func (q *queue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}

func (q *queue) put(s step) {
	heap.Push(q, s)                //GENERAL
	*q = append(*q, s)             //-GENERAL
	h := *q                        //-GENERAL
	for i := len(h) - 1; i > 0; {  //-GENERAL
		up := (i - 1) / 2          //-GENERAL
		if h[up].cost <= h[i].cost { //-GENERAL
			break                  //-GENERAL
		}                          //-GENERAL
		h[up], h[i] = h[i], h[up]  //-GENERAL
		i = up                     //-GENERAL
	}                              //-GENERAL
}

func (q *queue) take() step {
	return heap.Pop(q).(step)      //GENERAL
	h := *q                        //-GENERAL
	first := h[0]                  //-GENERAL
	n := len(h) - 1                //-GENERAL
	h[0] = h[n]                    //-GENERAL
	h = h[:n]                      //-GENERAL
	for i := 0; ; {                //-GENERAL
		least := 2*i + 1           //-GENERAL
		if least >= n {            //-GENERAL
			break                  //-GENERAL
		}                          //-GENERAL
		if least+1 < n && h[least+1].cost < h[least].cost { //-GENERAL
			least++                //-GENERAL
		}                          //-GENERAL
		if h[i].cost <= h[least].cost { //-GENERAL
			break                  //-GENERAL
		}                          //-GENERAL
		h[i], h[least] = h[least], h[i] //-GENERAL
		i = least                  //-GENERAL
	}                              //-GENERAL
	*q = h                         //-GENERAL
	return first                   //-GENERAL
}

// Of the other wording: what a square costs, and how to walk from one. //OTHER
func toll(square int) int { //OTHER
	return (square*square + 7*square)>>3&15 + 1 //OTHER
} //OTHER

func distances(from int) []int { //OTHER
	known := make([]int, width*height) //OTHER
	for i := range known { //OTHER
		known[i] = 1 << 40 //OTHER
	} //OTHER
	known[from] = 0 //OTHER
	waiting := &queue{} //OTHER
	waiting.put(step{place: from, cost: 0}) //OTHER
	for 0 < waiting.Len() { //OTHER
		now := waiting.take() //OTHER
		if now.cost > known[now.place] { //OTHER
			continue //OTHER
		} //OTHER
		column := now.place % width //OTHER
		ways := [4]int{-1, -1, -1, -1} //OTHER
		if 0 < column { //OTHER
			ways[0] = now.place - 1 //OTHER
		} //OTHER
		if column < width-1 { //OTHER
			ways[1] = now.place + 1 //OTHER
		} //OTHER
		if now.place >= width { //OTHER
			ways[2] = now.place - width //OTHER
		} //OTHER
		if now.place < width*(height-1) { //OTHER
			ways[3] = now.place + width //OTHER
		} //OTHER
		for _, square := range ways { //OTHER
			if square < 0 { //OTHER
				continue //OTHER
			} //OTHER
			if sum := now.cost + toll(square); sum < known[square] { //OTHER
				known[square] = sum //OTHER
				waiting.put(step{place: square, cost: sum}) //OTHER
			} //OTHER
		} //OTHER
	} //OTHER
	return known //OTHER
} //OTHER

func cost(place int) int { return (place*place+7*place)>>3&15 + 1 } //-OTHER

func distances(start int) []int { //-OTHER
	best := make([]int, width*height) //-OTHER
	for i := range best { //-OTHER
		best[i] = 1 << 40 //-OTHER
	} //-OTHER
	best[start] = 0 //-OTHER
	q := &queue{} //-OTHER
	q.put(step{0, start}) //-OTHER
	for q.Len() > 0 { //-OTHER
		s := q.take() //-OTHER
		if s.cost > best[s.place] { //-OTHER
			continue //-OTHER
		} //-OTHER
		x := s.place % width //-OTHER
		next := [4]int{-1, -1, -1, -1} //-OTHER
		if x > 0 { //-OTHER
			next[0] = s.place - 1 //-OTHER
		} //-OTHER
		if x < width-1 { //-OTHER
			next[1] = s.place + 1 //-OTHER
		} //-OTHER
		if s.place >= width { //-OTHER
			next[2] = s.place - width //-OTHER
		} //-OTHER
		if s.place < width*(height-1) { //-OTHER
			next[3] = s.place + width //-OTHER
		} //-OTHER
		for _, n := range next { //-OTHER
			if n < 0 { //-OTHER
				continue //-OTHER
			} //-OTHER
			if c := s.cost + cost(n); c < best[n] { //-OTHER
				best[n] = c //-OTHER
				q.put(step{c, n}) //-OTHER
			} //-OTHER
		} //-OTHER
	} //-OTHER
	return best //-OTHER
} //-OTHER

func main() {
	sum := 0
	for start := 0; start < width*height; start += 17001 {
		for _, d := range distances(start) {
			sum += d
		}
	}
	_ = heap.Interface(&queue{})
	fmt.Println(sum)
}
