"""What the recorded values of an investigation say: everything that is judged, from data alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.claim import claim_pairs
from whyfast.judge.confounds import find_confounds
from whyfast.judge.counts import judge_counts
from whyfast.judge.decide import judge_family
from whyfast.judge.estimate import as_linked, log_ratios, over_layouts
from whyfast.judge.expectations import find_unmet, refuted
from whyfast.judge.fixes import judge_fixes
from whyfast.judge.placement import judge_placement
from whyfast.judge.slopes import judge_lines
from whyfast.judge.suite import judge_suites, suite_series
from whyfast.judge.variance_components import levels, unsteady_values
from whyfast.model.build import Build, BuildOutcome
from whyfast.model.evidence import Evidence
from whyfast.model.question import Commands, Question
from whyfast.model.result import Judged, Recorded
from whyfast.model.sample import Block
from whyfast.model.variant import Benchmark
from whyfast.model.verdict import METRICS, Placement, Suite, VarianceComponents, Verdict

Floats = NDArray[np.float64]

#: What one block, or one round of counting, says of each variant: variant → quantity → value.
Quantities = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Scope:
    """What is compared beyond every variant with every baseline, and what cannot be.

    ``claimed`` are further pairs (variant, baseline) that a claim is audited with, ``lacking`` the
    (benchmark, variant) that there are not.
    """

    claimed: Sequence[tuple[str, str]] = ()
    lacking: Collection[tuple[str, str]] = ()


def judge_whole(question: Question, recorded: Recorded, evidence: Sequence[Evidence]) -> Judged:
    """All that is judged of an investigation whose variants were measured.

    Of commands, also what the kernel accounted for them beside their time. Where the boots of
    kernels counted instructions, values have no noise, and what this machine does to times does not
    matter.
    """
    blocks = recorded.blocks
    benchmarks = [b.name for b in question.benchmarks]
    commands = isinstance(question, Commands)
    builds = usable_builds(question, recorded.builds, evidence)
    variants = [v.name for v in question.variants] if commands else [b.variant for b in builds]
    # Nothing may have been measured, of nothing that was built.
    baselines = [b for b in question.baselines if b in variants] or list(question.baselines)
    main, margin = baselines[0], question.margin
    slopes = judge_lines(blocks, benchmarks=question.benchmarks, variants=variants, baseline=main)
    if any(boot.unit == "instructions" for boot in recorded.boots):
        verdicts = judge_counts(
            blocks, benchmarks=benchmarks, variants=variants, baselines=baselines, margin=margin
        )
        return Judged("counts", verdicts, slopes=slopes)
    # Of all variants: a baseline that failed on a benchmark does not decide it.
    unsteady = judge_warming(blocks, benchmarks=question.benchmarks, variants=variants)
    warming = {name: values for name, (values, _) in unsteady.items()}
    varied = over_layouts(blocks)
    verdicts, suites = judge_study(
        varied or blocks,
        benchmarks=benchmarks,
        variants=variants,
        baselines=baselines,
        margin=margin,
        warming=warming,
        scope=Scope(
            claim_pairs(question, evidence), {(f.benchmark, f.variant) for f in recorded.lacking}
        ),
    )
    return Judged(
        about="commands" if commands else "change" if varied else "binaries",
        verdicts=verdicts,
        suites=suites,
        metrics=judge_metrics(_accounted(blocks), METRICS, question) if commands else (),
        placements=judge_placements(
            blocks,
            benchmarks=benchmarks,
            variants=variants,
            baselines=baselines,
            margin=margin,
            warming=warming,
        ),
        fixes=judge_fixes(
            blocks,
            fixes={v.name: v.fixes for v in question.variants if v.fixes and not v.twin_of},
            benchmarks=benchmarks,
            variants=variants,
            margin=margin,
            warming=warming,
        ),
        components=judge_levels(
            blocks,
            benchmarks=question.benchmarks,
            variants=variants,
            baseline=main,
            warming=unsteady,
        ),
        slopes=slopes,
        # What was not measured cannot have confounded anything.
        confounds=find_confounds(question, builds, recorded.sessions, blocks, evidence),
    )


def usable_builds(
    question: Question, builds: Sequence[BuildOutcome], evidence: Sequence[Evidence]
) -> list[Build]:
    """What can be measured and judged: the builds that are there, without those for evidence alone
    and those that are not what their variants should be."""
    wanted = {v.name for v in question.measured} - refuted(question, find_unmet(question, evidence))
    return [b for b in builds if isinstance(b, Build) and b.variant in wanted]


def judge_study(
    blocks: Sequence[Block],
    *,
    benchmarks: Sequence[str],
    variants: Sequence[str],
    baselines: Sequence[str],
    margin: float,
    warming: Mapping[str, int] | None = None,
    scope: Scope = Scope(),
) -> tuple[tuple[Verdict, ...], tuple[Suite, ...]]:
    """All verdicts of a study: a benchmark × variant × baseline each, and the suites.

    What is ``claimed`` is a family of its own, so that an audit does not blur the study's verdicts.
    ``warming`` says for a benchmark how many first values of each process are set aside.
    A comparison with a variant that failed on a benchmark has no blocks and is left out.
    A suite goes without what one of its sides is ``lacking``, for this pair alone.
    """
    pairs = [(v, b) for b in baselines for v in variants if v != b]
    # A pair that is there the other way round need not be judged twice.
    further = [
        p for p in scope.claimed if set(p) <= set(variants) and not {p, p[::-1]} & set(pairs)
    ]
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
        both = {
            (v, b): [n for n in benchmarks if not {(n, v), (n, b)} & set(scope.lacking)]
            for v, b in family
        }
        verdicts += judge_family(dict(samples.items()), margin=margin, cost=cost)
        suites += judge_suites(samples, margin=margin, benchmarks=both)
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
        if benchmark.kind.takes_turns
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
    rounds: Sequence[Quantities], metrics: Iterable[str], question: Question
) -> tuple[Verdict, ...]:
    """Verdicts of commands on quantities beside time, against the main baseline.

    One number a round: the log ratio of the two sides. A quantity that is zero on either side in
    some round (context switches, say) has no ratio and is left out; so is a side without it.
    """
    verdicts: list[Verdict] = []
    baseline, benchmark = question.baselines[0], question.benchmarks[0].name
    for metric in metrics:
        samples: dict[tuple[str | None, str, str], Floats] = {}
        for variant in (v.name for v in question.variants if v.name != baseline):
            pairs = [
                (one[variant][metric], one[baseline][metric])
                for one in rounds
                if metric in one.get(variant, {}) and metric in one.get(baseline, {})
            ]
            if pairs and all(x > 0 and y > 0 for x, y in pairs):
                samples[benchmark, variant, baseline] = np.log([x / y for x, y in pairs])
        if samples:
            found = judge_family(samples, margin=question.margin)
            verdicts += (replace(v, metric=metric) for v in found)
    return tuple(verdicts)


def _accounted(blocks: Sequence[Block]) -> list[Quantities]:
    """What the kernel accounted for each side of a block, the mean over its turns."""
    return [
        {v: {m: float(np.mean(x)) for m, x in of.items()} for v, of in b.extra.items()}
        for b in blocks
    ]
