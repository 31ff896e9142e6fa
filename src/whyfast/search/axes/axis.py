"""An axis with an order: candidates from the good end to the bad one, and how they are made."""

from __future__ import annotations

from dataclasses import dataclass, replace

from whyfast.investigate.context import RunContext
from whyfast.model.study import Study
from whyfast.model.variant import Variant
from whyfast.search.state import AxisCandidate, Count, Quantity
from whyfast.search.study_subject import Make, make_variant


@dataclass(frozen=True)
class Bisection:
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
class CandidateRange:
    """``count`` is how candidates are counted where that is this axis's own way; ``quantity`` is
    then what that is. None: whatever the user wants to be compared. ``back`` are the candidates
    beyond the bad end, the last first: where is it good again?"""

    candidates: tuple[AxisCandidate, ...]
    make: Make = make_variant
    count: Count | None = None
    quantity: Quantity | None = None
    back: tuple[AxisCandidate, ...] = ()


# ---- An axis without an order: single differences between two ends, mixed at will.


@dataclass(frozen=True)
class MixingEnds:
    """What is to be mixed; ``object`` is for axes that are over one."""

    good: Variant
    bad: Variant
    object: str = ""


@dataclass(frozen=True)
class DifferenceSet:
    """Two ends and what differs between them.

    ``differences`` are their titles, each unique, numbered from 0. A candidate that has ``mixed``
    of them from the bad end and the others from the good one is built by ``make``. ``vanishing``
    says what it means when the difference in time goes away in every mixture. ``reverted`` are
    titles of what once was a difference and is as at the good end in every mixture; then the bad
    end is the mixture of all ``differences`` and not ``bad`` itself.
    """

    good: Variant
    bad: Variant
    differences: tuple[str, ...]
    make: Make = make_variant
    vanishing: str = ""
    reverted: tuple[str, ...] = ()

    def ends(self) -> tuple[AxisCandidate, AxisCandidate]:
        """The good end and the bad one."""
        good, bad = (AxisCandidate(v.name, v.name, v) for v in (self.good, self.bad))
        if self.reverted:
            bad = replace(bad, variant=None, mixed=frozenset(range(len(self.differences))))
        return good, bad

    def without(self, found: frozenset[int]) -> DifferenceSet:
        """What is left of it when ``found``, some of its differences, are as at the good end."""
        kept = tuple(n for n in range(len(self.differences)) if n not in found)

        def make(work: RunContext[Study], candidate: AxisCandidate, name: str) -> RunContext[Study]:
            mixed = frozenset(kept[n] for n in candidate.mixed)
            return self.make(work, replace(candidate, mixed=mixed), name)

        return replace(
            self,
            differences=tuple(self.differences[n] for n in kept),
            make=make,
            reverted=(*self.reverted, *(self.differences[n] for n in sorted(found))),
        )
