"""The geometric mean of a suite, with an interval of its own."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.decide import ALPHA, judge_family
from whyfast.judge.estimate import location
from whyfast.model.verdict import Suite

Floats = NDArray[np.float64]


def suite_series(by_benchmark: Mapping[str, Floats]) -> Floats:
    """One log ratio of the whole suite a round: the mean over benchmarks of their r-th blocks.

    Each benchmark's block is symmetric about its own log ratio and the blocks are drawn apart, so
    the mean is symmetric about the log of the geometric mean, and the procedure for single
    benchmarks holds for it unchanged. Rounds that lack a benchmark are left out: every benchmark
    counts, and equally.
    """
    if not by_benchmark:
        return np.array([])
    rounds = min(len(d) for d in by_benchmark.values())
    return np.asarray(np.mean([d[:rounds] for d in by_benchmark.values()], axis=0))


def judge_suites(
    samples: Mapping[tuple[str, str, str], Floats],
    benchmarks: Mapping[tuple[str, str], Sequence[str]],
    *,
    margin: float,
    alpha: float = ALPHA,
) -> tuple[Suite, ...]:
    """One verdict a (variant, baseline) on the geometric mean over its ``benchmarks``.

    ``samples`` is keyed by (benchmark, variant, baseline). A pair of which some benchmark has no
    block at all is left out. With a single benchmark there is no suite.
    """
    groups = {
        (v, b): {name: samples[name, v, b] for name in names if (name, v, b) in samples}
        for (v, b), names in benchmarks.items()
        if len(names) > 1
    }
    complete = {
        pair: group
        for pair, group in groups.items()
        if len(group) == len(benchmarks[pair]) and all(len(d) for d in group.values())
    }
    verdicts = judge_family(
        {(None, v, b): suite_series(group) for (v, b), group in complete.items()},
        margin=margin,
        alpha=alpha,
        all_right=True,
    )
    return tuple(
        Suite(verdict, influence(complete[verdict.variant, verdict.baseline]))
        for verdict in verdicts
    )


def influence(by_benchmark: Mapping[str, Floats]) -> dict[str, float]:
    """For each benchmark, the suite's ratio without it."""
    return {
        left_out: math.exp(
            location(suite_series({k: d for k, d in by_benchmark.items() if k != left_out}))
        )
        for left_out in by_benchmark
    }
