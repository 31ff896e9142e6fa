"""How long one loop takes: a time of its own, beside the ratios."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from whyfast.judge.decide import ALPHA
from whyfast.model.loop import LoopTime
from whyfast.model.sample import Block


def loop_time(blocks: Sequence[Block], variant: str, alpha: float = ALPHA) -> LoopTime | None:
    """The median over blocks of their median seconds a loop, with the interval of a median from
    order statistics at ``1 - alpha``; None without blocks.

    The k-th smallest of n values lies above the median with the probability that fewer than k of n
    fair coins show heads. With fewer than 8 blocks the interval is the whole range, at the
    confidence that it has.
    """
    medians = sorted(
        statistics.median(b.values[variant]) / b.loops for b in blocks if variant in b.values
    )
    if not medians:
        return None
    low, high, confidence = median_bounds(medians, alpha)
    return LoopTime(statistics.median(medians), low, high, confidence, len(medians))


def median_bounds(values: Sequence[float], alpha: float = ALPHA) -> tuple[float, float, float]:
    """(low, high, confidence) of the median of what ``values``, in order, were drawn from."""
    n = len(values)
    missed, k = min(1.0, 2 * 0.5**n), 0
    while k + 1 < n / 2 and (wider := missed + 2 * math.comb(n, k + 1) * 0.5**n) <= alpha:
        missed, k = wider, k + 1
    return values[k], values[n - 1 - k], 1 - missed
