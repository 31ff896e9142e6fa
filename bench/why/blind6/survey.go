// Reads the points of a survey, three numbers a line, and measures the way between them.
package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv" //-SCAN
	"strings"
)

type point struct {
	x, y, z int
}

func written(count int) string {
	var text strings.Builder
	seed := uint32(61)
	for i := 0; i < count; i++ {
		seed = seed*1664525 + 1013904223
		fmt.Fprintf(&text, "%d %d %d\n", seed>>20, seed>>10&4095, seed&255)
	}
	return text.String()
}

func parsed(line string) (point, error) {
	var p point
	_, err := fmt.Sscanf(line, "%d %d %d", &p.x, &p.y, &p.z) //SCAN
	return p, err                                            //SCAN
	for _, to := range []*int{&p.x, &p.y, &p.z} {            //-SCAN
		word, rest, _ := strings.Cut(line, " ") //-SCAN
		n, err := strconv.Atoi(word)            //-SCAN
		if err != nil {                         //-SCAN
			return p, err //-SCAN
		} //-SCAN
		*to, line = n, rest //-SCAN
	} //-SCAN
	return p, nil //-SCAN
}

func (p point) distance(q point) float64 {
	x, y, z := float64(p.x-q.x), float64(p.y-q.y), float64(p.z-q.z)
	return math.Sqrt(x*x + y*y + z*z)
}

// smoothed moves each point towards the mean of those around it, as often as asked, with this weight.
//
//go:noinline
func smoothed(points []point, times, weight int) {
	for ; times > 0; times-- {
		before := points[0]
		for i := 1; i+1 < len(points); i++ {
			here, after := points[i], points[i+1]
			sum := point{before.x + 2*here.x + after.x, before.y + 2*here.y + after.y, before.z + 2*here.z + after.z}
			points[i] = point{sum.x / 4, sum.y / 4, sum.z / 4}                //-WEIGHT
			points[i] = point{sum.x / weight, sum.y / weight, sum.z / weight} //WEIGHT
			before = here
		}
	}
}

func main() {
	text := written(300000)
	var points []point
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		p, err := parsed(lines.Text())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		points = append(points, p)
	}
	raw := 0.0
	for i := 1; i < len(points); i++ {
		raw += points[i].distance(points[i-1])
	}
	smoothed(points, 150, 4)
	way := 0.0
	for i := 1; i < len(points); i++ {
		way += points[i].distance(points[i-1])
	}
	fmt.Printf("%d points, way %.1f, smoothed %.1f\n", len(points), raw, way)
}
