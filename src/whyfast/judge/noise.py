"""How far two runs of the same build lie apart on this machine, from reruns of one build.

For each benchmark, the variance s² of the log mean over R reruns has d = R − 1 degrees of freedom,
which for few reruns is next to nothing. The variances of all benchmarks are taken as drawn from a
scaled inverse chi-squared distribution with d0 degrees of freedom and scale s0², both fitted to
their logarithms by moments, and each is moderated to (d0·s0² + d·s²)/(d0 + d) with d0 + d degrees
of freedom (Smyth 2004). The difference of two new runs then has twice that variance. Drift that a
whole run shares is part of every s². For the geometric mean it does not average out, so that has
its own variance, over the reruns' geometric means, with R − 1 degrees of freedom and no help from
elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from whyfast.judge.processes import log_mean
from whyfast.model.errors import UserError
from whyfast.model.series import Recording

Floats = NDArray[np.float64]

#: At most so much is borrowed from the other benchmarks, in degrees of freedom: drift makes
#: benchmarks go together, so that their number overstates what they tell.
MOST_BORROWED = 4.0

#: Run-to-run noise has heavier tails than normal, however many reruns are at hand: the t
#: distributions that bound it have at most so many degrees of freedom.
MOST_FREEDOM = 10.0

#: Fewer benchmarks than this do not show how their variances are distributed: nothing is borrowed.
FEWEST = 5

_TINY = 1e-14  # squared log ratio below which a variance is rounding


@dataclass(frozen=True)
class Spread:
    """Standard error of the log ratio of two runs of one build, and its degrees of freedom."""

    error: float
    freedom: float


@dataclass(frozen=True)
class Noise:
    """What the reruns show. ``benchmarks`` holds those that two reruns or more have.

    ``typical`` stands in for a benchmark that the reruns lack; None when there is too little to
    tell. ``logs[r, i]`` is the log mean of benchmark ``names[i]``, which all reruns have, in rerun
    ``r``.
    """

    benchmarks: Mapping[str, Spread]
    typical: Spread | None
    names: tuple[str, ...]
    logs: Floats

    @property
    def runs(self) -> int:
        return len(self.logs)

    def suite(self, benchmarks: Collection[str]) -> SuiteNoise | None:
        """For the geometric mean over those benchmarks, from those of them that all reruns have;
        None when these are none."""
        place = {name: i for i, name in enumerate(self.names)}
        mine = [name for name in benchmarks if name in place]
        if not mine:
            return None
        logs = self.logs[:, [place[name] for name in mine]]
        return SuiteNoise({name: i for i, name in enumerate(mine)}, logs, logs.sum(axis=1))


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
    """The noise between runs, from at least two reruns of one build.

    A benchmark counts where at least two reruns have it. UserError for one rerun, for two with the
    very same values (a copy tells nothing), and when no benchmark is in all of them.
    """
    if len(reruns) < 2:
        raise UserError("needs at least two runs of one build", where="--noise")
    for i, one in enumerate(reruns):
        for other in reruns[:i]:
            if one.series == other.series:
                raise UserError(
                    f"{other.name} and {one.name} hold the same values: a copy is no rerun",
                    where="--noise",
                )
    found: dict[str, list[float]] = {}
    units = {name: s.unit for rerun in reversed(reruns) for name, s in rerun.series.items()}
    for rerun in reruns:
        for name, series in rerun.series.items():
            if series.unit == units[name] and all(v > 0 for p in series.processes for v in p):
                found.setdefault(name, []).append(log_mean(series))
    names = tuple(name for name, logs in found.items() if len(logs) == len(reruns))
    if not names:
        raise UserError("the runs have no benchmark in common", where="--noise")
    logs = np.array([found[name] for name in names]).T
    freedom = len(reruns) - 1.0
    variances = np.maximum(np.var(logs, axis=0, ddof=1), _TINY)
    borrowed, scale = fit_prior(variances, freedom)

    def spread(values: Sequence[float]) -> Spread:
        own, variance = len(values) - 1.0, max(float(np.var(values, ddof=1)), _TINY)
        moderated = (borrowed * scale + own * variance) / (borrowed + own)
        return Spread(math.sqrt(2 * moderated), min(borrowed + own, MOST_FREEDOM))

    return Noise(
        {name: spread(values) for name, values in found.items() if len(values) > 1},
        Spread(math.sqrt(2 * scale), borrowed) if borrowed > 0 else None,
        names,
        logs,
    )


def fit_prior(variances: Floats, freedom: float) -> tuple[float, float]:
    """(d0, s0²) from sample variances of ``freedom`` degrees each; (0, their mean) if too few.

    Method of moments on log s² (Smyth 2004, section 6.2): e = log s² − ψ(d/2) + log(d/2) has mean
    log s0² − ψ(d0/2) + log(d0/2) and variance ψ′(d/2) + ψ′(d0/2). d0 is capped at
    :data:`MOST_BORROWED`, after s0² was found with it as it is.
    """
    if len(variances) < FEWEST:
        return 0.0, float(np.mean(variances))
    half = freedom / 2
    e = np.log(variances) - special.digamma(half) + math.log(half)
    excess = float(np.var(e, ddof=1)) - float(special.polygamma(1, half))
    half_prior = _inverse_trigamma(excess) if excess > 0 else math.inf
    borrowed = min(2 * half_prior, MOST_BORROWED)
    log_scale = float(np.mean(e))
    if math.isfinite(half_prior):
        log_scale += float(special.digamma(half_prior)) - math.log(half_prior)
    return borrowed, math.exp(log_scale)


def _inverse_trigamma(y: float) -> float:
    """x with ψ′(x) = y > 0, by bisection on its logarithm; ψ′ falls from ∞ to 0."""
    low, high = -20.0, 20.0
    for _ in range(80):
        middle = (low + high) / 2
        if float(special.polygamma(1, math.exp(middle))) > y:
            low = middle
        else:
            high = middle
    return math.exp((low + high) / 2)
