// A spreadsheet that computes until nothing changes, and compares rows with those of before.
package main

import (
	"fmt"
	"reflect" //REFLECT
)

type style struct {
	bold, italic bool
	colour       uint32
}

type cell struct {
	value float64
	left  int
	right int
	style style
}

type row struct {
	cells [8]cell
	dirty bool
}

type sheet struct {
	rows    []row
	changed int
	same    int
}

func newSheet(n int) *sheet {
	s := &sheet{rows: make([]row, n)}
	for i := range s.rows {
		for j := range s.rows[i].cells {
			s.rows[i].cells[j] = cell{float64(i*j%17 + 1), (j + 3) % 8, (j + 5) % 8, style{j%2 == 0, false, uint32(j)}}
		}
	}
	return s
}

func same(a, b *row) bool {
	return reflect.DeepEqual(a, b) //REFLECT
	return *a == *b                //-REFLECT
}

func (s *sheet) compute(i, round int) {
	r := &s.rows[i]
	before := *r
	for j := range r.cells {
		c := &r.cells[j]
		if (i+j+round)%5 == 0 {
			c.value = (r.cells[c.left].value + r.cells[c.right].value) / 2
		}
	}
	if same(&before, r) {
		s.same++
	} else {
		s.changed++
	}
}

// rank says how many rows have a smaller sum than the first.
func (s *sheet) rank() int {
	sum := func(r *row) (t float64) {
		for _, c := range r.cells {
			t += c.value
		}
		return
	}
	first, n := sum(&s.rows[0]), 0
	for i := range s.rows {
		if sum(&s.rows[i]) < first {
			n++
		}
	}
	return n
}

func main() {
	s := newSheet(2000)
	ranks := 0
	for round := 0; round < 450; round++ {
		for i := range s.rows {
			s.compute(i, round)
		}
		for k := 0; k < 20; k++ {
			ranks += s.rank()
		}
	}
	fmt.Println(s.changed, s.same, ranks)
}
