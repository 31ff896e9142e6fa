"""Several ways to do the same, each a benchmark: what each costs in a variant, and what the others
gain on the first there."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from whyfast.judge.loop_times import loop_time, median_bounds
from whyfast.model.loop import LoopTime
from whyfast.model.sample import Block
from whyfast.model.study import Ways


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
    """By way and variant, without those that have no blocks.

    Two ways are compared within a variant by the blocks that they had in the same pass: the median
    of the ratios, with its interval from order statistics. These are different benchmarks, which
    take no turns with each other: drift within a pass is part of the noise.
    """
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
