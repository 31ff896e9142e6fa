"""What the recorded values of an investigation say: everything that is judged, from data alone."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from whyfast.judge import decide
from whyfast.judge.comparisons import (
    ComparisonPlan,
    comparisons_of,
    judge_interactions,
    measured_builds,
)
from whyfast.judge.confounds import find_confounds
from whyfast.judge.lines import judge_counts, judge_lines
from whyfast.judge.looks import KEPT, final_analysis, level_of_looks
from whyfast.judge.placement import judge_fixes, judge_levels, judge_placements
from whyfast.judge.processes import judge_stationarity, process_modes, set_aside, unlike_medians
from whyfast.judge.ratios import Ratios, as_linked, blocks_by_benchmark, deciding
from whyfast.model.cost import COSTS, CostChange, CostOutcome, VariantCost
from whyfast.model.evidence import Evidence
from whyfast.model.result import Judged, Recorded, Result
from whyfast.model.sample import Block
from whyfast.model.study import Commands, Question
from whyfast.model.verdict import METRICS, Outcome, Suite, Verdict

#: Values of one block, or of one round of counting: variant → quantity → value.
Quantities = Mapping[str, Mapping[str, float]]


def judge_run(
    question: Question, recorded: Recorded, evidence: Sequence[Evidence], *, ended: bool = False
) -> Judged:
    """All verdicts, statistics and confounds of an investigation. ``ended``: the budget ended the
    measurement, not the values of the blocks and no interruption. Where kernels counted
    instructions, values have no noise, and the state of this machine does not matter."""
    blocks, benchmarks, margin = recorded.blocks, question.benchmarks, question.margin
    names = [b.name for b in benchmarks]
    commands = isinstance(question, Commands)
    compared, baselines = comparisons_of(question, recorded, evidence)
    main, variants = baselines[0], compared.variants
    slopes = judge_lines(blocks, benchmarks=benchmarks, variants=variants, baseline=main)
    if any(boot.unit == "instructions" for boot in recorded.boots):
        counts = judge_counts(
            blocks, benchmarks=names, variants=variants, baselines=baselines, margin=margin
        )
        return Judged("counts", counts, slopes=slopes)
    # Of all variants: a baseline that failed on a benchmark does not decide it.
    non_stationary = judge_stationarity(blocks, benchmarks=benchmarks, variants=variants)
    compared = replace(compared, warming=set_aside(non_stationary))
    # A layout has a speed of its own, so modes are those of builds as linked, where there are any.
    linked = blocks_by_benchmark(as_linked(blocks) or blocks, names)
    final = replace(compared, blocks=deciding(blocks))
    varied = bool(blocks) and all(b.layouts for b in final.blocks)
    verdicts, suites = judge_study(
        final, ended if level_of_looks(question) < decide.ALPHA else None
    )
    # A failed side gets no further blocks, so the cost of deciding its comparisons is unknown.
    failed = {(f.benchmark, f.variant) for f in recorded.failed}
    return Judged(
        about="commands" if commands else "change" if varied else "binaries",
        verdicts=tuple(
            replace(v, seconds_to_margin=None, seconds_to_margin_90=None)
            if failed & {(v.benchmark, v.variant), (v.benchmark, v.baseline)}
            else v
            for v in decide.correct_cold_start(verdicts, benchmarks, recorded.calibrations)
        ),
        suites=decide.correct_suites(suites, benchmarks, recorded.calibrations),
        metrics=judge_metrics(accounted(blocks, names), METRICS, question),
        placements=judge_placements(compared),
        fixes=judge_fixes(
            compared, {v.name: v.fixes for v in question.variants if v.fixes and not v.control_of}
        ),
        components=judge_levels(compared, main, non_stationary),
        non_stationary=non_stationary,
        modes=tuple(
            modes
            for b in benchmarks
            for modes in process_modes(
                linked[b.name],
                variants,
                margin,
                skip=compared.warming.get(b.name, 0),
                each_turn=not b.kind.takes_turns,
            )
        ),
        slopes=slopes,
        interactions=judge_interactions(question, final.blocks, final.pairs, final.warming),
        # What was not measured cannot have confounded anything.
        confounds=(
            *find_confounds(
                question,
                measured_builds(question, recorded, evidence),
                recorded.sessions,
                blocks,
                evidence,
            ),
            *unlike_medians(verdicts, final.blocks),
        ),
    )


def judge_study(
    compared: ComparisonPlan, ended: bool | None = None
) -> tuple[tuple[Verdict, ...], tuple[Suite, ...]]:
    """All verdicts of a study, by benchmark and pair (variant, baseline), and its suites; claimed
    pairs are a family of their own. ``ended``: whether the reserved half of the level may be used,
    None where none is reserved; see :func:`whyfast.judge.looks.final_analysis`."""
    verdicts: list[Verdict] = []
    suites: list[Suite] = []
    seconds = {
        name: float(np.mean([b.seconds for b in blocks]))
        for name, blocks in blocks_by_benchmark(compared.blocks, compared.benchmarks).items()
        if blocks
    }
    level = decide.ALPHA if ended is None else decide.ALPHA * (1 - KEPT)
    for pairs in compared.families:
        samples = compared.samples(pairs)
        series: dict[decide.Key, Ratios] = dict(samples.items())
        cost: dict[decide.Key, float] = {key: seconds[key[0]] for key in samples}
        single = decide.judge_family(dict(series), margin=compared.margin, cost=cost, alpha=level)
        if ended is not None:
            single = final_analysis(single, series, margin=compared.margin, cost=cost, ended=ended)
        verdicts += single
        suites += compared.suites(pairs, samples)
    return tuple(verdicts), tuple(suites)


def judge_metrics(
    rounds: Mapping[str, Sequence[Quantities]], metrics: Iterable[str], question: Question
) -> tuple[Verdict, ...]:
    """Verdicts on quantities beside time, against the main baseline; ``rounds`` by benchmark (empty
    for none), each a log ratio. A quantity that is zero on either side in some round is left
    out."""
    verdicts: list[Verdict] = []
    names = [v.name for v in question.variants if not v.control_of]
    pairs = question.compared(names, question.baselines[: None if question.along else 1])
    for metric in metrics:
        samples: dict[decide.Key, decide.Sample] = {}
        for benchmark, every in rounds.items():
            for variant, baseline in pairs:
                amounts = [
                    (sides[variant][metric], sides[baseline][metric])
                    for sides in every
                    if metric in sides.get(variant, {}) and metric in sides.get(baseline, {})
                ]
                if amounts and all(x > 0 and y > 0 for x, y in amounts):
                    samples[benchmark, variant, baseline] = np.log([x / y for x, y in amounts])
        judged = decide.judge_family(samples, margin=question.margin)
        verdicts += (replace(v, metric=metric, benchmark=v.benchmark or None) for v in judged)
    return tuple(verdicts)


def accounted(blocks: Sequence[Block], benchmarks: Sequence[str]) -> dict[str, list[Quantities]]:
    """What the kernel accounted for each side of each block, the mean over its turns."""
    return {
        name: [
            {v: {m: float(np.mean(x)) for m, x in extra.items()} for v, extra in b.extra.items()}
            for b in of_benchmark
        ]
        for name, of_benchmark in blocks_by_benchmark(blocks, benchmarks).items()
    }


class ChosenMeans:
    """The suites of a result over any choice of its benchmarks. The same figures as
    :func:`judge_run` gives for the result without the other benchmarks: rounds, levels and the
    cold-start correction are those of the choice."""

    def __init__(self, result: Result) -> None:
        self._question, self._recorded = result.question, result.recorded
        compared, _ = comparisons_of(result.question, result.recorded, result.found.evidence)
        self._compared = replace(
            compared,
            blocks=deciding(result.recorded.blocks),
            warming=set_aside(result.judged.non_stationary),
        )
        self._families = [(f, self._compared.samples(f)) for f in self._compared.families]

    def over(self, chosen: Collection[str]) -> tuple[Suite, ...]:
        """The suites of these benchmarks, of which there are two or more."""
        benchmarks = [b for b in self._question.benchmarks if b.name in chosen]
        compared = replace(self._compared, benchmarks=[b.name for b in benchmarks])
        suites: list[Suite] = []
        for pairs, samples in self._families:
            few = {key: sample for key, sample in samples.items() if key[0] in chosen}
            suites += compared.suites(pairs, few)
        return decide.correct_suites(suites, benchmarks, self._recorded.calibrations)


def agrees(again: Sequence[Suite], judged: Sequence[Suite]) -> bool:
    """Whether suites that were judged again have the figures of the result's."""

    def figures(suites: Sequence[Suite]) -> dict[tuple[str, str], tuple[object, ...]]:
        verdicts = [s.verdict for s in suites]
        return {(v.variant, v.baseline): (v.outcome, v.ratio, v.low, v.high) for v in verdicts}

    return figures(again) == figures(judged)


