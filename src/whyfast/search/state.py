"""The question of a search and its blocks: plain data, appended to and never changed. Candidates
are numbered in order, 0 the good end; a step *at* k lies between k − 1 and k. Ratios are natural
logarithms of times, positive for a slower bad end."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Literal

import numpy as np

from whyfast.judge.ratios import Floats
from whyfast.model.errors import UserError
from whyfast.model.study import Study
from whyfast.model.variant import Variant

# What may lie between the ends, with the good end at level 0 and the bad end at level 1:
#
# - ``none``: the ends do not differ. ``swapped``: the bad end is the faster one.
# - ``single``: one step from 0 to 1, at any position.
# - ``several``: two steps, 0 to a level of :data:`MIDDLE` to 1: a drop and its partial repair
#   (a level above 1), or a difference that came in two parts.
# - ``gradual``: no step; the level grows evenly over the range.
# - ``scattered``: no step; every candidate has a level of its own, as placement of code makes it.

Hypothesis = Literal["none", "swapped", "single", "several", "gradual", "scattered"]

#: Levels that a candidate may have. Close enough that the nearest is at most an eighth off.
LEVELS: Floats = np.arange(-1.0, 2.01, 0.25)
GOOD = int(np.argmin(np.abs(LEVELS)))
BAD = int(np.argmin(np.abs(LEVELS - 1)))
#: The levels between two steps, as indices of :data:`LEVELS`.
MIDDLE = tuple(i for i in range(len(LEVELS)) if i not in (GOOD, BAD))

#: Prior probabilities. The ends: somebody saw them differ, and one such observation in ten is
#: noise. The shapes: given that the ends differ.
ENDS: dict[str, float] = {"differ": 0.88, "none": 0.1, "swapped": 0.02}
SHAPES: dict[Hypothesis, float] = {
    "single": 0.8,
    "several": 0.08,
    "gradual": 0.02,
    "scattered": 0.1,
}

#: Under "scattered", how likely each level is. Placement is often a matter of either, or: a loop
#: fits into its cache line or does not. So candidates may well have the levels of the ends.
SCATTER: Floats = np.full(len(LEVELS), 0.1 / len(MIDDLE))
SCATTER[[GOOD, BAD]] = 0.45


#: Times, or counts, which do not depend on load.
Quantity = Literal[
    "time", "instructions", "indirect-jumps", "size", "allocations", "peak-heap", "peak-memory",
    "build-time",
]  # fmt: skip
#: Those that are measured in blocks, each with its noise; of the others one look is enough.
MEASURED: tuple[Quantity, ...] = ("time", "peak-memory", "build-time")


def check_quantity(quantity: Quantity, study: Study) -> None:
    """UserError, before anything is built, when this study has nothing to count."""
    if quantity == "indirect-jumps" and not study.evidence.dispatch:
        raise UserError(
            "the study names no dispatch functions; write [evidence] dispatch = […]",
            where="--measure indirect-jumps",
        )
    run = quantity in ("instructions", "allocations", "peak-heap")
    if run and not any(b.kind.countable for b in study.benchmarks):
        kinds = ", ".join(sorted({b.runner for b in study.benchmarks}))
        raise UserError(
            f"cannot count benchmarks of the kind {kinds}; measure time",
            where=f"--measure {quantity}",
        )


@dataclass(frozen=True)
class AxisCandidate:
    """A candidate, in order from the good end, or a mixture. ``name`` is unique on the axis,
    ``title`` for reports. ``variant`` is built for it, None for a command. ``mixed``: the
    differences that a mixture has from the bad end."""

    name: str
    title: str
    variant: Variant | None = None
    mixed: frozenset[int] = frozenset()


@dataclass(frozen=True)
class KnownEnds:
    """The ends, when known beforehand, as in the bound of docs/math/search.md. ``effect``: log(bad
    / good). ``noise``: standard deviation of one measurement, which is the log ratio of a candidate
    to the middle of both ends in one block."""

    effect: float
    noise: float

    def __post_init__(self) -> None:
        if not (self.effect > 0 and self.noise > 0):
            raise ValueError("the known effect and noise must be above 0")


@dataclass(frozen=True)
class Task:
    """The question. ``positions``: where the step may be, from 1; in a set the number of
    differences. ``margin``: the smallest difference that matters, as a ratio less 1.
    ``relinkable``: whether blocks can draw layouts. ``budget``: the most blocks."""

    positions: int
    margin: float = 0.01
    relinkable: bool = False
    known: KnownEnds | None = None
    budget: int | None = None

    def __post_init__(self) -> None:
        if self.positions < 1:
            raise ValueError("there must be at least one position for the step")
        if not self.margin > 0:
            raise ValueError("the margin must be above 0")


@dataclass(frozen=True)
class Reading:
    """One candidate in one block: its log ratio to the good and to the bad end of that block."""

    candidate: int
    to_good: float
    to_bad: float

    @property
    def offset(self) -> float:
        """log(candidate / geometric mean of the ends): the measurement that the search rests on."""
        return (self.to_good + self.to_bad) / 2


@dataclass(frozen=True)
class Pair:
    """A block that confirms: ``jump`` is log(culprit / parent); ``attempt`` counts from 1."""

    parent: int
    culprit: int
    attempt: int
    jump: float


@dataclass(frozen=True)
class Observation:
    """One block. ``ends``: log(bad / good) in it; ``readings``: of candidates beside the ends;
    ``layouts``: every program ran in a fresh one. ``pair``: taken to confirm, and counted for that
    alone until the confirmation has failed."""

    ends: float
    readings: tuple[Reading, ...] = ()
    layouts: bool = False
    pair: Pair | None = None

    def __post_init__(self) -> None:
        numbers = [self.ends, *(x for r in self.readings for x in (r.to_good, r.to_bad))]
        numbers += [self.pair.jump] if self.pair else []
        if not all(math.isfinite(x) for x in numbers):
            raise ValueError("a log ratio must be a finite number")


def ran(task: Task, block: Observation) -> tuple[int, ...]:
    """The candidates that ran in a block."""
    return (0, *(r.candidate for r in block.readings), task.positions)


@dataclass(frozen=True)
class State:
    """A search so far. ``built``: the built candidates between the ends; ``skipped``: those that
    cannot be measured, with the reason."""

    task: Task
    observations: tuple[Observation, ...] = ()
    built: frozenset[int] = frozenset()
    skipped: Mapping[int, str] = field(default_factory=dict)


#: So often the ends of a number that counts as exact are the same.
REPEATED = 3


def exact(state: State) -> bool:
    """Whether the ends never varied, as counts do not; then there are no errors."""
    ends = [o.ends for o in state.observations]
    return len(ends) >= REPEATED and len(set(ends)) == 1


def jumps(state: State) -> list[tuple[int, int, float]]:
    """Candidates measured that follow each other, and the log ratio of the latter to the former, of
    the medians of their blocks; the largest first."""
    levels = {0: [0.0], state.task.positions: [o.ends for o in state.observations]}
    for reading in (r for o in state.observations for r in o.readings):
        levels.setdefault(reading.candidate, []).append(reading.to_good)
    known = [(c, median(levels[c])) for c in sorted(levels)]
    found = [(a, b, to - level) for (a, level), (b, to) in pairwise(known)]
    return sorted(found, key=lambda jump: -abs(jump[2]))


Outcome = Literal[
    "culprit", "one of", "none", "swapped", "placement", "gradual", "scattered", "undecided"
]
#: What layouts show of the difference of the ends.
Tested = Literal["change", "placement", "partly", "undecided", "not tested"]


@dataclass(frozen=True)
class Interval:
    """The log ratios that the blocks do not refute, and their median."""

    estimate: float
    low: float
    high: float
    blocks: int


@dataclass(frozen=True)
class Where:
    """The step is at one of the positions ``first`` … ``last``; ``first - 1`` is the parent.
    ``probability``: given that there is a step."""

    first: int
    last: int
    probability: float

    @property
    def parent(self) -> int:
        """The last candidate before the step that can be measured."""
        return self.first - 1

    @property
    def size(self) -> int:
        """How many positions it may be."""
        return self.last - self.first + 1


@dataclass(frozen=True)
class SearchAnswer:
    """The answer and its evidence. ``culprit``: one position; ``one of``: several, as candidates
    between cannot be measured; ``none``: the ends do not differ; ``swapped``: the bad end is the
    faster one; ``placement``: of code; ``gradual``, ``scattered``: no single step; ``undecided``:
    the budget is spent, or no step was confirmed. ``where``: the position, also a likely one where
    undecided. Log ratios: ``step`` from the confirmation, ``ends`` as linked, ``varied`` over
    layouts. ``several``: the step is not all of it. ``placed``: steps as linked that vanished over
    layouts. ``posterior``: of the hypotheses."""

    outcome: Outcome
    ends: Interval | None
    varied: Interval | None
    posterior: Mapping[Hypothesis, float]
    tested: Tested
    where: Where | None = None
    step: Interval | None = None
    several: bool = False
    placed: tuple[Where, ...] = ()


def remainders(answer: SearchAnswer, positions: int) -> tuple[tuple[int, int], ...]:
    """The ranges (good, bad) that may hold further steps, to be searched on demand. Empty when the
    step was not found or is all there is."""
    if answer.where is None or not answer.several:
        return ()
    before, after = (0, answer.where.parent), (answer.where.last, positions)
    return tuple((a, b) for a, b in (before, after) if a < b)
