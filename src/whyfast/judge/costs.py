"""What a variant costs against its baseline, beside time; and which variants nothing beats."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from whyfast.model.cost import COSTS, CostChange, CostOutcome, VariantCost
from whyfast.model.result import Result
from whyfast.model.study import Question
from whyfast.model.verdict import Outcome, Verdict

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
    left_out = {v.name for v in result.question.variants if v.twin_of or v.evidence_only}
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
    """Of what has an interval."""
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
