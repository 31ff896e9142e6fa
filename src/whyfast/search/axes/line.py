"""An axis with an order: candidates from the good end to the bad one, and how they are made."""

from __future__ import annotations

from dataclasses import dataclass

from whyfast.search.axes.candidate import AxisCandidate
from whyfast.search.quantity import Count, Quantity
from whyfast.search.study_subject import Make, make_variant


@dataclass(frozen=True)
class LineSearch:
    """What a user asks: ``variant`` None is the study's main baseline, ``benchmarks`` all of them
    when empty; ``margin`` None is the study's, ``blocks`` the most to take. ``among`` and
    ``object`` are for axes that want them."""

    axis: str
    good: str
    bad: str
    variant: str | None = None
    among: tuple[str, ...] = ()
    object: str = ""
    benchmarks: tuple[str, ...] = ()
    margin: float | None = None
    blocks: int | None = None
    fresh: bool = False
    quantity: Quantity = "time"


@dataclass(frozen=True)
class CandidateLine:
    """``count`` is how candidates are counted where that is this axis's own way; ``quantity`` is
    then what that is. None: whatever the user wants to be compared. ``back`` are the candidates
    beyond the bad end, the last first: where is it good again?"""

    candidates: tuple[AxisCandidate, ...]
    make: Make = make_variant
    count: Count | None = None
    quantity: Quantity | None = None
    back: tuple[AxisCandidate, ...] = ()
