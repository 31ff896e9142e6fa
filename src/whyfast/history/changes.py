"""Where the level of a series changed: candidates, and which of them are beyond chance.

Candidates minimise, over all ways to cut a series into segments with a level each,

    sum over points of min((x - level)², bound)  +  penalty · (number of changes)

the bounded ("biweight") loss of Fearnhead & Rigaill (JASA 114, 2019), by their recursion over
levels: the values themselves, in long series ``LEVELS`` of them. The bound is less than the
penalty, so that an outlier beside a step becomes no level. The weakest candidate is removed until
all are beyond chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from whyfast.history import evidence
from whyfast.judge.ratios import Floats
from whyfast.judge.special import t_limit

#: The chance of a step in a series without change; simulated in ``docs/math/history.md``.
FALSE_STEP = 0.01

#: The fewest points in which a change can be distinguished from noise.
FEWEST = 5


def single_chance(points: int) -> float:
    """The chance at one place; half, because segments of several lengths are tested there."""
    return FALSE_STEP / (2.0 * points)


#: The penalty of a candidate, in units of the noise squared.
CANDIDATE = 10.0

#: A point this many times the noise away from a level is an outlier.
OUTLIER = 2.8

#: The most levels that are tried.
LEVELS = 256

#: Half of them are medians of this many neighbours, which lie where levels are.
_SMOOTH = 9

#: Bytes of memory for the backtracking of one series, or of several at once.
_MEMORY = 50_000_000


def segment(x: Floats, penalty: float = CANDIDATE) -> list[list[int]]:
    """The first point of each segment, series by series. ``x`` has shape (series, points), in units
    of the noise."""
    count, points = x.shape
    at_once = max(1, _MEMORY // (points * min(points, LEVELS)))
    together = (x[first : first + at_once] for first in range(0, count, at_once))
    return [
        _with_ends(row, starts)
        for rows in together
        for row, starts in zip(rows, _segment(rows, penalty), strict=True)
    ]


def _segment(x: Floats, penalty: float) -> list[list[int]]:
    count, points = x.shape
    rows = np.arange(count)
    levels = _levels(x)
    bound = OUTLIER**2
    cost = np.zeros_like(levels)
    changed = np.zeros((points, count, levels.shape[1]), dtype=bool)
    source = np.zeros((points, count), dtype=np.intp)
    loss = np.empty_like(levels)
    for t in range(points):
        if t:
            source[t] = cost.argmin(axis=1)
            fresh = cost[rows, source[t]][:, None] + penalty
            np.less(fresh, cost, out=changed[t])
            np.minimum(cost, fresh, out=cost)
        np.subtract(x[:, t, None], levels, out=loss)
        np.multiply(loss, loss, out=loss)
        np.minimum(loss, bound, out=loss)
        cost += loss
    at = cost.argmin(axis=1)
    starts = np.zeros((count, points), dtype=bool)
    starts[:, 0] = True
    for t in range(points - 1, 0, -1):
        new = changed[t, rows, at]
        starts[:, t] = new
        at = np.where(new, source[t], at)
    return [np.flatnonzero(row).tolist() for row in starts]


def _with_ends(x: Floats, starts: list[int]) -> list[int]:
    """``starts``, and the bounds of runs of outliers on one side at either end. A run with more
    scatter than the others costs less as outliers than as a level with an outlier; but it may be a
    level that does not return."""
    bounds = set(starts)
    for start, end, step in ((0, [*starts, len(x)][1], 1), (starts[-1], len(x), -1)):
        away = (x[start:end] - np.median(x[start:end]))[::step]
        if abs(away[0]) <= OUTLIER:
            continue
        same = (away * np.sign(away[0])) > OUTLIER
        run = len(same) if same.all() else int(np.argmin(same))
        if 1 < run < len(same):
            bounds.add(start + run if step > 0 else end - run)
    return sorted(bounds)


def _levels(x: Floats) -> Floats:
    points = x.shape[1]
    if points <= LEVELS:
        return x
    shares = (np.arange(LEVELS // 2) + 0.5) / (LEVELS // 2)
    windows = np.lib.stride_tricks.sliding_window_view(x, _SMOOTH, axis=1)
    smooth = np.median(windows[:, :: max(1, points // 4096)], axis=2)
    of_values = np.quantile(x, shares, axis=1).T
    of_smooth = np.quantile(smooth, shares, axis=1).T
    return np.concatenate([of_values, of_smooth], axis=1)


#: Degrees of freedom of a noise that is known.
_KNOWN = 1e6


@dataclass(frozen=True)
class Pruned:
    """The remaining pieces, their judge, the degrees of freedom of the noise, and its prior."""

    pieces: tuple[evidence.Segment, ...]
    judge: evidence.Judge
    freedom: float
    prior: evidence.Prior


def threshold(chance: float, freedom: float) -> float:
    """The square that a t statistic of ``freedom`` degrees exceeds with ``chance``."""
    return t_limit(chance / 2, freedom) ** 2


def prune(
    y: Floats, starts: Sequence[int], scale: float, prior: evidence.Prior, chance: float
) -> Pruned:
    """Remove weak candidates: ``starts`` are the first points of the segments of ``y``, ``scale``
    its noise from differences, ``chance`` that of a false change at one place. Each round is judged
    by the noise of the residuals of the round before, until none is removed."""
    scale = max(scale, prior.least)
    pieces = _joined_slopes(y, _unfitted(starts, len(y)), OUTLIER * scale)
    noise = None
    while True:
        levels = evidence.robust_values(y, pieces, OUTLIER * scale)
        near = levels + np.clip(y - levels, -OUTLIER * scale, OUTLIER * scale)
        sums = evidence.Sums.of(near)
        measured = evidence.adjoining(near)
        if noise is None:
            pieces = _enough_freedom(sums, [sums.level(p.start, p.end) for p in pieces], prior)
            noise = _noise(near - levels, pieces, measured, prior)
        needed = threshold(chance, _freedom(pieces, prior))
        pieces = [evidence.fit(sums, p.start, p.end, noise, needed) for p in pieces]
        noise = _noise(near - _values(pieces), pieces, measured, prior)
        needed = threshold(chance, _freedom(pieces, prior))
        away = y - _values(pieces)
        outside = (np.sort(-away[away < 0]), np.sort(away[away > 0]))
        judge = evidence.Judge(y, sums, noise, scale, needed, threshold(chance, _KNOWN), outside)
        left = _ramps(judge, _struck(judge, pieces))
        if len(left) == len(pieces):
            return Pruned(tuple(pieces), judge, _freedom(pieces, prior), prior)
        pieces = left


def left_over(y: Floats, starts: Sequence[int], scale: float) -> tuple[float, float]:
    """Standard deviation of residuals from the levels, without outliers, and its freedom."""
    pieces = _unfitted(starts, len(y))
    residuals = y - evidence.robust_values(y, pieces, OUTLIER * scale)
    near = residuals[np.abs(residuals) <= OUTLIER * scale]
    freedom = len(near) - len(pieces)
    return (float(np.sqrt(near @ near / freedom)) if freedom > 0 else 0.0), float(freedom)


def _unfitted(starts: Sequence[int], points: int) -> list[evidence.Segment]:
    return [evidence.Segment(a, b, 0.0, 0.0, 0.0) for a, b in pairwise([*starts, points])]


def _joined_slopes(
    y: Floats, pieces: Sequence[evidence.Segment], reach: float
) -> list[evidence.Segment]:
    """Neighbouring pieces joined where most values are beyond ``reach`` of any level: the bounds
    between such levels mean nothing, and the joined piece may be a line."""
    joined: list[evidence.Segment] = []
    moving = False
    for piece in pieces:
        inside = y[piece.start : piece.end]
        near = int((np.abs(inside - np.median(inside)) <= reach).sum())
        before, moving = moving, 2 * near <= piece.points
        if before and moving:
            piece = joined.pop()._replace(end=piece.end)
        joined.append(piece)
    return joined


def _freedom(pieces: Sequence[evidence.Segment], prior: evidence.Prior) -> float:
    fitted = sum(2 if p.slope else 1 for p in pieces)
    return pieces[-1].end - fitted + prior.freedom


def _enough_freedom(
    sums: evidence.Sums, pieces: list[evidence.Segment], prior: evidence.Prior
) -> list[evidence.Segment]:
    """Join the closest pieces until there are degrees of freedom for the noise."""
    while len(pieces) > 1 and _freedom(pieces, prior) < 1:
        costs = [
            sums.level(a.start, b.end).square - a.square - b.square for a, b in pairwise(pieces)
        ]
        i = int(np.argmin(costs))
        pieces[i : i + 2] = [sums.level(pieces[i].start, pieces[i + 1].end)]
    return pieces


def _noise(
    residuals: Floats,
    pieces: Sequence[evidence.Segment],
    measured: evidence.Measured,
    prior: evidence.Prior,
) -> evidence.ScaledNoise:
    freedom = _freedom(pieces, prior)
    square = float(residuals @ residuals) + prior.freedom * prior.variance
    variance = max(square / freedom, prior.least**2)
    correlation = evidence.lag_one(residuals, len(pieces))
    return evidence.scaled_noise(variance, correlation, len(residuals), measured)


def _values(pieces: Sequence[evidence.Segment]) -> Floats:
    return np.concatenate([p.values() for p in pieces])


def _ramps(judge: evidence.Judge, pieces: Sequence[evidence.Segment]) -> list[evidence.Segment]:
    """Join levels that follow each other in one direction where a line fits about as well: it has
    two parameters, and each level one."""
    left = list(pieces)
    first = 0
    while first < len(left) - 2:
        last = _monotone(left, first)
        for end in {last, first + 2}:
            if end > last or end < first + 2:
                continue
            stairs = left[first : end + 1]
            line = judge.fit(stairs[0].start, stairs[-1].end)
            spared = (len(stairs) - 2) * judge.needed / 2.0 * judge.noise.variance
            if line.slope and line.square <= sum(p.square for p in stairs) + spared:
                left[first : end + 1] = [line]
                break
        first += 1
    return left


def _monotone(pieces: Sequence[evidence.Segment], first: int) -> int:
    """The last of the levels that follow ``first`` in one direction."""
    last = first
    while last + 1 < len(pieces) and not (pieces[last].slope or pieces[last + 1].slope):
        rising = pieces[last + 1].middle > pieces[last].middle
        if last > first and rising != (pieces[first + 1].middle > pieces[first].middle):
            break
        last += 1
    return last


def _struck(judge: evidence.Judge, pieces: Sequence[evidence.Segment]) -> list[evidence.Segment]:
    """Remove the weakest boundary as long as it is weaker than needed."""
    left = list(pieces)
    strengths = np.array([judge.between(left, i) for i in range(len(left) - 1)])
    while len(strengths):
        weakest = int(strengths.argmin())
        if strengths[weakest] >= judge.needed:
            break
        joined = judge.fit(left[weakest].start, left[weakest + 1].end)
        left[weakest : weakest + 2] = [joined]
        strengths = np.delete(strengths, weakest)
        # The evidence of a boundary rests on two pieces to each side.
        for i in range(max(0, weakest - 2), min(len(strengths), weakest + 2)):
            strengths[i] = judge.between(left, i)
    return left