# What a variant costs against its baseline, beside time; and which variants nothing beats.

#: By the name under which blocks record it.
BY_METRIC: Mapping[str, str] = {spec.metric: key for key, spec in COSTS.items() if spec.metric}

_AS_COST: Mapping[Outcome, CostOutcome] = {"slower": "more", "faster": "less"}


def cost_changes(result: Result) -> tuple[CostChange, ...]:
    """Every cost of every variant against its main baseline, in the order of :data:`COSTS`."""
    question = result.question
    changes = [*_exact(question, costs_of(result)), *_measured(result.judged.metrics)]
    order = list(COSTS)
    return tuple(sorted(changes, key=lambda c: order.index(c.key)))


def costs_of(result: Result) -> tuple[VariantCost, ...]:
    """The costs that were found, and the bytes of the functions that dispatch, where a study looks
    at those: what replicating the jumps costs."""
    left_out = {v.name for v in result.question.variants if v.control_of or v.evidence_only}
    return (
        *result.found.costs,
        *(
            VariantCost("dispatch-code", e.variant, float(e.dispatch.size))
            for e in result.found.evidence
            if e.dispatch is not None and e.dispatch.size and e.variant not in left_out
        ),
    )


def _exact(question: Question, costs: Sequence[VariantCost]) -> Iterator[CostChange]:
    """Of what is exact or was counted. Nothing is said of what does not repeat but that. Medians of
    what was measured are no such: their differences have verdicts."""
    costs = [c for c in costs if COSTS[c.key].kind != "statistical"]
    known = {(c.key, c.benchmark, c.variant): c for c in costs if c.value is not None}
    names = list(dict.fromkeys(c.variant for c in costs))
    pairs = question.compared(names, question.baselines[: None if question.along else 1])
    for key, benchmark in dict.fromkeys((c.key, c.benchmark) for c in known.values()):
        margin = question.costs.margins.get(key, question.margin)
        for variant, baseline in pairs:
            new, old = (known.get((key, benchmark, name)) for name in (variant, baseline))
            if new is None or old is None or new.value is None or old.value is None:
                continue
            ratio = new.value / old.value if old.value else math.inf if new.value else 1.0
            outcome: CostOutcome = "same"
            if not (new.repeats and old.repeats):
                outcome = "undecided"
            elif not 1 / (1 + margin) <= ratio <= 1 + margin:
                outcome = "more" if ratio > 1 else "less"
            yield CostChange(
                *(key, variant, baseline, benchmark, old.value, new.value),
                *(ratio, ratio, ratio, outcome),
            )


