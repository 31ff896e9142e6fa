"""Samples of a study to its verdicts, in full at the end and quickly in between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.decide import judge_family, precise_enough
from whyfast.judge.estimate import as_linked, block_log_ratio, log_ratios, over_layouts
from whyfast.judge.placement import judge_placement
from whyfast.judge.suite import judge_suites, suite_series
from whyfast.judge.variance_components import levels, unsteady_values
from whyfast.model.sample import Block
from whyfast.model.variant import Benchmark
from whyfast.model.verdict import METRICS, Placement, Suite, VarianceComponents, Verdict

Floats = NDArray[np.float64]


def judge_study(
    blocks: Sequence[Block],
    *,
    benchmarks: Sequence[str],
    variants: Sequence[str],
    baselines: Sequence[str],
    margin: float,
    warming: Mapping[str, int] | None = None,
    claimed: Sequence[tuple[str, str]] = (),
) -> tuple[tuple[Verdict, ...], tuple[Suite, ...]]:
    """All verdicts of a study: a benchmark × variant × baseline each, and the suites.

    ``claimed`` are further pairs (variant, baseline) that a claim is audited with. They are a
    family of their own, so that an audit does not blur the study's verdicts.
    ``warming`` says for a benchmark how many first values of each process are set aside.
    A comparison with a variant that failed on a benchmark has no blocks and is left out.
    """
    pairs = [(v, b) for b in baselines for v in variants if v != b]
    # A pair that is there the other way round need not be judged twice.
    further = [p for p in claimed if set(p) <= set(variants) and not {p, p[::-1]} & set(pairs)]
    verdicts: list[Verdict] = []
    suites: list[Suite] = []
    for family in (pairs, further):
        samples: dict[tuple[str, str, str], Floats] = {}
        cost: dict[tuple[str | None, str, str], float] = {}
        for name in benchmarks:
            own = [b for b in blocks if b.benchmark == name]
            for variant, baseline in family:
                d = log_ratios(own, name, variant, baseline, (warming or {}).get(name, 0))
                if len(d):
                    samples[name, variant, baseline] = d
                    cost[name, variant, baseline] = sum(b.seconds for b in own) / len(own)
        complete = {
            key: d
            for key, d in samples.items()
            if all((name, key[1], key[2]) in samples for name in benchmarks)
        }
        verdicts += judge_family(dict(samples.items()), margin=margin, cost=cost)
        suites += judge_suites(complete, margin=margin)
    return tuple(verdicts), tuple(suites)


def judge_placements(
    blocks: Sequence[Block],
    *,
    benchmarks: Sequence[str],
    variants: Sequence[str],
    baselines: Sequence[str],
    margin: float,
    warming: Mapping[str, int] | None = None,
) -> tuple[Placement, ...]:
    """Placement or change, for each pair: of the suite where there is one, and each benchmark.

    Empty when no block ran in other layouts. ``warming``: see :func:`judge_study`.
    """
    linked, varied = as_linked(blocks), over_layouts(blocks)
    if not varied:
        return ()
    found: list[Placement] = []
    series = [
        _series(kind, benchmarks, variants, baselines, warming or {}) for kind in (linked, varied)
    ]
    verdicts = [_by_key(s, margin) for s in series]
    for key in series[1]:
        if key in series[0]:
            found.append(
                judge_placement(
                    verdicts[0][key], verdicts[1][key], series[0][key], series[1][key], margin
                )
            )
    return tuple(found)


def _by_key(
    series: Mapping[tuple[str | None, str, str], Floats], margin: float
) -> dict[tuple[str | None, str, str], Verdict]:
    """Benchmarks as one family and suites as another, as :func:`judge_study` has them, so that
    the same blocks never get two verdicts."""
    single = {key: d for key, d in series.items() if key[0] is not None}
    suites = {key: d for key, d in series.items() if key[0] is None}
    verdicts = [
        *judge_family(single, margin=margin),
        *judge_family(suites, margin=margin, all_right=True),
    ]
    return {(v.benchmark, v.variant, v.baseline): v for v in verdicts}


def _series(
    blocks: Sequence[Block],
    benchmarks: Sequence[str],
    variants: Sequence[str],
    baselines: Sequence[str],
    warming: Mapping[str, int],
) -> dict[tuple[str | None, str, str], Floats]:
    """Log ratios of every pair, of the suite first (benchmark None) and then of each benchmark."""
    series: dict[tuple[str | None, str, str], Floats] = {}
    pairs = [(v, b) for b in baselines for v in variants if v != b]
    for v, b in pairs:
        each = {name: log_ratios(blocks, name, v, b, warming.get(name, 0)) for name in benchmarks}
        if len(each) > 1 and all(len(d) for d in each.values()):
            series[None, v, b] = suite_series(each)
        series.update({(name, v, b): d for name, d in each.items() if len(d)})
    return series


def judge_warming(
    blocks: Sequence[Block], *, benchmarks: Sequence[Benchmark], variants: Sequence[str]
) -> dict[str, tuple[int, bool]]:
    """How each benchmark's processes warm up, see
    :func:`whyfast.judge.variance_components.unsteady_values`.

    Commands run anew for each value, so that they cannot warm up.
    """
    return {
        benchmark.name: unsteady_values(
            [b for b in blocks if b.benchmark == benchmark.name], variants
        )
        for benchmark in benchmarks
        if benchmark.runner != "command"
    }


def judge_levels(
    blocks: Sequence[Block],
    *,
    benchmarks: Sequence[Benchmark],
    variants: Sequence[str],
    baseline: str,
    warming: Mapping[str, tuple[int, bool]],
) -> tuple[VarianceComponents, ...]:
    """Where the noise of each comparison with ``baseline`` comes from.

    ``warming``: what :func:`judge_warming` says.
    """
    found = []
    for benchmark in benchmarks:
        own = [b for b in blocks if b.benchmark == benchmark.name]
        unsteady, drifts = warming.get(benchmark.name, (0, False))
        for variant in variants:
            if variant != baseline:
                one = levels(own, variant, baseline, unsteady=unsteady, drifts=drifts)
                found += [one] if one else []
    return tuple(found)


def judge_metrics(
    blocks: Sequence[Block], *, variants: Sequence[str], baseline: str, margin: float
) -> tuple[Verdict, ...]:
    """Verdicts on what the kernel accounted beside time, where both sides used any at all.

    One number a block: the log ratio of the two sides' means over its turns. A quantity that is
    zero on either side in some block (context switches, say) has no ratio and is left out.
    """
    verdicts: list[Verdict] = []
    for metric in METRICS:
        samples: dict[tuple[str | None, str, str], Floats] = {}
        for variant in variants:
            pairs = [
                (np.mean(b.extra[variant][metric]), np.mean(b.extra[baseline][metric]))
                for b in blocks
                if metric in b.extra.get(variant, {}) and metric in b.extra.get(baseline, {})
            ]
            if variant != baseline and pairs and all(x > 0 and y > 0 for x, y in pairs):
                samples[blocks[0].benchmark, variant, baseline] = np.log([x / y for x, y in pairs])
        if samples:
            verdicts += (replace(v, metric=metric) for v in judge_family(samples, margin=margin))
    return tuple(verdicts)


class LiveJudge:
    """How one benchmark stands against its main baseline, kept up to date block by block.

    The intervals are at full level, as if each comparison were the only one; the final verdicts
    account for how many there are.
    """

    def __init__(self, margin: float) -> None:
        self._margin = margin
        self._series: dict[tuple[str, str, str], list[float]] = {}
        self._seen: dict[str, int] = {}
        self._varied: dict[str, bool] = {}

    def update(
        self, benchmark: str, blocks: Sequence[Block], variants: Sequence[str], baseline: str
    ) -> tuple[Verdict, ...]:
        """Verdicts of all ``variants`` against ``baseline`` after the given blocks.

        ``blocks``: all of this benchmark so far, in order; only new ones are worked on.
        """
        # Where layouts are varied, the blocks that vary them are what the verdict will be about.
        drawn = over_layouts(blocks)
        varied, blocks = bool(drawn), drawn or blocks
        # The blocks as linked that came before the first drawn one no longer count.
        if varied != self._varied.get(benchmark) or len(blocks) < self._seen.get(benchmark, 0):
            self._forget(benchmark)
        self._varied[benchmark] = varied
        for block in blocks[self._seen.get(benchmark, 0) :]:
            for v in block.values:
                if v != baseline and baseline in block.values:
                    self._series.setdefault((benchmark, v, baseline), []).append(
                        block_log_ratio(block, v, baseline)
                    )
        self._seen[benchmark] = len(blocks)
        verdicts: list[Verdict] = []
        for v in variants:
            if v != baseline:
                d = np.array(self._series.get((benchmark, v, baseline), []))
                verdicts += judge_family({(benchmark, v, baseline): d}, margin=self._margin)
        return tuple(verdicts)

    def _forget(self, benchmark: str) -> None:
        self._seen[benchmark] = 0
        self._series = {k: s for k, s in self._series.items() if k[0] != benchmark}

    def settled(self, verdicts: Sequence[Verdict]) -> bool:
        """Whether every one of these verdicts is decided and precise."""
        return bool(verdicts) and all(precise_enough(v, self._margin) for v in verdicts)
