// Interpolates readings of weather stations onto a grid.
package main

import (
	"fmt"
	"math"
)

type station struct {
	x, y    float64
	reading float64
}

type grid struct {
	width, height int
	cells         []float64
	weights       []float64
}

func newGrid(width, height int) *grid {
	return &grid{width, height, make([]float64, width*height), make([]float64, width*height)}
}

// spread adds a reading to the cells around its station, the less the farther.
func (g *grid) spread(s station, reach int) {
	cx, cy := int(s.x), int(s.y)
	for dy := -reach; dy <= reach; dy++ {
		for dx := -reach; dx <= reach; dx++ {
			x, y := cx+dx, cy+dy
			if x < 0 || y < 0 || x >= g.width || y >= g.height {
				continue
			}
			w := 1 / (1 + float64(dx*dx+dy*dy))
			g.cells[y*g.width+x] += w * s.reading
			g.weights[y*g.width+x] += w
		}
	}
}

func (g *grid) normalise() {
	for i, w := range g.weights {
		if w > 0 {
			g.cells[i] /= w
		}
	}
}

// gradient is the greatest difference between neighbours.
func (g *grid) gradient() float64 {
	most := 0.0
	for y := 1; y < g.height; y++ {
		for x := 1; x < g.width; x++ {
			here := g.cells[y*g.width+x]
			d := math.Abs(here-g.cells[y*g.width+x-1]) + math.Abs(here-g.cells[(y-1)*g.width+x])
			if d > most {
				most = d
			}
		}
	}
	return most
}

func (g *grid) clear() {
	for i := range g.cells {
		g.cells[i], g.weights[i] = 0, 0
	}
}

func main() {
	seed := uint32(5)
	draw := func(n int) float64 {
		seed = seed*1664525 + 1013904223
		return float64(seed>>8) / (1 << 24) * float64(n)
	}
	g := newGrid(400, 300)
	steepest := 0.0
	for hour := 0; hour < 24; hour++ {
		g.clear()
		for i := 0; i < 2500; i++ {
			g.spread(station{draw(400), draw(300), 5 + draw(20)}, 14)
		}
		g.normalise()
		steepest += g.gradient()
	}
	fmt.Printf("mean steepest %.4f\n", steepest/24)
}
