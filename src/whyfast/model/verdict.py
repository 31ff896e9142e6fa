"""Verdicts on a variant against a baseline, and the analyses beside them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

# Cost by parameter: points, and the straight line through them.


@dataclass(frozen=True)
class Coefficient:
    """A value with its interval; an end is None while there is too little to bound it."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class LinePoint:
    """One benchmark of the family: ``seconds`` of one loop where the parameter is ``at``. ``value``
    and ``process`` are robust standard deviations relative to the time: of values within a process,
    and between processes (blocks) beyond what the values explain."""

    at: int
    seconds: Coefficient
    value: float
    process: float
    blocks: int


@dataclass(frozen=True)
class Line:
    """One variant over one family of benchmarks.

    ``slope`` is in seconds per ``name``, which is the singular of what the parameter counts,
    ``intercept`` in seconds at 0; both are medians over ``passes``, with intervals at
    ``confidence``. ``slope_ratio`` is the slope over the main baseline's, pass by pass; None for
    the baseline itself, and where its slope is not above 0 throughout. ``departure`` is how far the
    furthest point, at ``departure_at``, lies from the line, in seconds. Where ``linear`` is false,
    only the points are of interest.
    """

    family: str
    name: str
    variant: str
    points: tuple[LinePoint, ...]
    slope: Coefficient
    intercept: Coefficient
    slope_ratio: Coefficient | None
    departure: float
    departure_at: int
    passes: int
    confidence: float
    linear: bool = True


#: What the kernel accounts for a command beside its time, in the order of reports.
METRICS = {
    "user": "user CPU time",
    "system": "system CPU time",
    "maxrss": "peak memory",
    "minor_faults": "page faults (minor)",
    "major_faults": "page faults (major)",
    "voluntary_switches": "context switches (voluntary)",
    "involuntary_switches": "context switches (involuntary)",
    "energy": "energy",
}

#: What building was measured by.
BUILD_METRICS = {"build-time": "build time", "build-memory": "build memory"}

Outcome = Literal["faster", "slower", "same", "undecided"]
_OPPOSITE: dict[Outcome, Outcome] = {"faster": "slower", "slower": "faster"}
About = Literal["binaries", "change", "commands", "runs", "counts"]


@dataclass(frozen=True)
class AsymmetricOutliers:
    """Processes of one side that are unlike the others: a slow mode, or a fast one.

    In ``count`` of ``of`` blocks the process of ``side`` took far longer (``slow``; else shorter)
    than it mostly does, by the factor ``ratio``; in ``other`` blocks the opposite side led by as
    much. ``low`` and ``high`` bound the share at 95 %. ``mean`` is what that multiplies the ratio
    of mean times by, variant over baseline. ``p_value`` is that of the sign test: how often a
    machine that disturbs both sides alike would show as uneven counts.
    """

    side: str
    slow: bool
    count: int
    other: int
    of: int
    low: float
    high: float
    ratio: float
    mean: float
    p_value: float


@dataclass(frozen=True)
class SmallSample:
    """What blocks too few for a verdict show, at weaker and stated levels.

    ``low`` and ``high``: the least and the greatest ratio of any block. With ``confidence`` (96.9
    % at 6 blocks, only 75 % at 3) the median of all possible blocks lies between, whatever the
    noise is. ``normal_low`` and ``normal_high`` are an interval at the verdict's own confidence
    that holds if the log ratios of blocks are normally distributed, which nothing has tested.
    ``outcome`` is what both support, ``undecided`` where they disagree. ``needed`` is the least
    number of blocks that can decide without any such assumption.
    """

    outcome: Outcome
    low: float
    high: float
    confidence: float
    normal_low: float
    normal_high: float
    needed: int


