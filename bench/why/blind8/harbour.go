// A harbour: ships are tracked by number, their crates are weighed and sealed.
package main

import (
	"crypto/sha256"
	"fmt"
	"sync"
)

type Ship struct {
	Number uint32
	Crates [60]uint64
	Depth  int
}

var lock sync.Mutex            //-SYNCMAP
var seen = map[uint32]int{}    //-SYNCMAP
var seen sync.Map              //SYNCMAP

func drawn(seed *uint32) uint32 {
	*seed = *seed*1664525 + 1013904223
	return *seed >> 8
}

func sighted(number uint32) int {
	lock.Lock()         //-SYNCMAP
	seen[number]++      //-SYNCMAP
	now := seen[number] //-SYNCMAP
	lock.Unlock()       //-SYNCMAP
	old, _ := seen.LoadOrStore(number, 0) //SYNCMAP
	now := old.(int) + 1                  //SYNCMAP
	seen.Store(number, now)               //SYNCMAP
	return now
}

func deepest(ships []Ship) (uint32, uint64) {
	best, sum := 0, uint64(0)
	number := uint32(0)
	for i := range ships { //-VALUE
		ship := &ships[i] //-VALUE
	for _, ship := range ships { //VALUE
		place := (ship.Depth + best) % len(ship.Crates)
		sum += ship.Crates[place]
		if ship.Depth > best {
			best, number = ship.Depth, ship.Number
		}
	}
	return number, sum
}

func sealed(ships []Ship) [32]byte {
	hash := sha256.New()
	var bytes [480]byte
	for i := range ships {
		for j, crate := range ships[i].Crates {
			for k := 0; k < 8; k++ {
				bytes[j*8+k] = byte(crate >> (8 * k))
			}
		}
		hash.Write(bytes[:])
	}
	var sum [32]byte
	hash.Sum(sum[:0])
	return sum
}

func main() {
	seed := uint32(3)
	ships := make([]Ship, 1500)
	for i := range ships {
		ships[i].Number = drawn(&seed) % 100000
		ships[i].Depth = int(drawn(&seed) % 900)
		for j := range ships[i].Crates {
			ships[i].Crates[j] = uint64(drawn(&seed))
		}
	}
	sum := uint64(0)
	for round := 0; round < 2000; round++ {
		number, found := deepest(ships)
		sum = sum*31 + found + uint64(number)
	}
	now := 0
	for round := 0; round < 900000; round++ {
		now += sighted(ships[drawn(&seed)%1500].Number)
	}
	var seal [32]byte
	for round := 0; round < SEALS; round++ {
		ships[round].Depth++
		seal = sealed(ships)
	}
	fmt.Println(sum, now, fmt.Sprintf("%x", seal[:4]))
}

const SEALS = 2  //-SEALED
const SEALS = 40 //SEALED
