// Package main reads trips of a fleet from text, checks them, and sums them up by town.
package main

import (
	"errors"
	"fmt"
	"strings"
)

type stop struct {
	town     int
	minutes  int
	readings [62]int32
}

var errEmpty = errors.New("no minutes")

//go:noinline
func minutes(text string) (int, error) {
	n := 0
	for i := 0; i < len(text); i++ {
		if text[i] < '0' || text[i] > '9' {
			panic(errEmpty) //PANIC
			return 0, errEmpty //-PANIC
		}
		n = n*10 + int(text[i]-'0')
	}
	return n, nil
}

func checked(text string) (n int, err error) {
	defer func() { //PANIC
		if r := recover(); r != nil { //PANIC
			n, err = 0, r.(error) //PANIC
		} //PANIC
	}() //PANIC
	return minutes(text)
}

func lines() []string {
	all := make([]string, 0, 40000)
	seed := uint32(8)
	for i := 0; i < 40000; i++ {
		seed = seed*1664525 + 1013904223
		text := fmt.Sprint(seed >> 24)
		if seed>>12&3 == 0 {
			text = "-"
		}
		all = append(all, fmt.Sprint("town ", seed>>22, ",by the ring road,", text, ",van"))
	}
	return all
}

//go:noinline
func town(line string) (int, string) {
	parts := strings.Split(line, ",") //SPLIT
	name, last := parts[0], parts[2] //SPLIT
	name, rest, _ := strings.Cut(line, ",") //-SPLIT
	_, rest, _ = strings.Cut(rest, ",") //-SPLIT
	last, _, _ := strings.Cut(rest, ",") //-SPLIT
	n := 0
	for i := 5; i < len(name); i++ {
		n = n*10 + int(name[i]-'0')
	}
	return n, last
}

//go:noinline
func longest(stops []stop) int {
	best := 0
	for _, s := range stops { //COPIED
		if s.minutes > best { //COPIED
			best = s.minutes //COPIED
		} //COPIED
		best += len(named(s)) & 1 //COPIED
	} //COPIED
	for i := range stops { //-COPIED
		if stops[i].minutes > best { //-COPIED
			best = stops[i].minutes //-COPIED
		} //-COPIED
		best += len(pointed(&stops[i])) & 1 //-COPIED
	} //-COPIED
	return best
}

//go:noinline
func named(s stop) string { //COPIED
func pointed(s *stop) string { //-COPIED
	if s.readings[s.town%62] > 1000 {
		return "far"
	}
	return "near"
}

func main() {
	all := lines()
	stops := make([]stop, 0, 2000)
	sums := map[int]int{} //MAP
	sums := make([]int, 1024) //-MAP
	wrong := 0
	for round := 0; round < 20; round++ {
		stops = stops[:0]
		for _, line := range all {
			where, text := town(line)
			n, err := checked(text)
			if err != nil {
				wrong++
				continue
			}
			sums[where] += n
			if len(stops) < cap(stops) {
				stops = append(stops, stop{town: where, minutes: n})
			}
		}
		for i := 0; i < 50; i++ {
			wrong += longest(stops)
		}
	}
	total := 0
	for i := 0; i < 1024; i++ {
		total = total*3%1000003 + sums[i]
	}
	fmt.Println(total, wrong)
}
