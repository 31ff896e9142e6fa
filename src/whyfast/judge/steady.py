"""From which value on a process is steady: warm-up that is set aside, and what never settles.

The values of one process are cut into levels; it is steady from the first value on after which no
level differs from the last by more than :data:`TOLERANCE`, beyond chance, and unsteady where it
still changes in its last sixth. docs/math/steady.md has the formulas, and how often this errs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from whyfast.judge.ratios import Floats
from whyfast.model.sample import SECOND, Recording, Series
from whyfast.model.verdict import Confound

#: Fewer values of a process than this show no levels.
FEWEST = 50

#: Levels differ by more than this, relative to the last one.
TOLERANCE = 0.05

#: The share of a process's values, at its end, in which it must not change.
LAST = 1 / 6

#: From so many bins on, values are taken together, up to :data:`WIDEST` a bin.
MOST_BINS, WIDEST = 250, 4

#: Cost of a level, in logarithms of the number of bins; standard errors between two levels.
PENALTY, SURE = 5.0, 3.0

#: Fewest bins of a level: one alone is an outlier.
FEWEST_BINS = 2

#: The least share of a process's values that is a level, but at its start.
SHORTEST = 0.01

#: Bins whose medians show how far the noise of neighbours is correlated.
_TOGETHER = 8

#: No noise is taken for less, relative: clocks tick.
_LEAST_NOISE = 1e-4

Kind = Literal["steady", "warms up", "slows down", "unsteady"]


@dataclass(frozen=True)
class Steadiness:
    """``start`` is the first steady value of the process, None where it is unsteady. ``ratio`` is
    the last level that differs over the steady one: above 1 it warms up, below 1 it slows down."""

    start: int | None
    ratio: float = 1.0

    @property
    def kind(self) -> Kind:
        """In a word."""
        if self.start is None:
            return "unsteady"
        if self.start == 0:
            return "steady"
        return "warms up" if self.ratio > 1 else "slows down"


def steadiness(values: Sequence[float]) -> Steadiness | None:
    """Of one process, its values in the order taken; None of fewer than :data:`FEWEST`."""
    n = len(values)
    if n < FEWEST:
        return None
    width = max(1, min(WIDEST, n // MOST_BINS))
    bins = n // width
    skipped = n - bins * width  # at the start, where a few values matter least to a bin
    logs = np.log(np.asarray(values, dtype=np.float64))
    levels = np.median(logs[skipped:].reshape(bins, width), axis=1)
    noise = _noise(levels)
    inflation = _inflation(levels, noise)
    cuts = _cut(levels / (noise * math.sqrt(inflation)))
    least = SHORTEST * bins
    while len(cuts) > 2 and cuts[-1] - cuts[-2] < least:
        del cuts[-1]
    last = levels[cuts[-2] : cuts[-1]]
    end, ratio = 0, 1.0  # of the neighbouring levels that differ, the last one
    for start, stop in zip(cuts[-3::-1], cuts[-2:0:-1], strict=True):
        part = levels[start:stop]
        away = float(np.median(part) - np.median(last))
        error = math.sqrt(inflation * (_variance(part, noise) + _variance(last, noise)))
        if abs(away) - SURE * error <= math.log1p(TOLERANCE):
            end = 0
            continue
        if not end:
            end, ratio = stop, math.exp(away)
        if start == 0 or end - start >= least:
            first = skipped + end * width
            return Steadiness(first if first <= n * (1 - LAST) else None, ratio)
    return Steadiness(0)


def _variance(part: Floats, noise: float) -> float:
    """Of the mean of a level; never less than independent noise has."""
    return max(float(part.var()), noise**2) / len(part)


def _noise(levels: Floats) -> float:
    """The standard deviation of a bin, from differences of neighbours: levels do not count."""
    spread = float(np.median(np.abs(np.diff(levels)))) / 0.6745 / math.sqrt(2)
    return max(spread, _LEAST_NOISE)


def _inflation(levels: Floats, noise: float) -> float:
    """How much more a mean of neighbours varies than one of independent bins would."""
    whole = len(levels) // _TOGETHER
    if whole < 4:
        return 1.0
    means = levels[-whole * _TOGETHER :].reshape(whole, _TOGETHER).mean(axis=1)
    return max(1.0, _TOGETHER * (_noise(means) / noise) ** 2)


def _cut(x: Floats) -> list[int]:
    """The bounds of the levels, 0 and len(x) among them, with the least sum of squares plus
    :data:`PENALTY` · log n for each: optimal partitioning, pruned (Killick et al. 2012)."""
    n = len(x)
    penalty = PENALTY * math.log(n)
    total = np.concatenate([[0.0], np.cumsum(x)])
    squares = np.concatenate([[0.0], np.cumsum(x * x)])
    best = np.full(n + 1, np.inf)
    best[0] = -penalty
    before = np.zeros(n + 1, dtype=np.int64)
    starts = np.array([0])
    for end in range(FEWEST_BINS, n + 1):
        sums = total[end] - total[starts]
        left = squares[end] - squares[starts] - sums**2 / (end - starts)
        costs = best[starts] + left + penalty
        chosen = int(np.argmin(costs))
        best[end], before[end] = costs[chosen], starts[chosen]
        starts = starts[costs - penalty <= best[end]]
        if np.isfinite(best[end - FEWEST_BINS + 1]):
            starts = np.append(starts, end - FEWEST_BINS + 1)
    bounds = [n]
    while bounds[-1] > 0:
        bounds.append(int(before[bounds[-1]]))
    return bounds[::-1]


#: Formats that have the values of a process in the order taken, from its start on.
ORDERED = ("jmh",)

#: The unit of the series that says how long processes take to become steady.
FIRST_STEADY = "first steady value"


@dataclass(frozen=True)
class Settled:
    """A recording without warm-up, with a series ``NAME first steady value`` beside each benchmark
    (values counted from 1; processes that are unsteady have none), and what its processes do
    otherwise."""

    recording: Recording
    confounds: tuple[Confound, ...] = ()


def settled(recording: Recording) -> Settled:
    """Warm-up set aside process by process. An unsteady process keeps all of its values: it is
    named, and neither trimmed until it looks steady nor left out."""
    if recording.tool not in ORDERED:
        return Settled(recording)
    series = dict(recording.series)
    confounds: list[Confound] = []
    for name, s in recording.series.items():
        if s.unit != SECOND and not s.higher:
            continue
        processes = [steadiness([1 / v for v in p] if s.higher else p) for p in s.processes]
        known = [f for f in processes if f is not None]
        if not known:
            continue
        starts = [f.start if f is not None else None for f in processes]
        kept = tuple(p[k or 0 :] for p, k in zip(s.processes, starts, strict=True))
        series[name] = replace(s, processes=kept)
        first = tuple((float(f.start + 1),) for f in known if f.start is not None)
        if first:
            beside = f"{name} {FIRST_STEADY}"
            series[beside] = Series(beside, FIRST_STEADY, first)
        confounds += _what_they_do(recording.name, name, known)
    return Settled(replace(recording, series=series), tuple(confounds))


def _what_they_do(
    recording: str, benchmark: str, processes: Sequence[Steadiness]
) -> list[Confound]:
    """Processes that never become steady or become slower, a warning; warm-up, a note."""
    texts: list[tuple[str, Literal["warning", "note"]]] = []
    of = f"of {len(processes)} processes of {benchmark}"
    unsteady = [f for f in processes if f.start is None]
    slower = [f for f in processes if f.kind == "slows down"]
    warm = sorted(f.start for f in processes if f.kind == "warms up" and f.start is not None)
    if unsteady:
        texts.append((f"{len(unsteady)} {of} never become steady", "warning"))
    if slower:
        ratios = sorted(1 / f.ratio for f in slower)
        by = ratios[len(ratios) // 2]
        texts.append((f"{len(slower)} {of} become {by:.3g}x slower (median)", "warning"))
    if warm:
        middle = warm[len(warm) // 2]
        texts.append(
            (
                f"{len(warm)} {of} warm up over their first {middle} values (median), which are "
                "left out",
                "note",
            )
        )
    return [
        Confound("warm-up", f"{recording}: {text}", severity, (recording,))
        for text, severity in texts
    ]
