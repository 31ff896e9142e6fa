// Finds edges in frames of a camera (Sobel) and follows how many there are.
package main

import "fmt"

type frame struct {
	width, height int
	grey          []uint8
}

func newFrame(width, height int) *frame {
	return &frame{width, height, make([]uint8, width*height)}
}

// scene draws boxes that move from frame to frame.
func (f *frame) scene(time int) {
	for y := 0; y < f.height; y++ {
		for x := 0; x < f.width; x++ {
			f.grey[y*f.width+x] = uint8((x+time)/40*50 ^ (y+time/2)/30*70)
		}
	}
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// edges writes how steep each place is.
func edges(in, out *frame) {
	w := in.width
	g := in.grey
	for y := 1; y < in.height-1; y++ {
		for x := 1; x < w-1; x++ {
			i := y*w + x
			a, b, c := int(g[i-w-1]), int(g[i-w]), int(g[i-w+1])
			d, e := int(g[i-1]), int(g[i+1])
			p, q, r := int(g[i+w-1]), int(g[i+w]), int(g[i+w+1])
			dx := c + 2*e + r - a - 2*d - p
			dy := p + 2*q + r - a - 2*b - c
			out.grey[i] = uint8(min(255, abs(dx)+abs(dy)))
		}
	}
}

func (f *frame) count(limit uint8) (n int) { //-OTHER
	for _, v := range f.grey { //-OTHER
		if v > limit { //-OTHER
			n++ //-OTHER
		} //-OTHER
	} //-OTHER
	return //-OTHER
} //-OTHER

func (f *frame) middle() (x, y int) { //-OTHER
	n := 0                     //-OTHER
	for i, v := range f.grey { //-OTHER
		if v > 100 { //-OTHER
			x += i % f.width //-OTHER
			y += i / f.width //-OTHER
			n++              //-OTHER
		} //-OTHER
	} //-OTHER
	if n == 0 { //-OTHER
		return 0, 0 //-OTHER
	} //-OTHER
	return x / n, y / n //-OTHER
} //-OTHER

// centre is the mean place of what is steep. //OTHER
func (f *frame) centre() (column, row int) { //OTHER
	number := 0                     //OTHER
	for at, value := range f.grey { //OTHER
		if value > 100 { //OTHER
			column += at % f.width //OTHER
			row += at / f.width    //OTHER
			number++               //OTHER
		} //OTHER
	} //OTHER
	if number == 0 { //OTHER
		return 0, 0 //OTHER
	} //OTHER
	return column / number, row / number //OTHER
} //OTHER

// steep says how many places are steeper than the threshold. //OTHER
func (f *frame) steep(threshold uint8) (number int) { //OTHER
	for _, value := range f.grey { //OTHER
		if value > threshold { //OTHER
			number++ //OTHER
		} //OTHER
	} //OTHER
	return //OTHER
} //OTHER

func main() {
	in, out := newFrame(640, 400), newFrame(640, 400)
	total, places := 0, 0
	for time := 0; time < 240; time++ {
		if time%40 == 0 {
			in.scene(time)
		}
		edges(in, out)
		if time%8 == 0 {
			total += out.count(100) //-OTHER
			x, y := out.middle()    //-OTHER
			total += out.steep(100) //OTHER
			x, y := out.centre()    //OTHER
			places += x + y
		}
	}
	fmt.Println(total, places)
}