def _measured(metrics: Sequence[Verdict]) -> Iterator[CostChange]:
    for v in metrics:
        if (key := BY_METRIC.get(v.metric)) is not None:
            outcome = v.outcome if v.outcome in ("same", "undecided") else _AS_COST[v.outcome]
            yield CostChange(
                *(key, v.variant, v.baseline, v.benchmark, None, None),
                *(v.ratio, v.low, v.high, outcome),
            )


def exceeded(result: Result) -> tuple[CostChange, ...]:
    """What ``--fail-on larger`` fails on: costs with a margin of their own, and size in any case,
    that are certainly beyond it. A parameter of the parts is only a margin where the study has
    one."""
    margins = {"size": 0.0, **result.question.costs.margins}
    return tuple(
        c for c in cost_changes(result) if c.key in margins and c.outcome == "more" and c.low > 1
    )


def unbeaten(times: Mapping[str, float], costs: Mapping[str, float], margin: float) -> set[str]:
    """The variants that no other one beats: none takes as little time and costs as little, with one
    of the two lower by more than the ``margin`` (Pareto). Both map a variant to its ratio."""
    names = [name for name in times if name in costs]

    def beats(a: str, b: str) -> bool:
        pairs = ((times[a], times[b]), (costs[a], costs[b]))
        return all(x <= y for x, y in pairs) and any(x * (1 + margin) < y for x, y in pairs)

    return {b for b in names if not any(beats(a, b) for a in names if a != b)}
