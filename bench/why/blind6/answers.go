// Answers questions from a large cache of towns; each answer is put together anew.
package main

import (
	"fmt"
	"strconv"
)

type town struct {
	id, people, streets int32
	east, north         float32
	links               [3]int32
}

type cache struct {
	towns []town  //-POINTERS
	towns []*town //POINTERS
}

func filled(count int) *cache {
	c := &cache{}
	c.towns = make([]town, count)  //-POINTERS
	c.towns = make([]*town, count) //POINTERS
	seed := uint32(7)
	draw := func() int32 {
		seed = seed*1664525 + 1013904223
		return int32(seed >> 12)
	}
	for i := range c.towns {
		c.towns[i] = new(town) //POINTERS
		t := &c.towns[i]       //-POINTERS
		t := c.towns[i]        //POINTERS
		t.id, t.people, t.streets = int32(i), draw(), draw()%900
		t.east, t.north = float32(draw()%1000), float32(draw()%1000)
		for k := range t.links {
			t.links[k] = draw() % 2000
		}
	}
	return c
}

func (c *cache) town(id int32) *town {
	return &c.towns[id] //-POINTERS
	return c.towns[id]  //POINTERS
}

type answer struct {
	lines [][]byte
}

// asked writes a town and its neighbours.
func (c *cache) asked(id int32) *answer {
	t := c.town(id)
	a := &answer{}
	a.lines = append(a.lines, line(t))
	for _, link := range t.links {
		a.lines = append(a.lines, line(c.town(link)))
	}
	return a
}

// line writes a town, with room for what the caller adds.
func line(t *town) []byte {
	text := make([]byte, 0, 1024)
	text = strconv.AppendInt(text, int64(t.id), 10)
	text = append(text, " has "...)
	text = strconv.AppendInt(text, int64(t.people), 10)
	text = append(text, " people in "...)
	return strconv.AppendInt(text, int64(t.streets), 10)
}

func (a *answer) letters() int {
	sum := 0
	for _, l := range a.lines {
		sum += len(l)
	}
	return sum
}

func main() {
	c := filled(800000)
	seed, letters := uint32(99), 0
	for i := 0; i < 190000; i++ {
		seed = seed*1664525 + 1013904223
		letters += c.asked(int32(seed>>8) % 2000).letters()
	}
	fmt.Println(letters, "letters")
}
