"""The whole outcome of an investigation: all that any report shows, in four parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from whyfast.model.build import BuildOutcome
from whyfast.model.evidence import CalleeCounts, Evidence, Unmet
from whyfast.model.observed import Observed
from whyfast.model.question import Commands, Recordings
from whyfast.model.sample import Block, Calibration, RunFailure, Session
from whyfast.model.slope import Line
from whyfast.model.study import Study
from whyfast.model.verdict import (
    About,
    Confound,
    Fix,
    Interaction,
    Modes,
    Placement,
    Suite,
    Unsteady,
    VarianceComponents,
    Verdict,
)

if TYPE_CHECKING:  # what few results hold: ``ab`` starts without (late_types)
    from whyfast.model.boot import Boot
    from whyfast.model.check import Check
    from whyfast.model.code_listing import ProgramCode
    from whyfast.model.counted import ChangedFunctions, Counted
    from whyfast.model.toolchain import Toolchain
    from whyfast.model.trouble import Trouble


def late_types() -> dict[str, type]:
    """What is imported above for type checkers only, by name, for who reads a result."""
    from whyfast.model.boot import Boot
    from whyfast.model.check import Check
    from whyfast.model.code_listing import ProgramCode
    from whyfast.model.counted import ChangedFunctions, Counted
    from whyfast.model.toolchain import Toolchain
    from whyfast.model.trouble import Trouble

    late = (Boot, Check, ProgramCode, ChangedFunctions, Counted, Toolchain, Trouble)
    return {one.__name__: one for one in late}


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
    benchmarks. ``unsteady`` says whose processes warm up, drift or shift from turn to turn,
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
    unsteady: tuple[Unsteady, ...] = ()
    modes: tuple[Modes, ...] = ()
    interactions: tuple[Interaction, ...] = ()


@dataclass(frozen=True)
class Found:
    """What the machine code and further runs show, to explain what was judged.

    ``unmet`` are variants that are not what they should be; those whose programs contradict their
    names were not measured. ``troubles`` are builds with the symptom of a compiler's trouble,
    ``calls`` the functions that some builds call and others have inlined. ``counted`` has what
    every build did, benchmark by benchmark, where the study wants it counted, ``changed`` which hot
    functions the commits between builds change, ``observed`` what programs said about themselves.
    ``check`` is what a change does to the program, where that was asked. ``code`` is the machine
    code of the functions that the study names, one a build.
    """

    evidence: tuple[Evidence, ...] = ()
    unmet: tuple[Unmet, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    calls: tuple[CalleeCounts, ...] = ()
    counted: tuple[Counted, ...] = ()
    changed: tuple[ChangedFunctions, ...] = ()
    observed: Observed = field(default_factory=Observed)
    check: Check | None = None
    code: tuple[ProgramCode, ...] = ()


@dataclass(frozen=True)
class Result:
    """One investigation: what was asked, what was recorded, what that says, what explains it."""

    question: Study | Commands | Recordings
    recorded: Recorded
    judged: Judged
    found: Found = field(default_factory=Found)
