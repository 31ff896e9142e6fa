"""What a benchmark costs by its parameter, exact counts, both over kernel releases; loops and ways.

The n-th blocks of a family's benchmarks belong together: each pass gives one line (Theil 1950, Sen
1968), and the median over passes is reported (docs/math/lines.md). Exact counts: each block is a
boot, and equal boots count alike; otherwise the interval is all that the boots allow."""

from __future__ import annotations

import itertools
import math
import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from whyfast.judge.decide import ALPHA, exact_verdict
from whyfast.judge.ratios import Floats, deciding, median, robust_deviation
from whyfast.model.sample import Block
from whyfast.model.study import Question, Ways
from whyfast.model.variant import Benchmark, Parameter, Variant, alike
from whyfast.model.verdict import Coefficient, Line, LinePoint, LoopTime, Verdict

CONFIDENCE = 0.95

#: For each value of the parameter the times of one loop, an array for each block, in order.
Series = Mapping[int, Sequence[Floats]]

#: The least number of points of a line.
FEWEST_POINTS = 3

#: The variance of a median over that of a mean of as many normal values.
_MEDIAN = math.pi / 2


def judge_lines(
    blocks: Sequence[Block],
    *,
    benchmarks: Sequence[Benchmark],
    variants: Sequence[str],
    baseline: str,
) -> tuple[Line, ...]:
    """A line for each family of benchmarks and each variant that has run three or more of it. Where
    layouts are varied, of the blocks that vary them, as the verdicts are."""
    blocks = deciding(blocks)
    families: dict[str, list[tuple[str, Parameter]]] = {}
    for benchmark in benchmarks:
        if benchmark.parameter:
            member = benchmark.name, benchmark.parameter
            families.setdefault(benchmark.parameter.family, []).append(member)
    lines = []
    for members in families.values():
        series = {v: _series(blocks, members, v) for v in {*variants, baseline}}
        for variant in variants:
            if len(series[variant]) >= FEWEST_POINTS:
                base = series[baseline] if variant != baseline else {}
                lines.append(_line(members[0][1], variant, series[variant], base))
    return tuple(lines)


def _rank(n: int, tail: float) -> int:
    """The largest k so that a coin thrown ``n`` times seldom (``tail``) has fewer than k heads."""
    k, ways, fewer = 0, 1, 1  # ways of k heads, and of at most k
    limit = int(tail * 2**53) << n >> 53
    while fewer <= limit:
        k += 1
        ways = ways * (n - k + 1) // k
        fewer += ways
    return k


def median_estimate(values: Sequence[float]) -> Coefficient:
    """The median of independent values and its distribution-free interval: the k-th smallest and
    k-th largest, at :data:`CONFIDENCE` or more; none where not even all values are enough."""
    ordered = sorted(values)
    k = _rank(len(ordered), (1 - CONFIDENCE) / 2)
    ends = (ordered[k - 1], ordered[-k]) if k else (None, None)
    return Coefficient(float(median(ordered)), *ends)


def _series(
    blocks: Sequence[Block], members: Sequence[tuple[str, Parameter]], variant: str
) -> Series:
    series = {
        parameter.value: [
            np.asarray(b.values[variant], dtype=np.float64) / b.loops
            for b in blocks
            if b.benchmark == name and variant in b.values
        ]
        for name, parameter in members
    }
    return {at: times for at, times in series.items() if times}


def _line(parameter: Parameter, variant: str, series: Series, baseline: Series) -> Line:
    slopes, intercepts = _fits(series)
    points = tuple(_point(at, times) for at, times in sorted(series.items()))
    slope, intercept = median_estimate(slopes), median_estimate(intercepts)
    off = {p.at: p.seconds.value - (intercept.value + slope.value * p.at) for p in points}
    furthest = max(off, key=lambda at: abs(off[at]))
    return Line(
        family=parameter.family,
        name=parameter.name,
        variant=variant,
        points=points,
        slope=slope,
        intercept=intercept,
        slope_ratio=_ratio(series, slopes, baseline),
        departure=off[furthest],
        departure_at=furthest,
        passes=len(slopes),
        confidence=CONFIDENCE,
        linear=parameter.linear,
    )


