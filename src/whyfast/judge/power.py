"""What a number of blocks can tell: the detectable effect, and the cost of telling the margin.

The interval of :mod:`whyfast.judge.eprocess` at n blocks of normal noise σ reaches about
κ(n)·σ to each side. κ is computed by running the very procedure on the quantiles of a
normal distribution in a fixed, well mixed order, so that these estimates follow any change of it.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from whyfast.judge.eprocess import confidence_interval

Floats = NDArray[np.float64]

#: Beyond this many blocks κ is taken to fall as 1/√n, which at 10,000 makes it 3 % too small.
_LARGEST = 400


def noise(d: Floats) -> float:
    """Robust standard deviation of the blocks' log ratios (1.4826 × MAD; 0 below 3 blocks)."""
    if len(d) < 3:
        return 0.0
    return float(1.4826 * np.median(np.abs(d - np.median(d))))


@lru_cache(maxsize=512)
def half_width(n: int, alpha: float) -> float:
    """Half of the interval's width after ``n`` blocks of standard normal noise; may be inf."""
    if n > _LARGEST:
        return half_width(_LARGEST, alpha) * math.sqrt(_LARGEST / n)
    ranks = (np.arange(n) + 0.5) / n
    shuffled = np.random.default_rng(n).permutation(ndtri(ranks))
    low, high = confidence_interval(shuffled, alpha)
    return (high - low) / 2


def detectable(d: Floats, interval: tuple[float, float]) -> float:
    """The smallest |log ratio| that so many such blocks tell from 0 nine times in ten.

    Half the width of the ``interval`` that ``d`` gave, and 1.28 standard errors (the 0.9 quantile
    of the normal distribution) for where its middle falls. inf while there are too few blocks for
    a bounded interval, and where most blocks are equal, so that the noise is not known.
    """
    low, high = interval
    sigma = noise(d)
    if math.isinf(low) or math.isinf(high) or sigma == 0:
        return math.inf
    return (high - low) / 2 + 1.28 * sigma / math.sqrt(len(d))


def seconds_to_margin(
    d: Floats, alpha: float, margin: float, seconds_per_block: float
) -> float | None:
    """Further seconds of measuring until a difference of the margin would be told from none.

    That is, until the interval's half width is half of log(1 + margin): then either 0 or the
    margin is excluded. None when the noise is not known yet.
    """
    sigma = noise(d)
    if sigma == 0:
        return None
    goal = math.log1p(margin) / 2 / sigma
    n = max(len(d), 1)
    while half_width(n, alpha) > goal:
        n = n + max(1, n // 4)
        if n > 10_000_000:
            return None
    return max(0, n - len(d)) * seconds_per_block
