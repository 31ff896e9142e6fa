// Equal programs: names, order and lines differ.
package main

import (
	"container/heap"
	"fmt"
)

type jobs []int //OTHER
type queue []int //-OTHER

func (j jobs) Len() int           { return len(j) } //OTHER
func (j jobs) Swap(a, b int)      { j[a], j[b] = j[b], j[a] } //OTHER
func (j jobs) Less(a, b int) bool { return j[a] < j[b] } //OTHER
func (q queue) Less(i, j int) bool { return q[i] < q[j] } //-OTHER
func (q queue) Len() int           { return len(q) } //-OTHER
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] } //-OTHER
func (j *jobs) Pop() any { //OTHER
	last := (*j)[len(*j)-1] //OTHER
	*j = (*j)[:len(*j)-1] //OTHER
	return last //OTHER
} //OTHER
func (j *jobs) Push(v any) { *j = append(*j, v.(int)) } //OTHER
func (q *queue) Push(x any) { *q = append(*q, x.(int)) } //-OTHER
func (q *queue) Pop() any { //-OTHER
	x := (*q)[len(*q)-1] //-OTHER
	*q = (*q)[:len(*q)-1] //-OTHER
	return x //-OTHER
} //-OTHER

func main() {
	q := &jobs{} //OTHER
	q := &queue{} //-OTHER
	x, sum := uint32(1), 0
	for i := 0; i < 400000; i++ {
		x = x*1664525 + 1013904223
		heap.Push(q, int(x>>4))
		if i%2 == 1 {
			sum += heap.Pop(q).(int) & 255
		}
	}
	fmt.Println(sum)
}