def _fits(series: Series) -> tuple[list[float], list[float]]:
    at = sorted(series)
    slopes, intercepts = [], []
    for i in range(min(len(times) for times in series.values())):
        times = [float(median(series[x][i])) for x in at]
        places = list(zip(at, times, strict=True))
        slope = float(
            median([(v - y) / (u - x) for (x, y), (u, v) in itertools.combinations(places, 2)])
        )
        slopes.append(slope)
        intercepts.append(float(median([y - slope * x for x, y in places])))
    return slopes, intercepts


def _ratio(series: Series, slopes: Sequence[float], baseline: Series) -> Coefficient | None:
    """The slope over the baseline's in the same pass: both ran in the same blocks."""
    if baseline.keys() != series.keys():
        return None
    base_slopes, _ = _fits(baseline)
    if len(slopes) != len(base_slopes) or min(base_slopes) <= 0:
        return None
    return median_estimate([a / b for a, b in zip(slopes, base_slopes, strict=True)])


def _point(at: int, times: Sequence[Floats]) -> LinePoint:
    """The median of the blocks' medians, and the spread on both levels."""
    medians = [float(median(x)) for x in times]
    logs = [np.log(x) for x in times]
    within = float(median([robust_deviation(x) for x in logs]))
    turns = float(median([len(x) for x in times]))
    total = robust_deviation(np.log(medians))
    between = max(0.0, total**2 - _MEDIAN * within**2 / turns)
    return LinePoint(
        at=at,
        seconds=median_estimate(medians),
        value=within,
        process=math.sqrt(between),
        blocks=len(times),
    )


METRIC = "instructions"


def judge_counts(
    blocks: Sequence[Block],
    *,
    benchmarks: Sequence[str],
    variants: Sequence[str],
    baselines: Sequence[str],
    margin: float,
) -> tuple[Verdict, ...]:
    """One verdict for each benchmark, variant and baseline; the confidence is 1. A comparison with
    a side that was never counted is left out."""
    verdicts = []
    for benchmark in benchmarks:
        for baseline in baselines:
            base = counts(blocks, benchmark, baseline)
            for variant in variants:
                counted = counts(blocks, benchmark, variant)
                if variant == baseline or not counted or not base:
                    continue
                low, high = min(counted) / max(base), max(counted) / min(base)
                key, blocks_of_both = (benchmark, variant, baseline), min(len(counted), len(base))
                verdicts.append(
                    exact_verdict(key, low, high, margin, blocks=blocks_of_both, metric=METRIC)
                )
    return tuple(verdicts)


def counts(blocks: Sequence[Block], benchmark: str, variant: str) -> list[float]:
    """Instructions of one loop, for each boot."""
    return [
        value / b.loops
        for b in blocks
        if b.benchmark == benchmark
        for value in b.values.get(variant, ())
    ]


def spread(counted: Sequence[float]) -> float:
    """How far the boots lie apart, relative to the least; 0 when they are equal."""
    return max(counted) / min(counted) - 1


@dataclass(frozen=True)
class ReleasePoint:
    """One kernel: instructions of a unit more of the parameter, and those at 0 of it."""

    kernel: str
    variant: str
    slope: float
    intercept: float


@dataclass(frozen=True)
class ReleaseStep:
    """Between two neighbours the slope changed by more than the margin of the study."""

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
        settings = [f"{axis} {value}" for axis, value in self.keys.items()]
        return ", ".join(settings) or self.family


