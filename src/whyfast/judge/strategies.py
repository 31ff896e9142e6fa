"""What bets on a series of blocks: statistics of a block, each on scales known before its sign is.

A strategy scores x = (its statistic − θ), odd in x and within ±CLIP. It may know the past, how far
the turns of a block scatter and how long both sides took; given those, both signs of x are equally
likely. docs/MATH.md has the proof."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.ratios import Floats, Ratios, as_ratios, median, quantile

#: The score is linear up to this many scale units and constant beyond (Huber 1964), so that one
#: outlying block weighs no more than a clearly different one.
CLIP = 1.5

#: Blocks before the scale is estimated; until then only the sign of a block counts.
SCALE_AFTER = 3

#: Up to this many blocks the scale is renewed after each, then when they have grown by an eighth.
RENEWED_EACH = 8

#: The least number of blocks that are split into a quiet half and the other.
LEVELS_AFTER = 8

#: The most times as precise as the median block that a block can count.
MOST_PRECISE = 4.0

#: Standard errors from which on the past shows that the level of a block tells the sign: one side
#: alone makes it. At :data:`LEVELS_AFTER` blocks all have to agree. Independent of each other they
#: pass once in 80 times (python -m bench.correlated --noise "all else quiet").
TELLING = 2.5

#: The capital of the strategy with the wide scale, to 1 of all others together.
WIDE_SHARE = 1 / 8

#: Median absolute deviation to standard deviation for normal values, and the same for the 80 %
#: quantile of absolute deviations.
_MAD, _WIDE, _WIDE_AT = 1.4826, 1 / 1.2816, 0.8


@dataclass(frozen=True, eq=False)
class Strategies:
    """The strategies of ``m`` comparisons of ``n`` blocks each. ``x``, ``inverse`` (of the scale, 0
    where the sign alone counts) and ``weight`` have shape (n, strategies, m); ``share``, shape
    (strategies,), is the part of the capital that each begins with, ``statistic`` the row of
    :attr:`Ratios.logs` that it bets on."""

    x: Floats
    inverse: Floats
    weight: Floats
    share: Floats
    statistic: tuple[int, ...]

    def scores(self, theta: Floats) -> Floats:
        """ψ of each block for the log ratios ``theta``, shape (m,); shape as :attr:`x`."""
        away = self.x - theta
        with np.errstate(over="ignore"):
            psi = np.clip(away * self.inverse, -CLIP, CLIP)
        np.copyto(psi, CLIP * np.sign(away), where=self.inverse == 0)
        return np.asarray(psi * self.weight)

    def pick(self, at: NDArray[Any]) -> Strategies:
        """Those of the comparisons that ``at`` picks: a mask of shape (m,), or places."""
        return Strategies(
            self.x[..., at], self.inverse[..., at], self.weight[..., at], self.share, self.statistic
        )

    def both_ways(self) -> Strategies:
        """These, and then as many with the two sides of every block exchanged: of 2m comparisons.
        What is asked of one side is so asked of both at once."""
        inverse, weight = (np.concatenate([a, a], axis=-1) for a in (self.inverse, self.weight))
        x = np.concatenate([self.x, -self.x], axis=-1)
        return Strategies(x, inverse, weight, self.share, self.statistic)

    def of_statistic(self, row: int) -> Strategies:
        """The strategies that bet on one statistic, alone."""
        at = [i for i, statistic in enumerate(self.statistic) if statistic == row]
        share = self.share[at] / self.share[at].sum()
        x, inverse, weight = (a[:, at] for a in (self.x, self.inverse, self.weight))
        return Strategies(x, inverse, weight, share, (row,) * len(at))


def strategies(series: Sequence[Ratios]) -> Strategies:
    """The strategies for comparisons with equally many blocks and statistics: for each statistic
    one that weighs blocks by the scatter of their turns and one that tells quiet blocks from
    disturbed ones by the time of both sides; for medians one with a scale that two clusters do not
    mislead."""
    given = _stacked(series)
    n = given.logs.shape[-1]
    periods = []
    start = SCALE_AFTER
    while start < n:
        stop = min(n, start + 1 if start < RENEWED_EACH else math.ceil(start * 9 / 8))
        periods.append((start, start, stop))
        start = stop
    return _scaled(given, periods)


def strategies_in_hindsight(series: Sequence[Ratios], theta: float | None = None) -> Strategies:
    """The same with scales from all blocks: for estimates, on which nothing may be bet. The scales
    are those of the distances from the log ratio ``theta``, which exchanging the sides of a block
    leaves as they are where it is the true one; from the median without it."""
    given = _stacked(series)
    n = given.logs.shape[-1]
    return _scaled(given, [(n, 0, n)], theta)


@dataclass(frozen=True, eq=False)
class _Given:
    """``logs`` of shape (statistics, m, n), ``spread`` and ``level`` of shape (m, n): here blocks
    come last, which medians are quicker with."""

    logs: Floats
    spread: Floats
    level: Floats
    levelled: bool

    def part(self, start: int, stop: int) -> _Given:
        at = slice(start, stop)
        return _Given(self.logs[..., at], self.spread[:, at], self.level[:, at], self.levelled)


def _stacked(series: Sequence[Ratios]) -> _Given:
    logs = np.stack([r.logs for r in series], axis=1)
    zero = np.zeros(logs.shape[-1])
    spread = np.stack([zero if r.spread is None else r.spread for r in series])
    level = np.stack([zero if r.level is None else r.level for r in series])
    return _Given(logs, spread, level, any(r.level is not None for r in series))


def _scaled(
    given: _Given, periods: Sequence[tuple[int, int, int]], theta: float | None = None
) -> Strategies:
    """For each of ``periods`` (known, start, stop), the blocks from start to stop − 1 take their
    scale and weight from the first ``known`` ones; by their distances from ``theta``, None for
    their median. Before the first of them the sign alone counts."""
    rows, m, n = given.logs.shape
    kinds = 2 if given.levelled else 1
    scale, weight = np.zeros((n, kinds * rows + 1, m)), np.ones((n, kinds * rows + 1, m))
    for known, start, stop in periods:
        past, new = given.part(0, known), given.part(start, stop)
        _fill(scale[start:stop], weight[start:stop], past, new, theta)
    x = np.concatenate([given.logs] * kinds + [given.logs[:1]]).transpose(2, 0, 1)
    with np.errstate(divide="ignore", over="ignore"):
        inverse = 1 / scale
    inverse[~np.isfinite(inverse)] = 0.0
    share = np.full(kinds * rows + 1, 1 / (kinds * rows))
    share[-1] = WIDE_SHARE
    statistic = (*list(range(rows)) * kinds, 0)
    return Strategies(np.ascontiguousarray(x), inverse, weight, share / share.sum(), statistic)


def _fill(
    scale: Floats, weight: Floats, past: _Given, new: _Given, theta: float | None = None
) -> None:
    """The scales and weights of the ``new`` blocks from the ``past`` ones, in place."""
    rows = len(past.logs)
    center = median(past.logs, axis=-1, keepdims=True) if theta is None else theta
    signed = past.logs - center
    away = np.abs(signed)
    scale[:, :rows] = _by_spread(away, past.spread, new.spread).transpose(2, 0, 1)
    if past.levelled:
        at = slice(rows, 2 * rows)
        scales, weights = _by_level(away, past.level, new.level)
        if theta is None:  # else no sign may have a say
            one_sided = _tells_sign(signed, past.level)[..., None]
            plain = _MAD * median(away, axis=-1, keepdims=True)
            scales, weights = np.where(one_sided, plain, scales), np.where(one_sided, 1.0, weights)
        scale[:, at], weight[:, at] = scales.transpose(2, 0, 1), weights.transpose(2, 0, 1)
    scale[:, -1] = _WIDE * quantile(away[0], _WIDE_AT)


def _by_spread(away: Floats, past: Floats, new: Floats) -> Floats:
    """Scales in proportion to each block's own spread; ``away``: distances from the median."""
    typical = median(past, axis=-1, keepdims=True)
    if not np.any(typical):
        alike = _MAD * median(away, axis=-1, keepdims=True)
        return np.asarray(np.broadcast_to(alike, (*away.shape[:2], new.shape[-1])))
    known = typical > 0
    unit = np.where(known, typical, 1.0)

    def relative(spread: Floats) -> Floats:
        return np.asarray(np.where(known, np.maximum(spread, unit / MOST_PRECISE) / unit, 1.0))

    units = _MAD * median(away / relative(past), axis=-1, keepdims=True)
    return np.asarray(units * relative(new))


