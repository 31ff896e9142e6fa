"""What starting cold hides of a difference between programs that take turns.

A turn begins with caches and predictors that other processes left behind. Where that costs both
sides the same time, a share s of a value, a ratio r of the work shows as m = s + (1 − s)·r, so that
r = m + (m − 1)·s/(1 − s). Calibration bounds s; docs/MATH.md has the whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from whyfast.measure.calibrate import COLD
from whyfast.model.variant import Benchmark
from whyfast.model.verdict import Suite, Verdict

#: How much further from 1 than it shows an end of an interval may lie, by its distance from 1.
HIDDEN = COLD / (1 - COLD)


def allowing_for_cold(
    verdicts: Sequence[Verdict], benchmarks: Sequence[Benchmark]
) -> tuple[Verdict, ...]:
    """The verdicts with the ends of intervals moved away from 1 by as much as may be hidden, where
    the benchmark takes turns. No word changes: the end nearer to 1 stays, and "same" as it is."""
    turns = {b.name: b.kind.takes_turns for b in benchmarks}
    return tuple(_moved(v) if _of_turns(v, turns) else v for v in verdicts)


def suites_allowing_for_cold(
    suites: Sequence[Suite], benchmarks: Sequence[Benchmark]
) -> tuple[Suite, ...]:
    """The same for geometric means, where any of their benchmarks takes turns."""
    verdicts = allowing_for_cold([s.verdict for s in suites], benchmarks)
    return tuple(replace(s, verdict=v) for s, v in zip(suites, verdicts, strict=True))


def _of_turns(verdict: Verdict, turns: Mapping[str, bool]) -> bool:
    if verdict.benchmark is None:
        return any(turns.values())
    return turns.get(verdict.benchmark, False)


def _moved(verdict: Verdict) -> Verdict:
    if verdict.word == "same":
        return verdict
    low, high = verdict.low, verdict.high
    return replace(
        verdict,
        low=max(0.0, low - max(0.0, 1 - low) * HIDDEN) if low > 0 else low,
        high=high + max(0.0, high - 1) * HIDDEN,
    )