@dataclass(frozen=True)
class Verdict:
    """One comparison.

    ``ratio`` is time of the variant over time of the baseline (above 1: slower), ``low`` and
    ``high`` its interval at ``confidence``; an endpoint is 0 or inf while too few blocks bound it.
    ``log_e`` is the natural logarithm of the evidence against "no difference" (an e-value).
    ``benchmark`` is None for the geometric mean of the suite. ``detectable`` is the smallest ratio
    above 1 that this many blocks could have distinguished from 1, ``seconds_to_margin`` an estimate
    of the further measuring time until a difference of the margin would be found, as often too long
    as too short, ``seconds_to_margin_90`` one that is long enough nine times in ten; all only when
    undecided. ``metric`` is what is compared: ``time``, or a quantity of :data:`METRICS`.

    ``asymmetric_outliers``: one side has processes unlike the others; ``undecided`` with an
    interval within the margin means that these forbid ``same``. ``correlation`` is that of each
    block with the next where it is clear, else None; the interval is widened for it.
    ``assumes_independence``: faster or slower, but so few blocks could as well be correlated.
    ``statistics`` has the ratio by each statistic of a block where they disagree; the interval
    then holds all of them. ``small_sample`` is set where blocks are too few for any verdict.
    """

    variant: str
    baseline: str
    benchmark: str | None
    outcome: Outcome
    ratio: float
    low: float
    high: float
    confidence: float
    log_e: float
    blocks: int
    detectable: float | None = None
    seconds_to_margin: float | None = None
    notes: tuple[str, ...] = ()
    metric: str = "time"
    seconds_to_margin_90: float | None = None
    asymmetric_outliers: AsymmetricOutliers | None = None
    correlation: float | None = None
    statistics: Mapping[str, float] = field(default_factory=dict)
    small_sample: SmallSample | None = None
    assumes_independence: bool = False

    def reversed(self) -> Verdict:
        """The same comparison read from the other side."""
        return replace(
            self,
            variant=self.baseline,
            baseline=self.variant,
            outcome=_OPPOSITE.get(self.outcome, self.outcome),
            ratio=1 / self.ratio if self.ratio else math.inf,
            low=0.0 if math.isinf(self.high) else 1 / self.high,
            high=math.inf if self.low <= 0 else 1 / self.low,
        )


@dataclass(frozen=True)
class LoopTime:
    """Median seconds of a loop over blocks, and the interval of that median."""

    seconds: float
    low: float
    high: float
    confidence: float
    blocks: int


@dataclass(frozen=True)
class Modes:
    """The speeds that the processes of a variant have on a benchmark, quickest first. ``counts`` is
    how many processes had each, ``ratios`` the time in each over that in the one that most had."""

    variant: str
    benchmark: str
    counts: tuple[int, ...]
    ratios: tuple[float, ...]


@dataclass(frozen=True)
class NonStationary:
    """What changes along the turns of a process, alike in all blocks.

    ``kind``: it ``warms up`` over its first ``at`` values, which are set aside; or, of what is left
    of its ``turns`` values, it ``drifts`` from one to the next, or ``shifts`` at value ``at``
    (counted from 0). ``ratio`` is the first value's time over that of the steady ones where it
    warms up, else the time at the end over that at the start. Where it drifts or shifts, a ratio to
    another variant depends on how many values a process takes.
    """

    variant: str
    benchmark: str
    kind: Literal["warms up", "drifts", "shifts"]
    at: int
    turns: int
    ratio: float

    @property
    def lasts(self) -> bool:
        """Whether values that count are unsteady, and not only some that are set aside."""
        return self.kind != "warms up"


@dataclass(frozen=True)
class VarianceComponents:
    """Where the noise of one comparison comes from: standard deviations of the log ratio.

    ``value``: of one turn within a process; ``process``: between blocks of fresh processes beyond
    what the turns explain; ``layout``: between layouts beyond that, None where none were varied.
    ``non_stationary`` is how many first values of each process were set aside as not yet steady, of
    ``turns``; ``drifts`` is True when even the last values of a process were not steady.
    """

    variant: str
    baseline: str
    benchmark: str
    value: float
    process: float
    layout: float | None
    turns: int
    non_stationary: int = 0
    drifts: bool = False


