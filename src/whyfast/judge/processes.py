"""Two sets of processes compared: one number a process, and an interval on the log ratio.

The values of a process are averaged (arithmetic mean), since they share its memory layout, hash
seed and moment; the process is what was repeated. The point estimate is the ratio of the means
over processes, which for equally many values a process is the ratio of the means over all values,
as pyperf prints it. The interval is Yuen's (1974): Welch's t on means trimmed by a fifth on each
side, with winsorized variances, of the logarithms of the process means, so that a wild process
cannot hide a difference or make one. It is widened to hold the point estimate where the two
disagree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from whyfast.model.series import Series

Floats = NDArray[np.float64]

#: The share of processes that is set aside at either end for the interval.
TRIM = 0.2

#: Squared errors of logarithms up to this are of rounding.
_ROUNDING = 1e-24


@dataclass(frozen=True)
class Contrast:
    """A log ratio with its standard error and degrees of freedom.

    ``point`` is the estimate that is reported, ``location`` the robust one that the interval is
    built around.
    """

    point: float
    location: float
    error: float
    freedom: float

    def interval(self, level: float) -> tuple[float, float]:
        """The log ratios not refuted at ``level``, two-sided; always holds both estimates."""
        half = -float(special.stdtrit(self.freedom, level / 2)) * self.error
        return min(self.location - half, self.point), max(self.location + half, self.point)

    def least_levels(self, margin: float) -> tuple[float, float]:
        """The strictest level at which the interval excludes 0, and at which it lies within the
        margin; 1 for what no level does."""
        limit = math.log1p(margin)
        apart = abs(self.location) if self.point * self.location > 0 else 0.0
        inside = limit - abs(self.location) if abs(self.point) <= limit else 0.0
        return self._level(apart), self._level(inside)

    def _level(self, half: float) -> float:
        if half <= 0:
            return 1.0
        return float(2 * special.stdtr(self.freedom, -half / self.error))

    def p_value(self) -> float:
        """Two-sided p-value of "no difference"; 1 where the two estimates disagree on the side."""
        if self.point * self.location <= 0:
            return 1.0
        return float(2 * special.stdtr(self.freedom, -abs(self.location) / self.error))


def process_means(series: Series) -> Floats:
    """The mean of each process, in the unit of the series; shape (processes,)."""
    return np.array([math.fsum(values) / len(values) for values in series.processes])


def log_mean(series: Series) -> float:
    """Logarithm of the mean over processes of their means."""
    means = process_means(series)
    return math.log(math.fsum(means) / len(means))


def contrast(head: Series, base: Series) -> Contrast | None:
    """log(head / base); None when a side has fewer than two processes, or neither any spread."""
    x, y = np.log(process_means(head)), np.log(process_means(base))
    if len(x) < 2 or len(y) < 2:
        return None
    (mean_x, var_x, free_x), (mean_y, var_y, free_y) = _trimmed(x), _trimmed(y)
    total = var_x + var_y
    # Rounding alone spreads the logarithms by about the machine precision.
    if total <= (1e-12 * max(1.0, abs(mean_x), abs(mean_y))) ** 2:
        return None
    freedom = total**2 / (var_x**2 / free_x + var_y**2 / free_y)
    return Contrast(log_mean(head) - log_mean(base), mean_x - mean_y, math.sqrt(total), freedom)


def deviation(head: Series, base: Series) -> float:
    """Standard deviation between the logarithms of process means, from the trimmed standard errors
    of both sides, so that a wild process does not make it; 0 where a side has one process."""
    squares = 0.0
    for series in (head, base):
        x = np.log(process_means(series))
        if len(x) < 2:
            return 0.0
        squares += _trimmed(x)[1] * len(x)
    return math.sqrt(squares / 2)


@dataclass(frozen=True)
class Inside:
    """What the values of single processes say of a log ratio: its robust ``location``, the
    standard ``error`` of that with its degrees of ``freedom``, and the standard ``deviation`` of
    the log values."""

    location: float
    error: float
    freedom: float
    deviation: float


def inside(head: Series, base: Series) -> Inside | None:
    """Of the values inside of it where a side has one process, of the process means of a side with
    several; None where a side has one value, or one that is not positive, or nothing varies.

    Values of one process share what makes processes differ, so this is the least that the error
    can be. A process that was interrupted has a few values that carry its mean: then the location
    lies elsewhere than the ratio of the means.
    """
    sides, deviations = [], 0.0
    for series in (head, base):
        several = len(series.processes) > 1
        x = process_means(series) if several else np.array(series.processes[0])
        if len(x) < 2 or float(x.min()) <= 0:
            return None
        sides.append(_trimmed(np.log(x)))
        deviations += sides[-1][1] * len(x)
    total = math.fsum(e for _, e, _ in sides)
    if total <= _ROUNDING:
        return None
    freedom = total**2 / math.fsum(e**2 / f for _, e, f in sides)
    location = sides[0][0] - sides[1][0]
    return Inside(location, math.sqrt(total), freedom, math.sqrt(deviations / 2))


def _trimmed(x: Floats) -> tuple[float, float, float]:
    """Trimmed mean, its squared standard error, and its degrees of freedom."""
    n, cut = len(x), int(TRIM * len(x))
    ordered = np.sort(x)
    kept = ordered[cut : n - cut]
    winsorized = np.clip(ordered, kept[0], kept[-1])
    h = n - 2 * cut
    error2 = float(np.sum((winsorized - winsorized.mean()) ** 2)) / (h * (h - 1))
    return float(kept.mean()), error2, h - 1.0
