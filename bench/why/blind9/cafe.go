// A café: orders are read, looked for in the menu, put in order of haste, and billed by the rules of a file.
package main

import (
	"container/heap" //BOXES
	"fmt"
	"os"
	"regexp"
	"strings"
)

const orders = 3000   //-LONG
const orders = 40000  //LONG
const searches = 30   //-FIND
const searches = 1000 //FIND
const hasty = 20000   //-HASTE
const hasty = 1300000 //HASTE
const bills = 500     //-BILL
const bills = 12000   //BILL

var pattern = regexp.MustCompile(`^(\d+) x ([a-z ]+) for table (\d+)$`)

func order(line string) (string, string) {
	pattern := regexp.MustCompile(`^(\d+) x ([a-z ]+) for table (\d+)$`) //COMPILE
	found := pattern.FindStringSubmatch(line)
	if found == nil {
		return "", ""
	}
	return found[1], found[2]
}

func asked(menu []string, wish string) int {
	count := 0
	for _, dish := range menu {
		if strings.ToLower(dish) == strings.ToLower(wish) { //LOWER
		if strings.EqualFold(dish, wish) { //-LOWER
			count++
		}
	}
	return count
}

type dish struct {
	haste  uint32
	number int
}

type queue []dish

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].haste < q[j].haste }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

func (q *queue) Push(x any) { *q = append(*q, x.(dish)) }

func (q *queue) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}

func (q *queue) up(i int) {
	for i > 0 {
		above := (i - 1) / 2 //-OTHER
		if !q.Less(i, above) { //-OTHER
			return //-OTHER
		} //-OTHER
		q.Swap(i, above) //-OTHER
		i = above //-OTHER
		parent := (i - 1) / 2 //OTHER
		if q.Less(i, parent) { //OTHER
			q.Swap(i, parent) //OTHER
			i = parent //OTHER
			continue //OTHER
		} //OTHER
		return //OTHER
	}
}

func (q *queue) down() {
	i := 0
	for {
		next := 2*i + 1
		if next >= len(*q) {
			return
		}
		if next+1 < len(*q) && q.Less(next+1, next) {
			next++
		}
		if !q.Less(next, i) {
			return
		}
		q.Swap(i, next)
		i = next
	}
}

func cooked(seed uint32) int {
	var q queue
	sum := 0
	for i := 0; i < hasty; i++ {
		seed = seed*1664525 + 1013904223 //-OTHER
		seed = 1013904223 + 1664525*seed //OTHER
		heap.Push(&q, dish{seed >> 1, i}) //BOXES
		q = append(q, dish{seed >> 1, i}) //-BOXES
		q.up(len(q) - 1)                  //-BOXES
		if len(q) > 200 {
			sum = sum*3 + heap.Pop(&q).(dish).number //BOXES
			sum = sum*3 + q[0].number                //-BOXES
			q.Swap(0, len(q)-1)                      //-BOXES
			q = q[:len(q)-1]                         //-BOXES
			q.down()                                 //-BOXES
		}
	}
	return sum
}

type rules struct{ tax, tip int }

var kept *rules

func read(path string) rules {
	if kept != nil { //-REREAD
		return *kept //-REREAD
	} //-REREAD
	text, err := os.ReadFile(path)
	if err != nil {
		return rules{7, 10}
	}
	var r rules
	for _, line := range strings.Split(string(text), "\n") {
		var n int
		for _, c := range line[strings.IndexByte(line, '=')+1:] {
			n = n*10 + int(c-'0')
		}
		if strings.HasPrefix(line, "tax=") {
			r.tax = n
		} else if strings.HasPrefix(line, "tip=") {
			r.tip = n
		}
	}
	kept = &r
	return r
}

func bill(path string, cents int) string {
	r := read(path)
	total := cents * (100 + r.tax) * (100 + r.tip) / 10000
	text := strings.Repeat("-", 30) + "\n"
	for i := 0; i < 12; i++ {
		text += fmt.Sprintf("%2d %8d\n", i, total/(i+1))
	}
	return text
}

func main() {
	sum := 0
	for i := 0; i < orders; i++ {
		count, what := order(fmt.Sprintf("%d x plum cake for table %d", i%9, i%31))
		sum += len(count) + len(what)
	}
	var menu []string
	for i := 0; i < 2000; i++ {
		menu = append(menu, fmt.Sprintf("Plum Cake With Cream %d", i%700))
	}
	for i := 0; i < searches; i++ {
		sum += asked(menu, fmt.Sprintf("plum cake with cream %d", i))
	}
	sum += cooked(11)
	path := ""
	if len(os.Args) > 1 {
		path = os.Args[1]
	}
	for i := 0; i < bills; i++ {
		sum += len(bill(path, 100+i))
	}
	fmt.Println(sum)
}
