"""What is asked: the part that a study, commands side by side and recorded results share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from whyfast.model.variant import Benchmark, Variant


@dataclass(frozen=True)
class Claim:
    """A published or expected gain to audit: ``variant`` is said to beat ``baseline``."""

    variant: str
    baseline: str


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is compared on what, and the smallest difference that matters.

    ``title`` is empty where nobody gave one. The first of ``baselines`` is the main one. Where
    ``along`` names values of axes (``{"dispatch": "switch"}``), the variants with these values are
    the baselines, each of those that differ from it in these axes alone.
    ``margin`` is relative: 0.01 means that a ratio within 1 % does not matter. ``stands_for`` is
    set where this is asked instead of something else: what cannot be asked here, and why.
    """

    name: str
    title: str = ""
    baselines: tuple[str, ...]
    margin: float
    variants: tuple[Variant, ...]
    benchmarks: tuple[Benchmark, ...]
    claim: Claim | None = None
    stands_for: str = ""
    along: Mapping[str, str] = field(default_factory=dict)

    @property
    def measured(self) -> tuple[Variant, ...]:
        """The variants that are measured, and not only read."""
        return tuple(v for v in self.variants if not v.evidence_only)

    @property
    def in_vms(self) -> bool:
        """Whether the variants run under kernels of their own."""
        return any(v.kernel for v in self.measured)

    def variant(self, name: str) -> Variant:
        """The variant of that name; KeyError when there is none."""
        for v in self.variants:
            if v.name == name:
                return v
        raise KeyError(name)

    def counterpart(self, variant: Variant) -> str | None:
        """The baseline that a variant has where there are baselines ``along`` axes: the one that is
        equal but for these. None where there is none; of a twin, its original."""
        if variant.twin_of:
            return variant.twin_of
        wanted = {**variant.axes, **self.along}
        named = (v.name for v in self.variants if v.axes == wanted and not v.twin_of)
        return next(named, None) if variant.axes else None

    def compared(
        self,
        variants: Iterable[str],
        baselines: Sequence[str],
        same: Mapping[str, str] | None = None,
    ) -> tuple[tuple[str, str], ...]:
        """The pairs (variant, baseline) to compare of those names: every variant with every
        baseline, or ``along`` axes with its own; in the order of the baselines.

        ``same`` maps variants to those that stand for them; each pair is of the latter then.
        """
        names = list(variants)
        if not self.along:
            return tuple((v, b) for b in baselines for v in names if v != b)
        same = {v: one for v, one in (same or {}).items() if one in names}
        own = {v: self.counterpart(self.variant(v)) for v in (*names, *same)}
        bases = [*baselines, *(v for v in same if v in self.baselines)]
        pairs = [(same.get(v, v), same.get(b, b)) for b in bases for v in own if own[v] == b]
        return tuple((v, b) for v, b in dict.fromkeys(pairs) if v != b)


@dataclass(frozen=True, kw_only=True)
class Commands(Question):
    """Commands against each other, as ``whyfast ab`` measures them. ``budget`` in seconds;
    ``shell`` is what runs them, empty where nothing does."""

    kind: Literal["commands"] = "commands"
    name: str = "ab"
    budget: float
    shell: str = ""


@dataclass(frozen=True, kw_only=True)
class Recordings(Question):
    """Results that other tools wrote, the first against the others. A variant is one of them."""

    kind: Literal["recordings"] = "recordings"
    name: str = "compare"
