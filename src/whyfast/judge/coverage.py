"""The level at which many intervals are reported when only some of them become verdicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from whyfast.judge.decide import word

Interval = Callable[[float], tuple[float, float]]


def coverage_level(intervals: Sequence[Interval], margin: float, alpha: float) -> float:
    """alpha·k/m for m intervals of which k give a verdict at that level, with the largest such k.

    Then the expected share of intervals that miss the truth, among those with a verdict, is at
    most alpha: the false coverage rate of Benjamini & Yekutieli (2005). Proven for independent
    estimates and for positive regression dependence, which drift that all benchmarks share is like;
    not for any dependence, which would cost a factor of about log m. (The blocks that whyfast
    measures itself yield e-values, which need no such condition.)
    """
    m = len(intervals)
    k = m
    while k > 0:
        level = alpha * k / m
        decided = sum(word(*interval(level), margin) != "undecided" for interval in intervals)
        if decided >= k:
            return level
        k = decided  # fewer are decided at a stricter level, so no k in between will do
    return alpha / max(m, 1)
