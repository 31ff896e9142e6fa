"""What is counted of a program, and what is said when it cannot be.

The same work of every build: how much, and that counts of it repeat themselves. What a longer run
did beyond a shorter one."""

import os
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.measure.tools import Answer, Replay, option, said

from whyfast.measure.count import (
    INSTRUCTIONS,
    CountingTask,
    Profiler,
    Simulation,
    beyond,
    count_measured,
    count_program,
    measured_turns,
)
from whyfast.measure.perf import measure_counters
from whyfast.measure.simulate import Cache, Geometry, Valgrind, own_valgrind
from whyfast.measure.tools import CannotCount, Finished, Launcher, ToolRun
from whyfast.model.counters import Counter, Counts, FunctionCost, Profile

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


def test_a_program_that_keeps_something_is_not_counted_at_first(tmp_path: Path) -> None:
    kept = tmp_path / "kept"

    def program(argv: Sequence[str]) -> Finished:
        kept.touch()
        return said()

    def valgrind(argv: Sequence[str]) -> Finished:
        return _callgrind(argv, 1000 if kept.exists() else 1300)

    replay = Replay({"valgrind": valgrind, "vm": program})
    task = CountingTask("v", ToolRun(("/x/vm", "run"), replay, {}, 9.0))
    assert _simulation().count(task, 1).counters[0].value == 1000


GEOMETRY = Geometry(*[Cache("L1i", 32768, 8, 64)] * 3)
VALGRIND = Valgrind("valgrind-9.9", {"callgrind": ("/usr/bin/valgrind", "--tool=callgrind")})


def _simulation() -> Simulation:
    return Simulation(VALGRIND, GEOMETRY)


def _callgrind(argv: Sequence[str], executed: int) -> Finished:
    """A run of a program of that many instructions."""
    out = Path(option(argv, "--callgrind-out-file").replace("%p", "77"))
    out.write_text(f"events: Ir\nob=(1) /x/vm\nfn=(1) run\n0 {executed}\n")
    Path(option(argv, "--log-file")).write_text("==77== Callgrind")
    return said()


def _loops(replay: Replay) -> int:
    """The loops of all grants of the last run, which are answered."""
    grants, answers = map(int, replay.environments[-1]["WHYFAST_TURN"].split(","))
    loops = [int(n) for n in os.read(grants, 65536).split()]
    os.write(answers, b"ready 1\n" + b"0.1 0x1\n" * len(loops))
    return sum(loops)


class _Program:
    """Callgrind with a program of that many instructions to start and for each loop."""

    def __init__(self, start: int, loop: int) -> None:
        self.start = start
        self.loop = loop
        self.replay = Replay({"valgrind": self.run, "vm": self.alone})

    def alone(self, argv: Sequence[str]) -> Finished:
        _loops(self.replay)
        return said()

    def run(self, argv: Sequence[str]) -> Finished:
        return _callgrind(argv, self.start + self.loop * _loops(self.replay))


def _task(replay: Replay, *, check: str = "0x1", enter: tuple[str, ...] = ()) -> CountingTask:
    run = ToolRun(("/x/vm", "turn"), replay, {}, 9.0, enter)
    return CountingTask("v", run, turns=True, check=check)


