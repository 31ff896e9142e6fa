"""What starting cold hides of a difference between programs that take turns.

A turn begins with caches and predictors that other processes left behind. Where that costs both
sides the same time, a share s of a value, a ratio r of the work shows as m = s + (1 − s)·r, so that
r = m + (m − 1)·s/(1 − s). Calibration bounds s; docs/MATH.md has the whole.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace

from whyfast.measure.calibrate import COLD
from whyfast.model.sample import Calibration
from whyfast.model.variant import Benchmark
from whyfast.model.verdict import Suite, Verdict


def allowing_for_cold(
    verdicts: Sequence[Verdict],
    benchmarks: Sequence[Benchmark],
    calibrations: Sequence[Calibration],
) -> tuple[Verdict, ...]:
    """The verdicts with the ends of intervals moved away from 1 by as much as may be hidden, where
    the benchmark takes turns; of a mean over benchmarks, by the mean of theirs.

    No word changes: the end nearer to 1 stays, and "same" as it is.
    """
    cold = {c.benchmark: c.cold for c in calibrations}

    def hidden(verdict: Verdict) -> float:
        own = [b for b in benchmarks if verdict.benchmark in (None, b.name)]
        shares = [_hidden(b, cold.get(b.name, {}), verdict) for b in own]
        return statistics.fmean(shares) if shares else 0.0

    return tuple(_moved(v, hidden(v)) for v in verdicts)


def suites_allowing_for_cold(
    suites: Sequence[Suite],
    benchmarks: Sequence[Benchmark],
    calibrations: Sequence[Calibration],
) -> tuple[Suite, ...]:
    """The same for geometric means."""
    verdicts = allowing_for_cold([s.verdict for s in suites], benchmarks, calibrations)
    return tuple(replace(s, verdict=v) for s, v in zip(suites, verdicts, strict=True))


def _hidden(benchmark: Benchmark, cold: Mapping[str, float], verdict: Verdict) -> float:
    """How much further from 1 than it shows an end of an interval may lie, by its distance from 1.
    Calibration finds shares of at most :data:`COLD`, or says which; that of the colder side counts.
    """
    share = max(COLD, *(cold.get(v, 0.0) for v in (verdict.variant, verdict.baseline)))
    return share / (1 - share) if benchmark.kind.takes_turns and share < 1 else 0.0


def _moved(verdict: Verdict, hidden: float) -> Verdict:
    if verdict.word == "same" or not hidden:
        return verdict
    low, high = verdict.low, verdict.high
    return replace(
        verdict,
        low=max(0.0, low - max(0.0, 1 - low) * hidden) if low > 0 else low,
        high=high + max(0.0, high - 1) * hidden,
    )
