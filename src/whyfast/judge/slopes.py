"""The cost of a benchmark by its parameter: slope and intercept, with intervals over passes.

Blocks are taken in passes over all benchmarks, so the n-th blocks of a family's benchmarks belong
together: each pass gives one line. What is reported is the median over passes, with the interval
of a median from order statistics, see docs/math/lines.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.estimate import over_layouts
from whyfast.judge.ratios import median
from whyfast.model.sample import Block
from whyfast.model.variant import Benchmark
from whyfast.model.verdict import Coefficient, Line, LinePoint

Floats = NDArray[np.float64]

CONFIDENCE = 0.95

#: A line needs so many points.
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
    """A line for each family of benchmarks and each variant that has run three or more of it.

    Where layouts are varied, of the blocks that vary them, as the verdicts are.
    """
    blocks = over_layouts(blocks) or blocks
    families = dict.fromkeys(b.parameter.family for b in benchmarks if b.parameter)
    found = []
    for family in families:
        mine = [b for b in benchmarks if b.parameter and b.parameter.family == family]
        first = _series(blocks, mine, baseline)
        for variant in variants:
            series = first if variant == baseline else _series(blocks, mine, variant)
            other = None if variant == baseline else first
            line = _line(mine, variant, series, other)
            found += [line] if line else []
    return tuple(found)


def median_estimate(values: Sequence[float], confidence: float = CONFIDENCE) -> Coefficient:
    """The median of independent values and its distribution-free interval.

    The k-th smallest and k-th largest, with the largest k for which a fair coin thrown once a value
    shows fewer than k heads in at most (1 − confidence)/2 of all cases.
    """
    from scipy.stats import binom

    ordered = sorted(values)
    n = len(ordered)
    k = int(binom.ppf((1 - confidence) / 2, n, 0.5))
    while k > 0 and binom.cdf(k - 1, n, 0.5) > (1 - confidence) / 2:
        k -= 1
    middle = float(median(ordered))
    return (
        Coefficient(middle, ordered[k - 1], ordered[n - k])
        if k
        else Coefficient(middle, None, None)
    )


def _series(
    blocks: Sequence[Block], family: Sequence[Benchmark], variant: str
) -> Mapping[int, list[Floats]]:
    """For each value of the parameter the times of one loop, an array a block, in order."""
    series: dict[int, list[Floats]] = {}
    for benchmark in family:
        assert benchmark.parameter is not None
        series[benchmark.parameter.value] = [
            np.asarray(b.values[variant], dtype=np.float64) / b.loops
            for b in blocks
            if b.benchmark == benchmark.name and variant in b.values
        ]
    return {at: own for at, own in series.items() if own}


def _line(
    family: Sequence[Benchmark],
    variant: str,
    series: Mapping[int, list[Floats]],
    baseline: Mapping[int, list[Floats]] | None,
) -> Line | None:
    parameter = family[0].parameter
    assert parameter is not None
    if len(series) < FEWEST_POINTS:
        return None
    slopes, intercepts = _fits(series)
    points = tuple(_point(at, own) for at, own in sorted(series.items()))
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
        slope_ratio=_ratio(series, baseline),
        departure=off[furthest],
        departure_at=furthest,
        passes=len(slopes),
        confidence=CONFIDENCE,
        linear=parameter.linear,
    )


def _fits(series: Mapping[int, list[Floats]]) -> tuple[list[float], list[float]]:
    """Slope and intercept of each complete pass."""
    from scipy.stats import theilslopes

    at = sorted(series)
    slopes, intercepts = [], []
    for i in range(min(len(own) for own in series.values())):
        times = [float(median(series[x][i])) for x in at]
        fit = theilslopes(times, at)
        slopes.append(float(fit[0]))
        intercepts.append(float(median([y - fit[0] * x for x, y in zip(at, times, strict=True)])))
    return slopes, intercepts


def _ratio(
    series: Mapping[int, list[Floats]], baseline: Mapping[int, list[Floats]] | None
) -> Coefficient | None:
    """The slope over the baseline's in the same pass: both ran in the same blocks."""
    if not baseline or baseline.keys() != series.keys():
        return None
    own, other = _fits(series)[0], _fits(baseline)[0]
    if len(own) != len(other) or min(other) <= 0:
        return None
    return median_estimate([a / b for a, b in zip(own, other, strict=True)])


def _point(at: int, own: Sequence[Floats]) -> LinePoint:
    """The median of the blocks' medians, and the spread on both levels."""
    medians = [float(median(x)) for x in own]
    logs = [np.log(x) for x in own]
    within = float(median([_deviation(x) for x in logs]))
    turns = float(median([len(x) for x in own]))
    total = _deviation(np.log(medians))
    between = max(0.0, total**2 - _MEDIAN * within**2 / turns)
    return LinePoint(
        at=at,
        seconds=median_estimate(medians),
        value=within,
        process=math.sqrt(between),
        blocks=len(own),
    )


def _deviation(x: Floats) -> float:
    """Robust standard deviation (1.4826 × MAD): one interrupted process does not decide it."""
    return float(1.4826 * median(np.abs(x - median(x))))
