"""Verdicts on exact counts: no chance is in them, so there is nothing to test.

Each block is a boot of its own, and equal boots of a deterministic machine count alike. Where they
do, the ratio is exact and its interval a point; where they do not, the interval is all that the
boots allow: the least of one side over the most of the other, and the other way round.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from whyfast.judge.decide import outcome_of
from whyfast.model.sample import Block
from whyfast.model.study import Question
from whyfast.model.variant import Variant, alike
from whyfast.model.verdict import Line, Verdict

METRIC = "instructions"


def judge_counts(
    blocks: Sequence[Block],
    *,
    benchmarks: Sequence[str],
    variants: Sequence[str],
    baselines: Sequence[str],
    margin: float,
) -> tuple[Verdict, ...]:
    """One verdict a benchmark × variant × baseline; the confidence is 1.

    A comparison with a side that was never counted is left out.
    """
    verdicts = []
    for benchmark in benchmarks:
        for baseline in baselines:
            base = counts(blocks, benchmark, baseline)
            for variant in variants:
                own = counts(blocks, benchmark, variant)
                if variant != baseline and own and base:
                    verdicts.append(_judge(benchmark, variant, baseline, own, base, margin))
    return tuple(verdicts)


def counts(blocks: Sequence[Block], benchmark: str, variant: str) -> list[float]:
    """Instructions of one loop, a boot each."""
    return [
        value / b.loops
        for b in blocks
        if b.benchmark == benchmark
        for value in b.values.get(variant, ())
    ]


def spread(own: Sequence[float]) -> float:
    """How far the boots lie apart, relative to the least; 0 when they are equal."""
    return max(own) / min(own) - 1


def _judge(
    benchmark: str,
    variant: str,
    baseline: str,
    own: Sequence[float],
    base: Sequence[float],
    margin: float,
) -> Verdict:
    low, high = min(own) / max(base), max(own) / min(base)
    return Verdict(
        variant=variant,
        baseline=baseline,
        benchmark=benchmark,
        outcome=outcome_of(math.log(low), math.log(high), margin),
        ratio=math.sqrt(low * high),
        low=low,
        high=high,
        confidence=1.0,
        log_e=0.0,
        blocks=min(len(own), len(base)),
        metric=METRIC,
    )


# ---- What a kernel release costs after the one before it: series over releases, and their steps.


@dataclass(frozen=True)
class ReleasePoint:
    """One kernel of a series: the instructions of a unit more of the parameter (``slope``), and
    those at 0 of it."""

    kernel: str
    variant: str
    slope: float
    intercept: float


@dataclass(frozen=True)
class ReleaseStep:
    """From ``before`` to ``after``, neighbours in a series, the slope changed by more than the
    margin of the study."""

    before: ReleasePoint
    after: ReleasePoint

    @property
    def ratio(self) -> float:
        """The new slope over the old."""
        return self.after.slope / self.before.slope


@dataclass(frozen=True)
class ReleaseSeries:
    """Variants that differ in nothing but their kernel, oldest first; ``keys`` are the values of
    the axes that they share (``spectre_v2`` → ``off``), ``unit`` what the parameter counts."""

    family: str
    unit: str
    keys: Mapping[str, str]
    points: tuple[ReleasePoint, ...]
    steps: tuple[ReleaseStep, ...]

    @property
    def name(self) -> str:
        """For reports: ``static, spectre_v2 off``."""
        said = [f"{axis} {value}" for axis, value in self.keys.items()]
        return ", ".join(said) or self.family


def release_series(
    study: Question, lines: Sequence[Line], releases: Mapping[str, str]
) -> tuple[ReleaseSeries, ...]:
    """The series of a study; ``releases`` maps each variant to the release of its kernel.

    A slope of 0 or less has no ratio, and so no step.
    """
    slopes = {(line.family, line.variant): line for line in lines}
    found = []
    for family in dict.fromkeys(line.family for line in lines):
        for group in alike(study.measured, but=("kernel",)):
            points = [
                ReleasePoint(
                    releases[v.name],
                    v.name,
                    slopes[family, v.name].slope.value,
                    slopes[family, v.name].intercept.value,
                )
                for v in group
                if (family, v.name) in slopes and v.name in releases
            ]
            points.sort(key=lambda p: version_key(p.kernel))
            if points:
                unit = slopes[family, points[0].variant].name
                steps = _steps(points, study.margin)
                found.append(ReleaseSeries(family, unit, _keys(group), tuple(points), steps))
    return tuple(found)


def version_key(release: str) -> tuple[int, ...]:
    """Orders releases: 5.10 after 5.4."""
    return tuple(int(n) for n in re.findall(r"\d+", release))


def _keys(group: Sequence[Variant]) -> dict[str, str]:
    """The axes on which the group does not differ. Of a group of one it cannot be told which axis
    is that of the kernels; most will call it so."""
    first = group[0].axes
    if len(group) == 1:
        return {axis: value for axis, value in first.items() if axis != "kernel"}
    return {
        axis: value
        for axis, value in first.items()
        if all(v.axes.get(axis) == value for v in group)
    }


def _steps(points: Sequence[ReleasePoint], margin: float) -> tuple[ReleaseStep, ...]:
    limit = math.log1p(margin)
    return tuple(
        ReleaseStep(a, b)
        for a, b in itertools.pairwise(points)
        if a.slope > 0 and b.slope > 0 and abs(math.log(b.slope / a.slope)) > limit
    )
