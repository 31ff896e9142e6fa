"""The geometric means over some of the benchmarks, judged as they would be were these all."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from whyfast.judge.estimate import over_layouts
from whyfast.judge.judge_run import compared_of
from whyfast.judge.ratios import blocks_by_benchmark, ratios_by_key
from whyfast.judge.stationarity import set_aside, suites_allowing_for_cold
from whyfast.judge.suite import judge_suites, rounds_of
from whyfast.model.result import Result
from whyfast.model.verdict import Suite


class ChosenMeans:
    """What the blocks of a result say of each pair over any choice of benchmarks.

    The same figures as :func:`whyfast.judge.whole.judge_whole` gives for the result without the
    other benchmarks: rounds, levels and what starting cold may hide are those of the choice.
    """

    def __init__(self, result: Result) -> None:
        self._question, self._recorded = result.question, result.recorded
        names = [b.name for b in result.question.benchmarks]
        compared = compared_of(result.question, result.recorded, result.found.evidence)
        self._lacking = set(compared.scope.lacking)
        self._blocks = over_layouts(result.recorded.blocks) or result.recorded.blocks
        by_name = blocks_by_benchmark(self._blocks, names)
        warming = set_aside(result.judged.non_stationary)
        pairs = list(compared.pairs)
        claimed = [p for p in compared.scope.claimed if not {p, p[::-1]} & set(pairs)]
        # Families of their own, as where everything is judged.
        self._families = [(f, ratios_by_key(by_name, f, warming)) for f in (pairs, claimed)]

    def over(self, chosen: Collection[str]) -> tuple[Suite, ...]:
        """The suites of these benchmarks, of which there are two or more."""
        names = [b.name for b in self._question.benchmarks if b.name in chosen]
        rounds = rounds_of(self._blocks, names)
        found: list[Suite] = []
        for pairs, samples in self._families:
            own = {key: sample for key, sample in samples.items() if key[0] in chosen}
            both = {
                (v, b): [n for n in names if not {(n, v), (n, b)} & self._lacking] for v, b in pairs
            }
            found += judge_suites(own, margin=self._question.margin, rounds=rounds, benchmarks=both)
        benchmarks = [b for b in self._question.benchmarks if b.name in chosen]
        return suites_allowing_for_cold(found, benchmarks, self._recorded.calibrations)


def agrees(found: Sequence[Suite], judged: Sequence[Suite]) -> bool:
    """Whether means that were judged once more are those that the result has."""
    one, other = (
        {(s.verdict.variant, s.verdict.baseline): s.verdict for s in of} for of in (found, judged)
    )
    return one.keys() == other.keys() and all(
        (v.outcome, v.ratio, v.low, v.high) == (o.outcome, o.ratio, o.low, o.high)
        for v, o in ((one[key], other[key]) for key in one)
    )
