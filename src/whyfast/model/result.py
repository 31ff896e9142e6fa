"""The whole outcome of a study or comparison: all that any report shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from whyfast.model.build import BuildOutcome
from whyfast.model.counted import Counted, TouchedCode
from whyfast.model.evidence import CalleeCounts, Evidence, Unmet
from whyfast.model.guest import Boot
from whyfast.model.line import Line
from whyfast.model.observed import Observed
from whyfast.model.sample import Block, Calibration, RunFailure, Session
from whyfast.model.study import Study
from whyfast.model.toolchain import Toolchain
from whyfast.model.trouble import Trouble
from whyfast.model.verdict import About, Confound, Fix, Levels, Placement, Suite, Verdict


@dataclass(frozen=True)
class Answer:
    """The result in sentences, most important first."""

    headline: str
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True)
class Result:
    """One run of a study, judged and explained.

    ``verdicts`` has one entry a benchmark × variant × baseline, ``suites`` one a variant ×
    baseline. ``complete`` is False when the run was interrupted or its budget not used.
    ``seconds`` maps a phase (``toolchains``, ``build``, ``measure``, ``judge``, ``explain``) to
    wall time. ``about`` says what the verdicts speak of. ``metrics`` compares what the kernel
    accounted for commands beside their time.
    ``placements`` tells placement from change where layouts were varied; one of them has benchmark
    None, for the geometric mean. ``calibrations`` has the latest of each benchmark, ``levels``
    where the noise of each comparison with the main baseline comes from. ``counted`` has what every
    build did, benchmark by benchmark, where the study wants it counted, and ``touched`` which hot
    functions the commits between builds touch.
    ``fixes`` says of each fix of placement what it does to the spread over layouts.
    ``unmet`` are variants that are not what they should be; those whose programs contradict their
    names were not measured. ``troubles`` are builds with the symptom of a compiler's trouble,
    ``calls`` the functions that some builds call and others have inlined.
    ``lines`` has the cost by parameter of each family of benchmarks, ``observed`` what the programs
    said about themselves.
    ``boots`` are those of the kernels that variants have of their own. Where these count
    instructions, ``about`` is ``counts``, and the values of blocks, the verdicts and the lines are
    in instructions instead of seconds.
    """

    study: Study
    run: str
    started: float
    sessions: tuple[Session, ...]
    toolchains: tuple[Toolchain, ...]
    builds: tuple[BuildOutcome, ...]
    blocks: tuple[Block, ...]
    failures: tuple[RunFailure, ...]
    verdicts: tuple[Verdict, ...]
    suites: tuple[Suite, ...]
    evidence: tuple[Evidence, ...]
    confounds: tuple[Confound, ...]
    answer: Answer
    about: About
    complete: bool
    seconds: Mapping[str, float] = field(default_factory=dict)
    metrics: tuple[Verdict, ...] = ()
    placements: tuple[Placement, ...] = ()
    calibrations: tuple[Calibration, ...] = ()
    levels: tuple[Levels, ...] = ()
    fixes: tuple[Fix, ...] = ()
    counted: tuple[Counted, ...] = ()
    touched: tuple[TouchedCode, ...] = ()
    unmet: tuple[Unmet, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    calls: tuple[CalleeCounts, ...] = ()
    lines: tuple[Line, ...] = ()
    observed: Observed = field(default_factory=Observed)
    boots: tuple[Boot, ...] = ()
