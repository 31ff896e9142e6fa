"""Go: what stacks and the collector's trace say."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from tests.unit.why.runtimes.examples import explain, keys_of, sides_of

from whyfast.formats.profiles import StackFrame
from whyfast.measure.perf import SampledRun, sample_in_turns
from whyfast.measure.tools import CannotCount, Launcher, ToolRun
from whyfast.why.functions import FunctionKey
from whyfast.why.runtimes.go import Collections, Go, kind_of, parse_gctrace

#: Go 1.26.
TRACE = """\
gc 1 @0.001s 2%: 0.059+0.34+0.005 ms clock, 0.11+0.10/0/0+0.010 ms cpu, 3->3->1 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P
something of the program
gc 2 @0.004s 28%: 1.8+4.0+0.003 ms clock, 3.7+0/4.3/3.1+0.007 ms cpu, 5->5->2 MB, 1 MB goal, 0 MB stacks, 0 MB globals, 2 P
gc 3 @0.014s 21%: 0.19+3.6+0.004 ms clock, 0.39+1.6/0.068/0.083+0.008 ms cpu, 4->4->2 MB, 2 MB goal, 0 MB stacks, 0 MB globals, 2 P
"""  # noqa: E501


def test_the_trace_of_collections() -> None:
    assert parse_gctrace(TRACE) == Collections(3, (3 + 4 + 2) * 1e6)
    assert parse_gctrace("") == Collections(0, 0)


@pytest.mark.parametrize(
    ("stack", "kind"),
    [
        ("runtime.mallocgcSmallNoscan runtime.mallocgc runtime.newobject main.sum", "allocation"),
        ("runtime.memmove runtime.growslice main.f main.main", "allocation"),
        ("runtime.scanSpan runtime.gcDrain runtime.gcBgMarkWorker.func2", "garbage-collection"),
        ("runtime.gcAssistAlloc runtime.mallocgc main.f", "garbage-collection"),
        ("main.f runtime.main", ""),
        ("runtime.mapaccess1_fast64 main.f", ""),
        ("strings.Index main.newobject", ""),
    ],
)
def test_what_a_stack_does_for_the_runtime(stack: str, kind: str) -> None:
    assert kind_of(stack.split()) == kind


def sampled(side: str, **seconds: float) -> SampledRun:
    stacks = {
        tuple(StackFrame(n, 0, "/x", 0) for n in names): seconds[key]
        for key, names in {
            "new": ("runtime.mallocgc", "runtime.newobject", "main.sum", "main.main"),
            "own": ("main.sum", "main.main"),
            "collect": ("runtime.scanSpan", "runtime.gcDrain", "runtime.gcBgMarkWorker"),
        }.items()
        if key in seconds
    }
    return SampledRun(side, stacks)


def test_seconds_and_the_caller_are_those_of_the_samples(tmp_path: Path) -> None:
    script = tmp_path / "p"
    script.write_text(f"#!/bin/sh\ncat >&2 <<'E'\n{TRACE}E\n")
    script.chmod(0o755)
    runs = [sampled("fast", own=0.1 + n / 1000) for n in range(3)]
    runs += [sampled("slow", own=0.1 + n / 1000, new=0.3) for n in range(3)]
    findings = Go().explain(sides_of([str(script)], [str(script)], (0.101, 0.401), runs))
    (cause,) = findings.causes
    assert (cause.key, cause.place.function, cause.basis) == ("allocation", "main.sum", "measured")
    assert cause.share == pytest.approx(1.0, abs=0.01)
    assert (cause.facts[0].name, cause.facts[0].slow) == ("collections", 3)
    assert findings.takes(FunctionKey("", "runtime.mallocgc"))
    assert not findings.takes(FunctionKey("", "main.sum"))


def test_what_more_allocation_costs_the_collector_is_allocation(tmp_path: Path) -> None:
    script = tmp_path / "p"
    script.write_text(f"#!/bin/sh\ncat >&2 <<'E'\n{TRACE}E\n")
    script.chmod(0o755)
    quiet = tmp_path / "quiet"
    quiet.write_text("#!/bin/sh\n:\n")
    quiet.chmod(0o755)
    runs = [sampled("fast", own=0.1 + n / 1000, new=0.01) for n in range(3)]
    runs += [sampled("slow", own=0.1 + n / 1000, new=0.1, collect=0.2) for n in range(3)]
    findings = Go().explain(sides_of([str(quiet)], [str(script)], (0.111, 0.401), runs))
    (cause,) = findings.causes
    assert (cause.key, cause.place.function) == ("allocation", "main.sum")
    assert cause.share == pytest.approx(1.0, abs=0.02)
    # As much is allocated: then the collector's time is a cause of its own.
    findings = Go().explain(sides_of([str(script)], [str(script)], (0.111, 0.401), runs))
    assert {c.key for c in findings.causes} == {"allocation", "garbage-collection"}


def test_nothing_is_said_where_samples_do_not_differ() -> None:
    runs = [sampled(s, own=t, new=0.3) for s, t in (("fast", 0.1), ("slow", 0.2)) for _ in range(3)]
    assert Go().explain(sides_of(["/p"], ["/p"], (0.4, 0.5), runs)).causes == ()


PROGRAM = """\
package main

var keep *[4]int

//go:noinline
func work(n int) int {
	t := 0
	var own [4]int
	own[0] = 1
	for i := 0; i < n; i++ {
		p := %s
		p[i&3] = i
		t += p[1]
	}
	return t
}
func main() { println(work(8000000)) }
"""


@pytest.mark.skipif(shutil.which("go") is None, reason="no go; install golang")
@pytest.mark.skipif(shutil.which("perf") is None, reason="no perf; install linux-perf")
def test_allocation_in_a_real_program(tmp_path: Path) -> None:
    programs = []
    for name, pointer in (("a", "&own"), ("b", "new([4]int); keep = p; _ = own")):
        source = tmp_path / f"{name}.go"
        source.write_text(PROGRAM % pointer)
        env = {"HOME": str(tmp_path), **os.environ, "GOFLAGS": "-mod=mod"}
        done = Launcher().run(
            ["go", "build", "-o", str(tmp_path / name), str(source)], env=env, timeout=300
        )
        assert done.status == 0, done.output
        programs.append([str(tmp_path / name)])
    try:
        runs = sample_in_turns(
            dict(zip(("fast", "slow"), programs, strict=True)),
            3,
            ToolRun((), Launcher(), os.environ, 60),
            seed=1,
        )
    except CannotCount as error:
        pytest.skip(str(error))
    times = [sum(r.seconds for r in runs if r.side == s) / 3 for s in ("fast", "slow")]
    findings = explain(Go(), sides_of(programs[0], programs[1], (times[0], times[1]), runs))
    assert "allocation" in keys_of(findings)
    by_key = {c.key: c for c in findings.causes}
    assert by_key["allocation"].place.function == "main.work"
    assert findings.takes(FunctionKey("", "runtime.mallocgc"))
