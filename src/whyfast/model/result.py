"""The whole outcome of an investigation: all that any report shows, in four parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

from whyfast.model.build import BuildOutcome
from whyfast.model.evidence import CalleeCounts, Evidence, FailedExpectation
from whyfast.model.sample import Block, Calibration, Observed, RunFailure, Session
from whyfast.model.study import Commands, Recordings, Study
from whyfast.model.verdict import (
    About,
    Confound,
    Fix,
    Interaction,
    Line,
    Modes,
    NonStationary,
    Outcome,
    Placement,
    Suite,
    VarianceComponents,
    Verdict,
)

if TYPE_CHECKING:
    from whyfast.model.build import Boot, Toolchain
    from whyfast.model.code import Check, ProgramCode
    from whyfast.model.cost import SizeChange, VariantCost
    from whyfast.model.counters import ChangedFunctions, Counted
    from whyfast.model.evidence import LoopFacts, Trouble
    from whyfast.model.why import Account


def late_types() -> dict[str, object]:
    """What is imported above for type checkers only, by name, for who reads a result."""
    names = ("build", "code", "cost", "counters", "evidence", "why")
    modules = (vars(import_module(f"whyfast.model.{name}")) for name in names)
    return {k: v for module in modules for k, v in module.items() if k not in globals()}


@dataclass(frozen=True)
class Recorded:
    """What was built and measured, as it happened.

    ``started`` is seconds since the epoch. ``complete`` is False when the run was interrupted or
    its budget not used. ``seconds`` maps a phase (``prepare``, ``measure``, ``count``) to wall
    time. ``calibrations`` has the latest of each benchmark. ``boots`` are those of the kernels that
    variants have of their own; where these count instructions, the values of ``blocks`` are
    instructions instead of seconds. ``same`` maps variants that were not measured to the one whose
    byte-identical build was, in their stead.
    """

    run: str
    started: float
    complete: bool = True
    seconds: Mapping[str, float] = field(default_factory=dict)
    sessions: tuple[Session, ...] = ()
    toolchains: tuple[Toolchain, ...] = ()
    builds: tuple[BuildOutcome, ...] = ()
    blocks: tuple[Block, ...] = ()
    failures: tuple[RunFailure, ...] = ()
    calibrations: tuple[Calibration, ...] = ()
    boots: tuple[Boot, ...] = ()
    same: Mapping[str, str] = field(default_factory=dict)

    @property
    def failed(self) -> tuple[RunFailure, ...]:
        """Those failures in which something went wrong."""
        return tuple(f for f in self.failures if not f.lacks)

    @property
    def lacking(self) -> tuple[RunFailure, ...]:
        """Those in which a variant has no such benchmark."""
        return tuple(f for f in self.failures if f.lacks)


@dataclass(frozen=True)
class Judged:
    """What the recorded values say.

    ``about`` says what the verdicts speak of. ``verdicts`` has one entry a benchmark × variant ×
    baseline, ``suites`` one a variant × baseline, ``metrics`` those of what the kernel accounted
    for commands beside their time. ``placements`` tells placement from change where layouts were
    varied; one of them has benchmark None, for the geometric mean. ``fixes`` says of each fix of
    placement what it does to the spread over layouts. ``components`` has where the noise of each
    comparison with the main baseline comes from, ``slopes`` the cost by parameter of each family of
    benchmarks. ``non_stationary`` says whose processes warm up, drift or shift from turn to turn,
    ``modes`` which variants have more than one speed. Where ``about`` is ``counts``, verdicts and
    slopes are of instructions. ``interactions`` say, where baselines are along axes, whether a
    change does the same in every place.
    """

    about: About
    verdicts: tuple[Verdict, ...] = ()
    suites: tuple[Suite, ...] = ()
    metrics: tuple[Verdict, ...] = ()
    placements: tuple[Placement, ...] = ()
    fixes: tuple[Fix, ...] = ()
    components: tuple[VarianceComponents, ...] = ()
    slopes: tuple[Line, ...] = ()
    confounds: tuple[Confound, ...] = ()
    non_stationary: tuple[NonStationary, ...] = ()
    modes: tuple[Modes, ...] = ()
    interactions: tuple[Interaction, ...] = ()

    @cached_property
    def pairs(self) -> Mapping[tuple[str, str], Verdict]:
        """The overall verdict of each pair: its suite, or without one its only benchmark."""
        times = Counter((v.variant, v.baseline) for v in self.verdicts)
        single = (v for v in self.verdicts if times[v.variant, v.baseline] == 1)
        every = (*single, *(suite.verdict for suite in self.suites))
        return {(v.variant, v.baseline): v for v in every}

    def overall(self, variant: str, baseline: str) -> Verdict | None:
        """That on ``variant`` against ``baseline``, whichever way it was judged."""
        other = self.pairs.get((baseline, variant))
        return self.pairs.get((variant, baseline)) or (other and other.reversed())


@dataclass(frozen=True)
class Found:
    """Findings in the machine code and in further runs, which explain the verdicts.

    Variants whose programs contradict their names are in ``failed_expectations`` and were not
    measured. ``troubles`` are builds with the symptom of a compiler's trouble,
    ``calls`` the functions that some builds call and others have inlined. ``counted`` has what
    every build did, benchmark by benchmark, where the study wants it counted, ``changed`` which hot
    functions the commits between builds change, ``observed`` what programs said about themselves.
    ``check`` is what a change does to the program, where that was asked. ``code`` is the machine
    code of the functions that the study names, one a build. ``loops`` is what a loop of each
    statement does, where statements were compared. ``costs`` is what each variant costs beside
    time, exact and counted, ``growth`` which parts of a program differ most in size from those of
    its baseline.
    """

    evidence: tuple[Evidence, ...] = ()
    failed_expectations: tuple[FailedExpectation, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    calls: tuple[CalleeCounts, ...] = ()
    counted: tuple[Counted, ...] = ()
    changed: tuple[ChangedFunctions, ...] = ()
    observed: Observed = field(default_factory=Observed)
    check: Check | None = None
    code: tuple[ProgramCode, ...] = ()
    account: Account | None = None
    loops: tuple[LoopFacts, ...] = ()
    costs: tuple[VariantCost, ...] = ()
    growth: tuple[SizeChange, ...] = ()


@dataclass(frozen=True)
class Result:
    """One investigation: what was asked, what was recorded, what that says, what explains it."""

    question: Study | Commands | Recordings
    recorded: Recorded
    judged: Judged
    found: Found = field(default_factory=Found)


# Results of one study from several machines, side by side.


@dataclass(frozen=True)
class Machine:
    """``name`` is what reports call it, no two alike. ``facts`` are what it says of itself, as
    plain text: ``cpu_model``, ``cpus``, ``os``, ``system``, ``hostname`` and more; what it does not
    say is left out."""

    name: str
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class OneResult:
    """A result, and ``where`` it came from: a file, a store, a host; ``notes`` on runs of that
    machine which went into it before, or did not."""

    where: str
    result: Result
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class MachineResult:
    """What one machine says: its own result, judged from its own blocks alone. ``sources`` are the
    files, stores or hosts that it came from; of several runs with the same programs ``result``
    holds the blocks of all."""

    machine: Machine
    sources: tuple[str, ...]
    result: Result
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class MachineDifference:
    """A comparison whose ratio is not the same on all machines, beyond chance and the margin.

    ``benchmark`` is None for the geometric mean. ``groups`` are names of machines: those of a
    group lie lower than those of the next, each pair distinguished by its own interval; machines
    ``between`` are distinguished from neither side. ``ratio`` is that of the last group over that
    of the first (of two ratios, never of times on two machines); for any two machines of these
    groups it lies between ``low`` and ``high``. All differences of a result hold together with
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
    outcome: Outcome
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
    """The least blocks a machine with which its geometric means, and its benchmarks, can be
    distinguished from those of another machine."""

    suites: int
    benchmarks: int


@dataclass(frozen=True)
class Merged:
    """One question, asked on several machines. ``question`` holds the variants and benchmarks of
    all of them. ``pooled`` is empty below five machines. ``needed`` says from how many blocks on a
    difference can show. ``confounds`` are what differs between the machines beside the machines
    themselves; those of each are in its result."""

    question: Study | Commands
    machines: tuple[MachineResult, ...]
    differences: tuple[MachineDifference, ...] = ()
    pooled: tuple[Pooled, ...] = ()
    lacking: tuple[Lacks, ...] = ()
    confounds: tuple[Confound, ...] = ()
    needed: NeededBlocks = NeededBlocks(0, 0)
