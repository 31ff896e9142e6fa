// Counts the words of posts and keeps the longest of each author.
package main

import "fmt"

type word struct {
	start, end int
	score      float64
}

type analyser struct {
	words []*word //FRESH
	words []word  //-FRESH
}

func (a *analyser) split(text []byte) {
	a.words = nil        //FRESH
	a.words = a.words[:0] //-FRESH
	start := -1
	for i, letter := range text {
		inside := letter >= 'a' && letter <= 'z'
		if inside && start < 0 {
			start = i
		}
		if !inside && start >= 0 {
			a.add(start, i)
			start = -1
		}
	}
	if start >= 0 {
		a.add(start, len(text))
	}
}

func (a *analyser) add(start, end int) {
	a.words = append(a.words, &word{start, end, float64(end-start) * 0.5}) //FRESH
	a.words = append(a.words, word{start, end, float64(end-start) * 0.5})  //-FRESH
}

func (a *analyser) score() (score float64, longest int) {
	for _, word := range a.words {
		score += word.score
		if word.end-word.start > longest {
			longest = word.end - word.start
		}
	}
	return score, longest
}

func makePosts(count int) [][]byte {
	posts := make([][]byte, count)
	state := uint32(1)
	for i := range posts {
		post := make([]byte, 0, 1200)
		for len(post) < 1200 {
			state = state*1664525 + 1013904223
			for n := state >> 29; n < 8; n++ {
				post = append(post, byte('a'+(state>>16)%26))
			}
			post = append(post, ' ')
		}
		posts[i] = post
	}
	return posts
}

func main() {
	posts := makePosts(500)
	var a analyser
	total, longest := 0.0, 0
	for round := 0; round < 40; round++ {
		for _, post := range posts {
			a.split(post)
			score, long := a.score()
			total += score
			longest += long
		}
	}
	fmt.Println(total, longest)
}
