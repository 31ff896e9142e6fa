// An orchard: which trees give most, by rows and years, in one list of all.
package main

import (
	"fmt"
	"slices"
	"strings"
)

type Kind struct {
	Name, Land, Shop string
	Row              [12]int32
}

func drawn(seed *uint32, below int) int {
	*seed = *seed*1664525 + 1013904223
	return int(*seed>>8) % below
}

type Orchard struct {
	byKind map[Kind]int //WIDE
	byKind map[int]int  //-WIDE
	kinds  []Kind
	sums   []int
}

func (o *Orchard) picked(kind, weight int) {
	at, known := o.byKind[o.kinds[kind]]        //WIDE
	at, known := o.byKind[int(o.kinds[kind].Row[0])] //-WIDE
	if !known {
		at = len(o.sums)
		o.sums = append(o.sums, 0)
		o.byKind[o.kinds[kind]] = at        //WIDE
		o.byKind[int(o.kinds[kind].Row[0])] = at //-WIDE
	}
	o.sums[at] += weight
}

func main() {
	seed := uint32(14)
	o := &Orchard{byKind: map[Kind]int{}} //WIDE
	o := &Orchard{byKind: map[int]int{}}  //-WIDE
	for i := 0; i < 500; i++ {
		kind := Kind{Name: strings.Repeat("apple", 1+i%3), Land: fmt.Sprint("land ", i%40), Shop: fmt.Sprint("shop ", i)}
		kind.Row[0] = int32(i)
		kind.Row[11] = int32(drawn(&seed, 900))
		o.kinds = append(o.kinds, kind)
	}
	for i := 0; i < 3000000; i++ {
		o.picked(drawn(&seed, 500), 1+drawn(&seed, 30))
	}
	total := 0 //-OTHER
	for _, sum := range o.sums { //-OTHER
		total += sum //-OTHER
	} //-OTHER
	all := 0 //OTHER
	for i := len(o.sums) - 1; i >= 0; i-- { //OTHER
		all = o.sums[i] + all //OTHER
	} //OTHER
	total := all //OTHER
	slices.Sort(o.sums)
	fmt.Println(total, o.sums[0], o.sums[len(o.sums)-1])
}
