"""Evidence against "no difference" that may be looked at after every block.

One block yields x = log(time of variant / time of baseline) by some statistic. When only the
variant distinguishes the sides, x − θ is symmetric about 0 for the true shift θ, given the past.
For a score ψ that is odd in x − θ and depends otherwise on the past and on what exchanging the
sides leaves as it is,

    M(λ) = Π 2 / (1 + exp(−2 λ ψ))

is a martingale with start 1 for every λ. So is a fixed mixture over λ > 0 and strategies, which by
Ville's inequality ever exceeds 1/a with probability at most a. docs/MATH.md has the derivation."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from whyfast.judge.correlation import Likelihood, likelihood
from whyfast.judge.ratios import Floats, Mask, Ratios, as_ratios, median
from whyfast.judge.strategies import CLIP, Strategies, strategies

#: The most evaluations; halving alone needs some 60.
_MOST = 300

#: Log wealth is about z²/2 − 3, z the distance in standard errors: a root makes it nearly straight.
_BEND = 3.0


def last_above(
    value: Callable[[Floats, Mask], Floats],
    wanted: Floats,
    bounds: tuple[Floats, Floats],
    guess: Floats,
    step: Floats,
    tolerance: Floats,
) -> Floats:
    """The largest t with value(t) ≥ wanted, for m falling functions, shape (m,); up to
    ``tolerance`` too small. ``value(t, which)`` takes and gives the entries of the mask ``which``.
    ``bounds``: points that are known to be enough, and not to be. From ``guess`` it strides by
    ``step``, 2, 4 … times that, then interpolates (regula falsi, Illinois variant)."""
    enough, short = bounds[0].copy(), bounds[1].copy()
    # How far above or below at the two points, NaN until evaluated there.
    over, under = np.full(len(wanted), np.nan), np.full(len(wanted), np.nan)
    last = np.zeros(len(wanted), dtype=int)
    t, step = np.clip(guess, enough, short), step.copy()
    level = np.sqrt(wanted + _BEND)
    going = short - enough > tolerance
    for _ in range(_MOST):
        if not np.any(going):
            break
        values = np.full(len(wanted), np.nan)
        values[going] = value(t[going], going)
        height = np.sqrt(np.maximum(values, 1 - _BEND) + _BEND) - level
        is_enough, is_short = going & (values >= wanted), going & (values < wanted)
        under[is_enough & (last == 1)] /= 2
        over[is_short & (last == -1)] /= 2
        enough[is_enough], over[is_enough], last[is_enough] = t[is_enough], height[is_enough], 1
        short[is_short], under[is_short], last[is_short] = t[is_short], height[is_short], -1
        t, step = _next(enough, short, over, under, step)
        inner = np.minimum(tolerance, short - enough) / 2
        t = np.clip(t, enough + inner, short - inner)
        going &= (short - enough > tolerance) & (t > enough) & (t < short)
    return enough


def _next(
    enough: Floats, short: Floats, over: Floats, under: Floats, step: Floats
) -> tuple[Floats, Floats]:
    with np.errstate(invalid="ignore", divide="ignore"):
        between = enough + (short - enough) * over / (over - under)
    only_enough, only_short = np.isnan(under), np.isnan(over)
    t = np.where(only_enough, enough + step, np.where(only_short, short - step, between))
    middle = (enough + short) / 2
    return np.where(np.isfinite(t), t, middle), np.where(only_enough | only_short, 2 * step, step)


#: Bets λ = 2⁻⁶ … 2, from "a shift of a fiftieth of the noise" to "the sign decides", and their
#: weights. As many as narrow intervals at 9 to 10,000 blocks take (bench/intervals.py); validity
#: does not depend on them.
LAMBDAS: Floats = np.exp2(np.arange(-6.0, 2.0))
WEIGHTS: Floats = LAMBDAS**0.5 / np.sum(LAMBDAS**0.5)

#: Factors (1 + exp(−2λψ)), each at most 1 + e⁶, that are multiplied before a logarithm is taken.
_TOGETHER = 64

#: The largest probability, over a whole run, that the statistics of a true shift are taken to
#: disagree; the interval is then wider than it has to be.
SHIFT_LEVEL = 0.01

#: Where the search for an end begins, in median absolute deviations over √n from the median.
_GUESS = 5.0


def log_wealth(psi: Floats) -> tuple[Floats, Floats]:
    """log of the mixture over λ > 0 of M(λ), for ψ and for −ψ, along the first axis. ``psi``: shape
    (n, …), within ±CLIP. Both of shape (…)."""
    gains, total = _log_gains(psi), psi.sum(axis=0)
    bets = LAMBDAS.reshape(-1, *[1] * total.ndim)
    return _log_sum(gains), _log_sum(gains - 2 * bets * total)


def _log_gains(psi: Floats) -> Floats:
    """log of each weighted M(λ) for ψ, shape (bets, …). The bets are powers of two, so that the
    exponentials of one are the squares of those of the one before."""
    n = len(psi)
    with np.errstate(over="ignore"):
        factor = np.exp(-2 * LAMBDAS[0] * psi)
    one_more = np.empty_like(factor)
    gains = np.empty((len(LAMBDAS), *psi.shape[1:]))
    for i, weight in enumerate(WEIGHTS):
        if i:
            np.square(factor, out=factor)
        np.add(factor, 1, out=one_more)
        product = np.zeros(psi.shape[1:])
        for at in range(0, n, _TOGETHER):
            product += np.log(np.multiply.reduce(one_more[at : at + _TOGETHER], axis=0))
        gains[i] = n * math.log(2) - product + math.log(weight)
    return gains


def _log_sum(terms: Floats) -> Floats:
    top = terms.max(axis=0)
    return np.asarray(top + np.log(np.sum(np.exp(terms - top), axis=0)))


def evidence(s: Strategies, theta: Floats) -> tuple[Floats, Floats]:
    """log of what the strategies hold together against shifts below and above ``theta``. ``theta``:
    shape (m,). Both of shape (m,): large where the blocks lie above ``theta``, and where they lie
    below. The first falls as theta grows, the second grows."""
    plus, minus = log_wealth(s.scores(theta))
    return _shared(s, plus), _shared(s, minus)


def _shared(s: Strategies, wealth: Floats) -> Floats:
    """Of all strategies together, from the log wealth of each, shape (strategies, m)."""
    return _log_sum(wealth + np.log(s.share)[:, None])


def counted(s: Strategies, theta: Floats, blocks: Likelihood) -> tuple[Floats, Floats]:
    """:func:`evidence`, as far as it counts though blocks may be like their neighbours."""
    above, below = evidence(s, theta)
    return blocks.discounted(above, theta, 1), blocks.discounted(below, theta, -1)


def _counted_above(s: Strategies, theta: Floats, blocks: Likelihood) -> Floats:
    wealth = _shared(s, _log_sum(_log_gains(s.scores(theta))))
    return blocks.discounted(wealth, theta, 1)


def confidence_interval(
    d: Ratios | Floats, alpha: float, *, independent: bool = False
) -> tuple[float, float]:
    """The shifts that the blocks do not refute at level ``alpha``: (low, high). Valid at all times
    together, with probability at least 1 − alpha. An end is infinite while too few blocks bound it
    (below 9 at 0.01). Where a block's statistics agree on no shift, it holds what each says (see
    docs/MATH.md). ``independent``: blocks are known not to be like their neighbours."""
    series = as_ratios(d)
    if len(series) == 0:
        return -math.inf, math.inf
    low, high, _ = intervals(strategies([series]), np.array([alpha]), independent=independent)
    return float(low[0]), float(high[0])


def intervals(
    s: Strategies, alpha: Floats, *, independent: bool = False
) -> tuple[Floats, Floats, Mask]:
    """The intervals of m comparisons at the levels ``alpha``: low, high, and whether the statistics
    of a block disagree, so that the interval holds what each of them says; all of shape (m,). Each
    end is rounded outwards by up to a 1,000th of the blocks' median absolute deviation."""
    wanted = np.log(2 / alpha)
    low, high = _ends(s, wanted, independent=independent)
    crossed = low > high
    low, high = np.where(crossed, high, low), np.where(crossed, low, high)
    apart = crossed | _apart(s, low, high, wanted, independent=independent) | _no_shift(s)
    if np.any(apart):
        few, rows = s.pick(apart), sorted(set(s.statistic))
        # Each statistic alone, at a level that holds for all of them together.
        stricter = np.log(2 * len(rows) / alpha)[apart]
        for row in rows:
            ends = _ends(few.of_statistic(row), stricter, independent=independent)
            low[apart] = np.minimum(low[apart], ends[0])
            high[apart] = np.maximum(high[apart], ends[1])
    return low, high, apart


