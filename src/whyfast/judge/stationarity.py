"""Non-stationary processes, and the cold-start correction.

Each block gives, of each variant, the times of one fresh process, turn by turn. What all blocks
have in common along the turns is a property of the program: it warms up, it slows down at some
turn, or it grows slower for ever. The first turns of a warming process are set aside. In the other
cases the ratio depends on how many turns a process takes, and the report says so.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.power import t_quantile
from whyfast.judge.ratios import blocks_by_benchmark, median, tamed
from whyfast.measure.calibrate import COLD
from whyfast.model.sample import Block, Calibration
from whyfast.model.variant import Benchmark
from whyfast.model.verdict import NonStationary, Suite, Verdict

Floats = NDArray[np.float64]

#: Fewer blocks than this tell nothing.
FEWEST = 5

#: Turns differ when they do by more than this (in logarithms) and beyond chance.
SIZE = 0.01

#: How often a value is called slower than later ones by chance: three standard errors.
SLOWER = 0.00135

#: How often each variant of a benchmark is called non-stationary by chance.
LEVEL = 0.001

#: At most this share of a process's values is set aside; with more, it has no steady state.
MOST = 0.5

#: The least number of turns whose outliers are moved in: two of three may be the effect itself.
FEWEST_TAMED = 8

#: Degrees of freedom from which on Student's distribution is taken for the normal one.
_MANY = 60


def set_aside(changes: Iterable[NonStationary]) -> dict[str, int]:
    """How many first values of each process to set aside, for each benchmark that warms up.

    The largest count over the variants, so that it does not depend on which of two is called the
    baseline. Values set aside stay in the raw data.
    """
    skip: dict[str, int] = {}
    for change in changes:
        if not change.lasts:
            skip[change.benchmark] = max(skip.get(change.benchmark, 0), change.at)
    return skip


def non_stationary(blocks: Sequence[Block], variants: Sequence[str]) -> tuple[NonStationary, ...]:
    """How the processes of each variant are non-stationary, on one benchmark."""
    tables = {v: table for v in variants if (table := _table(blocks, v)) is not None}
    warm = {v: _warming(table) for v, table in tables.items()}
    skip = max(warm.values(), default=0)
    changes: list[NonStationary] = []
    for variant, table in tables.items():
        name, turns, first = blocks[0].benchmark, table.shape[1], warm[variant]
        if first:
            change = float(median(table[:, 0] - median(table[:, first:], axis=1)))
            changes.append(NonStationary(variant, name, "warms up", first, turns, math.exp(change)))
        aside = min(skip, turns // 2)
        rest = _rest(table[:, aside:])
        if rest is not None:
            kind, at, change = rest
            changes.append(NonStationary(variant, name, kind, at + aside, turns, math.exp(change)))
    return tuple(changes)


def _warming(table: Floats) -> int:
    """How many first values of a process to set aside: those that are slower one by one, and what
    is then left of getting faster, up to :data:`MOST` of all; 0 where that does not do."""
    turns = table.shape[1]
    skip = _first_steady(table)
    while skip <= turns * MOST:
        rest = _rest(table[:, skip:])
        if rest is None or rest[2] > 0:
            return skip
        skip += rest[1] or max(1, turns // 8)
    # Not steady by then: the first values go all the same where they are clearly slower.
    first = _first_steady(table)
    return first if first <= turns * MOST else 0


def _table(blocks: Sequence[Block], variant: str) -> Floats | None:
    """Log times by block and turn; None where there are too few of either."""
    series = [b.values[variant] for b in blocks if variant in b.values]
    if len(series) < FEWEST:
        return None
    turns = min(len(values) for values in series)
    if turns < 2:
        return None
    return np.log(np.array([values[:turns] for values in series], dtype=np.float64))


def _first_steady(table: Floats) -> int:
    """The first turn from which on no value is slower than those of the process's second half.

    Of each place in the process the median over blocks is compared. Only an unbroken run from the
    start is warming up; a single slow place later is chance.
    """
    turns = table.shape[1]
    if turns < 4:
        return 0
    profile = table - median(table[:, turns // 2 :], axis=1, keepdims=True)
    middle = median(profile, axis=0)
    # 1.25 standard deviations over √n is the standard error of a median of normal values.
    error = 1.25 * 1.4826 * median(np.abs(profile - middle), axis=0) / math.sqrt(len(table))
    limit = t_quantile(1 - SLOWER, min(len(table) - 1, _MANY))
    slow = (middle > SIZE) & (middle > limit * error)
    return int(np.argmin(slow)) if not slow.all() else turns


def _rest(table: Floats) -> tuple[Literal["drifts", "shifts"], int, float] | None:
    """What is not steady in the turns that are left: its kind, the turn at which it happens, and
    the log ratio of the last turns to the first; None where nothing is.

    A trend is the slope over the turns, by least squares; a shift at turn k is the mean of the
    turns from k on less that of those before. Each is one number a block, wild turns and then wild
    blocks tamed, and tested with Student's t at a level shared by all of them.
    """
    turns = table.shape[1]
    if turns < 2:
        return None
    away = table - median(table, axis=1, keepdims=True)
    if turns >= FEWEST_TAMED:
        away = tamed(away, axis=1)
    place = np.arange(turns) - (turns - 1) / 2
    trend = away @ place / np.sum(place**2) * (turns - 1)
    total = np.cumsum(away, axis=1)
    before = np.arange(1, turns)
    shifts = (total[:, -1:] - total[:, :-1]) / (turns - before) - total[:, :-1] / before
    contrasts = tamed(np.column_stack([trend, shifts]), axis=0)
    size = contrasts.mean(axis=0)
    error = contrasts.std(axis=0, ddof=1) / math.sqrt(len(table))
    p = 1 - LEVEL / 2 / (len(size) + 1)
    limit = t_quantile(p, min(len(table) - 1, _MANY))
    clear = (np.abs(size) > SIZE) & (np.abs(size) > limit * error)
    if not np.any(clear):
        return None
    # The shape that leaves the least of the profile unexplained.
    profile = median(away, axis=0)
    step = 1 + int(np.argmin([_left(profile, np.arange(turns) >= k) for k in before]))
    if turns > 2 and _left(profile, place) < _left(profile, np.arange(turns) >= step):
        return "drifts", 0, float(size[0])
    return "shifts", step, float(size[step])


def _left(profile: Floats, shape: Floats | NDArray[np.bool_]) -> float:
    """The sum of squares that a straight multiple of the shape does not explain."""
    along = shape - np.mean(shape)
    away = profile - profile.mean()
    return float(np.sum(away**2) - np.sum(along * away) ** 2 / np.sum(along**2))


# The cold-start correction.
#
# A turn begins with caches and predictors that other processes left behind. Where that costs both
# sides the same time, a share s of a value, a ratio r of the work shows as m = s + (1 − s)·r, so
# that r = m + (m − 1)·s/(1 − s). Calibration bounds s; docs/MATH.md has the whole.


def correct_cold_start(
    verdicts: Sequence[Verdict],
    benchmarks: Sequence[Benchmark],
    calibrations: Sequence[Calibration],
) -> tuple[Verdict, ...]:
    """The verdicts with the ends of intervals moved away from 1 by as much as may be hidden, where
    the benchmark takes turns; of a mean over benchmarks, by the mean of theirs.

    No word changes: the end nearer to 1 stays, and "same" as it is.
    """
    cold = {c.benchmark: c.cold for c in calibrations}

    def hidden(verdict: Verdict) -> float:
        concerned = [b for b in benchmarks if verdict.benchmark in (None, b.name)]
        shares = [_hidden(b, cold.get(b.name, {}), verdict) for b in concerned]
        return statistics.fmean(shares) if shares else 0.0

    return tuple(_moved(v, hidden(v)) for v in verdicts)


def correct_suites(
    suites: Sequence[Suite],
    benchmarks: Sequence[Benchmark],
    calibrations: Sequence[Calibration],
) -> tuple[Suite, ...]:
    """The same for geometric means."""
    verdicts = correct_cold_start([s.verdict for s in suites], benchmarks, calibrations)
    return tuple(replace(s, verdict=v) for s, v in zip(suites, verdicts, strict=True))


def _hidden(benchmark: Benchmark, cold: Mapping[str, float], verdict: Verdict) -> float:
    """How much further from 1 than it shows an end of an interval may lie, by its distance from 1.
    Calibration finds shares of at most :data:`COLD`, or says which; that of the colder side counts.
    """
    share = max(COLD, *(cold.get(v, 0.0) for v in (verdict.variant, verdict.baseline)))
    return share / (1 - share) if benchmark.kind.takes_turns and share < 1 else 0.0


def _moved(verdict: Verdict, hidden: float) -> Verdict:
    if verdict.outcome == "same" or not hidden:
        return verdict
    low, high = verdict.low, verdict.high
    return replace(
        verdict,
        low=max(0.0, low - max(0.0, 1 - low) * hidden) if low > 0 else low,
        high=high + max(0.0, high - 1) * hidden,
    )


def judge_stationarity(
    blocks: Sequence[Block], *, benchmarks: Sequence[Benchmark], variants: Sequence[str]
) -> tuple[NonStationary, ...]:
    """How the processes of each benchmark warm up, drift or shift, see
    :func:`whyfast.judge.stationarity.non_stationary`.

    Commands run anew for each value, so that they cannot warm up.
    """
    by_name = blocks_by_benchmark(blocks, [b.name for b in benchmarks if b.kind.takes_turns])
    return tuple(u for taken in by_name.values() for u in non_stationary(taken, variants))
