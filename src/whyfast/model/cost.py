"""Costs beside time: which there are, of what kind, and what a variant costs.

A new cost is one row of :data:`COSTS` and whoever reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

#: ``exact``: a property of files, the same each time. ``counted``: of one run, checked by a second.
#: ``statistical``: measured, with an interval.
CostKind = Literal["exact", "counted", "statistical"]
CostUnit = Literal["bytes", "seconds", "joules", "number"]


@dataclass(frozen=True)
class CostSpec:
    """``title`` as in tables, ``noun`` as in "18 % more code"; ``metric`` is the name under which
    blocks record it, where they do."""

    title: str
    noun: str
    kind: CostKind
    unit: CostUnit
    metric: str = ""


#: Every cost by its key, in the order of reports.
COSTS: Mapping[str, CostSpec] = {
    "size": CostSpec("size", "code and data", "exact", "bytes"),
    "code": CostSpec("code", "code", "exact", "bytes"),
    "rodata": CostSpec("read-only data", "read-only data", "exact", "bytes"),
    "data": CostSpec("writable data", "writable data", "exact", "bytes"),
    "file": CostSpec("file", "on disk", "exact", "bytes"),
    "dispatch-code": CostSpec("dispatching code", "dispatching code", "exact", "bytes"),
    "instructions": CostSpec("instructions", "instructions", "counted", "number"),
    "allocations": CostSpec("allocations", "allocations", "counted", "number"),
    "allocated": CostSpec("allocated", "allocated memory", "counted", "bytes"),
    "peak-heap": CostSpec("peak heap", "peak heap", "counted", "bytes"),
    "left-over": CostSpec("left at the end", "memory left at the end", "counted", "bytes"),
    "system-calls": CostSpec("system calls", "system calls", "counted", "number"),
    "peak-memory": CostSpec("peak memory", "peak memory", "statistical", "bytes", "maxrss"),
    "user": CostSpec("user CPU time", "user CPU time", "statistical", "seconds", "user"),
    "system": CostSpec("system CPU time", "system CPU time", "statistical", "seconds", "system"),
    "minor-faults": CostSpec(
        "page faults (minor)", "page faults", "statistical", "number", "minor_faults"
    ),
    "major-faults": CostSpec(
        "page faults (major)", "page faults from disk", "statistical", "number", "major_faults"
    ),
    "voluntary-switches": CostSpec(
        *("context switches (voluntary)", "context switches", "statistical", "number"),
        "voluntary_switches",
    ),
    "involuntary-switches": CostSpec(
        *("context switches (involuntary)", "involuntary context switches", "statistical"),
        *("number", "involuntary_switches"),
    ),
    "energy": CostSpec("energy", "energy", "statistical", "joules", "energy"),
    "build-time": CostSpec("build time", "build time", "statistical", "seconds", "build-time"),
    "build-memory": CostSpec(
        "build memory", "peak memory of the build", "statistical", "bytes", "build-memory"
    ),
}


@dataclass(frozen=True)
class VariantCost:
    """What a variant costs by one row of :data:`COSTS`, on one ``benchmark`` where it runs one.
    ``value`` in bytes, seconds, joules or a number; a median where it is statistical. None:
    unavailable, and ``note`` says why and what would help. ``again`` is what a second run counted,
    None without one; where it is another number, the cost does not repeat."""

    key: str
    variant: str
    value: float | None
    benchmark: str | None = None
    note: str = ""
    again: float | None = None

    @property
    def repeats(self) -> bool:
        """Whether nothing says that another run would cost otherwise."""
        return self.again is None or self.again == self.value


SizeOf = Literal["function", "data", "section", "source"]
GrowthKind = Literal["alone", "apart", "copies", "inlined", "vectorised", "unrolled", "padding"]


@dataclass(frozen=True)
class GrowthReason:
    """What the larger of two functions of one name has more of.

    ``alone``: the other build has no such function, or data. ``apart``: the other build has none,
    as it inlines it. ``copies``: there are ``amount`` more of them, such as instances of a
    template. ``inlined``: the functions ``names``, which the other build calls. ``vectorised``:
    instructions on ``amount`` bytes of several elements. ``unrolled``: a loop of the other
    build, repeated. ``padding``: ``amount`` bytes that align code.
    """

    kind: GrowthKind
    names: tuple[str, ...] = ()
    amount: int = 0


@dataclass(frozen=True)
class SizeChange:
    """How the bytes of a function, of named data, a section or a source file of a ``variant``
    differ from those in the ``baseline``. ``number``: of several functions of one name, such as
    instances of a template, or pieces of one, how many there are in the variant. ``why`` is the
    reason where the code shows one: of the variant if it grew, else of the baseline."""

    variant: str
    baseline: str
    of: SizeOf
    name: str
    before: int
    after: int
    number: int = 1
    why: GrowthReason | None = None

    @property
    def more(self) -> int:
        """Bytes that the variant has more; below 0: fewer."""
        return self.after - self.before


@dataclass(frozen=True)
class CostsSpec:
    """``[costs]`` of a study: ``margins`` are the relative differences that matter, by key of
    :data:`COSTS` (the study's margin for others). ``build`` repeats builds to measure them,
    ``count`` counts what runs do beside instructions."""

    margins: Mapping[str, float] = field(default_factory=dict)
    build: bool = False
    count: bool = False


CostOutcome = Literal["more", "less", "same", "undecided"]


@dataclass(frozen=True)
class CostChange:
    """One cost of a variant against its baseline, on one ``benchmark`` or None where that does not
    matter. ``before`` and ``after`` are the baseline's and the variant's own values, None where
    only their ratio is known; the ends of its interval are the ratio itself where there is no
    chance. ``outcome`` is ``same`` within the margin."""

    key: str
    variant: str
    baseline: str
    benchmark: str | None
    before: float | None
    after: float | None
    ratio: float
    low: float
    high: float
    outcome: CostOutcome

    @property
    def equal(self) -> bool:
        """Whether both are exactly the same."""
        return self.before is not None and self.before == self.after
