"""What a search is about and what it has seen: plain data, appended to and never changed.

Candidates are numbered in order: 0 is the good end, ``task.positions`` the bad one. A step *at* k
lies between k − 1 and k: k is the first with the new level. All ratios are natural logarithms of
times, so a bad end that is slower has a positive effect.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class KnownEnds:
    """What is known of the ends beforehand, as in the bound of docs/math/search.md.

    ``effect``: log(bad / good). ``noise``: standard deviation of one measurement, which is the
    log ratio of a candidate to the middle of both ends in one block.
    """

    effect: float
    noise: float

    def __post_init__(self) -> None:
        if not (self.effect > 0 and self.noise > 0):
            raise ValueError("the known effect and noise must be above 0")


@dataclass(frozen=True)
class Costs:
    """Seconds, or any unit, of one block of measuring and of building one candidate."""

    block: float = 1.0
    build: float = 1.0


@dataclass(frozen=True)
class Task:
    """The question.

    ``positions``: where the step may be, 1 … positions. ``margin``: the smallest difference of
    the ends that matters, as a ratio less 1. ``relinkable``: whether blocks can draw layouts.
    ``weights``: for each position how likely it is to hold the step beforehand, alike if None.
    ``budget``: the most blocks of measuring, no limit if None.
    """

    positions: int
    margin: float = 0.01
    relinkable: bool = False
    known: KnownEnds | None = None
    costs: Costs = Costs()
    weights: tuple[float, ...] | None = None
    budget: int | None = None

    def __post_init__(self) -> None:
        if self.positions < 1:
            raise ValueError("there must be at least one position for the step")
        if not self.margin > 0:
            raise ValueError("the margin must be above 0")
        if self.weights is not None and (
            len(self.weights) != self.positions or not min(self.weights) > 0
        ):
            raise ValueError("there must be one weight above 0 for each position")


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
    """One block. ``ends`` is log(bad / good) in it.

    ``readings``: the candidates that ran beside the ends, none when the ends ran alone.
    ``layouts``: every program ran in a fresh layout. ``pair``: set when the block was taken to
    confirm; it then counts for that alone until the confirmation has failed.
    """

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
    """A search so far. ``built``: candidates between the ends that a block costs no build for.

    ``skipped`` says of each candidate that cannot be measured why.
    """

    task: Task
    observations: tuple[Observation, ...] = ()
    built: frozenset[int] = frozenset()
    skipped: Mapping[int, str] = field(default_factory=dict)
