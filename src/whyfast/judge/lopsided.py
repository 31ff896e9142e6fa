"""Does one side have processes that the other has not: one in twenty that is 30 % slower?

The verdict is about the typical process, and a tenth of processes that are slow leaves it "same".
What tells a variant with a slow mode from a machine that disturbs both alike is on which side the
outlying blocks are: under "no difference" each is as likely on either (the sign test).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.quantiles import median
from whyfast.judge.ratios import Ratios
from whyfast.model.verdict import Lopsided

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

#: A block is outlying beyond so many robust standard deviations from the median, and the margin.
OUTLYING = 5.0

#: The sign test's level at which the sides differ, so that "same" is not said.
SURE = 0.05

#: The level from which more blocks should be taken before "same" is the last word.
SUSPECT = 0.25


def lopsided(ratios: Ratios, variant: str, baseline: str, margin: float) -> Lopsided | None:
    """The side with more outlying blocks, and what they do to its mean; None where none has more.

    A block counts for the side whose process was slow in it, or fast, which the time of both sides
    together tells; where that is not known, outlying is taken for slow.
    """
    d = ratios.medians
    n = len(d)
    if n == 0:
        return None
    away = d - median(d)
    limit = max(OUTLYING * 1.4826 * float(median(np.abs(away))), math.log1p(margin))
    up, down = away > limit, away < -limit
    counts = int(up.sum()), int(down.sum())
    if counts[0] == counts[1]:
        return None
    positive = counts[0] > counts[1]
    mine = up if positive else down
    slow = True
    if ratios.level is not None:
        slow = float(median(ratios.level[mine] - median(ratios.level))) >= 0
    count, other = max(counts), min(counts)
    size = float(median(np.abs(away[mine])))
    low, high = _wilson(count, n)
    return Lopsided(
        # Slow where the ratio is high is the variant; fast where it is high, the baseline.
        side=variant if positive == slow else baseline,
        slow=slow,
        count=count,
        other=other,
        of=n,
        low=low,
        high=high,
        ratio=math.exp(size if slow else -size),
        mean=_mean_effect(away, up, down, slow=slow),
        p_value=sign_test(count, other),
    )


def may_be_lopsided(medians: Floats, margin: float) -> Mask:
    """Which of m comparisons, shape (n, m), have outlying blocks at all: far quicker than asking
    each."""
    away = np.abs(medians - median(medians, axis=0))
    limit = np.maximum(OUTLYING * 1.4826 * median(away, axis=0), math.log1p(margin))
    return np.asarray(np.any(away > limit, axis=0))


def sign_test(more: int, fewer: int) -> float:
    """Two-sided p-value of so many heads and tails of a fair coin."""
    n = more + fewer
    tail = sum(math.comb(n, k) for k in range(max(more, fewer), n + 1))
    return float(min(1.0, 2 * tail / 2**n))


def _mean_effect(away: Floats, up: Mask, down: Mask, *, slow: bool) -> float:
    """By what the outlying processes multiply the ratio of mean times, variant over baseline."""
    n = len(away)
    if slow:
        own = 1 + float(np.sum(np.expm1(away[up]))) / n
        other = 1 + float(np.sum(np.expm1(-away[down]))) / n
    else:
        own = 1 + float(np.sum(np.expm1(away[down]))) / n
        other = 1 + float(np.sum(np.expm1(-away[up]))) / n
    return own / other


def _wilson(count: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927)."""
    share, extra = count / n, z * z / n
    middle = (share + extra / 2) / (1 + extra)
    half = z / (1 + extra) * math.sqrt(share * (1 - share) / n + extra / (4 * n))
    return max(0.0, middle - half), min(1.0, middle + half)
