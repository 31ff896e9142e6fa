// Sums sales by article with four workers.
package main

import (
	"fmt"
	"sync"
)

const workers, sales, articles = 4, 3_500_000, 512

type totals struct {
	sync.Mutex
	sums [articles]int
}

func (t *totals) add(article, amount int) {
	t.Lock()
	t.sums[article] += amount
	t.Unlock()
}

func main() {
	var all totals
	var done sync.WaitGroup
	for w := 0; w < workers; w++ {
		done.Add(1)
		go func() {
			defer done.Done()
			state := uint64(w + 61)
			var own [articles]int //-TOGETHER
			for i := 0; i < sales; i++ {
				state = state*6364136223846793005 + 1442695040888963407
				price := int(state>>50) % 97 * int(state>>33&255) % 1013
				all.add(int(state>>55), price) //TOGETHER
				own[state>>55] += price //-TOGETHER
			}
			for article, sum := range own { //-TOGETHER
				all.add(article, sum) //-TOGETHER
			} //-TOGETHER
		}()
	}
	done.Wait()
	sum := 0
	for article, total := range all.sums {
		sum += article * total
	}
	fmt.Println(sum)
}
