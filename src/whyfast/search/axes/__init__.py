"""What a search goes along, one file an axis: the request of a user, and what an axis gives,
candidates in order or a set of differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from whyfast.investigate.context import RunContext
from whyfast.model.errors import UserError
from whyfast.model.study import Study
from whyfast.model.variant import Variant
from whyfast.search.state import AxisCandidate, Quantity
from whyfast.search.study_subject import Count, Make, make_variant


@dataclass(frozen=True)
class SearchRequest:
    """One search as asked for. ``good`` and ``bad`` are names on the axis, of a set of differences
    variants of the study or compiler flags for ``variant``. Defaults: the main baseline, all
    ``benchmarks``, the study's ``margin``, unlimited ``blocks``. ``among``: toolchains or kernels
    to search; ``object``: whose passes or functions are searched. ``fresh`` discards a kept search,
    ``incremental`` reuses the build directory (final candidates are rebuilt clean), ``everything``
    goes on while part of the difference is unexplained."""

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
    incremental: bool = False
    everything: bool = False


@dataclass(frozen=True)
class CandidateRange:
    """Candidates in order, the good end first, for bisection. ``count``, ``quantity``: how this
    axis counts candidates, and what; None: the user's. ``back``: candidates beyond the bad end, the
    last first, to find where it is good again. ``backwards``: the good end is the newer one.
    ``branch``: the candidates of the branch that a merge brought in, None for others."""

    candidates: tuple[AxisCandidate, ...]
    make: Make = make_variant
    count: Count | None = None
    quantity: Quantity | None = None
    back: tuple[AxisCandidate, ...] = ()
    backwards: bool = False
    branch: Callable[[AxisCandidate], tuple[AxisCandidate, ...] | None] = lambda candidate: None


def between(names: Sequence[str], good: str, bad: str, kind: str) -> tuple[list[str], bool]:
    """The names from ``good`` to ``bad``, and whether ``good`` is the later one in ``names``.
    UserError for ends that are not among them, or the same."""
    for end, option in ((good, "--good"), (bad, "--bad")):
        if end not in names:
            available = ", ".join(names) or "none"
            raise UserError(f"unknown {kind} {end!r}; available: {available}", where=option)
    i, j = names.index(good), names.index(bad)
    if i == j:
        raise UserError(f"both ends are the same {kind}", where="--bad")
    return (list(names[i : j + 1]), False) if i < j else (list(names[j : i + 1][::-1]), True)


@dataclass(frozen=True)
class DifferenceSet:
    """Two ends and the differences between them, unique titles numbered from 0, mixed freely.
    ``make`` builds a candidate with its ``mixed`` differences from the bad end. ``vanishing``
    explains a difference in time that disappears in every mixture. ``reverted``: titles of
    differences that all mixtures, and then the bad end too, take from the good end."""

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

    def without(self, reverted: frozenset[int]) -> DifferenceSet:
        """The remaining differences, with those of these numbers as at the good end."""
        kept = tuple(n for n in range(len(self.differences)) if n not in reverted)

        def make(
            context: RunContext[Study], candidate: AxisCandidate, name: str
        ) -> RunContext[Study]:
            mixed = frozenset(kept[n] for n in candidate.mixed)
            return self.make(context, replace(candidate, mixed=mixed), name)

        return replace(
            self,
            differences=tuple(self.differences[n] for n in kept),
            make=make,
            reverted=(*self.reverted, *(self.differences[n] for n in sorted(reverted))),
        )
