// A gateway: requests are checked against keys, routes and limits, and counted by their answers.
package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

type Request struct {
	Key, Path string
	Bytes     int
	At        int64
}

type Plan struct {
	Name  string
	Rate  int64
	Burst int64
}

type bucket struct {
	filled int64
	last   int64
}

var errUnknown = errors.New("unknown key") //-WORDS
var errRoute = errors.New("no route")      //-WORDS
var errLimit = errors.New("too many")      //-WORDS

var errClosed = errors.New("closed")

type Gateway struct {
	plans   map[string]*Plan
	buckets map[string]*bucket
	routes  []string
	answers [4]int
	closed  bool
}

type contextKey int

const (
	planKey contextKey = iota
	traceKey
	regionKey
	stageKey
	hostKey
	buildKey
	userKey
	flagsKey
)

func (g *Gateway) route(path string) (int, error) {
	for i, prefix := range g.routes {
		if strings.HasPrefix(path, prefix) {
			return i, nil
		}
	}
	return 0, errRoute //-WORDS
	return 0, fmt.Errorf("no route for the path %q among %d", path, len(g.routes)) //WORDS
}

func (g *Gateway) taken(plan *Plan, r *Request) error {
	b := g.buckets[r.Key]
	b.filled = min(plan.Burst, b.filled+(r.At-b.last)*plan.Rate/1000)
	b.last = r.At
	if b.filled < int64(r.Bytes) {
		return errLimit //-WORDS
		return fmt.Errorf("too many bytes for plan %s of %q: %d of %d at %d", plan.Name, r.Key, r.Bytes, b.filled, r.At) //WORDS
	}
	b.filled -= int64(r.Bytes)
	return nil
}

func (g *Gateway) handle(ctx context.Context, r *Request) error {
	plan, known := g.plans[r.Key]
	if !known {
		return errUnknown //-WORDS
		return fmt.Errorf("unknown key %q for %s", r.Key, r.Path) //WORDS
	}
	route, err := g.route(r.Path)
	if err != nil {
		return err
	}
	if g.closed {
		return errClosed
	}
	if err := g.taken(plan, r); err != nil {
		return err
	}
	g.answers[route%4] += g.cost(ctx, r)
	return nil
}

// What a request costs, by each kilobyte and where it is answered.
func (g *Gateway) cost(ctx context.Context, r *Request) int {
	sum := 0
	price := priceIn(ctx) //-CONTEXT
	for left := r.Bytes; left > 0; left -= 64 {
		price := priceIn(ctx) //CONTEXT
		sum += price * min(left, 64) / 64
	}
	return sum
}

func priceIn(ctx context.Context) int {
	region, _ := ctx.Value(regionKey).(string)
	if strings.HasPrefix(region, "eu-") {
		return 5
	}
	return 3
}

func withAll(base context.Context, n int) context.Context {
	region := []string{"eu-north", "us-east", "eu-south"}[n%3]
	ctx := context.WithValue(base, regionKey, region)
	ctx = context.WithValue(ctx, stageKey, "live")
	ctx = context.WithValue(ctx, hostKey, "gw-7")
	ctx = context.WithValue(ctx, buildKey, 4711)
	ctx = context.WithValue(ctx, flagsKey, "none")
	ctx = context.WithValue(ctx, userKey, "anonymous")
	ctx = context.WithValue(ctx, traceKey, n)
	return context.WithValue(ctx, planKey, "unset")
}

func digestOf(path string, digest uint32) uint32 {
	for i := 0; i < len(path); i++ {
		digest = (digest ^ uint32(path[i])) * 16777619
	}
	return digest
}

func main() {
	g := &Gateway{plans: map[string]*Plan{}, buckets: map[string]*bucket{}}
	g.routes = []string{"/orders/", "/stock/", "/users/", "/search/", "/images/"}
	var keys []string
	for i := 0; i < 500; i++ {
		key := fmt.Sprintf("key-%04d", i*37%1000)
		keys = append(keys, key)
		if i%5 > 0 {
			g.plans[key] = &Plan{"basic", int64(1200 + i%7*300), 4000}
			g.buckets[key] = &bucket{}
		}
	}
	paths := []string{"/orders/17", "/stock/boots", "/static/logo.png", "/users/me", "/search/?q=kettle"}
	contexts := []context.Context{}
	for i := 0; i < 9; i++ {
		contexts = append(contexts, withAll(context.Background(), i))
	}
	seed, digest := uint32(17), uint32(0)
	refused := 0
	for i := 0; i < 900000; i++ {
		seed = seed*1664525 + 1013904223
		r := Request{keys[(seed>>8)%500], paths[(seed>>28)%5], 100 + int(seed>>22), int64(i)}
		if err := g.handle(contexts[i%9], &r); err != nil {
			refused++
		}
		digest = digestOf(r.Path, digest)
	}
	fmt.Println(refused, g.answers, digest)
}
