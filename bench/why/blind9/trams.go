// Trams: positions go from one worker to another, fares are counted, journeys are kept for a while.
package main

import (
	"fmt"
	"runtime"       //PINNED
	"runtime/debug" //RETURNS
)

const handed = 2000    //-HAND
const handed = 40000   //HAND
const rides = 1        //-RIDE
const rides = 100      //RIDE
const evenings = 1     //-EVENING
const evenings = 60    //EVENING

func worked(n uint32, steps int) uint32 {
	for i := 0; i < steps; i++ {
		n = n*1664525 + 1013904223
	}
	return n
}

func passed() uint32 {
	there, back := make(chan uint32), make(chan uint32)
	go func() {
		runtime.LockOSThread() //PINNED
		for n := range there {
			back <- worked(n, 200)
		}
		close(back)
	}()
	var sum uint32
	for i := uint32(0); i < handed; i++ {
		there <- i
		sum += worked(<-back, 200)
	}
	close(there)
	return sum
}

func fares() int {
	const people = 400000
	var by [90]int
	full := 0
	ages := make([]int, people)
	for i := range people {
		ages[i] = i * 90 / people
	}
	seed := uint32(9)
	for i := range people {
		seed = seed*1664525 + 1013904223
		j := int(seed>>8) % people
		ages[i], ages[j] = ages[j], ages[i] //SHUFFLED
		full += ages[j] & i                 //-SHUFFLED
	}
	full = 0
	for range rides {
		for _, age := range ages {
			if age < 45 {
				by[age]++
			} else {
				full += age
				by[89-age] += 2
			}
		}
	}
	return by[3] + full
}

type journey struct {
	stops [60]int32
	next  *journey
}

func kept(evening int) int {
	var first *journey
	for i := 0; i < 12000; i++ {
		first = &journey{next: first}
		first.stops[i%60] = int32(i + evening)
	}
	sum := 0
	for j := first; j != nil; j = j.next {
		sum += int(j.stops[7])
	}
	return sum
}

func main() {
	fmt.Println(passed())
	fmt.Println(fares())
	sum := 0
	for evening := 0; evening < evenings; evening++ {
		sum += kept(evening)
		debug.FreeOSMemory() //RETURNS
	}
	fmt.Println(sum)
}