def release_series(
    study: Question, lines: Sequence[Line], releases: Mapping[str, str]
) -> tuple[ReleaseSeries, ...]:
    """The series of a study; ``releases`` maps each variant to the release of its kernel. A slope
    of 0 or less has no ratio, and so no step."""
    slopes = {(line.family, line.variant): line for line in lines}
    series = []
    for family in dict.fromkeys(line.family for line in lines):
        for group in alike(study.measured, but=("kernel",)):
            points = [
                ReleasePoint(releases[v.name], v.name, line.slope.value, line.intercept.value)
                for v in group
                if (line := slopes.get((family, v.name))) and v.name in releases
            ]
            points.sort(key=lambda p: version_key(p.kernel))
            if points:
                unit = slopes[family, points[0].variant].name
                steps = _steps(points, study.margin)
                series.append(ReleaseSeries(family, unit, _keys(group), tuple(points), steps))
    return tuple(series)


def version_key(release: str) -> tuple[int, ...]:
    """Orders releases: 5.10 after 5.4."""
    return tuple(int(n) for n in re.findall(r"\d+", release))


def _keys(group: Sequence[Variant]) -> dict[str, str]:
    """The axes on which the group does not differ. A group of one does not show which axis
    is that of the kernels; most studies name it ``kernel``."""
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


# What a loop takes, a time of its own beside the ratios; and what several ways to do the same, each
# a benchmark, cost in a variant.


def loop_time(blocks: Sequence[Block], variant: str) -> LoopTime | None:
    """The median over blocks of their median seconds a loop, with the interval of a median from
    order statistics at ``1 - ALPHA``, for fewer than 8 blocks the whole range; None without
    blocks."""
    medians = sorted(_loops(blocks, variant))
    if not medians:
        return None
    low, high, confidence = median_bounds(medians)
    return LoopTime(statistics.median(medians), low, high, confidence, len(medians))


def median_bounds(values: Sequence[float]) -> tuple[float, float, float]:
    """(low, high, confidence) of the median of what ``values``, in order, were drawn from."""
    n = len(values)
    k = max(1, _rank(n, ALPHA / 2))
    missed = 2 * sum(math.comb(n, i) for i in range(k)) / 2**n
    return values[k - 1], values[n - k], 1 - min(1.0, missed)


@dataclass(frozen=True)
class WayCost:
    """What a way costs in a variant; ``gain`` is the time of the first way over its own, with
    ``low`` and ``high``, None for the first itself and where either is missing."""

    way: str
    variant: str
    time: LoopTime
    gain: float | None = None
    low: float = 0.0
    high: float = math.inf


def way_costs(
    ways: Ways, blocks: Sequence[Block], variants: Sequence[str]
) -> Mapping[tuple[str, str], WayCost]:
    """By way and variant, without those that have no blocks. Two ways are compared by the blocks of
    the same pass: the median of the ratios, its interval from order statistics. They take no turns
    with each other, so drift within a pass is part of the noise."""
    found: dict[tuple[str, str], WayCost] = {}
    by_benchmark = {
        name: [b for b in blocks if b.benchmark == name] for name in ways.benchmarks.values()
    }
    first = next(iter(ways.benchmarks.values()))
    for way, benchmark in ways.benchmarks.items():
        for variant in variants:
            time = loop_time(by_benchmark[benchmark], variant)
            if time is None:
                continue
            ratios = [
                math.log(a / b)
                for a, b in zip(
                    _loops(by_benchmark[first], variant),
                    _loops(by_benchmark[benchmark], variant),
                    strict=False,
                )
            ]
            if benchmark == first or not ratios:
                found[way, variant] = WayCost(way, variant, time)
                continue
            low, high, _ = median_bounds(sorted(ratios))
            gain = math.exp(statistics.median(ratios))
            found[way, variant] = WayCost(way, variant, time, gain, math.exp(low), math.exp(high))
    return found


def _loops(blocks: Sequence[Block], variant: str) -> list[float]:
    return [statistics.median(b.values[variant]) / b.loops for b in blocks if variant in b.values]
