// Reads what sensors send as lines of JSON and keeps the warmest of each street.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

type place struct {
	Street string `json:"street"`
	House  int    `json:"house"`
}

type reading struct {
	Sensor string    `json:"sensor"`
	Place  place     `json:"place"`
	Values []float64 `json:"values"`
	Minute int       `json:"minute"`
}

type warmest struct {
	street string
	house  int
	mean   float64
	minute int
}

func sent(count int) []string {
	seed := uint32(13)
	draw := func(n uint32) uint32 {
		seed = seed*1664525 + 1013904223
		return (seed >> 9) % n
	}
	lines := make([]string, count)
	for i := range lines {
		values := make([]string, 14)
		for k := range values {
			values[k] = fmt.Sprintf("%d.%d", 10+draw(20), draw(10))
		}
		lines[i] = fmt.Sprintf(`{"sensor":"s%d","place":{"street":"street %d","house":%d},"values":[%s],"minute":%d}`,
			draw(5000), draw(40), 1+draw(90), strings.Join(values, ","), draw(1440))
	}
	return lines
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func decoded(line string) (warmest, error) {
	var r reading                                            //-ANY
	if err := json.Unmarshal([]byte(line), &r); err != nil { //-ANY
		return warmest{}, err //-ANY
	} //-ANY
	return warmest{r.Place.Street, r.Place.House, mean(r.Values), r.Minute}, nil //-ANY
	var r map[string]any                                                         //ANY
	if err := json.Unmarshal([]byte(line), &r); err != nil {                     //ANY
		return warmest{}, err //ANY
	} //ANY
	at := r["place"].(map[string]any)       //ANY
	var values []float64                    //ANY
	for _, v := range r["values"].([]any) { //ANY
		values = append(values, v.(float64)) //ANY
	} //ANY
	return warmest{at["street"].(string), int(at["house"].(float64)), mean(values), int(r["minute"].(float64))}, nil //ANY
}

func ordered(all []warmest) {
	slices.SortFunc(all, func(a, b warmest) int {
		if a.street != b.street {
			return strings.Compare(a.street, b.street)
		}
		return b.minute*1000 + b.house - a.minute*1000 - a.house
	})
}

func main() {
	lines := sent(12000)
	streets, sum := 0, 0.0
	for hour := 0; hour < 9; hour++ {
		all := make([]warmest, 0, len(lines))
		for _, line := range lines {
			w, err := decoded(line)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			all = append(all, w)
		}
		ordered(all)
		for i, w := range all {
			if i == 0 || w.street != all[i-1].street {
				streets++
				sum += w.mean
			}
		}
	}
	fmt.Printf("%d streets, %.3f\n", streets, sum)
}
