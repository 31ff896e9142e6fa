"""How far the values of a series lie from their level when nothing happens, from neighbours."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]

#: Quartile of |Z| for a standard normal Z: a quarter of its mass lies within.
LOWER_QUARTILE = 0.318639363964375

#: Standard error of a median times the root of the number of values, by their interquartile range:
#: 1.2533 / 1.349 for normal values.
_MEDIAN_ERROR = 0.929

#: From so many series on, they lend each other what they know of their noise.
POOLED = 10

#: The least noise that is believed, relative: double precision, not a measurement, is exact.
LEAST = 1e-9

#: Of series that seem to have the very same noise, so much is believed, in degrees of freedom.
_MOST_FREEDOM = 60.0


@dataclass(frozen=True)
class Prior:
    """What is known of a series' noise beside its own points: a variance that other series have,
    worth so many degrees of ``freedom``; and the ``least`` standard deviation that is believed."""

    variance: float = 0.0
    freedom: float = 0.0
    least: float = LEAST


def lower_quartile(distances: Floats) -> float:
    """The lower quartile of ``distances``. Where it is nothing, but up to three quarters of them
    are, values are rounded or held for a while: half the least distance that there is."""
    quartile = float(np.quantile(distances, 0.25))
    if quartile > LEAST:
        return quartile
    there = distances[distances > LEAST]
    return float(there.min()) / 2.0 if len(there) * 4 >= len(distances) else 0.0


def difference_noise(y: Floats) -> float:
    """Standard deviation of one value, from the differences of neighbours; ``y`` are logarithms.

    The lower quartile of |y[t+1] - y[t]|, scaled to be right for independent normal noise: three
    quarters of the differences may be steps and outliers without moving it much. Where they have
    a median that stands out, it is taken off them: a steady drift is no noise.
    """
    differences = np.diff(y)
    distances = np.abs(differences - _steady(differences))
    return lower_quartile(distances) / (math.sqrt(2.0) * LOWER_QUARTILE)


def _steady(differences: Floats) -> float:
    """Their median, if it is more than twice its standard error as the quartiles tell it, else 0:
    in a few points the median is one of the differences, or near several, by chance."""
    low, middle, high = np.quantile(differences, [0.25, 0.5, 0.75])
    error = _MEDIAN_ERROR * (high - low) / math.sqrt(len(differences))
    return float(middle) if abs(middle) > 2.0 * error else 0.0


def quartile_freedom(points: int) -> float:
    """What ``difference_noise`` of so many points knows, in degrees of freedom."""
    return points / 5.0


def shared_prior(own: Floats, freedom: Floats) -> Prior:
    """What series of one suite say of each other's noise, from the standard deviation of each.

    Smyth (2004), section 6.2: variances scatter as those of a normal sample do, around true ones
    that scatter as an inverse chi-square; with medians in the place of means. No prior for fewer
    than ``POOLED`` series.
    """
    known = (own > 0) & (freedom > 0)
    if known.sum() < POOLED:
        return Prior()
    half = freedom[known] / 2.0
    e = 2.0 * np.log(own[known]) - special.digamma(half) + np.log(half)
    middle = float(np.median(e))
    # The median absolute deviation, as a variance.
    spread = float(np.median(np.abs(e - middle)) * 1.4826) ** 2
    beyond = spread - float(np.mean(special.polygamma(1, half)))
    prior = min(2.0 * _inverse_trigamma(beyond), _MOST_FREEDOM) if beyond > 0 else _MOST_FREEDOM
    variance = math.exp(middle + float(special.digamma(prior / 2.0)) - math.log(prior / 2.0))
    return Prior(variance, prior)


def _inverse_trigamma(x: float) -> float:
    """The y at which the trigamma function is ``x`` > 0, by Newton's method on 1 / trigamma."""
    y = 0.5 + 1.0 / x
    for _ in range(50):
        value = float(special.polygamma(1, y))
        step = value * (1.0 - value / x) / float(special.polygamma(2, y))
        y += step
        if abs(step) < 1e-8 * y:
            break
    return y


def rounding_noise(values: Floats, resolution: float) -> float:
    """Noise of rounding to ``resolution``, relative: that of a uniform error of one step."""
    return float(resolution / np.sqrt(12.0) / np.min(values))
