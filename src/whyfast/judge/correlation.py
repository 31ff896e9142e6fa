"""Are neighbouring blocks alike? Then they say less than their number.

What could tell two variants apart is drawn anew for each block, so signs are independent, unless a
state outlives a block and favours one side. So evidence against a shift counts as far as a
first-order autoregression about it does not explain the blocks too (docs/math/correlated.md)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.ratios import Floats, Mask, median, quantile

#: Standard errors above 0 from which a lag-1 correlation counts: 1 % of series of independent
#: blocks are beyond.
CLEAR = 2.326

#: Fewer blocks show no correlation.
FEWEST = 6

#: Standard deviations from the median to which a block is moved first.
_REACH = 2.0

#: The correlations that are thought possible, of each block with the next, shape (k, 1).
CORRELATIONS: Floats = np.array([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95])[
    :, None
]

#: The prior odds of no correlation to each of the others. More finds differences sooner, less errs
#: more rarely where one side has a state that wanders (bench/correlated.py).
ODDS = 10.0

#: The odds at which a verdict no longer assumes that blocks are independent.
EVEN = 1.0

#: A mixture over bets has by so much less log wealth than the best bet: what of a log likelihood
#: ratio it does not show.
BEHIND = 2.0

#: The log likelihood ratio, without correlation, at which its share is looked up: about that of a
#: shift that is refuted at 1 %.
_USUAL = 8.0

#: The log likelihood ratio from which on correlation is no explanation, however strict the level:
#: that of a verdict at 1 %.
ENOUGH = math.log(200)

#: Median absolute deviation, and 80 % quantile of absolute deviations, to standard deviation.
_MAD, _WIDE, _WIDE_AT = 1.4826, 1 / 1.2816, 0.8


def lag_one(d: Floats) -> float:
    """Correlation of each block with the next, shape (n,), outliers moved in; 0 where unknown."""
    return float(lag_ones(d[:, None])[0])


def lag_ones(d: Floats) -> Floats:
    """:func:`lag_one` of m series, shape (n, m)."""
    n, m = d.shape
    if n < FEWEST:
        return np.zeros(m)
    away = d - median(d, axis=0)
    scale = _MAD * median(np.abs(away), axis=0)
    known = scale > 0
    z = np.clip(away / np.where(known, scale, 1.0), -_REACH, _REACH)
    z -= z.mean(axis=0)
    total = np.sum(z * z, axis=0)
    known &= total > 0
    return np.asarray(
        np.where(known, np.sum(z[1:] * z[:-1], axis=0) / np.where(known, total, 1.0), 0.0)
    )


def is_clear(correlation: Floats, blocks: int) -> Mask:
    """Whether lag-1 correlations, shape (m,), are beyond chance: the reader is warned of them."""
    return np.asarray(correlation * math.sqrt(blocks) > CLEAR)


@dataclass(frozen=True, eq=False)
class Likelihood:
    """How well normal blocks with each of :data:`CORRELATIONS` about a shift explain m series. The
    squares that the shift θ leaves unexplained are ``least`` + ``bend``·(z − ``peak``)², z = (θ −
    ``center``)/``unit``; least and peak (k, m), bend (k, 1). ``free`` (k, 1): the part of the log
    likelihood that blocks do not change; ``best``: the highest at any shift; ``known``: enough
    blocks, most not equal. Others (m,); ``shares`` has the two sides first."""

    blocks: int
    known: Mask
    center: Floats
    unit: Floats
    least: Floats
    peak: Floats
    bend: Floats
    free: Floats
    best: Floats
    shares: Floats

    def pick(self, at: NDArray[Any]) -> Likelihood:
        """That of the series that ``at`` picks: a mask of shape (m,), or places."""
        return self._each(lambda name: getattr(self, name)[..., at])

    def _each(self, change: Callable[[str], Any]) -> Likelihood:
        """With what ``change`` makes of the name of each field that has an entry a series."""
        names = ("known", "center", "unit", "least", "peak", "best", "shares")
        return replace(self, **{name: change(name) for name in names})

    def both_ways(self) -> Likelihood:
        """That of the series, and of blocks with the two sides exchanged."""
        other = {"center": -self.center, "peak": -self.peak, "shares": self.shares[::-1]}

        def twice(name: str) -> Floats:
            there = getattr(self, name)
            return np.concatenate([there, other.get(name, there)], axis=-1)

        return self._each(twice)

    def discounted(self, wealth: Floats, theta: Floats, side: int) -> Floats:
        """What of the log wealth against ``theta`` counts, shape (m,): no more than there is.
        ``side`` is 1 where the blocks are held to lie above ``theta``, −1 below. Where the
        likelihood ratio, correlation allowed for, is :data:`ENOUGH`, all of it. Else as much as
        that ratio, or the share of it in the likelihood ratio of blocks without correlation."""
        with np.errstate(over="ignore"):
            z = (theta - self.center) / self.unit
        ratio = self.ratio(z, side)
        counts = np.maximum((wealth + BEHIND) * self.shares[(1 - side) // 2], ratio)
        less = self.known & (ratio < ENOUGH)
        return np.asarray(np.where(less, np.minimum(wealth, counts), wealth))

    def ratio(self, z: Floats, side: int) -> Floats:
        """The log likelihood ratio of any shift to those up to ``z`` (from ``z`` on)."""
        with np.errstate(over="ignore"):
            beyond = np.minimum(side * (z - self.peak), 0.0)
            squares = self.least + self.bend * beyond**2
        return np.asarray(self.best - np.max(self.free - self.blocks / 2 * np.log(squares), axis=0))

    def reach(self) -> Floats:
        """How far from ``center`` all counts for certain, shape (m,)."""
        with np.errstate(over="ignore"):
            squares = np.exp(2 / self.blocks * (self.free - self.best + ENOUGH))
            away = np.sqrt(np.maximum(squares - self.least, 0.0) / self.bend)
            far = 1.01 * self.unit * np.max(np.abs(self.peak) + away, axis=0)
        return np.asarray(np.where(self.known & np.isfinite(far), far, 0.0))


def likelihood(d: Floats, *, odds: float = ODDS, independent: bool = False) -> Likelihood:
    """Of m series of n blocks, shape (n, m), blocks beyond two standard deviations moved there.
    ``odds``: see :data:`ODDS`. Where blocks are known to be ``independent``, none is discounted."""
    n, m = d.shape
    r = CORRELATIONS
    with np.errstate(over="ignore", invalid="ignore"):
        center = median(d, axis=0)
        away = np.abs(d - center)
        unit = np.maximum(_MAD * median(away, axis=0), _WIDE * quantile(away, _WIDE_AT, axis=0))
        known = (unit > 0) & np.isfinite(unit) & (n >= FEWEST) & (not independent)
        unit = np.where(known, unit, 1.0)
        z = np.clip(np.where(known, (d - center) / unit, 0.0), -_REACH, _REACH)
    ends, total, squares = z[0] + z[-1], z.sum(axis=0), np.sum(z * z, axis=0)
    lagged = np.sum(z[1:] * z[:-1], axis=0)
    # (1 − r²)z₁² + Σ(zᵢ − r·zᵢ₋₁)², as a parabola in the shift.
    at_zero = squares + r**2 * (squares - z[0] ** 2 - z[-1] ** 2) - 2 * r * lagged
    bend = (1 - r) * ((1 - r) * n + 2 * r)
    peak = ((1 - r) * total + r * ends) / ((1 - r) * n + 2 * r)
    least = np.maximum(at_zero - bend * peak**2, 1e-9)
    free = np.log1p(-(r**2)) / 2 - np.where(r > 0, math.log(odds), 0.0)
    best = np.max(free - n / 2 * np.log(least), axis=0)
    whole = Likelihood(n, known, center, unit, least, peak, bend, free, best, np.ones((2, m)))
    usual = np.sqrt(least[0] * math.expm1(2 * _USUAL / n) / bend[0])
    shares = [whole.ratio(peak[0] - side * usual, side) / _USUAL for side in (1, -1)]
    return replace(whole, shares=np.minimum(shares, 1.0))
