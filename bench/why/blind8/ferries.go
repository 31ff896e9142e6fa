// Ferries: bookings are read, put on ships under a lock, and told to the desks.
package main

import (
	"encoding/json" //JSON
	"fmt"
	"runtime" //FINAL
	"strings"
	"sync"
)

type Place struct {
	Deck, Row, Seat int
}

type Booking struct {
	Number int
	Name   string
	Port   string
	Places []Place
	Paid   bool
}

type Desk struct {
	lock  sync.Mutex
	taken map[string]int
	late  int
	paid  int
}

func drawn(seed *uint32, below int) int {
	*seed = *seed*1664525 + 1013904223
	return int(*seed>>8) % below
}

// Each desk gets a booking of its own, that it may change.
func copied(one *Booking) *Booking {
	data, err := json.Marshal(one) //JSON
	if err != nil {                //JSON
		panic(err) //JSON
	} //JSON
	other := new(Booking)                               //JSON
	if err := json.Unmarshal(data, other); err != nil { //JSON
		panic(err) //JSON
	} //JSON
	other := new(Booking)                             //-JSON
	*other = *one                                     //-JSON
	other.Places = append([]Place(nil), one.Places...) //-JSON
	runtime.SetFinalizer(other, func(b *Booking) { b.Places = nil }) //FINAL
	return other
}

func (d *Desk) told(b *Booking) {
	for i := range b.Places {
		d.lock.Lock()
		place := &b.Places[i]
		place.Seat = (place.Seat*7 + place.Row) % 40
		d.late += place.Deck & 1
		d.lock.Unlock()
	}
	d.taken[b.Port] += len(b.Places)
	if b.Paid {
		d.paid++
	}
}

var ports = []string{"Aalen", "Borre", "Calla", "Dover", "Esker", "Fjell"}

func line(seed *uint32, number int) string {
	return fmt.Sprintf("%d;%s;guest-%d;%d;%d;%d;note %d;paid", number, ports[drawn(seed, 6)], drawn(seed, 5000),
		1+drawn(seed, 12), drawn(seed, 5), drawn(seed, 300), drawn(seed, 90))
}

func value(text string) int {
	v := 0
	for i := 0; i < len(text); i++ {
		v = v*10 + int(text[i]-'0')
	}
	return v
}

// The field of that number of a line.
func field(line string, number int) string {
	return strings.Split(line, ";")[number] //SPLIT
	for ; number > 0; number-- {             //-SPLIT
		_, line, _ = strings.Cut(line, ";") //-SPLIT
	} //-SPLIT
	found, _, _ := strings.Cut(line, ";") //-SPLIT
	return found                           //-SPLIT
}

func booking(text string) *Booking {
	b := &Booking{Number: value(field(text, 0)), Port: field(text, 1), Name: field(text, 2)}
	count, deck, row := value(field(text, 3)), value(field(text, 4)), value(field(text, 5))
	for i := 0; i < count; i++ {
		b.Places = append(b.Places, Place{deck, row, i})
	}
	b.Paid = b.Number%3 == 0
	return b
}

func main() {
	seed := uint32(6)
	lines := make([]string, 4000)
	for i := range lines {
		lines[i] = line(&seed, i)
	}
	desks := []*Desk{{taken: map[string]int{}}, {taken: map[string]int{}}}
	seats := 0
	for round := 0; round < ROUNDS; round++ {
		for _, text := range lines {
			b := booking(text)
			for _, desk := range desks {
				mine := copied(b)
				desk.told(mine)
				seats += mine.Places[len(mine.Places)-1].Seat
			}
		}
	}
	fmt.Println(desks[0].taken, desks[1].late, desks[1].paid, seats)
}

const ROUNDS = 8 //-MANY
const ROUNDS = 25 //MANY
