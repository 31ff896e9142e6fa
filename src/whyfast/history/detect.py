"""From a timeline to its steps and odd points, series by series and over all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from whyfast.history.noise import difference_noise, pooled_noise, rounding_noise
from whyfast.history.penalty import FEWEST, penalty
from whyfast.history.segment import OUTLIER, segment
from whyfast.model.errors import UserError
from whyfast.model.history import (
    Finding,
    History,
    OddPoint,
    PointSeries,
    SeriesHistory,
    Shift,
    Timeline,
)

Floats = NDArray[np.float64]

#: The level of the interval of one shift, two-sided.
_LEVEL = 0.99
#: The least relative noise that is believed: double precision, not a measurement, is exact.
_LEAST = 1e-9


def detect(timeline: Timeline) -> History:
    """All steps and odd points. UserError when no series has enough points."""
    long_enough = [s for s in timeline.series if _length(s) >= FEWEST]
    if not long_enough:
        most = max((_length(s) for s in timeline.series), default=0)
        raise UserError(
            f"a step cannot be told from noise in fewer than {FEWEST} points; there are {most}"
        )
    logs = [np.log([v for v in s.values if v is not None]) for s in long_enough]
    own = [difference_noise(y) for y in logs]
    floors = [
        rounding_noise(np.exp(y), s.resolution) for y, s in zip(logs, long_enough, strict=True)
    ]
    noise = np.maximum(np.maximum(pooled_noise(np.array(own)), floors), _LEAST)
    found = tuple(
        _one(series, y, float(sigma), penalty(len(y), len(long_enough)))
        for series, y, sigma in zip(long_enough, logs, noise, strict=True)
    )
    return History(timeline, found, tuple(_findings(found)))


def _length(series: PointSeries) -> int:
    return sum(v is not None for v in series.values)


def _one(series: PointSeries, y: Floats, noise: float, penalty_: float) -> SeriesHistory:
    """``y`` are the logarithms of the values that are there."""
    where = [i for i, v in enumerate(series.values) if v is not None]
    part = segment(y[None, :] / noise, penalty_)[0]
    reach = math.sqrt(OUTLIER * penalty_) * noise
    level = np.empty_like(y)
    size = np.empty_like(y)
    for number in range(int(part[-1]) + 1):
        inside = part == number
        kept = inside & (np.abs(y - np.median(y[inside])) <= reach)
        kept = kept if kept.any() else inside
        level[inside], size[inside] = y[kept].mean(), kept.sum()
    shifts = tuple(
        _shift(where[t - 1], where[t], level[t] - level[t - 1], noise, size[t - 1], size[t])
        for t in np.flatnonzero(np.diff(part)) + 1
    )
    odd = tuple(
        OddPoint(where[t], math.exp(y[t] - level[t]))
        for t in np.flatnonzero(np.abs(y - level) > reach)
    )
    levels: list[float | None] = [None] * len(series.values)
    for t, i in enumerate(where):
        levels[i] = math.exp(level[t])
    return SeriesHistory(series, noise, tuple(levels), shifts, odd)


def _shift(before: int, at: int, change: float, noise: float, n: float, m: float) -> Shift:
    half = float(stats.norm.isf((1 - _LEVEL) / 2)) * noise * math.sqrt(1 / n + 1 / m)
    return Shift(before, at, *(math.exp(d) for d in (change, change - half, change + half)))


def _findings(found: Sequence[SeriesHistory]) -> Iterator[Finding]:
    """The same point and direction in several series is one finding; most series first."""
    groups: dict[tuple[str, int, int, bool], dict[str, float]] = {}
    for history in found:
        for shift in history.shifts:
            key = ("step", shift.before, shift.at, shift.ratio > 1)
            groups.setdefault(key, {})[history.series.name] = shift.ratio
        for odd in history.odd:
            key = ("odd", odd.at, odd.at, odd.ratio > 1)
            groups.setdefault(key, {})[history.series.name] = odd.ratio
    series = {h.series.name: h.series for h in found}
    for (kind, before, at, _), ratios in sorted(
        groups.items(), key=lambda item: (-len(item[1]), item[0])
    ):
        where = _shared([series[name].keys for name in ratios], [s.keys for s in series.values()])
        of = sum(where.items() <= s.keys.items() for s in series.values())
        yield Finding("step" if kind == "step" else "odd", before, at, ratios, of, where)


def _shared(
    mine: Sequence[Mapping[str, str]], every: Sequence[Mapping[str, str]]
) -> dict[str, str]:
    """The columns with one value in all of ``mine``, and another somewhere else.

    Of a single series that would be all its columns; that says nothing that its name does not.
    """
    if len(mine) < 2:
        return {}
    return {
        column: value
        for column, value in mine[0].items()
        if all(keys.get(column) == value for keys in mine)
        and any(keys.get(column) != value for keys in every)
    }