def _no_shift(s: Strategies) -> Mask:
    """Whether some statistic of a block lies on one side of the median's too often for a shift.
    Under a shift, exchanging the sides turns all statistics about it, so that the sign of their
    difference is that of a coin, block by block. The e-value of k heads of n against a coin is the
    mixture of Krichevsky & Trofimov (1981): 2ⁿ·B(k + ½, n − k + ½)/π."""
    first, rows = s.x[:, -1], sorted(set(s.statistic) - {s.statistic[-1]})
    differs = np.zeros(first.shape[1], dtype=bool)
    # log Γ(i + ½) and log Γ(i + 1)
    half = np.array([math.lgamma(i + 0.5) for i in range(len(first) + 1)])
    whole = np.array([math.lgamma(i + 1) for i in range(len(first) + 1)])
    for row in rows:
        beside = s.x[:, list(s.statistic).index(row)] - first
        above, below = (beside > 0).sum(axis=0), (beside < 0).sum(axis=0)
        n = above + below
        log_e = n * math.log(2) + half[above] + half[below] - whole[n] - math.log(math.pi)
        differs |= log_e >= math.log(len(rows) / SHIFT_LEVEL)
    return differs


def _apart(s: Strategies, low: Floats, high: Floats, wanted: Floats, *, independent: bool) -> Mask:
    """Whether the interval of some statistic alone lies wholly beside the common one."""
    apart = np.zeros(len(low), dtype=bool)
    rows = set(s.statistic)
    bounded = np.isfinite(low) & np.isfinite(high)
    if len(rows) < 2 or not np.any(bounded):
        return apart
    part = s.pick(bounded)
    other_end = np.concatenate([high[bounded], -low[bounded]])
    for row in rows:
        alone = part.of_statistic(row)
        blocks = likelihood(alone.x[:, -1], independent=independent).both_ways()
        above = _counted_above(alone.both_ways(), other_end, blocks)
        apart[bounded] |= np.any(above.reshape(2, -1) >= wanted[bounded], axis=0)
    return apart


