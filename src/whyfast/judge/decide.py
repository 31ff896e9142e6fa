"""From intervals to the four words, with the share of wrong verdicts under control."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.eprocess import confidence_interval, log_e_value
from whyfast.judge.estimate import location
from whyfast.judge.power import detectable, seconds_to_margin
from whyfast.model.verdict import Verdict, Word

Floats = NDArray[np.float64]
Key = TypeVar("Key")

#: A verdict is wrong with at most this probability, and so is at most this share of many.
ALPHA = 0.01


def word(low: float, high: float, margin: float) -> Word:
    """The verdict that an interval of log ratios supports.

    ``same`` comes first: an interval inside ±log(1 + margin) says that whatever difference there
    is does not matter to the user, also when it excludes 0.
    """
    limit = math.log1p(margin)
    if -limit <= low and high <= limit:
        return "same"
    if low > 0:
        return "slower"
    if high < 0:
        return "faster"
    return "undecided"


def adjusted_levels(samples: Mapping[Key, Floats], margin: float, alpha: float = ALPHA) -> float:
    """The level at which all intervals of a family are reported.

    With m comparisons of which k get a verdict, intervals at alpha·k/m keep the expected share of
    wrong ones among the k at most alpha, under any dependence, because the intervals come from
    e-values (the e-BY procedure: Xu, Wang & Ramdas 2022). The k is the largest for which at least
    k comparisons are decided at the level that k buys. With m = 1 this is alpha itself.
    """
    m = len(samples)
    for k in range(m, 0, -1):
        level = alpha * k / m
        decided = sum(
            word(*confidence_interval(d, level), margin) != "undecided" for d in samples.values()
        )
        if decided >= k:
            return level
    return alpha / max(m, 1)


def judge_family(
    samples: Mapping[tuple[str | None, str, str], Floats],
    *,
    margin: float,
    cost: Mapping[tuple[str | None, str, str], float] | None = None,
    alpha: float = ALPHA,
    all_right: bool = False,
) -> tuple[Verdict, ...]:
    """Verdicts on a family of comparisons, keyed by (benchmark, variant, baseline).

    At most a share ``alpha`` of the verdicts is wrong on average; with ``all_right``, there is any
    wrong one with at most that probability (Bonferroni), as a headline should have it.

    ``samples``: log ratios, one a block, in the order taken. ``cost``: seconds of measuring that
    one block of that comparison takes, for the estimate of what a decision would cost.
    """
    level = alpha / max(1, len(samples)) if all_right else adjusted_levels(samples, margin, alpha)
    return tuple(_judge(key, d, margin, level, (cost or {}).get(key)) for key, d in samples.items())


def _judge(
    key: tuple[str | None, str, str],
    d: Floats,
    margin: float,
    level: float,
    seconds_per_block: float | None,
) -> Verdict:
    benchmark, variant, baseline = key
    low, high = confidence_interval(d, level)
    said = word(low, high, margin)
    open_question = said == "undecided" and len(d) > 0
    return Verdict(
        variant=variant,
        baseline=baseline,
        benchmark=benchmark,
        word=said,
        ratio=math.exp(location(d)) if len(d) else float("nan"),
        low=math.exp(low),
        high=math.exp(high),
        confidence=1 - level,
        log_e=log_e_value(d),
        blocks=len(d),
        detectable=math.exp(detectable(d, (low, high))) if open_question else None,
        seconds_to_margin=(
            seconds_to_margin(d, level, margin, seconds_per_block)
            if open_question and seconds_per_block is not None
            else None
        ),
    )


def precise_enough(verdict: Verdict, margin: float) -> bool:
    """Whether more blocks would tell the reader nothing that matters.

    True for a decided verdict whose interval is no wider than the margin to each side, or than a
    fifth of the effect, whichever is more.
    """
    if verdict.word == "undecided":
        return False
    half = (math.log(verdict.high) - math.log(verdict.low)) / 2
    return half <= max(math.log1p(margin), abs(math.log(verdict.ratio)) / 5)