def _by_level(away: Floats, past: Floats, new: Floats) -> tuple[Floats, Floats]:
    """One scale for blocks with high level and one for the others, which weigh more."""
    count = away.shape[-1]
    if count < LEVELS_AFTER:
        alike = _MAD * median(away, axis=-1, keepdims=True)
        alike = np.broadcast_to(alike, (*away.shape[:2], new.shape[-1]))
        return alike, np.ones(alike.shape)
    order = np.argsort(past, axis=-1, kind="stable")[None]
    by_level = np.take_along_axis(away, order, axis=-1)
    half = (count + 1) // 2
    quiet = _MAD * median(by_level[..., :half], axis=-1, keepdims=True)
    loud = _MAD * median(by_level[..., half:], axis=-1, keepdims=True)
    loud = np.maximum(quiet, loud)
    is_quiet = new <= median(past, axis=-1, keepdims=True)
    ratio = np.where(quiet > 0, quiet / np.where(loud > 0, loud, 1.0), 1.0)
    return np.where(is_quiet, quiet, loud), np.where(is_quiet, 1.0, ratio)


def _tells_sign(signed: Floats, level: Floats) -> NDArray[np.bool_]:
    """Whether blocks of high level lie on one side of the median more often than chance allows:
    one side is noisy and all else is quiet, so that weights by level would favour a sign. Of shape
    (statistics, m); ``signed`` are the distances from the median."""
    high = np.sign(level - median(level, axis=-1, keepdims=True))
    together = np.abs((np.sign(signed) * high).sum(axis=-1))
    count = signed.shape[-1]
    return np.asarray((count >= LEVELS_AFTER) & (together > TELLING * math.sqrt(count)))


