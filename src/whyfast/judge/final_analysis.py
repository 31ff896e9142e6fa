"""The last look, when a budget is used up: what half of the level is kept for.

An interval that may be looked at at any time is half as wide again as one for a number of blocks
that was fixed in advance. How many blocks of whole runs fit into a budget hangs on how long both
sides together take and not on which of them is quicker. So where nothing but the budget ends the
measuring, the signs of the blocks' distances from the true log ratio are independent coins, given
how large they are, and what so many coins do is known exactly. docs/MATH.md has the whole.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.correlation import is_clear, lag_one
from whyfast.judge.decide import ALPHA, Key, outcome_beside, small_sample
from whyfast.judge.estimate import location
from whyfast.judge.ratios import Ratios
from whyfast.judge.strategies import strategies_in_hindsight
from whyfast.model.study import Commands, Question
from whyfast.model.verdict import Verdict

Floats = NDArray[np.float64]

#: The part of the level that is kept for the last look.
KEPT = 0.5

#: Scores are whole numbers up to this, of so many blocks and fewer; of more, half as many for four
#: times as many blocks, and not below the second: what the coins do is then quickly counted.
_FINEST, _FINE_UP_TO, _COARSEST = 16, 64, 4

#: Places that are tried from the outside in, and halvings after that.
_PLACES, _HALVINGS = 24, 12

#: The largest correlation of neighbours that is allowed for.
_MOST_ALIKE = 0.95

#: The difference found nine times in ten, over half the width of the interval, of n normal blocks:
#: the first plus the second over n (python -m bench.last_look).
_NINE_IN_TEN = 1.47, 4.0


def level_of_looks(question: Question) -> float:
    """The level at which blocks may be looked at one after the other: half of it where the other
    half is kept for the end, as it is for commands that do not take turns."""
    whole_runs = isinstance(question, Commands) and not any(
        b.kind.takes_turns for b in question.benchmarks
    )
    return ALPHA * (1 - KEPT) if whole_runs else ALPHA


def final_analysis(
    verdicts: Sequence[Verdict],
    samples: Mapping[Key, Ratios],
    *,
    margin: float,
    cost: Mapping[Key, float],
    ended: bool,
) -> tuple[Verdict, ...]:
    """Verdicts at :func:`level_of_looks`, with what the kept half adds when a budget has ``ended``
    by itself.

    Of m comparisons each has an m-th of that half, so that all their last intervals hold together.
    ``samples`` and ``cost``: see :func:`whyfast.judge.decide.judge_family`. Where the statistics of
    a block disagree, and where neighbouring blocks are clearly alike, nothing is added.
    """
    kept = ALPHA * KEPT / max(1, len(verdicts))
    found = []
    for v in verdicts:
        key = (v.benchmark, v.variant, v.baseline)
        series = samples[key]
        level = 1 - v.confidence + kept
        few = v.small_sample and small_sample(series.medians, level)
        v = replace(v, confidence=1 - level, small_sample=few)
        found.append(_narrowed(v, series, margin, cost.get(key), kept) if ended else v)
    return tuple(found)


def _narrowed(
    v: Verdict, series: Ratios, margin: float, cost: float | None, alpha: float
) -> Verdict:
    if v.statistics or v.correlation is not None:
        return v
    before = (math.log(v.low) if v.low > 0 else -math.inf), math.log(v.high)
    own = planned_interval(series, alpha)
    low, high = max(before[0], own[0]), min(before[1], own[1])
    if low > high:  # either of them errs, or the effect is no shift: both are shown
        low, high = min(before[0], own[0]), max(before[1], own[1])
    if math.isinf(low) or math.isinf(high):
        return v
    said = outcome_beside(low, high, margin, v.asymmetric_outliers)
    ratio = math.exp(min(max(math.log(v.ratio), low), high))
    v = replace(
        v, outcome=said, ratio=ratio, low=math.exp(low), high=math.exp(high), small_sample=None
    )
    if said != "undecided":
        return replace(v, detectable=None, seconds_to_margin=None, seconds_to_margin_90=None)
    half = (high - low) / 2
    usual, likely = (
        None
        if cost is None or half == 0
        else cost * max(0.0, len(series) * ((half * factor / math.log1p(margin)) ** 2 - 1))
        for factor in (1.0, nine_in_ten(len(series)))
    )
    return replace(
        v,
        detectable=math.exp(half * nine_in_ten(len(series))) if half else math.inf,
        seconds_to_margin=usual,
        seconds_to_margin_90=likely,
    )


def nine_in_ten(blocks: int) -> float:
    """By what half the width is multiplied for a difference found nine times in ten."""
    always, few = _NINE_IN_TEN
    return always + few / blocks


def planned_interval(series: Ratios, alpha: float) -> tuple[float, float]:
    """The log ratios that blocks do not refute at level ``alpha``, if their number was not chosen
    by what they say.

    Infinite for fewer blocks than 1 + log2(1/alpha), and where neighbours are clearly alike. Where
    they are somewhat alike, it is as much wider as the mean of a first-order autoregression is, the
    correlation rid of its bias (Kendall 1954; Marriott and Pope 1954).
    """
    n = len(series)
    lag = lag_one(series.medians)
    if 2.0**-n >= alpha / 2 or bool(is_clear(np.array([lag]), n)[0]):
        return -math.inf, math.inf
    likely = min(max(0.0, lag + (1 + 4 * lag) / n), _MOST_ALIKE)
    wider = math.sqrt((1 + likely) / (1 - likely))
    center = location(series)
    low, high = _end(series, center, alpha / 2), -_end(_turned(series), -center, alpha / 2)
    return center - (center - low) * wider, center + (high - center) * wider


def _turned(series: Ratios) -> Ratios:
    """With variant and baseline exchanged."""
    return Ratios(-series.logs, series.spread, series.level)


def _end(series: Ratios, center: float, alpha: float) -> float:
    """The lower end: from the outside in, the first log ratio that is not refuted, and between it
    and the one before the place where that begins."""
    # Beyond all blocks every coin shows the same side.
    outside = float(np.min(series.logs))
    outside -= 1e-9 * (abs(outside) + center - outside)
    refuted = outside
    for place in np.linspace(outside, center, _PLACES)[1:]:
        if _chance(series, float(place)) > alpha:
            break
        refuted = float(place)
    held = refuted + (center - outside) / (_PLACES - 1)
    for _ in range(_HALVINGS):
        middle = (refuted + held) / 2
        if _chance(series, middle) > alpha:
            held = middle
        else:
            refuted = middle
    return refuted


def _chance(series: Ratios, theta: float) -> float:
    """How often coins for signs would make the sum of the blocks' scores about ``theta`` as large
    as it is. A score is that of the estimate, in whole numbers."""
    s = strategies_in_hindsight([series], theta)
    slope = s.inverse * s.share[:, None]
    scores = np.sum(s.scores(np.array([theta])) * slope, axis=(1, 2))
    most = float(np.max(np.abs(scores)))
    if most == 0 or not math.isfinite(most):
        return 1.0
    n = len(scores)
    fine = max(_COARSEST, min(_FINEST, round(_FINEST * math.sqrt(_FINE_UP_TO / n))))
    whole = np.rint(scores / most * fine).astype(np.int64)
    return _tail(np.abs(whole), int(whole.sum()))


def _tail(sizes: NDArray[np.int64], least: int) -> float:
    """The probability that the sum of ``sizes``, each with the sign of a coin, is ``least`` or
    more: from the characteristic function of the sum, the product of cosines."""
    total = int(sizes.sum())
    if least <= -total:
        return 1.0
    period = 2 ** math.ceil(math.log2(2 * total + 2))
    angle = 2 * math.pi / period * np.arange(period // 2 + 1)
    product = np.ones(len(angle))
    for size, count in enumerate(np.bincount(sizes)):
        if size and count:
            product *= np.cos(size * angle) ** int(count)
    shares = np.fft.irfft(product, period)
    at = np.arange(least, total + 1) % period
    return float(np.sum(shares[at]))
