// A brewery: barrels of kinds are summed up, orders are gathered for the store.
package main

import (
	"fmt"
	"time" //LINGER
)

const barrels = 5000 //BARREL
const barrels = 10   //-BARREL
const rounds = 60    //ORDER
const rounds = 2     //-ORDER

type barrel interface{ litres() int }

type oak struct{ wide, high int }
type steel struct{ volume int }

func (b oak) litres() int   { return b.wide * b.high >> 4 }
func (b steel) litres() int { return b.volume }
func (b *oak) grow()        { b.wide += b.high & 1 }

type growing interface {
	*oak
	grow()
	size() int
}

func (b *oak) size() int { return b.wide * b.high >> 4 }

func total[B growing](all []B) int { //GENERIC
func total(all []*oak) int { //-GENERIC
	sum := 0
	for _, one := range all {
		one.grow()
		sum += one.size()
	}
	return sum
}

type order struct {
	number int
	done   chan int
}

func gather(in chan order) {
	var held []order
	for first := range in {
		held = append(held[:0], first)
		late := time.After(2 * time.Millisecond) //LINGER
	more:
		for len(held) < 64 {
			select {
			case next := <-in:
				held = append(held, next)
			case <-late: //LINGER
			default: //-LINGER
				break more
			}
		}
		for _, one := range held {
			one.done <- worked(one.number)
		}
	}
}

func worked(number int) int {
	state := uint32(number)
	for i := range uint32(100000) {
		state = (state^state>>15)*2246822519 + i
	}
	return int(state & 1023)
}

func ordered() (sum int) {
	in, done := make(chan order, 64), make(chan int, 64)
	go gather(in)
	for round := range rounds {
		for i := range 5 {
			in <- order{round*5 + i, done}
		}
		for range 5 {
			sum += <-done
		}
	}
	close(in)
	return sum
}

func main() {
	all := make([]*oak, 10000)
	for i := range all {
		all[i] = &oak{i % 70, i % 31}
	}
	sum := 0
	for range barrels {
		sum += total(all)
	}
	kept := []barrel{oak{3, 90}, steel{70}}
	fmt.Println(sum, ordered(), kept[0].litres()+kept[1].litres())
}