def _ends(s: Strategies, wanted: Floats, *, independent: bool) -> tuple[Floats, Floats]:
    """Both ends, shape (m,) each: the upper one is the lower one with the sides exchanged."""
    blocks = likelihood(s.x[:, -1], independent=independent).both_ways()
    ends = _lower_ends(s.both_ways(), np.concatenate([wanted, wanted]), blocks)
    low, turned = np.split(ends, 2)
    return low, -turned


def _lower_ends(s: Strategies, wanted: Floats, blocks: Likelihood) -> Floats:
    """The largest shifts, up to rounding, that are refuted from above; −∞ where none is."""

    def held(t: Floats, which: Mask) -> Floats:
        if which.all():
            return _counted_above(s, t, blocks)
        return _counted_above(s.pick(which), t, blocks.pick(which))

    first = s.x[:, -1]  # the medians
    n, m = first.shape
    center = median(first, axis=0)
    away = np.abs(s.x - center)
    deviation = median(away[:, -1], axis=0)
    # Farther from the center than this, every score is at its limit. Never 0: equal blocks.
    sharpest = np.min(s.inverse, axis=(0, 1), where=s.inverse > 0, initial=np.inf)
    span = 2 * np.max(away, axis=(0, 1)) + 2 * CLIP / sharpest
    span = np.maximum(np.maximum(span, blocks.reach()), 4 * np.spacing(np.abs(center)))
    tolerance = np.maximum(1e-3 * deviation, 1e-12 * span)
    tolerance = np.maximum(tolerance, np.spacing(np.abs(center) + span))
    everyone = np.ones(m, dtype=bool)
    bounded = held(center - span, everyone) >= wanted
    stride = np.where(deviation > 0, deviation / math.sqrt(n), span / 64)
    ends = last_above(
        held,
        wanted,
        (np.where(bounded, center - span, 0.0), np.where(bounded, center + span, 0.0)),
        center - _GUESS * stride,
        stride,
        tolerance,
    )
    return np.asarray(np.where(bounded, ends, -np.inf))
