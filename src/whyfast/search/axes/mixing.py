"""An axis without an order: single differences between two ends, mixed at will."""

from __future__ import annotations

from dataclasses import dataclass, replace

from whyfast.investigate.work import Work
from whyfast.model.study import Study
from whyfast.model.variant import Variant
from whyfast.search.axes.candidate import AxisCandidate
from whyfast.search.study_subject import Make, make_variant


@dataclass(frozen=True)
class MixingEnds:
    """What is to be mixed; ``object`` is for axes that are over one."""

    good: Variant
    bad: Variant
    object: str = ""


@dataclass(frozen=True)
class Mixing:
    """Two ends and what differs between them.

    ``differences`` are their titles, each unique, numbered from 0. A candidate that has ``mixed``
    of them from the bad end and the others from the good one is built by ``make``. ``vanishing``
    says what it means when the difference in time goes away in every mixture. ``mended`` are
    titles of what once was a difference and is as at the good end in every mixture; then the bad
    end is the mixture of all ``differences`` and not ``bad`` itself.
    """

    good: Variant
    bad: Variant
    differences: tuple[str, ...]
    make: Make = make_variant
    vanishing: str = ""
    mended: tuple[str, ...] = ()

    def ends(self) -> tuple[AxisCandidate, AxisCandidate]:
        """The good end and the bad one."""
        good, bad = (AxisCandidate(v.name, v.name, v) for v in (self.good, self.bad))
        if self.mended:
            bad = replace(bad, variant=None, mixed=frozenset(range(len(self.differences))))
        return good, bad

    def without(self, found: frozenset[int]) -> Mixing:
        """What is left of it when ``found``, some of its differences, are as at the good end."""
        kept = tuple(n for n in range(len(self.differences)) if n not in found)

        def make(work: Work[Study], candidate: AxisCandidate, name: str) -> Work[Study]:
            mixed = frozenset(kept[n] for n in candidate.mixed)
            return self.make(work, replace(candidate, mixed=mixed), name)

        return replace(
            self,
            differences=tuple(self.differences[n] for n in kept),
            make=make,
            mended=(*self.mended, *(self.differences[n] for n in sorted(found))),
        )
