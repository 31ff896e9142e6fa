// Collects metrics of hosts: reads samples of a file, keeps them by name, summarises and encodes them.
package main

import (
	"bufio" //-BYTEWISE
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect" //REFLECT
	"strings"
	"sync" //EACH
)

type Sample struct {
	Host, Port uint32
	Load       int64
}

type node struct {
	next *node
	text []byte
}

func draw(state *uint32) uint32 {
	*state ^= *state << 13
	*state ^= *state >> 17
	*state ^= *state << 5
	return *state
}

// stack keeps values that are to be undone.
type stack struct {
	values []any //BOXED
	values []int64 //-BOXED
}

func (s *stack) push(v int64) { s.values = append(s.values, v) }

func (s *stack) pop() int64 {
	last := s.values[len(s.values)-1]
	s.values = s.values[:len(s.values)-1]
	return last.(int64) //BOXED
	return last //-BOXED
}

//go:noinline
func undo(samples []Sample) int64 {
	var s stack
	var sum int64
	for round := 0; round < 24; round++ {
		for _, sample := range samples {
			s.push(sample.Load)
		}
		for range samples {
			sum = sum*3 + s.pop()
		}
	}
	return sum
}

//go:noinline
func matches(line []byte, word string) bool {
	text := string(line)                    //CONVERT
	return strings.HasSuffix(text, word) && strings.Contains(text, "host") //CONVERT
	return len(line) >= len(word) && string(line[len(line)-len(word):]) == word && line[0] == 'h' //-CONVERT
}

// field is the number of a sample by its place.
//
//go:noinline
func field(s *Sample, place int) uint64 {
	return reflect.ValueOf(s).Elem().Field(place).Uint() //REFLECT
	if place == 0 {
		return uint64(s.Host)
	}
	return uint64(s.Port)
}

func digest(s *Sample, rounds int) uint64 {
	sum := uint64(s.Load)
	for i := 0; i < rounds; i++ {
		sum = sum*6364136223846793005 + sum>>33
	}
	return sum
}

//go:noinline
func digests(samples []Sample) uint64 {
	results := make([]uint64, len(samples))
	var group sync.WaitGroup //EACH
	for i := range samples {
		group.Add(1) //EACH
		go func() { //EACH
			defer group.Done() //EACH
			results[i] = digest(&samples[i], 100)
		}() //EACH
	}
	group.Wait() //EACH
	var sum uint64
	for _, r := range results {
		sum ^= r
	}
	return sum
}

// history keeps the latest lines in a list, and older ones become garbage.
//
//go:noinline
func history(lines int) int {
	kept := make([]*node, 20000)
	total := 0
	for i := 0; i < lines; i++ {
		at := &kept[(i*7919)%len(kept)]
		*at = &node{text: make([]byte, 48)}
		(*at).next = kept[i%97]
		if (*at).next != nil {
			(*at).next.next = nil
		}
		total += len((*at).text)
	}
	return total
}

// count reads a file and counts lines and sums bytes.
func count(name string) (lines, sum int) {
	file, err := os.Open(name)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	input := file //BYTEWISE
	input := bufio.NewReader(file) //-BYTEWISE
	one := make([]byte, 1)
	for {
		if _, err := io.ReadFull(input, one); err != nil {
			return lines, sum
		}
		sum += int(one[0])
		if one[0] == '\n' {
			lines++
		}
	}
}

func main() {
	state := uint32(521288629)
	samples := make([]Sample, 100000)
	for i := range samples {
		samples[i] = Sample{draw(&state) % 5000, 1000 + draw(&state)%64, int64(draw(&state)) << 9}
	}
	name := filepath.Join(filepath.Dir(os.Args[0]), "samples.txt")
	if err := os.WriteFile(name, []byte(strings.Repeat("host-17 9100 4182\n", 4000)), 0o600); err != nil {
		panic(err)
	}
	lines, sum := count(name)
	line := []byte("host-20411 port 9100 load 128371 state steady")
	found := 0
	for i := 0; i < 1500000; i++ {
		line[5] = byte('0' + i%10)
		if matches(line, "steady") {
			found++
		}
	}
	var total uint64
	for round := 0; round < 40; round++ {
		for i := range samples {
			total += field(&samples[i], round&1)
		}
	}
	fmt.Println(lines, sum, found, total, undo(samples), digests(samples), history(200000))
}
