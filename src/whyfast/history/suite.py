"""The suite as a whole: its geometric mean and its median as series of their own."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from whyfast.model.history import PointSeries

Floats = NDArray[np.float64]

#: Fewer series are no suite.
FEWEST_SERIES = 3
#: So often points and series are centred in turn, and until nothing moves by more than this.
_ROUNDS, _STILL = 50, 1e-9


def suite_series(series: Sequence[PointSeries]) -> tuple[PointSeries, ...]:
    """The geometric mean and the median over ``series``, point by point; nothing for fewer than
    ``FEWEST_SERIES``.

    A series that lacks a point says nothing of it, so what is averaged are the distances of the
    series from their own means: the two-way fit of points and series, by turns (Tukey's median
    polish, and the same with means). Values are relative to the mean, or median, point.
    """
    if len(series) < FEWEST_SERIES:
        return ()
    logs = np.array([_logs(s) for s in series])
    lacking = np.isfinite(logs).sum(axis=0) < FEWEST_SERIES
    made = []
    for name, middle in (("geometric mean", np.nanmean), ("median", np.nanmedian)):
        points = _by_point(logs[:, ~lacking], middle)
        values: list[float | None] = [None] * len(lacking)
        for i, value in zip(np.flatnonzero(~lacking), np.exp(points), strict=True):
            values[i] = float(value)
        machine = series[0].machine
        on = f" on {machine}" if machine else ""
        called = f"{name} of {len(series)} series{on}"
        made.append(PointSeries(called, tuple(values), machine=machine))
    return tuple(made)


def _logs(series: PointSeries) -> list[float]:
    sign = -1.0 if series.higher else 1.0
    return [math.nan if v is None else sign * math.log(v) for v in series.values]


def _by_point(logs: Floats, middle: Callable[..., Floats]) -> Floats:
    """What each point adds to every series; ``logs`` of shape (series, points), NaN for nothing."""
    rest = logs[np.isfinite(logs).any(axis=1)]
    total = np.zeros(logs.shape[1])
    for _ in range(_ROUNDS):
        rest = rest - middle(rest, axis=1)[:, None]
        moved = middle(rest, axis=0)
        rest = rest - moved
        total = total + moved
        if not np.abs(moved).max(initial=0.0) > _STILL:
            break
    return total
