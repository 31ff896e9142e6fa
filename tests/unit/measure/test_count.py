"""What is counted of a program, and what is said when it cannot be."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.golden_files import Hear
from tests.unit.measure.tools import Replay, option, said

from whyfast.measure.count import CountingTask, Profiler, Simulation, count_program
from whyfast.measure.launch import Finished, ToolRun
from whyfast.measure.simulate import Geometry, Valgrind
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


def test_without_any_tool(golden: Hear) -> None:
    counts = _count(Replay({}))
    golden(*counts.notes)
    assert counts.failed
    assert counts.profile is None


def test_sampling_where_there_is_no_valgrind(golden: Hear) -> None:
    counts = _count(Replay({"perf": _sampling}))
    assert counts.profile is not None
    assert counts.profile.source == "measured"
    assert counts.profile.tool == "perf record (cycles)"
    assert [(f.name, f.object) for f in counts.profile.functions] == [
        ("vm_run", ""),
        ("puts", "libc.so.6"),
    ]
    golden(counts.notes[-1])
    assert not counts.failed


def test_sampling_when_asked_for() -> None:
    replay = Replay({"perf": _sampling, "valgrind": _sampling})
    _count(replay, "perf")
    assert not any("valgrind" in call[0] for call in replay.calls)


def test_few_samples_are_noted(golden: Hear) -> None:
    def few(argv: Sequence[str]) -> Finished:
        if argv[1] == "report":
            return said("# Samples: 1 of event 'cpu-clock'\n 1;vm;[.] f\n")
        return _sampling(argv)

    counts = _count(Replay({"perf": few}), "perf")
    golden(counts.notes[-1])


def test_no_samples_at_all() -> None:
    def none(argv: Sequence[str]) -> Finished:
        return said("failed to open perf.data", 255)

    counts = _count(Replay({"perf": none}), "perf")
    assert counts.notes[-1].startswith("no profile by perf: perf record took no samples")


def test_a_program_that_keeps_something_for_its_next_run_is_not_counted_in_its_first(
    tmp_path: Path,
) -> None:
    kept = tmp_path / "kept"

    def program(argv: Sequence[str]) -> Finished:
        kept.touch()
        return said()

    def valgrind(argv: Sequence[str]) -> Finished:
        executed = 1000 if kept.exists() else 1300
        out = Path(option(argv, "--callgrind-out-file").replace("%p", "77"))
        out.write_text(f"events: Ir\nob=(1) /x/vm\nfn=(1) run\n0 {executed}\n")
        Path(option(argv, "--log-file")).write_text("==77== Callgrind")
        return said()

    replay = Replay({"valgrind": valgrind, "vm": program})
    words = Valgrind("valgrind-9.9", {"callgrind": ("/usr/bin/valgrind",)})
    task = CountingTask("v", ToolRun(("/x/vm", "run"), replay, {}, 9.0))
    counts = Simulation(words, Geometry()).count(task, 1)
    assert counts.counters[0].value == 1000
