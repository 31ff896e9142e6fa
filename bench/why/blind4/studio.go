// Turns pictures by a quarter and puts captions below them.
package main

import "fmt"

const side = 1024

type picture struct {
	pixels []uint32
}

func newPicture(seed uint32) *picture {
	p := &picture{make([]uint32, side*side)}
	for i := range p.pixels {
		seed = seed*1664525 + 1013904223
		p.pixels[i] = seed >> 8
	}
	return p
}

// The sums of tiles of the picture after a turn.
func (p *picture) turned(out *picture) {
	for x := 0; x < side; x++ { //COLUMNS
		for y := 0; y < side; y++ { //COLUMNS
	for y := 0; y < side; y++ { //-COLUMNS
		for x := 0; x < side; x++ { //-COLUMNS
			out.pixels[y*side+side-1-x] = p.pixels[y*side+x]
		}
	}
}

type caption struct {
	glyphs []glyph
	width  int
}

type glyph struct {
	letter byte
	at     int
}

var room [64]glyph

func layout(text string) *caption {
	glyphs := make([]glyph, 0, 64) //FRESH
	c := &caption{} //FRESH
	glyphs := room[:0] //-FRESH
	c := &shared //-FRESH
	c.width = 0 //-FRESH
	for i := 0; i < len(text); i++ {
		glyphs = append(glyphs, glyph{text[i], c.width})
		c.width += 5 + int(text[i])%7
	}
	c.glyphs = glyphs
	return c
}

var shared caption

func main() {
	p, out := newPicture(1), newPicture(2)
	total := 0
	for round := 0; round < 24; round++ {
		p.turned(out)
		p, out = out, p
		total += int(p.pixels[round*side+7])
	}
	texts := []string{"a bridge over the river", "the harbour at night", "three boats", "winter in the old town"}
	for i := 0; i < 250000; i++ {
		c := layout(texts[i%len(texts)])
		total += c.width + int(c.glyphs[len(c.glyphs)-1].letter)
	}
	fmt.Println(total)
}
