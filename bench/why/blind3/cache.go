// Keeps the sessions used last in a cache, while requests come in for old and new ones.
package main

import (
	"container/list"
	"fmt"
)

const room = 20000

type session struct {
	user  uint32
	pages []string
	tags  map[string]int
}

type cache struct {
	order *list.List
	byKey map[uint32]*list.Element
}

func (c *cache) get(user uint32) *session {
	if e, found := c.byKey[user]; found {
		c.order.MoveToFront(e)
		return e.Value.(*session)
	}
	s := &session{user: user, tags: map[string]int{"visits": 0}}
	c.byKey[user] = c.order.PushFront(s)
	if c.order.Len() > room {
		last := c.order.Back()
		delete(c.byKey, last.Value.(*session).user)
		c.order.Remove(last)
	}
	return s
}

func main() {
	c := &cache{order: list.New(), byKey: make(map[uint32]*list.Element, room)}
	pages := []string{"home", "cart", "search", "help"}
	state := uint64(59)
	sum := 0
	for i := 0; i < 200000; i++ {
		state = state*6364136223846793005 + 1442695040888963407
		s := c.get(uint32(state>>40) % 40000)
		s.tags["visits"]++
		s.pages = append(s.pages, pages[state>>62])
		sum += len(s.pages)
	}
	fmt.Println(sum, c.order.Len())
}
