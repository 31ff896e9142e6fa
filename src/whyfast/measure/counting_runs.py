"""Counting the same work of every build: a command whole, or turns beyond start-up.

A program that takes turns is run twice, once with one turn, which warms it up, and once with more;
what the second run did beyond the first is what is reported.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from whyfast.measure.counters import available, measure_counters, simulated_counters
from whyfast.measure.geometry import Geometry
from whyfast.measure.launch import Launcher
from whyfast.measure.pregranted import MOST_GRANTS, Granting
from whyfast.measure.sampling import sample
from whyfast.measure.simulate import CannotCount, RunPlace, Valgrind, simulate
from whyfast.measure.subtract_profile import beyond
from whyfast.model.counters import Counter, Counts, Profile

#: About so many instructions of the main baseline are simulated: a second or so, and enough that
#: those of the protocol, some thousands a turn, do not matter.
INSTRUCTIONS = 4_000_000

#: Seconds of the program's own time that hardware counts, about.
SECONDS = 0.5


@dataclass(frozen=True)
class CountingTask:
    """One build with one benchmark: ``command`` with its environment and the place where it runs.

    ``turns`` says that it takes turns, with ``check`` as the result of each; else it is run whole.
    """

    variant: str
    command: tuple[str, ...]
    env: Mapping[str, str]
    place: RunPlace = field(default_factory=RunPlace)
    turns: bool = True
    check: str | None = None


@dataclass
class Counting:
    """The tools, and what was run already. ``timeout`` in seconds for each run."""

    launcher: Launcher
    geometry: Geometry
    timeout: float
    _seen: dict[tuple[object, ...], Profile] = field(default_factory=dict)

    def loops(self, task: CountingTask, valgrind: Valgrind) -> int:
        """A power of two of loops, so that a turn executes about :data:`INSTRUCTIONS`.

        It rests on exact counts alone, so it is the same in every run. Raises CannotCount.
        """
        loops = 1
        while True:
            profile = self._beyond(task, loops, valgrind)
            executed = profile.totals[profile.main]
            if executed >= INSTRUCTIONS / 4 or loops >= 2**40:
                return loops
            wanted = INSTRUCTIONS / max(executed, 1.0)
            loops *= 2 ** max(1, math.ceil(math.log2(wanted)))

    def simulated(self, task: CountingTask, loops: int, valgrind: Valgrind) -> Counts:
        """What the model of a processor counts; nothing is raised, failures are in the notes."""
        try:
            profile = (
                self._beyond(task, loops, valgrind)
                if task.turns
                else self._simulate(task, self.launcher, valgrind)
            )
        except CannotCount as error:
            return _failed(task, str(error))
        counters = simulated_counters(profile)
        return Counts(task.variant, task.command, tuple(counters), profile, profile.notes)

    def measured(self, task: CountingTask, loops: int, turns: int) -> Counts:
        """What the hardware counts, with a profile by sampling where it counts anything."""
        more, less = self.launcher, None
        if task.turns:
            more = self._granting(task, loops, 1 + turns)
            less = self._granting(task, loops, 1)
        counters: list[Counter] = []
        try:
            counters = measure_counters(
                task.command,
                launcher=more,
                shorter=less,
                env=task.env,
                timeout=self.timeout,
                enter=task.place.enter,
            )
            if not available(counters):
                why = next((c.note for c in counters if c.note), "")
                return _failed(task, f"no hardware counters: {why}")
            profile, failure = sample(
                task.command,
                launcher=more,
                env=task.env,
                timeout=self.timeout,
                enter=task.place.enter,
            )
        except CannotCount as error:
            return replace(_failed(task, f"no profile: {error}"), counters=tuple(counters))
        notes = (*([failure] if failure else []), *profile.notes)
        return Counts(task.variant, task.command, tuple(counters), profile, notes, bool(failure))

    def forget(self) -> None:
        """Let go of the profiles of runs so far, thousands of functions each."""
        self._seen.clear()

    def _beyond(self, task: CountingTask, loops: int, valgrind: Valgrind) -> Profile:
        """The profile of one turn after one to warm up."""
        key = (task.variant, task.command, loops, valgrind.version)
        if key not in self._seen:
            shorter, longer = (
                self._simulate(task, self._granting(task, loops, turns), valgrind)
                for turns in (1, 2)
            )
            self._seen[key] = beyond(longer, shorter)
        return self._seen[key]

    def _simulate(self, task: CountingTask, launcher: Launcher, valgrind: Valgrind) -> Profile:
        profile, failure = simulate(
            task.command,
            launcher=launcher,
            geometry=self.geometry,
            env=task.env,
            timeout=self.timeout,
            valgrind=valgrind,
            place=task.place,
        )
        if failure:
            raise CannotCount(failure)
        return profile

    def _granting(self, task: CountingTask, loops: int, turns: int) -> Granting:
        return Granting(self.launcher, task.command, loops=loops, turns=turns, check=task.check)


def measured_turns(value: float) -> int:
    """How many turns of ``value`` seconds hardware counts."""
    return max(1, min(MOST_GRANTS - 1, round(SECONDS / max(value, 1e-9))))


def _failed(task: CountingTask, why: str) -> Counts:
    return Counts(task.variant, task.command, (), None, (why,), failed=True)
