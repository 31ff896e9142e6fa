"""The whole outcome of a study or comparison: all that any report shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from whyfast.model.build import BuildOutcome
from whyfast.model.evidence import Evidence
from whyfast.model.sample import Block, Calibration, RunFailure, Session
from whyfast.model.study import Study
from whyfast.model.toolchain import Toolchain
from whyfast.model.verdict import About, Confound, Levels, Placement, Suite, Verdict


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
    where the noise of each comparison with the main baseline comes from.
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
