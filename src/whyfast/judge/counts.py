"""Verdicts on exact counts: no chance is in them, so there is nothing to test.

Each block is a boot of its own, and equal boots of a deterministic machine count alike. Where they
do, the ratio is exact and its interval a point; where they do not, the interval is all that the
boots allow: the least of one side over the most of the other, and the other way round.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from whyfast.judge.decide import word
from whyfast.model.sample import Block
from whyfast.model.verdict import Verdict

METRIC = "instructions"


def judge_counts(
    blocks: Sequence[Block],
    *,
    benchmarks: Sequence[str],
    variants: Sequence[str],
    baselines: Sequence[str],
    margin: float,
) -> tuple[Verdict, ...]:
    """One verdict a benchmark × variant × baseline; the confidence is 1.

    A comparison with a side that was never counted is left out.
    """
    verdicts = []
    for benchmark in benchmarks:
        for baseline in baselines:
            base = counts(blocks, benchmark, baseline)
            for variant in variants:
                own = counts(blocks, benchmark, variant)
                if variant != baseline and own and base:
                    verdicts.append(_judge(benchmark, variant, baseline, own, base, margin))
    return tuple(verdicts)


def counts(blocks: Sequence[Block], benchmark: str, variant: str) -> list[float]:
    """Instructions of one loop, a boot each."""
    return [
        value / b.loops
        for b in blocks
        if b.benchmark == benchmark
        for value in b.values.get(variant, ())
    ]


def spread(own: Sequence[float]) -> float:
    """How far the boots lie apart, relative to the least; 0 when they are equal."""
    return max(own) / min(own) - 1


def _judge(
    benchmark: str,
    variant: str,
    baseline: str,
    own: Sequence[float],
    base: Sequence[float],
    margin: float,
) -> Verdict:
    low, high = min(own) / max(base), max(own) / min(base)
    return Verdict(
        variant=variant,
        baseline=baseline,
        benchmark=benchmark,
        word=word(math.log(low), math.log(high), margin),
        ratio=math.sqrt(low * high),
        low=low,
        high=high,
        confidence=1.0,
        log_e=0.0,
        blocks=min(len(own), len(base)),
        metric=METRIC,
    )
