"""How long one loop takes, a time of its own beside the ratios; and what several ways to do the
same, each a benchmark, cost in a variant."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from whyfast.judge.decide import ALPHA
from whyfast.model.loop import LoopTime
from whyfast.model.sample import Block
from whyfast.model.study import Ways


def loop_time(blocks: Sequence[Block], variant: str, alpha: float = ALPHA) -> LoopTime | None:
    """The median over blocks of their median seconds a loop, with the interval of a median from
    order statistics at ``1 - alpha``, for fewer than 8 blocks the whole range; None without
    blocks."""
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


@dataclass(frozen=True)
class WayCost:
    """What a way costs in a variant; ``gain`` is the time of the first way over its own, with
    ``low`` and ``high``, None for the first itself and where either is missing."""

    way: str
    variant: str
    time: LoopTime
    gain: float | None = None
    low: float = 0.0
    high: float = math.inf


def way_costs(
    ways: Ways, blocks: Sequence[Block], variants: Sequence[str]
) -> Mapping[tuple[str, str], WayCost]:
    """By way and variant, without those that have no blocks. Two ways are compared by the blocks of
    the same pass: the median of the ratios, its interval from order statistics. They take no turns
    with each other, so drift within a pass is part of the noise."""
    found: dict[tuple[str, str], WayCost] = {}
    by_benchmark = {
        name: [b for b in blocks if b.benchmark == name] for name in ways.benchmarks.values()
    }
    first = next(iter(ways.benchmarks.values()))
    for way, benchmark in ways.benchmarks.items():
        for variant in variants:
            time = loop_time(by_benchmark[benchmark], variant)
            if time is None:
                continue
            ratios = [
                math.log(a / b)
                for a, b in zip(
                    _loops(by_benchmark[first], variant),
                    _loops(by_benchmark[benchmark], variant),
                    strict=False,
                )
            ]
            if benchmark == first or not ratios:
                found[way, variant] = WayCost(way, variant, time)
                continue
            low, high, _ = median_bounds(sorted(ratios))
            gain = math.exp(statistics.median(ratios))
            found[way, variant] = WayCost(way, variant, time, gain, math.exp(low), math.exp(high))
    return found


def _loops(blocks: Sequence[Block], variant: str) -> list[float]:
    """Median seconds of a loop in each block."""
    return [statistics.median(b.values[variant]) / b.loops for b in blocks if variant in b.values]
