"""How far the means of neighbouring stretches lie apart when nothing happens, at every length.

Independent noise averages out; noise that wanders does not. So the noise of a mean of m points
is not taken from that of one point but measured: by the distances of the means of all pairs of
adjoining stretches of m points (Allan 1966), the lower quartile of them, so that steps in a part
of the series do not count as noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whyfast.history.noise import LOWER_QUARTILE, lower_quartile

Floats = NDArray[np.float64]
#: Lengths of stretches, and for each the variance that it says one value has.
Measured = tuple[NDArray[np.intp], Floats]

#: From so many points on, stretches longer than one point are looked at.
FEWEST_SCALED = 16
#: The longest stretch is this part of a series: eight of them are few enough to tell a spread from.
_PART = 8
#: No noise is so correlated that this bound of its lag-1 correlation is exceeded.
_MOST_CORRELATED = 0.95


def lengths(longest: int) -> NDArray[np.intp]:
    """1, 2, 3, 4, 6, 8, 12, … up to ``longest``: two to an octave."""
    made, m = [1], 2
    while m <= longest:
        made.append(m)
        if m * 3 // 2 <= longest:
            made.append(m * 3 // 2)
        m *= 2
    return np.array(sorted(made), dtype=np.intp)


def adjoining(y: Floats) -> Measured:
    """For each length m: the variance of one value that the distances of adjoining means of m
    values would have if values were independent. One length of 0 for short series."""
    if len(y) < FEWEST_SCALED:
        return lengths(1), np.zeros(1)
    total = np.concatenate([[0.0], np.cumsum(y - y.mean())])
    sizes = lengths(len(y) // _PART)
    found = []
    for m in sizes:
        apart = (total[2 * m :] - 2.0 * total[m:-m] + total[: -2 * m]) / m
        # About nothing, or about what a drift makes of them, whichever they lie closer to.
        quartile = min(lower_quartile(np.abs(apart - c)) for c in (0.0, np.median(apart)))
        found.append((quartile / LOWER_QUARTILE) ** 2 * m / 2.0)
    return sizes, np.array(found)


def increasing(values: Floats, weights: Floats) -> Floats:
    """The nearest sequence that does not fall: neighbours that do are pooled, by weight."""
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
    """The noise of means of any length.

    ``variance`` is that of one value, ``correlation`` the lag-1 correlation of neighbours.
    ``log_lengths`` and ``log_factors`` tell how much more than ``variance`` / m the variance of a
    mean of m values is; ``growth`` continues them beyond the longest measured, as a power of m.
    """

    variance: float
    correlation: float
    log_lengths: Floats
    log_factors: Floats
    growth: float

    def factor(self, m: Floats) -> Floats:
        """How much more than ``variance`` / m the variance of a mean of ``m`` values is."""
        logs = np.log(m)
        beyond = np.maximum(logs - self.log_lengths[-1], 0.0)
        wander = np.interp(logs, self.log_lengths, self.log_factors) + self.growth * beyond
        factors: Floats = np.exp(wander)
        return np.maximum(factors, _autoregressive(self.correlation, m))

    def factor_at(self, m: float) -> float:
        """``factor`` of a single length."""
        return float(self.factor(np.array([m]))[0])

    def of_mean(self, m: Floats) -> Floats:
        """Variance of a mean of ``m`` values."""
        return self.variance * self.factor(m) / m


def scaled_noise(
    variance: float, correlation: float, points: int, measured: Measured
) -> ScaledNoise:
    """Put together what is known: the noise of one value, of neighbours, and of stretches.

    A quartile of few stretches is uncertain by about the root of m / points of itself; by so much
    the measured ones are lowered, and they count only where they still exceed what independent
    noise of ``variance`` would have.
    """
    sizes, found = measured
    m = sizes.astype(np.float64)
    certain = 1.0 - np.sqrt(m / points)
    logs = np.log(increasing(np.maximum(found / variance * certain, 1.0), 1.0 / m))
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
    if correlation <= 0:
        return np.ones_like(m)
    c = correlation
    made: Floats = (1 + c) / (1 - c) - 2 * c * (1 - c**m) / (m * (1 - c) ** 2)
    return made


def lag_one(residuals: Floats, parameters: int) -> float:
    """Lag-1 correlation of residuals, corrected for the ``parameters`` that were fitted."""
    square = float(residuals @ residuals)
    if square <= 0 or len(residuals) < 3:
        return 0.0
    r = float(residuals[1:] @ residuals[:-1]) / square
    return r + (1.0 + r) * parameters / len(residuals)
