"""The best piecewise constant level under noise with outliers.

Minimises, over all ways to cut a series into segments with a level each,

    sum over points of min((x - level)², 1.5 β)  +  β · (number of changes)

the bounded ("biweight") loss of Fearnhead & Rigaill, "Changepoint detection in the presence of
outliers", JASA 114 (2019), by their recursion over levels. A single point between two of the same
level would need two changes, 2 β, to be fitted, so it costs 1.5 β and is left as an odd point;
a level that changes for good costs one. Levels are sought among the values themselves, which
makes the recursion one array operation a point; the penalty is calibrated for just this.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: An outlier costs so many penalties: more than the one of a change, less than the two that
#: fitting a single point takes.
OUTLIER = 1.5


def segment(x: Floats, penalty: float) -> NDArray[np.intp]:
    """Which segment each point is in, from 0 up.

    ``x`` has shape (series, points), in units of the noise; so has the result.
    """
    count, points = x.shape
    rows = np.arange(count)
    levels = np.sort(x, axis=1)
    bound = OUTLIER * penalty
    cost = np.zeros_like(levels)
    changed = np.zeros((points, count, points), dtype=bool)
    source = np.zeros((points, count), dtype=np.intp)
    for t in range(points):
        if t:
            source[t] = cost.argmin(axis=1)
            fresh = cost[rows, source[t]][:, None] + penalty
            changed[t] = fresh < cost
            cost = np.minimum(cost, fresh)
        cost = cost + np.minimum((x[:, t, None] - levels) ** 2, bound)
    at = cost.argmin(axis=1)
    starts = np.zeros((count, points), dtype=np.intp)
    for t in range(points - 1, 0, -1):
        new = changed[t, rows, at]
        starts[:, t] = new
        at = np.where(new, source[t], at)
    return np.cumsum(starts, axis=1)
