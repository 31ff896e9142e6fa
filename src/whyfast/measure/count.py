"""What a program does, counted apart from timed runs: counting changes how long it takes.

A program that takes turns is run twice, once with one turn, which warms it up, and once with more;
what the second run did beyond the first is what is reported. Others are run whole. Each is run once
with no tool before, since what a first run leaves behind for the next is no work of the benchmark.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from whyfast.measure.perf import available, measure_counters, sample
from whyfast.measure.process import CannotCount, ToolRun
from whyfast.measure.simulate import (
    Geometry,
    Valgrind,
    fixed_environment,
    simulate,
    simulated_counters,
)
from whyfast.measure.turns import MOST_GRANTS, PregrantedLauncher
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
    is in the notes.
    """
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
    """What the hardware counts, with a profile by sampling where it counts anything.

    Nothing is raised, failures are in the notes.
    """
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
    """A model of this machine's processor, and what has been run in it already."""

    valgrind: Valgrind
    geometry: Geometry
    _seen: dict[tuple[object, ...], Profile] = field(default_factory=dict)
    _warm: set[tuple[str, ...]] = field(default_factory=set)

    def loops(self, task: CountingTask) -> int:
        """A power of two of loops, so that a turn executes about :data:`INSTRUCTIONS`.

        It rests on exact counts alone, so it is the same in every run. Raises CannotCount.
        """
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
        profile, failure = simulate(run, self.geometry, valgrind=self.valgrind)
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
    """The profile of what only the longer run did, function by function.

    No count is below 0: leaving may cost a few instructions less after a longer run.
    """
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
