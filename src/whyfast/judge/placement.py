"""Is it the change, or where the linker put it?"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.quantiles import median
from whyfast.model.verdict import Placement, PlacementWord, Verdict

Floats = NDArray[np.float64]

#: A difference as linked is called placement when what remains over layouts is surely within the
#: margin, or surely below this share of it (in logarithms).
REMAINS = 1 / 3


def placement_word(linked: Verdict, varied: Verdict, margin: float) -> PlacementWord:
    """What the two verdicts together say.

    ``placement``: the programs as linked differ, the change over layouts does not, or by less than
    a third, and no ratio is in both intervals. ``change``: it differs over layouts, and as linked
    no otherwise, or by less than the margin. ``both``: it differs over layouts, but as linked by
    another amount, or not at all. ``neither``: no difference, and none that placement adds.
    """
    decided = ("faster", "slower")
    if linked.word == "undecided" or (linked.word == "same" and varied.word == "undecided"):
        return "undecided" if varied.word not in decided else "change"
    matters = not _overlap(linked, varied) and _may_exceed(added(linked, varied), margin)
    if varied.word in decided:
        return "both" if matters else "change"
    if linked.word == "same":
        return "neither"
    if _overlap(linked, varied):
        return "undecided"  # one and the same small change may be behind both
    if varied.word == "same":
        return "placement" if matters else "neither"
    limit = max(math.log1p(margin), REMAINS * _least(linked))
    inside = abs(math.log(varied.low or 1e-300)) <= limit and math.log(varied.high) <= limit
    return "placement" if inside else "undecided"


def added(linked: Verdict, varied: Verdict) -> tuple[float, float]:
    """The interval of what placement multiplies the ratio by in the programs as linked: the ratio
    as linked over that over layouts, from the ends of their intervals."""
    low = linked.low / varied.high if varied.high > 0 else 0.0
    high = linked.high / varied.low if varied.low > 0 else math.inf
    return low, high


def _may_exceed(interval: tuple[float, float], margin: float) -> bool:
    low, high = interval
    return low < 1 / (1 + margin) or high > 1 + margin


def _overlap(a: Verdict, b: Verdict) -> bool:
    return a.low <= b.high and b.low <= a.high


def _least(verdict: Verdict) -> float:
    """The smallest |log ratio| in a decided verdict's interval."""
    return min(abs(math.log(verdict.low)), abs(math.log(verdict.high)))


def layout_spread(linked: Floats, varied: Floats) -> float:
    """Standard deviation of one side's log time from placement alone.

    The blocks as linked show the noise of measuring, the varied ones that and the layouts of both
    sides: spread² = (var(varied) − var(linked)) / 2, not below 0, with robust variances
    (1.4826 × MAD)². NaN with fewer than 3 blocks of either kind.
    """
    if len(linked) < 3 or len(varied) < 3:
        return math.nan
    noise, total = (robust_variance(d) for d in (linked, varied))
    return math.sqrt(max(0.0, total - noise) / 2)


def robust_variance(d: Floats) -> float:
    """(1.4826 × MAD)², which is the variance where the values are normal."""
    return float((1.4826 * median(np.abs(d - median(d)))) ** 2)


def judge_placement(
    linked: Verdict, varied: Verdict, linked_d: Floats, varied_d: Floats, margin: float
) -> Placement:
    """Combine the verdicts with the series of log ratios that they rest on."""
    low, high = added(linked, varied)
    return Placement(
        word=placement_word(linked, varied, margin),
        linked=linked,
        varied=varied,
        spread=layout_spread(linked_d, varied_d),
        layouts=len(varied_d),
        points=tuple(float(x) for x in varied_d),
        added_low=low,
        added_high=high,
    )
