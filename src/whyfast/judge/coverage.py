"""The level at which many intervals are reported when only some of them become verdicts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from whyfast.judge.decide import word

Interval = Callable[[float], tuple[float, float]]


def coverage_level(intervals: Sequence[Interval], margin: float, alpha: float) -> float:
    """alpha·k/(m·H) for m intervals of which k give a verdict at that level, H = 1 + 1/2 + … + 1/m,
    with the largest such k.

    Then the expected share of intervals that miss the truth, among those with a verdict, is at
    most alpha: the false coverage rate of Benjamini & Yekutieli (2005). The factor H makes it hold
    under any dependence (theorem 4 there); without it independence or a positive dependence would
    be needed, and drift that all benchmarks of a run share is no such thing for two-sided
    intervals. The blocks that whyfast measures itself yield e-values, which need no such factor.
    """
    m = len(intervals)
    if m == 0:
        return alpha
    unit = alpha / (m * math.fsum(1 / i for i in range(1, m + 1)))
    k = m
    while k > 0:
        decided = sum(word(*interval(unit * k), margin) != "undecided" for interval in intervals)
        if decided >= k:
            return unit * k
        k = decided  # fewer are decided at a stricter level, so no k in between will do
    return unit
