// Groups invoices by customer and prints a line for each month.
package main

import (
	"fmt"
	"strconv"
	"strings"
)

type customer struct {
	name string
	sum  int
}

type groups struct {
	customers []customer
	places    map[string]int
}

func (g *groups) find(name string) *customer {
	for i := range g.customers { //SCAN
		if g.customers[i].name == name { //SCAN
			return &g.customers[i] //SCAN
		} //SCAN
	} //SCAN
	if i, found := g.places[name]; found { //-SCAN
		return &g.customers[i] //-SCAN
	} //-SCAN
	g.places[name] = len(g.customers) //-SCAN
	g.customers = append(g.customers, customer{name: name})
	return &g.customers[len(g.customers)-1]
}

func report(lines []string) string {
	text := "" //PLUS
	for _, line := range lines { //PLUS
		text += line + "\n" //PLUS
	} //PLUS
	return text //PLUS
	var text strings.Builder //-PLUS
	for _, line := range lines { //-PLUS
		text.WriteString(line + "\n") //-PLUS
	} //-PLUS
	return text.String() //-PLUS
}

func main() {
	var names []string
	for i := 0; i < 30; i++ {
		names = append(names, "customer "+strconv.Itoa(10007*i%90001))
	}
	g := &groups{places: make(map[string]int)}
	state := uint64(67)
	words := 0
	for month := 0; month < 240; month++ {
		var lines []string
		for i := 0; i < 9000; i++ {
			state = state*6364136223846793005 + 1442695040888963407
			c := g.find(names[(state>>40)%30])
			c.sum += int(state >> 54)
			if i%40 == 0 {
				lines = append(lines, c.name+": "+strconv.Itoa(c.sum))
			}
		}
		words += len(strings.Fields(report(lines)))
	}
	fmt.Println(words, len(g.customers))
}
