"""The noise of the values of a series, from differences of neighbours, and of means of its
segments: wandering noise does not average out, so that is measured, by the lower quartile of the
distances between means of adjoining segments (Allan 1966), which steps do not move."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.ratios import Floats
from whyfast.judge.special import digamma, inverse_trigamma, trigamma

#: Quartile of |Z| for a standard normal Z: a quarter of its mass lies within.
LOWER_QUARTILE = 0.318639363964375

#: Standard error of a median times the root of the number of values, by their interquartile range:
#: 1.2533 / 1.349 for normal values.
_MEDIAN_ERROR = 0.929

#: From this many series on, they share information on their noise.
POOLED = 10

#: The least noise, relative: above double precision.
LEAST = 1e-9

#: The most degrees of freedom of a prior, from series with apparently equal noise.
_MOST_FREEDOM = 60.0


@dataclass(frozen=True)
class Prior:
    """The prior of a series' noise: the variance of other series, with ``freedom`` degrees of
    freedom; and the ``least`` standard deviation."""

    variance: float = 0.0
    freedom: float = 0.0
    least: float = LEAST


def lower_quartile(distances: Floats) -> float:
    """The lower quartile of ``distances``. Where it is 0 but at least a quarter of them are not,
    values are rounded or repeated: then half the least distance above 0."""
    quartile = float(np.quantile(distances, 0.25))
    if quartile > LEAST:
        return quartile
    there = distances[distances > LEAST]
    return float(there.min()) / 2.0 if len(there) * 4 >= len(distances) else 0.0


def difference_noise(y: Floats) -> float:
    """Standard deviation of one value, from the differences of neighbours; ``y`` are logarithms.
    The lower quartile of |y[t+1] - y[t]|, scaled for normal noise: steps and outliers hardly move
    it. A significant median is subtracted: a steady drift is no noise."""
    differences = np.diff(y)
    low, middle, high = np.quantile(differences, [0.25, 0.5, 0.75])
    # In a few points the median is one of the differences, or near several, by chance.
    error = _MEDIAN_ERROR * (high - low) / math.sqrt(len(differences))
    steady = float(middle) if abs(middle) > 2.0 * error else 0.0
    return lower_quartile(np.abs(differences - steady)) / (math.sqrt(2.0) * LOWER_QUARTILE)


def quartile_freedom(points: int) -> float:
    """The degrees of freedom of ``difference_noise`` of that many points."""
    return points / 5.0


def shared_prior(deviations: Floats, freedom: Floats) -> Prior:
    """The common prior of the noise of a suite's series, from the standard deviation of each. Smyth
    (2004), section 6.2, with medians instead of means: sample variances scatter around true ones,
    which scatter as an inverse chi-square. No prior for fewer than ``POOLED`` series."""
    known = (deviations > 0) & (freedom > 0)
    if known.sum() < POOLED:
        return Prior()
    half = freedom[known] / 2.0
    e = 2.0 * np.log(deviations[known]) - digamma(half) + np.log(half)
    middle = float(np.median(e))
    # The median absolute deviation, as a variance.
    spread = float(np.median(np.abs(e - middle)) * 1.4826) ** 2
    beyond = spread - float(np.mean(trigamma(half)))
    prior = min(2.0 * inverse_trigamma(beyond), _MOST_FREEDOM) if beyond > 0 else _MOST_FREEDOM
    variance = math.exp(middle + float(digamma(prior / 2.0)) - math.log(prior / 2.0))
    return Prior(variance, prior)


def rounding_noise(values: Floats, resolution: float) -> float:
    """Noise of rounding to ``resolution``, relative: that of a uniform error of one step."""
    return float(resolution / np.sqrt(12.0) / np.min(values))


#: Lengths of segments, and the variance of one value that each implies.
Measured = tuple[NDArray[np.intp], Floats]

#: From this many points on, segments longer than one point are measured.
FEWEST_SCALED = 16

#: The longest segment is this part of a series: eight of them are few enough to tell a spread from.
_PART = 8

#: No noise is so correlated that this bound of its lag-1 correlation is exceeded.
_MOST_CORRELATED = 0.95


def lengths(longest: int) -> NDArray[np.intp]:
    """1, 2, 3, 4, 6, 8, 12, … up to ``longest``: two to an octave."""
    powers = [2**k for k in range(1, max(longest, 1).bit_length())]
    sizes = {1, *powers, *(m * 3 // 2 for m in powers)}
    return np.array(sorted(m for m in sizes if m <= max(longest, 1)), dtype=np.intp)


def adjoining(y: Floats) -> Measured:
    """For each length m: the variance of one value that the distances of adjoining means of m
    values would have if values were independent. One length of 0 for short series."""
    if len(y) < FEWEST_SCALED:
        return lengths(1), np.zeros(1)
    total = np.concatenate([[0.0], np.cumsum(y - y.mean())])
    sizes = lengths(len(y) // _PART)
    variances = []
    for m in sizes:
        apart = (total[2 * m :] - 2.0 * total[m:-m] + total[: -2 * m]) / m
        # Around 0, or around the effect of a drift, whichever is closer.
        quartile = min(lower_quartile(np.abs(apart - c)) for c in (0.0, np.median(apart)))
        variances.append((quartile / LOWER_QUARTILE) ** 2 * m / 2.0)
    return sizes, np.array(variances)


def increasing(values: Floats, weights: Floats) -> Floats:
    """The nearest non-decreasing sequence, by pooling neighbours with their weights."""
    pools: list[tuple[float, float, int]] = []
    for value, weight in zip(values, weights, strict=True):
        pool = (float(value), float(weight), 1)
        while pools and pools[-1][0] > pool[0]:
            before, much, many = pools.pop()
            both = much + pool[1]
            pool = ((before * much + pool[0] * pool[1]) / both, both, many + pool[2])
        pools.append(pool)
    return np.repeat([p[0] for p in pools], [p[2] for p in pools])


@dataclass(frozen=True)
class ScaledNoise:
    """The noise of means of any length. ``variance``: of one value; ``correlation``: of neighbours.
    By ``log_lengths`` and ``log_factors`` the variance of a mean of m values exceeds ``variance`` /
    m; ``growth``, a power of m, continues them."""

    variance: float
    correlation: float
    log_lengths: Floats
    log_factors: Floats
    growth: float

    def factor(self, m: Floats) -> Floats:
        """The variance of a mean of ``m`` values over ``variance`` / m."""
        logs = np.log(m)
        beyond = np.maximum(logs - self.log_lengths[-1], 0.0)
        wander = np.interp(logs, self.log_lengths, self.log_factors) + self.growth * beyond
        return np.asarray(np.maximum(np.exp(wander), _autoregressive(self.correlation, m)))

    def factor_at(self, m: float) -> float:
        """``factor`` of a single length."""
        return float(self.factor(np.array([m]))[0])

    def of_mean(self, m: Floats) -> Floats:
        """Variance of a mean of ``m`` values."""
        return self.variance * self.factor(m) / m


def scaled_noise(
    variance: float, correlation: float, points: int, measured: Measured
) -> ScaledNoise:
    """Combine the noise of one value, of neighbours, and of segments. A quartile of few segments
    has a relative error of about the root of m / points; measured ones are lowered by it, and count
    only where they still exceed independent noise of ``variance``."""
    sizes, variances = measured
    m = sizes.astype(np.float64)
    certain = 1.0 - np.sqrt(m / points)
    logs = np.log(increasing(np.maximum(variances / variance * certain, 1.0), 1.0 / m))
    growth = 0.0
    if len(m) > 3:
        start = int(np.searchsorted(m, m[-1] / 4.0))
        slope = float(logs[-1] - logs[start]) / math.log(m[-1] / m[start])
        # 2 is a random walk; nothing that is not a trend grows faster.
        growth = min(slope, 2.0)
    bounded = min(max(correlation, 0.0), _MOST_CORRELATED)
    return ScaledNoise(variance, bounded, np.log(m), logs, growth)


def _autoregressive(correlation: float, m: Floats) -> Floats:
    """m times the variance of a mean of m values of an AR(1) process of variance 1."""
    c = max(correlation, 0.0)
    return np.asarray((1 + c) / (1 - c) - 2 * c * (1 - c**m) / (m * (1 - c) ** 2))


def lag_one(residuals: Floats, parameters: int) -> float:
    """Lag-1 correlation of residuals, corrected for the ``parameters`` that were fitted."""
    square = float(residuals @ residuals)
    if square <= 0 or len(residuals) < 3:
        return 0.0
    r = float(residuals[1:] @ residuals[:-1]) / square
    return r + (1.0 + r) * parameters / len(residuals)
