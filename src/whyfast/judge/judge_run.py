"""What the recorded values of an investigation say: everything that is judged, from data alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from whyfast.judge.confounds import find_confounds
from whyfast.judge.counts import judge_counts
from whyfast.judge.decide import ALPHA, Sample, judge_family
from whyfast.judge.estimate import as_linked, over_layouts
from whyfast.judge.expectations import claim_pairs, find_failed_expectations, refuted
from whyfast.judge.final_analysis import KEPT, final_analysis, level_of_looks
from whyfast.judge.interactions import judge_interactions
from whyfast.judge.outliers import process_modes, unlike_medians
from whyfast.judge.placement import judge_fixes, judge_placement
from whyfast.judge.ratios import Ratios, blocks_by_benchmark, ratios_by_key
from whyfast.judge.slopes import judge_lines
from whyfast.judge.stationarity import (
    allowing_for_cold,
    non_stationary,
    set_aside,
    suites_allowing_for_cold,
)
from whyfast.judge.suite import fitting, judge_suites, rounds_of, suite_ratios
from whyfast.judge.variance_components import levels
from whyfast.model.build import Build, BuildOutcome
from whyfast.model.evidence import Evidence
from whyfast.model.result import Judged, Recorded
from whyfast.model.sample import Block
from whyfast.model.study import Commands, Question
from whyfast.model.variant import Benchmark
from whyfast.model.verdict import (
    METRICS,
    Modes,
    NonStationary,
    Placement,
    Suite,
    VarianceComponents,
    Verdict,
)

#: Benchmark (None: the suite), variant, baseline.
Key = tuple[str | None, str, str]

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


def judge_run(
    question: Question,
    recorded: Recorded,
    evidence: Sequence[Evidence],
    *,
    ended: bool = False,
) -> Judged:
    """All that is judged of an investigation whose variants were measured.

    ``ended``: nothing that the blocks said has ended the measuring, and it was not interrupted.
    Of commands, also what the kernel accounted for them beside their time. Where the boots of
    kernels counted instructions, values have no noise, and what this machine does to times does not
    matter.
    """
    blocks = recorded.blocks
    benchmarks = [b.name for b in question.benchmarks]
    commands = isinstance(question, Commands)
    compared = compared_of(question, recorded, evidence)
    builds, variants, baselines = compared.builds, compared.variants, compared.baselines
    main, margin = baselines[0], question.margin
    pairs = compared.pairs
    slopes = judge_lines(blocks, benchmarks=question.benchmarks, variants=variants, baseline=main)
    if any(boot.unit == "instructions" for boot in recorded.boots):
        verdicts = judge_counts(
            blocks, benchmarks=benchmarks, variants=variants, baselines=baselines, margin=margin
        )
        return Judged("counts", verdicts, slopes=slopes)
    # Of all variants: a baseline that failed on a benchmark does not decide it.
    found = judge_steadiness(blocks, benchmarks=question.benchmarks, variants=variants)
    warming = set_aside(found)
    varied = over_layouts(blocks)
    verdicts, suites = judge_study(
        varied or blocks,
        benchmarks=benchmarks,
        pairs=pairs,
        margin=margin,
        warming=warming,
        scope=compared.scope,
        ended=ended if level_of_looks(question) < ALPHA else None,
    )
    return Judged(
        about="commands" if commands else "change" if varied else "binaries",
        verdicts=_without_more(
            allowing_for_cold(verdicts, question.benchmarks, recorded.calibrations), recorded
        ),
        suites=suites_allowing_for_cold(suites, question.benchmarks, recorded.calibrations),
        metrics=judge_metrics(_accounted(blocks), METRICS, question) if commands else (),
        placements=judge_placements(
            blocks,
            benchmarks=benchmarks,
            pairs=pairs,
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
            non_stationary=found,
        ),
        non_stationary=found,
        modes=judge_modes(
            # A layout has a speed of its own: of builds as linked, where there are such blocks.
            as_linked(blocks) or blocks,
            benchmarks=question.benchmarks,
            variants=variants,
            margin=margin,
            warming=warming,
        ),
        slopes=slopes,
        interactions=judge_interactions(question, varied or blocks, pairs, warming),
        # What was not measured cannot have confounded anything.
        confounds=(
            *find_confounds(question, builds, recorded.sessions, blocks, evidence),
            *unlike_medians(verdicts, varied or blocks),
        ),
    )


def _without_more(verdicts: Sequence[Verdict], recorded: Recorded) -> tuple[Verdict, ...]:
    """Where a side failed there will be no further blocks: nothing is said of what they would
    tell."""
    failed = {(f.benchmark, f.variant) for f in recorded.failed}
    return tuple(
        replace(v, seconds_to_margin=None, seconds_to_margin_90=None)
        if failed & {(v.benchmark, v.variant), (v.benchmark, v.baseline)}
        else v
        for v in verdicts
    )


@dataclass(frozen=True)
class Compared:
    """What was measured of an investigation, and which of that is compared with what."""

    builds: Sequence[Build]
    variants: Sequence[str]
    baselines: Sequence[str]
    pairs: Sequence[tuple[str, str]]
    scope: Scope


def compared_of(question: Question, recorded: Recorded, evidence: Sequence[Evidence]) -> Compared:
    """Every variant that was measured with every baseline that was, and the claimed pairs."""
    builds = [
        b
        for b in usable_builds(question, recorded.builds, evidence)
        if b.variant not in recorded.same
    ]
    commands = isinstance(question, Commands)
    variants = [v.name for v in question.variants] if commands else [b.variant for b in builds]
    # Nothing may have been measured, of nothing that was built.
    baselines = [b for b in question.baselines if b in variants] or list(question.baselines)
    return Compared(
        builds,
        variants,
        baselines,
        question.compared(variants, baselines, recorded.same),
        Scope(
            [p for p in claim_pairs(question, evidence) if set(p) <= set(variants)],
            {(f.benchmark, f.variant) for f in recorded.lacking},
        ),
    )


def usable_builds(
    question: Question, builds: Sequence[BuildOutcome], evidence: Sequence[Evidence]
) -> list[Build]:
    """What can be measured and judged: the builds that are there, without those for evidence alone
    and those that are not what their variants should be."""
    wanted = {v.name for v in question.measured} - refuted(
        question, find_failed_expectations(question, evidence)
    )
    return [b for b in builds if isinstance(b, Build) and b.variant in wanted]


def judge_study(
    blocks: Sequence[Block],
    *,
    benchmarks: Sequence[str],
    pairs: Sequence[tuple[str, str]],
    margin: float,
    warming: Mapping[str, int] | None = None,
    scope: Scope = Scope(),
    ended: bool | None = None,
) -> tuple[tuple[Verdict, ...], tuple[Suite, ...]]:
    """All verdicts of a study: a benchmark × pair (variant, baseline) each, and the suites.

    What is ``claimed`` is a family of its own, so that an audit does not blur the study's verdicts.
    ``warming`` says for a benchmark how many first values of each process are set aside.
    A comparison with a variant that failed on a benchmark has no blocks and is left out.
    A suite goes without what one of its sides is ``lacking``, for this pair alone.
    ``ended`` is whether the kept half of the level may be used, None where none is kept; see
    :func:`whyfast.judge.last_look.last_look`.
    """
    # A pair that is there the other way round need not be judged twice.
    further = [p for p in scope.claimed if not {p, p[::-1]} & set(pairs)]
    verdicts: list[Verdict] = []
    suites: list[Suite] = []
    by_name = blocks_by_benchmark(blocks, benchmarks)
    rounds = rounds_of(blocks, benchmarks)
    for family in (pairs, further):
        samples = ratios_by_key(by_name, family, warming or {})
        cost: dict[Key, float] = {
            key: float(np.mean([b.seconds for b in by_name[key[0]]])) for key in samples
        }
        both = {
            (v, b): [n for n in benchmarks if not {(n, v), (n, b)} & set(scope.lacking)]
            for v, b in family
        }
        level = ALPHA if ended is None else ALPHA * (1 - KEPT)
        own: dict[Key, Ratios] = dict(samples.items())
        single = judge_family(dict(samples.items()), margin=margin, cost=cost, alpha=level)
        if ended is not None:
            single = final_analysis(single, own, margin=margin, cost=cost, ended=ended)
        verdicts += single
        suites += judge_suites(samples, margin=margin, rounds=rounds, benchmarks=both)
    return tuple(verdicts), tuple(suites)


def judge_placements(
    blocks: Sequence[Block],
    *,
    benchmarks: Sequence[str],
    pairs: Sequence[tuple[str, str]],
    margin: float,
    warming: Mapping[str, int] | None = None,
) -> tuple[Placement, ...]:
    """Placement or change, for each pair: of the suite where there is one, and each benchmark.

    Empty when no block ran in other layouts. ``warming``: see :func:`judge_study`.
    """
    if not over_layouts(blocks):
        return ()
    linked, varied = (
        _series(kind, benchmarks, pairs, warming or {})
        for kind in (as_linked(blocks), over_layouts(blocks))
    )
    verdicts = [_by_key(s, margin) for s in (linked, varied)]
    return tuple(
        judge_placement(
            verdicts[0][key], verdicts[1][key], linked[key].medians, ratios.medians, margin
        )
        for key, ratios in varied.items()
        if key in linked
    )


def _by_key(series: Mapping[Key, Ratios], margin: float) -> dict[Key, Verdict]:
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
    pairs: Sequence[tuple[str, str]],
    warming: Mapping[str, int],
) -> dict[Key, Ratios]:
    """What every pair's blocks say, of the suite first (benchmark None) and then of each
    benchmark."""
    samples = ratios_by_key(blocks_by_benchmark(blocks, benchmarks), pairs, warming)
    rounds = rounds_of(blocks, benchmarks)
    series: dict[Key, Ratios] = {}
    for pair in pairs:
        each = {name: samples[name, *pair] for name in benchmarks if (name, *pair) in samples}
        if len(each) == len(benchmarks) > 1:
            series[None, *pair] = suite_ratios(each, fitting(each, rounds))
        series.update({(name, *pair): d for name, d in each.items()})
    return series


def judge_steadiness(
    blocks: Sequence[Block], *, benchmarks: Sequence[Benchmark], variants: Sequence[str]
) -> tuple[NonStationary, ...]:
    """How the processes of each benchmark warm up, drift or shift, see
    :func:`whyfast.judge.steadiness.unsteady`.

    Commands run anew for each value, so that they cannot warm up.
    """
    by_name = blocks_by_benchmark(blocks, [b.name for b in benchmarks if b.kind.takes_turns])
    return tuple(u for own in by_name.values() for u in non_stationary(own, variants))


def judge_modes(
    blocks: Sequence[Block],
    *,
    benchmarks: Sequence[Benchmark],
    variants: Sequence[str],
    margin: float,
    warming: Mapping[str, int],
) -> tuple[Modes, ...]:
    """The speeds of every variant that has more than one on a benchmark."""
    by_name = blocks_by_benchmark(blocks, [b.name for b in benchmarks])
    return tuple(
        found
        for b in benchmarks
        for found in process_modes(
            by_name[b.name],
            variants,
            margin,
            skip=warming.get(b.name, 0),
            each_turn=not b.kind.takes_turns,
        )
    )


def judge_levels(
    blocks: Sequence[Block],
    *,
    benchmarks: Sequence[Benchmark],
    variants: Sequence[str],
    baseline: str,
    non_stationary: Sequence[NonStationary],
) -> tuple[VarianceComponents, ...]:
    """Where the noise of each comparison with ``baseline`` comes from.

    ``non_stationary``: what :func:`judge_steadiness` says.
    """
    found = []
    warming, drifting = set_aside(non_stationary), {u.benchmark for u in non_stationary if u.lasts}
    for name, own in blocks_by_benchmark(blocks, [b.name for b in benchmarks]).items():
        skip, drifts = warming.get(name, 0), name in drifting
        for variant in variants:
            if variant != baseline:
                one = levels(own, variant, baseline, non_stationary=skip, drifts=drifts)
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
        samples: dict[Key, Sample] = {}
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
