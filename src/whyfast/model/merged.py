"""Results of one study from several machines, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from whyfast.model.question import Commands
from whyfast.model.result import Result
from whyfast.model.study import Study
from whyfast.model.verdict import Confound, Word


@dataclass(frozen=True)
class Machine:
    """``name`` is what reports call it, no two alike. ``facts`` are what it says of itself, as
    plain text: ``cpu_model``, ``cpus``, ``os``, ``system``, ``hostname`` and more; what it does not
    say is left out."""

    name: str
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class MachineResult:
    """What one machine says: its own result, judged from its own blocks alone.

    ``sources`` are the files, stores or hosts that it came from; of several runs with the same
    programs ``result`` holds the blocks of all.
    """

    machine: Machine
    sources: tuple[str, ...]
    result: Result
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class MachineDifference:
    """A comparison whose ratio is not the same on all machines, beyond chance and the margin.

    ``benchmark`` is None for the geometric mean. ``groups`` are names of machines: those of a
    group lie lower than those of the next, each pair told apart by its own interval; machines
    ``between`` cannot be told from either side. ``ratio`` is that of the last group over that of
    the first (of two ratios, never of times on two machines); for any two machines of these groups
    it lies between ``low`` and ``high``. All differences of a result hold together with
    ``confidence``.
    """

    variant: str
    baseline: str
    benchmark: str | None
    groups: tuple[tuple[str, ...], ...]
    between: tuple[str, ...]
    ratio: float
    low: float
    high: float
    confidence: float


@dataclass(frozen=True)
class Pooled:
    """What is expected of machines like these: the machine as a random effect.

    ``ratio``, ``low`` and ``high`` are of the mean (of logarithms) over such machines. ``tau`` is
    the standard deviation of the log ratio between machines beyond what measuring explains; a
    further machine of the kind lies between ``expect_low`` and ``expect_high``. Of ``machines``
    many; ``left_out`` are those whose blocks are too few to bound their ratio.
    """

    variant: str
    baseline: str
    benchmark: str | None
    word: Word
    ratio: float
    low: float
    high: float
    confidence: float
    tau: float
    expect_low: float
    expect_high: float
    machines: int
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lacks:
    """A machine on which there is no result of a ``variant`` (on a ``benchmark``; all when None)
    that others have, and why."""

    machine: str
    variant: str
    benchmark: str | None
    reason: str


@dataclass(frozen=True)
class NeededBlocks:
    """The least blocks a machine with which its geometric means, and its benchmarks, can be told
    from those of another machine."""

    suites: int
    benchmarks: int


@dataclass(frozen=True)
class Merged:
    """One question, asked on several machines.

    ``question`` holds the variants and benchmarks of all of them. ``pooled`` is empty below five
    machines. ``needed`` says from how many blocks on a difference can show. ``confounds`` are what
    differs between the machines beside the machines themselves; those of each are in its result.
    """

    question: Study | Commands
    machines: tuple[MachineResult, ...]
    differences: tuple[MachineDifference, ...] = ()
    pooled: tuple[Pooled, ...] = ()
    lacking: tuple[Lacks, ...] = ()
    confounds: tuple[Confound, ...] = ()
    needed: NeededBlocks = NeededBlocks(0, 0)
