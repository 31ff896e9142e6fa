"""What is counted of a program, and what is said when it cannot be."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.unit.measure.tools import Replay, said

from whyfast.measure.count import CountingTask, Profiler, count_program
from whyfast.measure.geometry import Geometry
from whyfast.measure.launch import Finished, ToolRun
from whyfast.model.counters import Counts

REPORT = """\
# Samples: 300  of event 'cycles:u'
 250 ;vm        ;[.] vm_run
 50  ;libc.so.6 ;[.] puts
"""


def _sampling(argv: Sequence[str]) -> Finished:
    if argv[1] == "record":
        Path(argv[argv.index("-o") + 1]).touch()
    return said(REPORT if argv[1] == "report" else "", 255 if argv[1] == "stat" else 0)


def _count(replay: Replay, profiler: Profiler = "callgrind") -> Counts:
    task = CountingTask("vm", ToolRun(("/x/vm", "run"), replay, {}, 1.0))
    return count_program(task, Geometry(), profiler)


def test_without_any_tool() -> None:
    counts = _count(Replay({}))
    assert counts.notes == (
        "no hardware counters: perf is not installed",
        "no profile by callgrind: valgrind is not installed",
        "no profile by perf: perf is not installed",
    )
    assert counts.failed
    assert counts.profile is None


def test_sampling_where_there_is_no_valgrind() -> None:
    counts = _count(Replay({"perf": _sampling}))
    assert counts.profile is not None
    assert counts.profile.source == "measured"
    assert counts.profile.tool == "perf record (cycles)"
    assert [(f.name, f.object) for f in counts.profile.functions] == [
        ("vm_run", ""),
        ("puts", "libc.so.6"),
    ]
    assert counts.notes[-1] == "no profile by callgrind: valgrind is not installed"
    assert not counts.failed


def test_sampling_when_asked_for() -> None:
    replay = Replay({"perf": _sampling, "valgrind": _sampling})
    _count(replay, "perf")
    assert not any("valgrind" in call[0] for call in replay.calls)


def test_few_samples_are_noted() -> None:
    def few(argv: Sequence[str]) -> Finished:
        if argv[1] == "report":
            return said("# Samples: 1 of event 'cpu-clock'\n 1;vm;[.] f\n")
        return _sampling(argv)

    counts = _count(Replay({"perf": few}), "perf")
    assert counts.notes[-1] == "only 1 samples: use a longer workload"


def test_no_samples_at_all() -> None:
    def none(argv: Sequence[str]) -> Finished:
        return said("failed to open perf.data", 255)

    counts = _count(Replay({"perf": none}), "perf")
    assert counts.notes[-1].startswith("no profile by perf: perf record took no samples")
