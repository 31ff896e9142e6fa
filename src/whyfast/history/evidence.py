"""The evidence for a change between two neighbouring pieces.

In units of the noise squared, as the square of a t statistic. The weakest of these counts:

- the means on both sides, over segments of every length, differ more than means of such segments do
  elsewhere in the series;
- no straight line through both pieces fits as well;
- a short piece is not just some outliers: its likelihood under noise with heavy tails;
- a short piece between two of about the same level must explain two changes, not one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from whyfast.history.noise import ScaledNoise, lengths
from whyfast.judge.ratios import Floats

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
        """Evidence for different values on both sides of the boundary, whatever the slopes: the
        largest over segments of all lengths."""
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