@pytest.mark.parametrize(
    ("loop", "loops"),
    [(50_000_000, 1), (INSTRUCTIONS, 1), (INSTRUCTIONS // 3, 1), (1000, 4096), (1, 2**22)],
)
def test_as_many_loops_as_make_enough_instructions(loop: int, loops: int) -> None:
    assert _simulation().loops(_task(_Program(10_000, loop).replay)) == loops


def test_one_warm_turn_is_counted() -> None:
    counts = _simulation().count(_task(_Program(10_000, 1000).replay), 4)
    assert counts.counters[0] == Counter(
        "instructions", 4000.0, "events", "simulated", "callgrind of valgrind-9.9"
    )
    assert not counts.failed


def test_what_fails_is_in_the_notes() -> None:
    counts = _simulation().count(_task(_Program(10_000, 1000).replay, check="0x2"), 4)
    assert counts.failed
    assert counts.notes == ("wrong result: 0x1, expected 0x2",)
    assert counts.counters == ()


def test_words_before_the_command_come_before_valgrind() -> None:
    program = _Program(1, 1)
    replay = program.replay

    def enter(argv: Sequence[str]) -> Finished:
        return (program.run if "/usr/bin/valgrind" in argv else program.alone)(argv)

    replay.answers = {**replay.answers, "enter": enter}
    _simulation().count(_task(replay, enter=("/usr/bin/enter", "root")), 1)
    words = ("/usr/bin/enter", "root", "/usr/bin/valgrind", "--tool=callgrind")
    assert replay.calls[-1][: len(words)] == words
    assert replay.calls[-1][-2:] == ("/x/vm", "turn")
    assert replay.calls[0] == ("/usr/bin/enter", "root", "/x/vm", "turn")  # alone, at first


def test_hardware_counts_half_a_second() -> None:
    assert measured_turns(0.001) == 500
    assert measured_turns(3.0) == 1
    assert measured_turns(1e-7) == 999


def _counts(argv: Sequence[str], values: Mapping[str, object]) -> Finished:
    """What perf stat writes, ``values`` by event."""
    lines = [
        f'{{"counter-value": "{values[event]}", "event": "{event}", "pcnt-running": 100}}'
        for event in argv[argv.index("-e") + 1].split(",")
    ]
    Path(argv[argv.index("-o") + 1]).write_text("\n".join(lines))
    return said()


def _stat(values: Mapping[str, Sequence[float]]) -> Answer:
    """perf stat, whose runs count these one after the other."""
    left = {f"{name}:u": list(counts) for name, counts in values.items()}

    def answer(argv: Sequence[str]) -> Finished:
        if argv[1] != "stat":
            return said("perf version 6.1\n" if argv[1] == "--version" else "")
        events = argv[argv.index("-e") + 1].split(",")
        return _counts(
            argv, {e: left[e].pop(0) if left.get(e) else "<not supported>" for e in events}
        )

    return answer


def test_hardware_counts_beyond_start_up(golden: Hear) -> None:
    counted = {"instructions": (900, 400), "cycles": (300, 100), "branches": (5, 5)}
    replay = Replay({"perf": _stat(counted)})
    run = ToolRun(("./vm",), replay, {}, 1.0, ("in",))
    found = {c.name: c for c in measure_counters(run, run)}
    assert found["instructions"].value == 500
    assert found["instructions per cycle"].value == 2.5
    assert found["branches"].value is None
    golden(found["branches"].note)
    assert found["branch-misses"].value is None
    assert replay.calls[-1][-2:] == ("in", "./vm")


SOURCE = """
#include "whyfast_turn.h"
static uint64_t run(void *state, uint64_t loops)
{
    uint64_t x = 1;
    for (uint64_t i = 0; i < loops * 1000; i++)
        x = x % 3 ? x * 7 + i : x / 3;
    (void)state;
    return x & 0;
}
int main(void) { return whyfast_turns(run, 0); }
"""


def test_two_runs_of_a_real_program_count_alike(tmp_path: Path) -> None:
    if not (shutil.which("valgrind") and shutil.which("gcc")):
        pytest.skip("needs valgrind and gcc")
    (tmp_path / "p.c").write_text(SOURCE)
    include = Path(__file__).parents[3] / "src/whyfast/turns/include"
    program = tmp_path / "p"
    argv = ["gcc", "-O1", f"-I{include}", str(tmp_path / "p.c"), "-o", str(program)]
    subprocess.run(argv, check=True)
    run = ToolRun((str(program),), Launcher(), os.environ, 300.0)
    task = CountingTask("v", run, turns=True, check="0x0")
    found = []
    try:
        for _ in range(2):
            valgrind = own_valgrind(Launcher(), os.environ)
            found.append(Simulation(valgrind, GEOMETRY).count(task, 16))
    except CannotCount as error:
        pytest.skip(str(error))
    if any("randomisation" in note for note in found[0].notes):
        pytest.skip("addresses cannot be fixed here")
    assert not found[0].failed
    assert found[0].counters == found[1].counters
    counts = {c.name: c.value for c in found[0].counters}
    assert 16 * 1000 * 5 < (counts["instructions"] or 0) < 16 * 1000 * 40


class _Hardware:
    """perf, on a machine that counts ten events for each loop beyond a thousand to start."""

    def __init__(self, counts: bool = True) -> None:
        self.replay = Replay({"perf": self.run})
        self.counts = counts

    def run(self, argv: Sequence[str]) -> Finished:
        if argv[1] == "report":
            return said("# Samples: 900  of event 'cycles:u'\n 900 ;vm ;[.] run\n")
        if argv[1] == "--version":
            return said("perf version 6.1\n")
        counted = 1000 + 10 * _loops(self.replay)
        value = counted if self.counts else "<not supported>"
        return _counts(argv, defaultdict(lambda: value))


def test_measured_where_the_hardware_counts() -> None:
    counts = count_measured(_task(_Hardware().replay), loops=5, turns=100)
    found = {c.name: c for c in counts.counters}
    assert found["instructions"].value == 5000
    assert found["instructions"].source == "measured"
    assert found["instructions per cycle"].value == 1.0
    assert counts.profile is not None
    assert counts.profile.source == "measured"
    assert not counts.failed


def test_no_counters_is_a_failure_with_its_reason(golden: Hear) -> None:
    counts = count_measured(_task(_Hardware(counts=False).replay), loops=5, turns=100)
    assert counts.failed
    assert counts.counters == ()
    golden(*counts.notes)


def _profile(*functions: FunctionCost, total: float) -> Profile:
    return Profile("t", "simulated", ("Ir", "Bim"), functions, {"Ir": total, "Bim": 1.0})


def test_start_up_goes_and_work_stays() -> None:
    def run(work: float, leave: float) -> Profile:
        return _profile(
            FunctionCost("work", "", {"Ir": work, "Bim": work / 100}),
            FunctionCost("start", "libc.so", {"Ir": 100.0, "Bim": 0.0}),
            FunctionCost("leave", "", {"Ir": leave, "Bim": 0.0}),
            total=work + 100 + leave,
        )

    found = beyond(run(900.0, leave=5.0), run(400.0, leave=6.0))
    assert found.functions == (FunctionCost("work", "", {"Ir": 500.0, "Bim": 5.0}),)
    assert found.totals == {"Ir": 499.0, "Bim": 0.0}


def test_functions_of_one_name_in_two_libraries_are_two() -> None:
    longer = _profile(FunctionCost("f", "a.so", {"Ir": 10.0}), total=10.0)
    shorter = _profile(FunctionCost("f", "b.so", {"Ir": 10.0}), total=10.0)
    assert beyond(longer, shorter).functions == longer.functions
