// Compresses text by replacing what has been seen before (LZ77), and expands it again.
package main

import "fmt"

const (
	window   = 1 << 15
	hashBits = 14
	shortest = 4
	longest  = 130
)

type match struct {
	distance, length int
}

type packer struct {
	heads [1 << hashBits]int32
	out   []byte
}

func hash(b []byte, i int) uint32 {
	v := uint32(b[i]) | uint32(b[i+1])<<8 | uint32(b[i+2])<<16 | uint32(b[i+3])<<24
	return v * 2654435761 >> (32 - hashBits)
}

func (p *packer) find(text []byte, at int) match {
	h := hash(text, at)
	from := int(p.heads[h]) - 1
	p.heads[h] = int32(at + 1)
	if from < 0 || at-from >= window {
		return match{}
	}
	n := 0
	for at+n < len(text) && n < longest && text[from+n] == text[at+n] {
		n++
	}
	if n < shortest {
		return match{}
	}
	return match{at - from, n}
}

func (p *packer) pack(text []byte) []byte {
	p.out = p.out[:0]
	p.heads = [1 << hashBits]int32{}
	for at := 0; at < len(text); {
		var m match
		if at+shortest <= len(text) {
			m = p.find(text, at)
		}
		if m.length == 0 {
			p.out = append(p.out, 0, text[at])
			at++
			continue
		}
		p.out = append(p.out, byte(m.length), byte(m.distance), byte(m.distance>>8))
		at += m.length
	}
	return p.out
}

func unpack(packed, out []byte) []byte {
	for i := 0; i < len(packed); {
		n := int(packed[i])
		if n == 0 {
			out = append(out, packed[i+1])
			i += 2
			continue
		}
		distance := int(packed[i+1]) | int(packed[i+2])<<8
		for from := len(out) - distance; n > 0; n-- {
			out = append(out, out[from])
			from++
		}
		i += 3
	}
	return out
}

func main() {
	seed := uint32(1)
	var text []byte
	words := []string{"light", "house", "keeper", " and ", "storm", " of ", "the ", "sea. ", "grey", "tower "}
	for len(text) < 400000 {
		seed = seed*1664525 + 1013904223
		text = append(text, words[(seed>>20)%10]...)
	}
	p := &packer{}
	var out []byte
	size := 0
	for i := 0; i < 30; i++ {
		packed := p.pack(text)
		out = unpack(packed, out[:0])
		size = len(packed)
	}
	fmt.Println(size, len(out), string(out) == string(text))
}
