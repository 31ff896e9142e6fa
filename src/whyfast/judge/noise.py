"""How far two runs of one build lie apart: between processes, by drift, and by reruns
(docs/math/runs.md).

*Processes.* The process is the unit of replication. The point estimate is the ratio of the means
over processes, the interval Yuen's (1974), of trimmed means of their logarithms, widened to hold
it.

*Drift.* What changed between two files is unknown. The log ratio is taken as t-distributed with

    variance = SE² + (SHARE·sd)² + a²

SE the standard error within the runs, sd the deviation between processes, and a, the drift of this
pair, what makes the median benchmark as far from the pair's median as the t distribution says.

*Reruns.* The variance s² of the log mean over R reruns is moderated towards those of the other
benchmarks (Smyth 2004); two new runs differ with twice that. The geometric mean has its own."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from whyfast.judge.ratios import Floats, median
from whyfast.judge.special import digamma, inverse_trigamma, t_limit, t_tail, trigamma
from whyfast.model.errors import UserError
from whyfast.model.sample import Recording, Series

#: Drift grows with the noise of a benchmark: this share of its standard deviation between
#: processes.
SHARE = 0.2

#: Fewer benchmarks than this do not show the drift of their pair: the upper bound is taken.
FEWEST = 5

#: Processes of a quiet machine spread by less than QUIET (the median benchmark: 0.4 to 1.9 % in the
#: public runs). A machine whose processes spread by more has other work, whose drift may be BUSY
#: times as large as the excess, up to MOST_BUSY: under a load of 13 on two CPUs whole sessions were
#: up to three times slower. Too few benchmarks to show it get the excess once.
QUIET, BUSY, MOST_BUSY = 0.02, 10.0, 1.0

#: A run's drift that its benchmarks share, as a share of a: the geometric mean does not lose it.
SHARED = 0.5

#: Degrees of freedom of the t distribution: drift has heavier tails than normal.
FREEDOM = 8.0


@dataclass(frozen=True)
class DriftBounds:
    """Bounds of a, and the degrees of freedom of its t distribution."""

    low: float
    high: float
    freedom: float


#: Several processes a benchmark and file.
PROCESSES = DriftBounds(0.003, 0.014, FREEDOM)

#: One process a benchmark and file, whose layout and moment are in every value.
ONE_PROCESS = DriftBounds(0.015, 0.025, 6.0)


@dataclass(frozen=True)
class Contrast:
    """A log ratio with its standard error and degrees of freedom. ``point`` is the estimate that is
    reported, ``location`` the robust one that the interval is built around."""

    point: float
    location: float
    error: float
    freedom: float

    def interval(self, level: float) -> tuple[float, float]:
        """The log ratios not refuted at ``level``, two-sided; always holds both estimates."""
        half = t_limit(level / 2, self.freedom) * self.error
        return min(self.location - half, self.point), max(self.location + half, self.point)

    def least_levels(self, margin: float) -> tuple[float, float]:
        """The strictest level at which the interval excludes 0, and at which it lies within the
        margin; 1 for what no level does."""
        limit = math.log1p(margin)
        inside = limit - abs(self.location) if abs(self.point) <= limit else 0.0
        return self.p_value(), self._level(inside)

    def _level(self, half: float) -> float:
        if half <= 0:
            return 1.0
        return 2 * t_tail(half / self.error, self.freedom)

    def p_value(self) -> float:
        """Two-sided p-value of "no difference"; 1 where the two estimates disagree on the side."""
        return self._level(abs(self.location) if self.point * self.location > 0 else 0.0)


@dataclass(frozen=True)
class Ratio(Contrast):
    """A benchmark's log ratio before drift is allowed for. ``error`` and ``freedom`` are of the
    standard error within the runs, ``deviation`` between processes. Of a file with one process they
    are of its values (0 and inf for a single one), the deviation :data:`SHARE` of theirs."""

    deviation: float
    kind: DriftBounds


def with_drift(ratios: Sequence[Ratio]) -> tuple[list[Contrast], list[float]]:
    """A contrast each that allows for drift, and the a that was taken for each."""
    kinds = {r.kind for r in ratios}
    scales = {kind: _scale([r for r in ratios if r.kind == kind], kind) for kind in kinds}
    taken = [scales[r.kind] for r in ratios]
    return [_contrast(r, a) for r, a in zip(ratios, taken, strict=True)], taken


def other_work(ratios: Sequence[Ratio]) -> float:
    """By how much the processes of the median benchmark spread more than on a quiet machine."""
    deviations = [r.deviation for r in ratios]
    return max(float(median(deviations)) - QUIET, 0.0) if deviations else 0.0


def _contrast(ratio: Ratio, a: float) -> Contrast:
    """Welch–Satterthwaite degrees of freedom, as the two variances are known unequally well."""
    within, between = ratio.error**2, (SHARE * ratio.deviation) ** 2 + a**2
    total = within + between
    freedom = total**2 / (within**2 / ratio.freedom + between**2 / ratio.kind.freedom)
    return Contrast(ratio.point, ratio.location, math.sqrt(total), freedom)


def _scale(ratios: Sequence[Ratio], kind: DriftBounds) -> float:
    """a by bisection: the median of |d − median d| / √(SE² + (SHARE·sd)² + a²) falls in a."""
    busy = other_work(ratios)
    if len(ratios) < FEWEST:
        return kind.high + min(busy, MOST_BUSY)
    most = kind.high + min(BUSY * busy, MOST_BUSY)
    points = np.array([r.point for r in ratios])
    known = np.array([r.error**2 + (SHARE * r.deviation) ** 2 for r in ratios])
    # Other work slows a whole run, so there the median's own distance is no sign of a change.
    apart = np.abs(points - (0.0 if busy > 0 else median(points)))
    wanted = t_limit(0.25, kind.freedom)

    def too_far(a: float) -> bool:
        return float(median(apart / np.sqrt(known + a * a))) > wanted

    low, high = kind.low, most
    if not too_far(low):
        return low
    if too_far(high):
        return high
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if too_far(middle) else (low, middle)
    return high


#: At most so much is borrowed from the other benchmarks, in degrees of freedom: drift makes
#: benchmarks go together, so that their number overstates what they tell.
MOST_BORROWED = 4.0

#: Run-to-run noise has heavier tails than normal, however many reruns are at hand: the t
#: distributions that bound it have at most this many degrees of freedom.
MOST_FREEDOM = 10.0
_TINY = 1e-14  # squared log ratio below which a variance is rounding


@dataclass(frozen=True)
class Spread:
    """Standard error of the log ratio of two runs of one build, and its degrees of freedom."""

    error: float
    freedom: float


@dataclass(frozen=True)
class Noise:
    """The noise that reruns show. ``benchmarks`` holds the ones that two reruns or more have.
    ``typical`` stands in for a benchmark that the reruns lack; None when there is too little to
    tell. ``logs[r, i]`` is the log mean of benchmark ``names[i]``, which all reruns have, in rerun
    ``r``."""

    benchmarks: Mapping[str, Spread]
    typical: Spread | None
    names: tuple[str, ...]
    logs: Floats

    @property
    def runs(self) -> int:
        return len(self.logs)

    def suite(self, benchmarks: Collection[str]) -> SuiteNoise | None:
        """For the geometric mean over those benchmarks that all reruns have; None without any."""
        place = {name: i for i, name in enumerate(self.names)}
        known = [name for name in benchmarks if name in place]
        if not known:
            return None
        logs = self.logs[:, [place[name] for name in known]]
        return SuiteNoise({name: i for i, name in enumerate(known)}, logs, logs.sum(axis=1))


@dataclass(frozen=True)
class SuiteNoise:
    """``logs[r, i]``: log mean of the benchmark with column ``i`` in rerun ``r``; ``sums`` over
    the columns."""

    columns: Mapping[str, int]
    logs: Floats
    sums: Floats

    @property
    def number(self) -> int:
        return len(self.columns)

    def spread(self, left_out: str | None = None) -> Spread | None:
        """Of the mean over all columns, or all but one; None when that leaves none."""
        column = None if left_out is None else self.columns.get(left_out)
        if column is None:
            means = self.sums / self.number
        elif self.number == 1:
            return None
        else:
            means = (self.sums - self.logs[:, column]) / (self.number - 1)
        variance = max(float(np.var(means, ddof=1)), _TINY)
        return Spread(math.sqrt(2 * variance), min(len(means) - 1.0, MOST_FREEDOM))


def calibrate_noise(reruns: Sequence[Recording]) -> Noise:
    """The noise between runs, from at least two reruns of one build. A benchmark counts where at
    least two reruns have it. UserError for one rerun, for two with the very same values (a copy
    tells nothing), and when no benchmark is in all of them."""
    if len(reruns) < 2:
        raise UserError("needs at least two runs of one build", where="--noise")
    for i, rerun in enumerate(reruns):
        for other in reruns[:i]:
            if rerun.series == other.series:
                raise UserError(
                    f"{other.name} and {rerun.name} hold the same values: a copy is no rerun",
                    where="--noise",
                )
    logs_of: dict[str, list[float]] = {}
    units = {name: s.unit for rerun in reversed(reruns) for name, s in rerun.series.items()}
    for rerun in reruns:
        for name, series in rerun.series.items():
            if series.unit == units[name] and all(v > 0 for p in series.processes for v in p):
                logs_of.setdefault(name, []).append(log_mean(series))
    names = tuple(name for name, logs in logs_of.items() if len(logs) == len(reruns))
    if not names:
        raise UserError("the runs have no benchmark in common", where="--noise")
    logs = np.array([logs_of[name] for name in names]).T
    freedom = len(reruns) - 1.0
    variances = np.maximum(np.var(logs, axis=0, ddof=1), _TINY)
    borrowed, scale = fit_prior(variances, freedom)

    def spread(values: Sequence[float]) -> Spread:
        known, variance = len(values) - 1.0, max(float(np.var(values, ddof=1)), _TINY)
        moderated = (borrowed * scale + known * variance) / (borrowed + known)
        return Spread(math.sqrt(2 * moderated), min(borrowed + known, MOST_FREEDOM))

    return Noise(
        {name: spread(values) for name, values in logs_of.items() if len(values) > 1},
        Spread(math.sqrt(2 * scale), borrowed) if borrowed > 0 else None,
        names,
        logs,
    )


def fit_prior(variances: Floats, freedom: float) -> tuple[float, float]:
    """(d0, s0²) from sample variances of ``freedom`` degrees each; (0, their mean) if too few.
    Method of moments on log s² (Smyth 2004, section 6.2): e = log s² − ψ(d/2) + log(d/2) has mean
    log s0² − ψ(d0/2) + log(d0/2) and variance ψ′(d/2) + ψ′(d0/2). d0 is capped at
    :data:`MOST_BORROWED`, after s0² was found with it as it is."""
    if len(variances) < FEWEST:
        return 0.0, float(np.mean(variances))
    half = freedom / 2
    e = np.log(variances) - digamma(half) + math.log(half)
    excess = float(np.var(e, ddof=1)) - float(trigamma(half))
    half_prior = inverse_trigamma(excess) if excess > 0 else math.inf
    borrowed = min(2 * half_prior, MOST_BORROWED)
    log_scale = float(np.mean(e))
    if math.isfinite(half_prior):
        log_scale += float(digamma(half_prior)) - math.log(half_prior)
    return borrowed, math.exp(log_scale)


#: The share of processes that is set aside at either end for the interval.
TRIM = 0.2


def process_means(series: Series) -> Floats:
    """The mean of each process, in the unit of the series; shape (processes,)."""
    return np.array([math.fsum(values) / len(values) for values in series.processes])


def log_mean(series: Series) -> float:
    """Logarithm of the mean over processes of their means."""
    means = process_means(series)
    return math.log(math.fsum(means) / len(means))


def contrast(head: Series, base: Series, *, inside: bool = False) -> Ratio | None:
    """log(head / base) within the runs; None when a side has fewer than two processes, or neither
    any spread. ``inside``: of the values inside of it where a side has one process, the least that
    the error can be; None where that is one value."""
    sides = []
    for series in (head, base):
        single = inside and len(series.processes) == 1
        x = np.array(series.processes[0]) if single else process_means(series)
        if len(x) < 2 or float(x.min()) <= 0:
            return None
        sides.append(np.log(x))
    (mean_x, var_x, free_x), (mean_y, var_y, free_y) = map(_trimmed, sides)
    total = var_x + var_y
    # Rounding alone spreads the logarithms by about the machine precision.
    if total <= (1e-12 * max(1.0, abs(mean_x), abs(mean_y))) ** 2:
        return None
    # From the trimmed errors, so that an outlying process does not make it.
    deviation = math.sqrt((var_x * len(sides[0]) + var_y * len(sides[1])) / 2)
    return Ratio(
        point=log_mean(head) - log_mean(base),
        location=mean_x - mean_y,
        error=math.sqrt(total),
        freedom=total**2 / (var_x**2 / free_x + var_y**2 / free_y),
        deviation=SHARE * deviation if inside else deviation,
        kind=ONE_PROCESS if inside else PROCESSES,
    )


def _trimmed(x: Floats) -> tuple[float, float, float]:
    """Trimmed mean, its squared standard error, and its degrees of freedom."""
    n, cut = len(x), int(TRIM * len(x))
    ordered = np.sort(x)
    kept = ordered[cut : n - cut]
    winsorized = np.clip(ordered, kept[0], kept[-1])
    h = n - 2 * cut
    error2 = float(np.sum((winsorized - winsorized.mean()) ** 2)) / (h * (h - 1))
    return float(kept.mean()), error2, h - 1.0
