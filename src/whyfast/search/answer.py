"""What a search says in the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from whyfast.search.hypotheses import Hypothesis

Word = Literal[
    "culprit",
    "one of",
    "none",
    "swapped",
    "placement",
    "gradual",
    "scattered",
    "undecided",
]
#: Whether layouts were drawn, and what they said of the difference of the ends.
Tested = Literal["change", "placement", "partly", "undecided", "not tested"]


@dataclass(frozen=True)
class Interval:
    """Log ratios that the blocks do not refute, and the middle of what they say."""

    estimate: float
    low: float
    high: float
    blocks: int


@dataclass(frozen=True)
class Where:
    """The step is at one of the positions ``first`` … ``last``; ``first - 1`` is the parent.

    ``probability``: given that there is a step.
    """

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
    """The answer and what it rests on.

    ``culprit``: one position. ``one of``: several that cannot be told apart, because the
    candidates between cannot be measured. ``none``: the ends do not differ. ``swapped``: the bad
    end is the faster one. ``placement``: the difference is where the linker put the code.
    ``gradual``, ``scattered``: there is no single step. ``undecided``: the budget is spent, or
    what was found was not confirmed.

    ``where``: the position, also a likely one where undecided; None without any. ``step``: the
    log ratio over the step from the confirmation, ``ends`` that of the ends as linked, ``varied``
    over layouts; ``several``: whether the step is not all of it. ``placed``: steps that were found
    as linked and vanished over layouts. ``of``: the posterior of the hypotheses.
    """

    word: Word
    ends: Interval | None
    varied: Interval | None
    of: Mapping[Hypothesis, float]
    tested: Tested
    where: Where | None = None
    step: Interval | None = None
    several: bool = False
    placed: tuple[Where, ...] = ()


def remainders(answer: SearchAnswer, positions: int) -> tuple[tuple[int, int], ...]:
    """The ranges (good, bad) that may hold further steps, to be searched on demand.

    Empty when the step was not found or is all there is.
    """
    if answer.where is None or not answer.several:
        return ()
    before, after = (0, answer.where.parent), (answer.where.last, positions)
    return tuple((a, b) for a, b in (before, after) if a < b)