#: The most steps towards the estimate; Newton's need three or four, halving some fifty.
_STEPS = 80


def location(d: Ratios | Floats) -> float:
    """The point estimate of the log ratio; NaN for no blocks. See :func:`locations`."""
    series = as_ratios(d)
    return float(locations([series])[0]) if len(series) else float("nan")


def locations(series: Sequence[Ratios]) -> Floats:
    """The estimates of comparisons with equally many blocks and statistics, shape (m,): Huber's
    M-estimator (1964) over all statistics, each divided by its scale, so that the sharper counts
    for more; the median where no scale is known."""
    s = strategies_in_hindsight(series)
    theta = median(s.x.reshape(-1, s.x.shape[-1]), axis=0)
    at = np.nonzero((s.inverse > 0).any(axis=(0, 1)))[0]
    s = s.pick(at)
    low, high, middle = s.x.min(axis=(0, 1)), s.x.max(axis=(0, 1)), theta[at]
    enough = 1e-10 * (high - low)
    for _ in range(_STEPS):
        pull, fall = _pull(s, middle)
        low, high = np.where(pull >= 0, middle, low), np.where(pull <= 0, middle, high)
        with np.errstate(divide="ignore", invalid="ignore"):
            following = middle + pull / fall
        inside = (following > low) & (following < high)
        following = np.where(low == high, low, np.where(inside, following, (low + high) / 2))
        theta[at] = following
        open_ = np.abs(following - middle) > enough
        if not np.any(open_):
            break
        middle = following
        if np.mean(open_) < 0.5:
            s, at, middle = s.pick(open_), at[open_], middle[open_]
            low, high, enough = low[open_], high[open_], enough[open_]
    return np.asarray(theta)


def _pull(s: Strategies, theta: Floats) -> tuple[Floats, Floats]:
    """The sum of all scores over their scales, and how fast it falls as ``theta`` grows."""
    slope = s.inverse * s.share[:, None]
    psi = s.scores(theta)
    # Within its limits a score falls by weight / scale for each unit of θ.
    inner = np.abs(psi) < CLIP * s.weight
    fall = np.sum(np.where(inner, slope * s.inverse * s.weight, 0.0), axis=(0, 1))
    pull = np.sum(psi * slope, axis=(0, 1))
    # Where scores at their limits cancel, what is left is rounding.
    rounding = 1e-12 * CLIP * np.sum(slope * s.weight, axis=(0, 1))
    return np.where(np.abs(pull) <= rounding, 0.0, pull), fall
