"""What can be said from fewer blocks than a verdict takes, and how many that is.

n blocks cannot bring the wealth above 2ⁿ, however large the difference: 9 are needed at 1 %. Where
a block takes minutes there may never be so many. Two weaker statements remain, each with its level:
all blocks on one side of 1 is 1 chance in 2ⁿ⁻¹ for equal programs whatever the noise is, and
normal noise (an assumption that so few blocks cannot test) allows Student's interval.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.eprocess import log_wealth
from whyfast.judge.strategies import CLIP
from whyfast.model.verdict import Few, Word

Floats = NDArray[np.float64]

#: Fewer blocks have no spread to speak of: no word is said.
FEWEST = 3


@lru_cache(maxsize=256)
def needed_blocks(alpha: float) -> int:
    """The least number of blocks whose interval at level ``alpha`` is bounded: all on one side."""
    n = 1
    while float(log_wealth(np.full(n, CLIP))[0]) < math.log(2 / alpha):
        n += 1
    return n


def few_blocks(d: Floats, alpha: float) -> Few | None:
    """What the log ratios ``d`` of so few blocks show; None for no blocks, and where they are as
    many as :func:`needed_blocks`.

    The range of n blocks holds the median of their distribution with probability 1 − 2¹⁻ⁿ
    (Thompson 1936), n fixed by the budget and not by what the blocks say.
    """
    n, needed = len(d), needed_blocks(alpha)
    if not 0 < n < needed:
        return None
    low, high = float(np.min(d)), float(np.max(d))
    normal_low, normal_high = -math.inf, math.inf
    if n >= 2:
        half = t_quantile(1 - alpha / 2, n - 1) * float(np.std(d, ddof=1)) / math.sqrt(n)
        normal_low, normal_high = float(np.mean(d)) - half, float(np.mean(d)) + half
    said: Word = "undecided"
    if n >= FEWEST and min(low, normal_low) > 0:
        said = "slower"
    elif n >= FEWEST and max(high, normal_high) < 0:
        said = "faster"
    return Few(
        word=said,
        low=math.exp(low),
        high=math.exp(high),
        confidence=1 - 2.0 ** (1 - n),
        normal_low=_ratio(normal_low),
        normal_high=_ratio(normal_high),
        needed=needed,
    )


def _ratio(log: float) -> float:
    return math.exp(log) if log < 700 else math.inf


@lru_cache(maxsize=4096)
def t_quantile(p: float, freedom: int) -> float:
    """The ``p`` quantile, p > 1/2, of Student's distribution with few degrees of freedom.

    By halving on the closed form of its distribution function (Abramowitz & Stegun 26.7.3, 26.7.4);
    scipy has it too and takes half a second to import.
    """
    low, high = 0.0, 1.0
    while _t_within(high, freedom) < 2 * p - 1:
        low, high = high, high * 2
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if _t_within(middle, freedom) < 2 * p - 1 else (low, middle)
    return high


def _t_within(t: float, freedom: int) -> float:
    """P(|T| < t)."""
    angle = math.atan(t / math.sqrt(freedom))
    cos2 = math.cos(angle) ** 2
    if freedom % 2 == 0:
        term, total = 1.0, 1.0
        for k in range(1, freedom // 2):
            term *= cos2 * (2 * k - 1) / (2 * k)
            total += term
        return math.sin(angle) * total
    term = total = math.cos(angle) if freedom > 1 else 0.0
    for k in range(1, (freedom - 1) // 2):
        term *= cos2 * 2 * k / (2 * k + 1)
        total += term
    return 2 / math.pi * (angle + math.sin(angle) * total)
