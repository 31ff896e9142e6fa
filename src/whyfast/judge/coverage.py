"""The level at which many intervals are reported when only some of them become verdicts."""

from __future__ import annotations

import math
from collections.abc import Sequence


def coverage_level(least: Sequence[float], alpha: float) -> float:
    """alpha·k/(m·H) for m intervals of which k give a verdict at that level, H = 1 + 1/2 + … + 1/m,
    with the largest such k.

    ``least[i]`` is the strictest level at which interval i gives a verdict, 1 when none does.
    Intervals widen as the level falls, so each gives its verdict at every larger one, and sorting
    finds k.

    Then the expected share of intervals that miss the truth, among those with a verdict, is at
    most alpha: the false coverage rate of Benjamini & Yekutieli (2005). The factor H makes it hold
    under any dependence (theorem 4 there); without it independence or a positive dependence would
    be needed, and drift that all benchmarks of a run share is no such thing for two-sided
    intervals. The blocks that whyfast measures itself yield e-values, which need no such factor.
    """
    m = len(least)
    if m == 0:
        return alpha
    unit = alpha / (m * math.fsum(1 / i for i in range(1, m + 1)))
    best = 1
    for k, level in enumerate(sorted(least), 1):
        if level <= unit * k:
            best = k
    return unit * best
