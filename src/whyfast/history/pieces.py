"""Stretches of a series as levels or as straight lines, in constant time each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whyfast.history.scales import ScaledNoise

Floats = NDArray[np.float64]

#: A line is not told from noise in fewer points.
FEWEST_ON_LINE = 8


class Stretch(NamedTuple):
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
        made: Floats = self.middle + self.slope * places
        return made


@dataclass(frozen=True)
class Sums:
    """Cumulated sums of values y, of t · y and of y², from which any stretch is fitted."""

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

    def level(self, start: int, end: int) -> Stretch:
        """The stretch as a level."""
        total = self.y[end] - self.y[start]
        square = self.yy[end] - self.yy[start] - total * total / (end - start)
        middle = self.offset + total / (end - start)
        return Stretch(start, end, float(middle), 0.0, max(float(square), 0.0))

    def line(self, start: int, end: int) -> Stretch:
        """The stretch as a straight line, by least squares; needs two points."""
        level = self.level(start, end)
        points = end - start
        center = (start + end - 1) / 2.0 - (len(self.y) - 1) / 2.0
        product = self.ty[end] - self.ty[start] - center * (self.y[end] - self.y[start])
        slope = product / (points * (points * points - 1) / 12.0)
        square = max(level.square - float(slope * product), 0.0)
        return Stretch(start, end, level.middle, float(slope), square)


def fit(sums: Sums, start: int, end: int, noise: ScaledNoise, needed: float) -> Stretch:
    """A line where it explains ``needed`` times the noise more than a level does, else a level."""
    level = sums.level(start, end)
    if end - start < FEWEST_ON_LINE:
        return level
    line = sums.line(start, end)
    # A trend is told from a wandering level by how far means of half the stretch wander.
    factor = noise.factor_at((end - start) / 2.0)
    gained = level.square - line.square
    return line if gained > needed * noise.variance * factor else level


def robust_values(y: Floats, pieces: list[Stretch], reach: float) -> Floats:
    """What the pieces say of each point: lines as they are, levels by the points within ``reach``
    of their median; or, where those are no majority, by a line that has more."""
    made = np.empty_like(y)
    for piece in pieces:
        inside = y[piece.start : piece.end]
        values = piece.values() if piece.slope else _robust_level(inside, reach)
        if not piece.slope and len(inside) >= FEWEST_ON_LINE:
            near = (np.abs(inside - values) <= reach).sum()
            line = _robust_line(inside)
            if 2 * near <= len(inside) and (np.abs(inside - line) <= reach).sum() > near:
                values = line
        made[piece.start : piece.end] = values
    return made


def _robust_level(y: Floats, reach: float) -> Floats:
    near = y[np.abs(y - np.median(y)) <= reach]
    return np.full_like(y, near.mean() if len(near) else np.median(y))


def _robust_line(y: Floats) -> Floats:
    """The line with the median slope between points half the stretch apart, through the median."""
    half = len(y) // 2
    slope = float(np.median(y[half:] - y[:-half])) / half
    rest = y - slope * np.arange(len(y))
    made: Floats = y - rest + np.median(rest)
    return made


def _cumulated(values: Floats) -> Floats:
    return np.concatenate([[0.0], np.cumsum(values)])
