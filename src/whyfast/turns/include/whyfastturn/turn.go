// Package whyfastturn lets a Go program take turns under whyfast: copy this folder into the module.
//
// Benchmarks of a package, which stay as they are, in a file of its tests:
//
//	func TestMain(m *testing.M) {
//		whyfastturn.Main(m, BenchmarkSort, BenchmarkCopy)
//	}
//
// Under whyfast, the test binary serves the benchmark that -test.bench names, in its own words
// (^BenchmarkSort$), else the first; otherwise it runs its tests as ever.
//
// A program of its own, without the cost of the testing package:
//
//	func main() {
//		table := makeTable(1000)
//		whyfastturn.Take(func(loops uint64) string {
//			var sum uint64
//			for range loops {
//				sum = table.sum()
//			}
//			return strconv.FormatUint(sum, 10) // the check value
//		})
//	}
//
// The protocol is described in docs/turn-protocol.md.
package whyfastturn

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	variable     = "WHYFAST_TURN"
	longestError = 240
	longEnough   = 50 * time.Millisecond
)

// Main runs the tests of a package, or under whyfast serves turns of one of the benchmarks. It does
// not return.
func Main(m *testing.M, benchmarks ...func(*testing.B)) {
	if os.Getenv(variable) == "" {
		os.Exit(m.Run())
	}
	flag.Parse()
	Benchmark(chosen(benchmarks))
	os.Exit(0)
}

// Benchmark serves turns of a benchmark: a turn of N loops runs it with b.N = N, as -benchtime Nx
// does, and answers with its timer, so that b.ResetTimer, b.StopTimer and b.Loop mean what they do
// elsewhere. Each turn also costs one run of a single loop and two collections of garbage, none of
// them timed. By hand it prints what "go test -bench" does.
func Benchmark(benchmark func(*testing.B)) {
	testing.Init()
	grants, answers, served := descriptors()
	if !served {
		fmt.Println(testing.Benchmark(benchmark))
		return
	}
	serve(grants, answers, func(loops uint64) (time.Duration, string) {
		flag.Set("test.benchtime", strconv.FormatUint(loops, 10)+"x")
		failed, skipped := true, false
		result := testing.Benchmark(func(b *testing.B) {
			defer func() { failed, skipped = b.Failed(), b.Skipped() }()
			benchmark(b)
		})
		if skipped {
			fail(answers, "the benchmark is skipped")
		}
		if failed || uint64(result.N) != loops {
			fail(answers, fmt.Sprintf("the benchmark failed, or ran %d loops of %d", result.N, loops))
		}
		return result.T, ""
	})
}

// Take serves turns of run, which does the work that many times and returns a check value, the same
// for every variant and number of loops ("": none). By hand it measures, and prints nanoseconds.
func Take(run func(loops uint64) string) {
	timed := func(loops uint64) (time.Duration, string) {
		start := time.Now()
		check := run(loops)
		return time.Since(start), check
	}
	grants, answers, served := descriptors()
	if served {
		serve(grants, answers, timed)
		return
	}
	loops := uint64(1)
	best, check := timed(loops)
	for best < longEnough && loops < 1<<62 {
		loops *= 2
		best, check = timed(loops)
	}
	for range 6 {
		took, _ := timed(loops)
		best = min(best, took)
	}
	each := float64(best.Nanoseconds()) / float64(loops)
	fmt.Printf("%.1f ns per loop (fastest of 7 values of %d loops)", each, loops)
	if check != "" {
		fmt.Printf(", check %s", check)
	}
	fmt.Println()
}

// Lacks says that this program has no such benchmark, and why, and ends: that is no failure.
func Lacks(reason string) {
	_, answers, served := descriptors()
	if !served {
		fmt.Fprintln(os.Stderr, "no such benchmark:", reason)
		os.Exit(2)
	}
	answer(answers, "lacks "+oneLine(reason))
	os.Exit(0)
}

// chosen is the benchmark whose name -test.bench matches, or the first.
func chosen(benchmarks []func(*testing.B)) func(*testing.B) {
	if len(benchmarks) == 0 {
		Lacks("whyfastturn.Main got no benchmark")
	}
	wanted := ""
	if given := flag.Lookup("test.bench"); given != nil {
		wanted = given.Value.String()
	}
	if wanted == "" {
		return benchmarks[0]
	}
	pattern, err := regexp.Compile(wanted)
	if err != nil {
		Lacks(err.Error())
	}
	for _, benchmark := range benchmarks {
		full := runtime.FuncForPC(reflect.ValueOf(benchmark).Pointer()).Name()
		if pattern.MatchString(full[strings.LastIndex(full, ".")+1:]) {
			return benchmark
		}
	}
	Lacks("no benchmark that whyfastturn.Main got matches " + wanted)
	return nil
}

func descriptors() (grants, answers *os.File, served bool) {
	text, served := os.LookupEnv(variable)
	if !served {
		return nil, nil, false
	}
	in, out, _ := strings.Cut(text, ",")
	grant, err := strconv.ParseUint(in, 10, 31)
	reply, err2 := strconv.ParseUint(out, 10, 31)
	if err != nil || err2 != nil {
		fmt.Fprintln(os.Stderr, variable+" is malformed: expected two file descriptors, IN,OUT")
		os.Exit(2)
	}
	return os.NewFile(uintptr(grant), "grants"), os.NewFile(uintptr(reply), "answers"), true
}

func serve(grants, answers *os.File, run func(uint64) (time.Duration, string)) {
	defer func() {
		if failure := recover(); failure != nil {
			fail(answers, fmt.Sprint(failure))
		}
	}()
	answer(answers, "ready 1")
	lines := bufio.NewReader(grants)
	for {
		line, err := lines.ReadString('\n')
		if err == io.EOF && line == "" {
			return
		}
		loops, invalid := strconv.ParseUint(strings.TrimSuffix(line, "\n"), 10, 64)
		if err != nil || invalid != nil || loops == 0 {
			answer(answers, "error malformed grant")
			os.Exit(2)
		}
		took, check := run(loops)
		if check != "" {
			check = " " + check
		}
		answer(answers, fmt.Sprintf("%d.%09d%s", took/time.Second, took%time.Second, check))
	}
}

func fail(answers *os.File, text string) {
	answer(answers, "error "+oneLine(text))
	os.Exit(1)
}

func answer(answers *os.File, line string) {
	if _, err := answers.WriteString(line + "\n"); err != nil {
		fmt.Fprintln(os.Stderr, "cannot write to whyfast:", err)
		os.Exit(1)
	}
}

func oneLine(text string) string {
	line := []rune(strings.Join(strings.Fields(text), " "))
	return string(line[:min(len(line), longestError)])
}
