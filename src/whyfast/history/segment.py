"""Where a level may have changed: the best piecewise constant level under noise with outliers.

Minimises, over all ways to cut a series into segments with a level each,

    sum over points of min((x - level)², bound)  +  penalty · (number of changes)

the bounded ("biweight") loss of Fearnhead & Rigaill, "Changepoint detection in the presence of
outliers", JASA 114 (2019), by their recursion over levels. A wild point costs the bound wherever
it lies. The bound is less than the penalty: so a wild point beside a step is left alone, and does
not become a level of its own that swallows the step. What is found here are candidates, a few
too many; :mod:`whyfast.history.prune` judges them.

Levels are sought among the values themselves, which makes the recursion one array operation a
point; in long series among ``LEVELS`` of them, so that memory grows with the points only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# ---- How sure a change has to be before it is believed.

#: The chance that a series without change is given one; what simulations say of it stands in
#: ``docs/math/history.md``.
FALSE_STEP = 0.01

#: The fewest points in which a change can be told from noise.
FEWEST = 5


def single_chance(points: int) -> float:
    """The chance for a single place, of as many as there are points; half of it, because at each
    place stretches of several lengths are looked at."""
    return FALSE_STEP / (2.0 * points)


Floats = NDArray[np.float64]

#: What a change must explain to be a candidate, in units of the noise squared.
CANDIDATE = 10.0
#: A point so many times the noise away from a level is none of it.
OUTLIER = 2.8
#: At most so many levels are tried.
LEVELS = 256
#: Half of them are medians of so many neighbours, which lie where levels are.
_SMOOTH = 9
#: Bytes of what is remembered of a series, or of several at once, for the way back.
_MEMORY = 50_000_000


def segment(x: Floats, penalty: float = CANDIDATE) -> list[list[int]]:
    """The first point of each segment, series by series.

    ``x`` has shape (series, points), in units of the noise.
    """
    count, points = x.shape
    at_once = max(1, _MEMORY // (points * min(points, LEVELS)))
    return [
        _with_ends(row, starts)
        for first in range(0, count, at_once)
        for row, starts in zip(
            x[first : first + at_once],
            _segment(x[first : first + at_once], penalty),
            strict=True,
        )
    ]


def _segment(x: Floats, penalty: float) -> list[list[int]]:
    count, points = x.shape
    rows = np.arange(count)
    levels = _levels(x)
    bound = OUTLIER**2
    cost = np.zeros_like(levels)
    changed = np.zeros((points, count, levels.shape[1]), dtype=bool)
    source = np.zeros((points, count), dtype=np.intp)
    loss = np.empty_like(levels)
    for t in range(points):
        if t:
            source[t] = cost.argmin(axis=1)
            fresh = cost[rows, source[t]][:, None] + penalty
            np.less(fresh, cost, out=changed[t])
            np.minimum(cost, fresh, out=cost)
        np.subtract(x[:, t, None], levels, out=loss)
        np.multiply(loss, loss, out=loss)
        np.minimum(loss, bound, out=loss)
        cost += loss
    at = cost.argmin(axis=1)
    starts = np.zeros((count, points), dtype=bool)
    starts[:, 0] = True
    for t in range(points - 1, 0, -1):
        new = changed[t, rows, at]
        starts[:, t] = new
        at = np.where(new, source[t], at)
    return [np.flatnonzero(row).tolist() for row in starts]


def _with_ends(x: Floats, starts: list[int]) -> list[int]:
    """``starts``, and the bounds of runs of wild points on one side at either end.

    A run whose points scatter more than the others costs less as wild points than as a level with
    a wild point beside it; but nothing says that it would come back.
    """
    found = set(starts)
    for start, end, step in ((0, [*starts, len(x)][1], 1), (starts[-1], len(x), -1)):
        away = (x[start:end] - np.median(x[start:end]))[::step]
        if abs(away[0]) <= OUTLIER:
            continue
        same = (away * np.sign(away[0])) > OUTLIER
        run = len(same) if same.all() else int(np.argmin(same))
        if 1 < run < len(same):
            found.add(start + run if step > 0 else end - run)
    return sorted(found)


def _levels(x: Floats) -> Floats:
    """The levels to try, of shape (series, levels)."""
    points = x.shape[1]
    if points <= LEVELS:
        return x
    shares = (np.arange(LEVELS // 2) + 0.5) / (LEVELS // 2)
    windows = np.lib.stride_tricks.sliding_window_view(x, _SMOOTH, axis=1)
    smooth = np.median(windows[:, :: max(1, points // 4096)], axis=2)
    of_values = np.quantile(x, shares, axis=1).T
    of_smooth = np.quantile(smooth, shares, axis=1).T
    return np.concatenate([of_values, of_smooth], axis=1)
