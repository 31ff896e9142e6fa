"""What a program does, counted apart from timed runs: counting changes how long it takes.

A program that takes turns is run twice, once with one turn, which warms it up, and once with more;
what the second run did beyond the first is what is reported. Others are run whole. Each is run once
with no tool before, since what a first run leaves behind for the next is no work of the benchmark.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from whyfast.formats.profiles import DamagedProfile, SimulatedProfile, parse_callgrind
from whyfast.measure.perf import available, measure_counters, sample
from whyfast.measure.process import describe_status
from whyfast.measure.simulate import (
    Geometry,
    Valgrind,
    fixed_environment,
    held_fixed,
    simulate,
    simulated_counters,
    under_valgrind,
    valgrind_options,
    written,
)
from whyfast.measure.tools import CannotCount, ToolRun, call_table
from whyfast.measure.turns import MOST_GRANTS, PregrantedLauncher
from whyfast.model.cost import VariantCost
from whyfast.model.counters import Counter, Counts, FunctionCost, Profile

Profiler = Literal["callgrind", "cachegrind", "perf"]

#: Seconds that one run under a tool may take by default.
TIMEOUT = 600.0

#: Instructions of the main baseline that are simulated, about: a second or so, and enough that
#: those of the protocol, some thousands a turn, do not matter.
INSTRUCTIONS = 4_000_000

#: Seconds of the program's own time that hardware counts, about.
SECONDS = 0.5


@dataclass(frozen=True)
class CountingTask:
    """One build with one benchmark. ``turns`` says that it takes turns, with ``check`` as the
    result of each; else it is run whole."""

    variant: str
    run: ToolRun
    turns: bool = False
    check: str | None = None

    def granted(self, loops: int, turns: int) -> ToolRun:
        """The run in which it takes ``turns`` turns of ``loops`` each."""
        launcher = PregrantedLauncher(
            self.run.launcher, self.run.command, loops=loops, turns=turns, check=self.check
        )
        return replace(self.run, launcher=launcher)

    def failed(self, why: str) -> Counts:
        """Nothing was counted."""
        return Counts(self.variant, self.run.command, (), None, (why,), failed=True)


def count_program(
    task: CountingTask,
    geometry: Geometry,
    profiler: Profiler = "callgrind",
    valgrind: Valgrind | None = None,
) -> Counts:
    """One whole run under the hardware's counters and one under ``profiler``, or else perf.
    ``valgrind`` is the machine's own by default. Nothing is raised for what cannot be counted: it
    is in the notes."""
    try:
        task.run.once(task.run.env)
    except CannotCount as error:
        return task.failed(str(error))
    counters, why = _hardware(task.run)
    notes = [why] if why else []
    profile, failure = None, ""
    for tool in (profiler, "perf") if profiler != "perf" else (profiler,):
        try:
            if tool == "perf":
                profile, failure = sample(task.run)
            else:
                profile, failure = simulate(task.run, geometry, tool=tool, valgrind=valgrind)
                counters += simulated_counters(profile)
        except CannotCount as error:
            notes.append(f"no profile by {tool}: {error}")
            continue
        notes.extend(profile.notes)
        break
    notes = [*([failure] if failure else []), *notes]
    failed = bool(failure) or profile is None
    return Counts(task.variant, task.run.command, tuple(counters), profile, tuple(notes), failed)


def count_measured(task: CountingTask, loops: int, turns: int) -> Counts:
    """What the hardware counts, with a profile by sampling where it counts anything. Nothing is
    raised, failures are in the notes."""
    run = task.granted(loops, 1 + turns) if task.turns else task.run
    counters, why = _hardware(run, task.granted(loops, 1) if task.turns else None)
    if why:
        return task.failed(why)
    try:
        profile, failure = sample(run)
    except CannotCount as error:
        return replace(task.failed(f"no profile: {error}"), counters=tuple(counters))
    notes = (*([failure] if failure else []), *profile.notes)
    return Counts(
        task.variant, task.run.command, tuple(counters), profile, notes, failed=bool(failure)
    )


def measured_turns(value: float) -> int:
    """How many turns of ``value`` seconds hardware counts."""
    return max(1, min(MOST_GRANTS - 1, round(SECONDS / max(value, 1e-9))))


@dataclass
class Simulation:
    """A model of this machine's processor, and what has been run in it already. Without a
    ``geometry`` it counts no misses."""

    valgrind: Valgrind
    geometry: Geometry | None
    _seen: dict[tuple[object, ...], Profile] = field(default_factory=dict)
    _warm: set[tuple[str, ...]] = field(default_factory=set)

    def loops(self, task: CountingTask) -> int:
        """A power of two of loops, so that a turn executes about :data:`INSTRUCTIONS`. It rests on
        exact counts alone, so it is the same in every run. Raises CannotCount."""
        loops = 1
        while True:
            profile = self._profile(task, loops)
            executed = profile.totals[profile.main]
            if executed >= INSTRUCTIONS / 4 or loops >= 2**40:
                return loops
            wanted = INSTRUCTIONS / max(executed, 1.0)
            loops *= 2 ** max(1, math.ceil(math.log2(wanted)))

    def count(self, task: CountingTask, loops: int) -> Counts:
        """What the model counts; nothing is raised, failures are in the notes."""
        try:
            if task.turns:
                profile = self._profile(task, loops)
            else:
                self._warmed(task.run)
                profile = self._simulate(task.run)
        except CannotCount as error:
            return task.failed(str(error))
        counters = tuple(simulated_counters(profile))
        return Counts(task.variant, task.run.command, counters, profile, profile.notes)

    def forget(self) -> None:
        """Let go of the profiles of runs so far, thousands of functions each."""
        self._seen.clear()

    def _profile(self, task: CountingTask, loops: int) -> Profile:
        """Of one turn after one to warm up."""
        key = (task.variant, task.run.command, loops)
        if key not in self._seen:
            self._warmed(task.granted(1, 1))
            shorter, longer = (self._simulate(task.granted(loops, turns)) for turns in (1, 2))
            self._seen[key] = beyond(longer, shorter)
        return self._seen[key]

    def _warmed(self, run: ToolRun) -> None:
        command = (*run.enter, *run.command)
        if command not in self._warm:
            run.once(fixed_environment(run.env))
            self._warm.add(command)

    def _simulate(self, run: ToolRun) -> Profile:
        return _simulated(run, self.geometry, self.valgrind)


def _simulated(run: ToolRun, geometry: Geometry | None, valgrind: Valgrind) -> Profile:
    profile, failure = simulate(run, geometry, valgrind=valgrind)
    if failure:
        raise CannotCount(failure)
    return profile


def joined(measured: Counts, simulated: Counts) -> Counts:
    """Both kinds of counters of one build; the profile is the measured one where there is one."""
    return replace(
        measured,
        counters=(*measured.counters, *simulated.counters),
        profile=measured.profile or simulated.profile,
        notes=(*measured.notes, *simulated.notes),
    )


def beyond(longer: Profile, shorter: Profile) -> Profile:
    """The profile of what only the longer run did, function by function. No count is below 0:
    leaving may cost a few instructions less after a longer run."""
    known = {(f.object, f.name): f.costs for f in shorter.functions}
    functions = []
    for f in longer.functions:
        costs = _minus(f.costs, known.get((f.object, f.name), {}))
        if any(costs.values()):
            functions.append(FunctionCost(f.name, f.object, costs))
    totals = _minus(longer.totals, shorter.totals)
    return replace(longer, functions=tuple(functions), totals=totals)


def _minus(costs: Mapping[str, float], less: Mapping[str, float]) -> dict[str, float]:
    return {event: max(0.0, cost - less.get(event, 0.0)) for event, cost in costs.items()}


def _hardware(run: ToolRun, shorter: ToolRun | None = None) -> tuple[list[Counter], str]:
    """The counters, and why none of them has a value."""
    try:
        counters = measure_counters(run, shorter)
    except CannotCount as error:
        return [], f"no hardware counters: {error}"
    if available(counters):
        return counters, ""
    return counters, f"no hardware counters: {next((c.note for c in counters if c.note), '')}"


# What runs of a program cost, counted: on the heap by DHAT, in system calls by strace, in
# instructions by Callgrind. Two runs of each, of which the second says whether the first repeats.

#: What adds up over turns, so that the first turn, with the start, can be taken off.
SUMS = ("instructions", "allocations", "allocated", "system-calls")

#: A line of DHAT: in all; when the heap was largest; when the program ended.
_LINE = re.compile(r"==\d+== (Total|At t-gmax|At t-end): +([\d,]+) bytes in ([\d,]+) blocks")

#: What counts by key of the costs, from one run.
Counting = Callable[[ToolRun], Mapping[str, float]]


def counted_costs(
    task: CountingTask, benchmark: str, valgrind: Valgrind | CannotCount
) -> Iterator[VariantCost]:
    """The counted costs of one build on one benchmark: of a whole run, or of one turn of one loop
    beyond start-up and a turn to warm up. Nothing is raised for what cannot be counted: its cost
    has a note."""

    def of_valgrind(count: Callable[[ToolRun, Valgrind], Mapping[str, float]]) -> Counting:
        def counting(run: ToolRun) -> Mapping[str, float]:
            if isinstance(valgrind, CannotCount):
                raise CannotCount(f"{valgrind}; install it (Debian, Ubuntu: valgrind)")
            return count(run, valgrind)

        return counting

    def instructions(run: ToolRun, valgrind: Valgrind) -> Mapping[str, float]:
        profile = _simulated(run, None, valgrind)
        return {"instructions": profile.totals[profile.main]}

    ways: dict[tuple[str, ...], Counting] = {
        ("instructions",): of_valgrind(instructions),
        ("allocations", "allocated", "peak-heap", "left-over"): of_valgrind(heap_counts),
        ("system-calls",): lambda run: {
            "system-calls": float(sum(row.calls for row in call_table(held_fixed(run)).values()))
        },
    }
    for keys, count in ways.items():
        try:
            first, second = (_counts(task, count) for _ in range(2))
        except CannotCount as error:
            for key in keys:
                yield VariantCost(key, task.variant, None, benchmark, str(error))
            continue
        for key in keys:
            yield VariantCost(key, task.variant, first[key], benchmark, again=second[key])


def _counts(task: CountingTask, count: Counting) -> Mapping[str, float]:
    """What one run costs; of a program that takes turns, what its second turn adds to the sums."""
    if not task.turns:
        return count(task.run)
    shorter, longer = (count(task.granted(1, turns)) for turns in (1, 2))
    return {k: x - shorter[k] if k in SUMS else x for k, x in longer.items()}


def heap_of(task: CountingTask, valgrind: Valgrind) -> Mapping[str, float]:
    """What :func:`heap_counts` says of a whole run, or of a turn. Raises CannotCount."""
    return _counts(task, lambda run: heap_counts(run, valgrind))


def heap_counts(run: ToolRun, valgrind: Valgrind) -> Mapping[str, float]:
    """One run under DHAT: the ``allocations`` of the program and all that it starts, with the bytes
    ``allocated``, the largest heap of one process (``peak-heap``), and the bytes that nobody had
    freed at the end (``left-over``). Raises CannotCount."""
    with run.folder() as folder:
        options = "--trace-children=yes", f"--dhat-out-file={folder}/out.%p"
        done, logs = under_valgrind(held_fixed(run), valgrind, "dhat", folder, *options)
    if done.status:
        raise CannotCount(f"the program ended with {describe_status(done.status)}")
    processes = [found for text in logs if (found := parse_dhat(text))]
    if not processes:
        raise CannotCount(f"{valgrind.version} wrote no summary of the heap")
    if not any(p["allocations"] for p in processes):
        raise CannotCount(
            "no allocation was seen: linked statically, or with an allocator that DHAT cannot see"
        )
    return {
        key: (max if key == "peak-heap" else sum)(p[key] for p in processes) for key in processes[0]
    }


def parse_dhat(text: str) -> dict[str, float]:
    """The counts of one process; empty for a text without the three lines."""
    lines = {
        m[1]: (int(m[2].replace(",", "")), int(m[3].replace(",", ""))) for m in _LINE.finditer(text)
    }
    if len(lines) < 3:
        return {}
    return {
        "allocations": float(lines["Total"][1]),
        "allocated": float(lines["Total"][0]),
        "peak-heap": float(lines["At t-gmax"][0]),
        "left-over": float(lines["At t-end"][0]),
    }


# What a program executes, by instruction and by call: one run under Callgrind, for two at once.

#: How much longer a program takes under Callgrind with caches, branches and instructions: the
#: upper end of what Valgrind's manual gives, and what the pairs of bench/why took.
SLOWDOWN = 80.0

#: The same without caches and branches.
PLAIN_SLOWDOWN = 30.0

#: How much longer again an interpreter takes, whose code is jumps (CPython 3.11: 180 and 95 times).
INTERPRETED = 2.0

#: Seconds that Callgrind takes to start and load a program.
LOADING = 2.0


def count_calls(
    runs: Mapping[str, ToolRun], geometry: Geometry | None, valgrind: Valgrind
) -> dict[str, list[SimulatedProfile]]:
    """The profiles of each side, one per process, that of the program itself first; without misses
    of caches and branches where no ``geometry`` is given. Both sides run at once, each on one CPU:
    counts do not depend on time. Raises CannotCount."""
    events = valgrind_options(geometry)[0]
    with ThreadPoolExecutor(len(runs)) as pool:
        jobs = {side: pool.submit(_profiles, run, events, valgrind) for side, run in runs.items()}
        try:
            return {side: job.result() for side, job in jobs.items()}
        except KeyboardInterrupt:  # which the threads that wait do not hear of
            for run in runs.values():
                run.launcher.stop()
            raise


def _profiles(run: ToolRun, events: Sequence[str], valgrind: Valgrind) -> list[SimulatedProfile]:
    with run.folder() as folder:
        options = (
            *("--trace-children=yes", "--demangle=no", "--dump-instr=yes", "--dump-line=no"),
            *("--compress-pos=no", *events, f"--callgrind-out-file={folder}/profile.%p"),
        )
        under_valgrind(held_fixed(run), valgrind, "callgrind", folder, *options)
        return _read(written(folder, "profile"), valgrind.version)


def _read(files: Sequence[Path], version: str) -> list[SimulatedProfile]:
    profiles = []
    for file in files:
        text = file.read_text(errors="replace")
        if not text.strip():
            continue
        try:
            profiles.append(parse_callgrind(text))
        except DamagedProfile as error:
            raise CannotCount(f"the profile of {version} cannot be read: {error}") from None
    if not profiles:
        raise CannotCount(f"{version} wrote no profile")
    return profiles