#: Differences in time that placement alone makes in programs of one kind: docs/placement.md.
MADE_BY_PLACEMENT = 0.03

#: What is drawn of a build: where its code lies, or the profile that it was optimised by.
Draw = Literal["layouts", "profiles"]

PlacementOutcome = Literal["placement", "change", "both", "neither", "undecided"]


@dataclass(frozen=True)
class Placement:
    """Is a difference the change, or where the linker put the code, or what a profile made of it?

    ``linked`` is the verdict on the two programs as linked, ``varied`` the one over ``layouts``
    fresh layouts of each side. ``spread`` is the standard deviation of the log time of one side
    that placement alone makes, ``spread_high`` its upper limit at 95 % (infinite where nothing
    bounds it), and ``points`` the log ratio of each varied block. ``over``: what was drawn; with
    ``profiles`` the same holds of builds with other profiles. ``added_low`` and ``added_high``
    bound what placement multiplies the ratio of the programs as linked by.
    """

    outcome: PlacementOutcome
    linked: Verdict
    varied: Verdict
    spread: float
    layouts: int
    points: tuple[float, ...] = ()
    added_low: float = 0.0
    added_high: float = math.inf
    over: Draw = "layouts"
    spread_high: float = math.inf


FixOutcome = Literal["removed", "reduced", "larger", "none", "undecided"]


@dataclass(frozen=True)
class Fix:
    """Does a fix of placement take away what layouts do?

    ``variant`` is the fix, ``of`` what it fixes, ``benchmark`` None for the geometric mean.
    ``spread`` and ``without`` are the standard deviations of the log time of each that layouts
    alone make, over ``layouts`` of them; NaN where too little was measured to separate them.
    ``low`` and ``high`` bound spread / without; NaN without an interval. ``outcome``: the spread is
    ``removed`` (surely below a third of what it was), ``reduced``, ``larger``; ``none`` where
    neither is as large as the margin, ``undecided`` otherwise.
    """

    variant: str
    of: str
    benchmark: str | None
    outcome: FixOutcome
    spread: float
    without: float
    low: float
    high: float
    layouts: int


@dataclass(frozen=True)
class Interaction:
    """Does a change do the same in two places, such as under two compilers? ``verdict`` is of the
    ratio of two ratios: what ``verdict.variant`` takes relative to the first of ``baselines``, over
    what ``verdict.baseline`` takes relative to the second. The two pairs differ in ``axis``
    alone."""

    axis: str
    verdict: Verdict
    baselines: tuple[str, str]


@dataclass(frozen=True)
class Carrier:
    """A benchmark without which the suite's ratio is ``without`` and its verdict ``outcome``.
    ``share`` is the part of the suite's log ratio that goes with the benchmark; above 1 when the
    rest points the other way, below 0 when the benchmark held against the rest."""

    benchmark: str
    share: float
    without: float
    outcome: Outcome


@dataclass(frozen=True)
class Suite:
    """The geometric mean over all benchmarks, one verdict a pair, and what each benchmark adds.
    ``influence[benchmark]`` is the ratio of the suite without that benchmark. ``carriers`` are the
    benchmarks that carry the mean of recorded runs, where each has a verdict of its own."""

    verdict: Verdict
    influence: Mapping[str, float] = field(default_factory=dict)
    carriers: tuple[Carrier, ...] = ()


#: The kind of confound of a cleanup command that failed.
CLEANUP = "cleanup"


@dataclass(frozen=True)
class Confound:
    """A difference beside the one under study, or a weakness of the measurement. ``severity``:
    ``warning`` can mislead the reader, ``note`` is worth knowing."""

    kind: str
    text: str
    severity: Literal["warning", "note"] = "warning"
    variants: tuple[str, ...] = ()
