"""The noise of the values of a series, and the evidence for a change between two pieces.

Noise is that of differences of neighbours, and of means of segments: wandering noise does not
average out, so that is measured, by the lower quartile of the distances between means of adjoining
segments (Allan 1966), which steps do not move.

Evidence is in units of the noise squared, as the square of a t statistic. The weakest of these
counts:

- the means on both sides, over segments of every length, differ more than means of such segments do
  elsewhere in the series;
- no straight line through both pieces fits as well;
- a short piece is not just some outliers: its likelihood under noise with heavy tails;
- a short piece between two of about the same level must explain two changes, not one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

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


# Evidence for segments of a series.

#: The fewest points in which a line can be distinguished from noise.
FEWEST_ON_LINE = 8


class Segment(NamedTuple):
    """Points ``start`` to ``end`` (not included) around a line: ``middle`` is its value at the
    middle of the piece, ``slope`` its rise a point, 0 for a level; ``square`` the sum of squared
    residuals."""

    start: int
    end: int
    middle: float
    slope: float
    square: float

    @property
    def points(self) -> int:
        return self.end - self.start

    def values(self) -> Floats:
        """The line at each point."""
        places = np.arange(self.points, dtype=np.float64) - (self.points - 1) / 2.0
        return np.asarray(self.middle + self.slope * places)


@dataclass(frozen=True)
class Sums:
    """Cumulated sums of values y, of t · y and of y², from which any segment is fitted."""

    y: Floats
    ty: Floats
    yy: Floats
    offset: float

    @classmethod
    def of(cls, values: Floats) -> Sums:
        offset = float(values.mean())
        y = values - offset
        t = np.arange(len(y)) - len(y) / 2.0
        return cls(_cumulated(y), _cumulated(t * y), _cumulated(y * y), offset)

    def level(self, start: int, end: int) -> Segment:
        """The segment as a level."""
        total = self.y[end] - self.y[start]
        square = self.yy[end] - self.yy[start] - total * total / (end - start)
        middle = self.offset + total / (end - start)
        return Segment(start, end, float(middle), 0.0, max(float(square), 0.0))

    def line(self, start: int, end: int) -> Segment:
        """The segment as a straight line, by least squares; needs two points."""
        level = self.level(start, end)
        points = end - start
        center = (start + end - 1) / 2.0 - (len(self.y) - 1) / 2.0
        product = self.ty[end] - self.ty[start] - center * (self.y[end] - self.y[start])
        slope = product / (points * (points * points - 1) / 12.0)
        square = max(level.square - float(slope * product), 0.0)
        return Segment(start, end, level.middle, float(slope), square)


def fit(sums: Sums, start: int, end: int, noise: ScaledNoise, needed: float) -> Segment:
    """A line where it explains ``needed`` times the noise more than a level does, else a level."""
    level = sums.level(start, end)
    if end - start < FEWEST_ON_LINE:
        return level
    line = sums.line(start, end)
    # A trend is distinguished from a wandering level by how far means of half the segment wander.
    factor = noise.factor_at((end - start) / 2.0)
    gained = level.square - line.square
    return line if gained > needed * noise.variance * factor else level


def robust_values(y: Floats, pieces: list[Segment], reach: float) -> Floats:
    """The fitted value at each point: lines as they are, levels from the points within ``reach`` of
    their median; or, where those are no majority, a line that has more."""
    return np.concatenate(
        [p.values() if p.slope else _robust(y[p.start : p.end], reach) for p in pieces]
    )


def _robust(y: Floats, reach: float) -> Floats:
    inside = y[np.abs(y - np.median(y)) <= reach]
    level = np.full_like(y, inside.mean() if len(inside) else np.median(y))
    near = (np.abs(y - level) <= reach).sum()
    if len(y) < FEWEST_ON_LINE or 2 * near > len(y):
        return level
    # The line with the median slope between points half the segment apart, through the median.
    half = len(y) // 2
    slope = float(np.median(y[half:] - y[:-half])) / half
    rest = y - slope * np.arange(len(y))
    line = y - rest + np.median(rest)
    return np.asarray(line if (np.abs(y - line) <= reach).sum() > near else level)


def _cumulated(values: Floats) -> Floats:
    return np.concatenate([[0.0], np.cumsum(values)])


#: Segments of up to this many points might be a cluster of outliers.
CLUSTER = 40

#: Segments of up to this many points must explain the change back, too.
SHORT = 16

#: Degrees of freedom of the heavy-tailed noise for short pieces.
_TAIL = 3.0

#: A point counts as equally far out from this share of another's distance on.
_AS_FAR = 0.8

#: A step is larger than the drift beside it over this many points.
_POINTS_OF_DRIFT = 3.0

#: From this many such points on, their share is an estimate of their rarity.
_TELLING = 3


@dataclass(frozen=True)
class Judge:
    """The values, their ``sums`` (outliers clipped), and the noise. ``scale``: the standard
    deviation of one value from differences. ``needed``: the evidence that a change needs; ``sure``:
    if the noise were known. ``outside``: ascending distances of points below their level, and
    above."""

    values: Floats
    sums: Sums
    noise: ScaledNoise
    scale: float
    needed: float
    sure: float
    outside: tuple[Floats, Floats]

    def fit(self, start: int, end: int) -> Segment:
        """The segment as a level, or as a line if there is one."""
        return fit(self.sums, start, end, self.noise, self.needed)

    def between(self, pieces: Sequence[Segment], i: int) -> float:
        """Evidence for the boundary between pieces i and i + 1."""
        left, right = pieces[i], pieces[i + 1]
        evidence = self._as_pair(left, right)
        for short, other in ((left, right), (right, left)):
            if short.points <= CLUSTER:
                evidence = min(evidence, self._as_cluster(short, other))
        for middle in (i, i + 1):
            if 0 < middle < len(pieces) - 1 and pieces[middle].points <= SHORT:
                evidence = min(evidence, self._as_excursion(*pieces[middle - 1 : middle + 2]))
        return evidence

    def jump(self, left: Segment, right: Segment) -> float:
        """The largest evidence, over all lengths, for different values at the boundary."""
        a, b = left.points, right.points
        sizes = lengths(max(a, b)).astype(np.float64)
        sizes = np.append(sizes, max(a, b)) if sizes[-1] < max(a, b) else sizes
        m, k = np.minimum(sizes, a), np.minimum(sizes, b)
        at, total = right.start, self.sums.y
        before = (total[at] - total[at - m.astype(np.intp)]) / m + left.slope * m / 2.0
        after = (total[at + k.astype(np.intp)] - total[at]) / k - right.slope * k / 2.0
        variance = self.noise.of_mean(m) + self.noise.of_mean(k)
        for piece, size in ((left, m), (right, k)):
            if piece.slope:
                variance = variance + slope_variance(self.noise, piece) * (size / 2.0) ** 2
        # A drift that bends is no step: it has to be more than the drift is in some points.
        apart = np.abs(after - before)
        steep = _POINTS_OF_DRIFT * max(abs(left.slope), abs(right.slope))
        return float(np.where(apart > steep, apart**2 / variance, 0.0).max())

    def _as_pair(self, left: Segment, right: Segment) -> float:
        whole = self.fit(left.start, right.end)
        apart = left.square + right.square
        jump = self.jump(left, right)
        if not (left.slope or right.slope):
            # A line and two levels have as many parameters: the better one is believed.
            return 0.0 if whole.slope and whole.square <= apart else jump
        gained = max(whole.square - apart, 0.0) / self.noise.variance
        bend = gained / self.noise.factor_at(whole.points / 2.0)
        return min(gained, max(jump, bend))

    def _as_cluster(self, short: Segment, other: Segment) -> float:
        """Twice the log-likelihood ratio of a separate level for the short piece: under t noise,
        or, where enough other points are equally far out, by their share."""
        inside = self.values[short.start : short.end]
        places = np.arange(short.start, short.end) + 0.5 - (other.start + other.end) / 2.0
        beyond = other.middle + other.slope * places
        level_loss = self._loss(inside - short.values())
        away = inside - beyond
        wild = np.minimum(self._loss(away), self._rarity(away))
        ratio = float((wild - level_loss).sum())
        return ratio * self.needed / self.sure

    def _rarity(self, away: Floats) -> Floats:
        """For each distance: minus twice the log of the share of points as far from their level on
        the same side; infinite for too few."""
        farther = np.empty_like(away)
        for side, sign in ((self.outside[0], -1.0), (self.outside[1], 1.0)):
            here = away * sign > 0
            reach = _AS_FAR * np.abs(away[here])
            farther[here] = len(side) - np.searchsorted(side, reach)
        farther[away == 0] = len(self.values)
        with np.errstate(divide="ignore"):
            rarity = -2.0 * np.log(farther / len(self.values))
        return np.where(farther < _TELLING, np.inf, rarity)

    def _loss(self, residuals: Floats) -> Floats:
        return np.asarray((_TAIL + 1.0) * np.log1p((residuals / self.scale) ** 2 / _TAIL))

    def _as_excursion(self, before: Segment, middle: Segment, after: Segment) -> float:
        if before.slope or middle.slope or after.slope:
            return float("inf")
        joined = self.sums.level(before.start, after.end).square
        gained = joined - before.square - middle.square - after.square
        factor = self.noise.factor_at(middle.points)
        return gained / self.noise.variance / factor / 2.0


def slope_variance(noise: ScaledNoise, piece: Segment) -> float:
    """Variance of the slope of a line through the piece."""
    factor = noise.factor_at(piece.points / 2.0)
    return 12.0 * noise.variance * factor / piece.points**3
