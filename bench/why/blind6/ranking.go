// Ranks the runs of a ski race anew after each of many starts, by several rules.
package main

import (
	"fmt"
	"slices" //-SLICE
	"sort"   //SLICE
)

type run struct {
	number, club int32
	seconds      float64
	points       int32
}

type rule int

const (
	bySeconds rule = iota
	byClub
	byPoints
)

func started(count int) []run {
	seed := uint32(29)
	runs := make([]run, count)
	for i := range runs {
		seed = seed*1664525 + 1013904223
		runs[i] = run{int32(i + 1), int32(seed>>9) % 23, 80 + float64(seed>>16)/4096, int32(seed >> 24)}
	}
	return runs
}

// behind sums up by how much each was slower than the one who is before, if at all. //OTHER
func behind(all []run) (total float64) { //OTHER
	for place := range all { //OTHER
		if place > 0 { //OTHER
			total += max(0, all[place].seconds-all[place-1].seconds) //OTHER
		} //OTHER
	} //OTHER
	return total //OTHER
} //OTHER

func before(a, b *run, by rule) bool {
	switch by {
	case byClub:
		if a.club != b.club {
			return a.club < b.club
		}
	case byPoints:
		if a.points != b.points {
			return a.points > b.points
		}
	}
	if a.seconds != b.seconds {
		return a.seconds < b.seconds
	}
	return a.number < b.number
}

func ranked(runs []run, by rule) {
	sort.Slice(runs, func(i, j int) bool { return before(&runs[i], &runs[j], by) }) //SLICE
	slices.SortFunc(runs, func(a, b run) int {                                      //-SLICE
		if before(&a, &b, by) { //-SLICE
			return -1 //-SLICE
		} //-SLICE
		return 1 //-SLICE
	}) //-SLICE
}

// gaps sums how far each is behind the one before. //-OTHER
func gaps(runs []run) float64 { //-OTHER
	sum := 0.0                       //-OTHER
	for i := 1; i < len(runs); i++ { //-OTHER
		sum += max(0, runs[i].seconds-runs[i-1].seconds) //-OTHER
	} //-OTHER
	return sum //-OTHER
} //-OTHER

func main() {
	first := started(3000)
	runs := make([]run, len(first))
	sum, marks := 0.0, int64(0)
	for start := 0; start < 1300; start++ {
		first[start*7%len(first)].seconds += 0.25
		copy(runs, first)
		ranked(runs, rule(start%3))
		sum += gaps(runs[:300])   //-OTHER
		sum += behind(runs[:300]) //OTHER
		for place, r := range runs[:10] {
			marks += int64(place+1) * int64(r.number)
		}
	}
	fmt.Printf("%.3f s, %d\n", sum, marks)
}
