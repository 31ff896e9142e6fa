"""Which single points lie beyond what the noise of their series does."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from whyfast.history.prune import Pruned, threshold
from whyfast.history.segment import OUTLIER

Floats = NDArray[np.float64]

#: From so many points on, the tail of the noise is taken from the points themselves.
_TAILED = 20
#: The tail is one point in so many, ...
_ONE_IN = 10
#: ... but so many points at least.
_FEWEST = 5


def odd_points(residuals: Floats, pruned: Pruned, chance: float) -> list[int]:
    """Which points lie so far from their level as noise does with ``chance`` only, while most of
    the points of their piece do not."""
    far = np.abs(residuals) > reach(residuals, pruned, chance)
    for piece in pruned.pieces:
        if 2 * int(far[piece.start : piece.end].sum()) >= piece.points:
            far[piece.start : piece.end] = False
    return np.flatnonzero(far).tolist()


def reach(residuals: Floats, pruned: Pruned, chance: float) -> float:
    """How far from its level a point of noise lies with ``chance`` only, in logarithms.

    That of normal noise, with wild points set aside; or, if it is farther, that of the tail that
    the series itself shows: the distances beyond the ninth decile, or the five largest, taken as
    exponential, by their median, which the odd points among them hardly move.
    """
    near = residuals[np.abs(residuals) <= OUTLIER * pruned.judge.scale]
    aside = len(residuals) - len(near)
    freedom = max(pruned.freedom - aside, 1.0)
    prior = pruned.prior
    square = float(near @ near) + prior.variance * prior.freedom
    sd = max(math.sqrt(square / freedom), prior.least)
    normal = sd * math.sqrt(threshold(chance, freedom))
    if len(residuals) < _TAILED:
        return normal
    distances = np.sort(np.abs(residuals))[::-1]
    count = max(len(distances) // _ONE_IN, _FEWEST)
    edge = float(distances[count])
    scale = float(np.median(distances[:count] - edge)) / math.log(2.0)
    return max(normal, edge + scale * math.log(count / (len(distances) * chance)))
