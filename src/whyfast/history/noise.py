"""How far neighbouring values of a series lie apart when nothing happens."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Quartile of |Z| for a standard normal Z: a quarter of its mass lies within.
_LOWER_QUARTILE = 0.318639363964375

#: From so many series on, none is taken to be quieter than the median of all.
POOLED = 10


def difference_noise(y: Floats) -> float:
    """Standard deviation of one value, from the differences of neighbours; ``y`` are logarithms.

    The lower quartile of |y[t+1] - y[t]|, scaled to be right for independent normal noise: three
    quarters of the differences may be steps and odd points without moving it much.
    """
    differences = np.abs(np.diff(y))
    return float(np.quantile(differences, 0.25)) / (math.sqrt(2.0) * _LOWER_QUARTILE)


def pooled_noise(own: Floats) -> Floats:
    """Each series' noise, but where there are at least ``POOLED`` of them none below the median.

    A quartile of eight differences is a poor guess; that of neighbours says what is usual here.
    """
    return np.maximum(own, np.median(own)) if len(own) >= POOLED else own


def rounding_noise(values: Floats, resolution: float) -> float:
    """Noise of rounding to ``resolution``, relative: that of a uniform error of one step."""
    return float(resolution / np.sqrt(12.0) / np.min(values))
