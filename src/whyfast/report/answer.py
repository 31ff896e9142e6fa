"""The result in sentences, composed from the data: the most important first."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from whyfast.judge.judge_run import ChosenMeans, agrees
from whyfast.model.evidence import Evidence
from whyfast.model.result import Result
from whyfast.model.study import Question, Recordings
from whyfast.model.verdict import Confound, Suite, Verdict
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.sections import (
    check,
    cost_by_parameter,
    costs,
    counted_work,
    dispatching,
    distribution,
    kernel_counts,
    layouts,
    loops,
    machine_code,
    main_table,
    programs,
    recordings,
    timeline,
)
from whyfast.report.sections.side_by_side import linked

#: The most differences that get a sentence.
_MOST_DIFFERENCES = 3


@dataclass(frozen=True)
class Answer:
    """The result in sentences, most important first."""

    headline: str
    sentences: tuple[str, ...] = ()


def answer_of(result: Result) -> Answer:
    """What the result says, whichever question it answers."""
    if result.found.check is not None:
        headline, *rest = check.check_sentences(result)
    elif isinstance(result.question, Recordings) and len(result.question.variants) == 1:
        many = fmt.pluralize(len(result.question.benchmarks), "benchmark")
        headline, *rest = [f"{many}, imported; `whyfast history` shows what such results say."]
    elif isinstance(result.question, Recordings):
        headline, *rest = recordings.recording_sentences(result)
    elif result.judged.about == "counts":
        headline, *rest = kernel_counts.kernel_sentences(result)
    elif result.found.loops and (text := loops.loop_headline(result)):
        headline, *rest = text, *composed(result)
    else:
        headline, *rest = composed(result)
    if not result.recorded.complete:
        headline = f"The run is not complete. So far: {headline}"
    return Answer(headline, tuple(rest))


def composed(result: Result) -> list[str]:
    """The headline and the sentences under it, of a study and of commands: what is placement and
    what is the change; the audit of a claim, or the largest difference from the first baseline;
    what the machine code shows with the difference it goes with."""
    study: Question = result.question
    recorded, judged, found = result.recorded, result.judged, result.found
    texts = list(loops.way_sentences(result))
    moved = [
        *layouts.placement_sentences(judged.placements, study, {f.variant for f in judged.fixes}),
        *layouts.fix_sentences(judged.fixes, judged.placements, study),
    ]
    slopes = [
        *cost_by_parameter.slope_sentences(judged.slopes),
        *dispatching.merged_from(result),
        *cost_by_parameter.threshold_sentences(result),
    ]
    first, later = programs.lost_baselines(result)
    later += programs.failed_expectation_sentences(result)
    untested = programs.claim_untested(result)
    first = [*untested, *first]
    lean = programs.without_lost(result)
    study = lean.question
    covered = {(p.linked.variant, p.linked.baseline) for p in judged.placements}
    audit = main_table.audit_claim(lean)
    if audit and study.measured and not untested:
        figures = list(main_table.audit_intervals(audit, study.margin))
        # What was claimed is what is asked; placement says how far its answer goes.
        texts += [*slopes, *first, main_table.audit_headline(audit, study.margin), *figures, *moved]
        against = {audit.claim.baseline, *(v.baseline for v in audit.others if figures)}
        covered |= {(audit.claim.variant, baseline) for baseline in against}
    else:
        texts += [*moved, *slopes, *first]
    baselines = study.baselines if study.along else study.baselines[:1]
    pairs = study.compared([v.name for v in study.variants if not v.control_of], baselines)
    main = [verdict for pair in pairs if (verdict := judged.overall(*pair)) is not None]
    texts += main_table.interaction_sentences(result)
    texts += _differences(main, covered, result)
    texts += main_table.alike_sentences(result)
    texts += _rest(main, covered, study.margin)
    texts += distribution.influence_sentences(judged.suites, study)
    texts += timeline.unusual_sentences(judged.verdicts) if texts else []
    any_verdict = bool(texts)
    if not texts:
        nothing = " ".join(programs.folded_sentences(recorded.same))
        nothing = nothing or "No verdict: nothing could be compared."
        texts.append(machine_code.evidence_headline(result) or nothing)
    texts += later
    texts += machine_code.read_sentences(result)
    texts += counted_work.changed_sentences(found.changed)
    texts += machine_code.image_sentences(study, found.observed.images, judged.slopes)
    texts += counted_work.counted_sentences(lean)
    texts += costs.cost_sentences(result)
    texts += layouts.control_sentences(result)
    texts += programs.unmeasured_sentences(study, recorded.builds)
    texts += programs.folded_sentences(recorded.same) if any_verdict else []
    texts += programs.identical_sentences(result)
    texts += programs.not_built(recorded.builds)
    texts += programs.failed_sentences(recorded.failed)
    texts += programs.lacking_sentences(recorded.lacking)
    texts += _warnings(judged.confounds)
    return texts


def _differences(
    main: Sequence[Verdict], covered: set[tuple[str, str]], result: Result
) -> Iterator[str]:
    """A sentence for each of the largest decided differences, and for each cause shown."""
    evidence = {e.variant: e for e in result.found.evidence}
    explained: set[str] = set()
    given = 0
    for verdict in main_table.decided(main):
        witness = dispatching.find_witness(verdict, result)
        # The audit covers the pair, but not its cause.
        if (verdict.variant, verdict.baseline) not in covered and given < _MOST_DIFFERENCES:
            given += 1
            yield _difference(verdict, result.question.margin, evidence, witness)
        if witness is not None and witness.slow not in explained:
            explained.add(witness.slow)
            yield dispatching.witness_sentence(witness)


def _difference(
    verdict: Verdict,
    margin: float,
    evidence: Mapping[str, Evidence],
    witness: dispatching.Witness | None,
) -> str:
    base = f"{fmt.quote(verdict.variant)} is {fmt.verdict(verdict, margin, 'clause')}"
    contrast = dispatching.dispatch_contrast(verdict, evidence)
    if contrast is None:
        return f"{base}."
    if dispatching.runs_against(verdict, evidence):
        return f"{base}, although {contrast}."
    if witness is not None:
        return f"{base}; {contrast}."
    return f"{base}; this goes with a difference in the machine code: {contrast}."


def _rest(main: Sequence[Verdict], covered: set[tuple[str, str]], margin: float) -> Iterator[str]:
    """Of each baseline one sentence for all that are the same, one for each that is undecided."""
    rest = fmt.grouped((v.baseline, v) for v in main if (v.variant, v.baseline) not in covered)
    for baseline, verdicts in rest.items():
        names = [
            f"{fmt.quote(v.variant)} ({fmt.verdict_text(v)})"
            for v in verdicts
            if v.outcome == "same"
        ]
        if names:
            same = f"{fmt.has(names, 'is', 'are')} the same as {fmt.quote(baseline)}"
            yield f"{same} within {fmt.percent(margin)}."
        yield from (f"{_undecided(v, margin)}." for v in verdicts if v.outcome == "undecided")


def _undecided(verdict: Verdict, margin: float) -> str:
    text = fmt.no_difference(verdict, fmt.quote(verdict.variant), fmt.quote(verdict.baseline))
    if verdict.detectable is not None and math.isfinite(verdict.detectable):
        text += f"; {fmt.rough(verdict.detectable - 1)} would have been found 9 times in 10"
    if verdict.seconds_to_margin is not None and math.isfinite(verdict.seconds_to_margin):
        time = fmt.seconds(max(verdict.seconds_to_margin, 1.0))  # starting takes as long
        text += f"; about {time} more would settle a difference of {fmt.percent(margin)}"
    return text


def _warnings(confounds: Sequence[Confound]) -> Iterator[str]:
    kinds = Counter(c.kind for c in confounds if c.severity == "warning")
    if number := kinds.total():
        verb = "is" if number == 1 else "are"
        total = f"{fmt.pluralize(number, 'warning')} ({fmt.join(kinds)})"
        yield f"Read this with care: {total} {verb} listed below."


# The answer for a reader's choice of baseline and benchmarks, with means judged anew.

#: The most means that are judged anew; each takes a hundredth of a second.
MOST_MEANS = 600


def choices(result: Result) -> Callable[[], dict[str, Any]] | None:
    """A function that computes the data of all choices to embed; None where there is nothing to
    choose, or to judge by. ``means``: by the numbers of benchmarks left out ("2" or "0,3", at most
    :data:`MOST_MEANS`), for each baseline and variant word, ratio and ends. ``answers``: by the
    baseline's number, a bar, and what is left out, numbers of ``texts`` with their links."""
    question = result.question
    several = len(question.benchmarks) > 1 or len(question.baselines) > 1
    measured = result.recorded.blocks and result.judged.about not in ("runs", "counts")
    if not several or not measured or not result.judged.verdicts:
        return None
    return lambda: _choices(result)


def _choices(result: Result) -> dict[str, Any]:
    names = [b.name for b in result.question.benchmarks]
    means = dict(_means(result, names)) if len(names) > 1 else {}
    texts: dict[str, int] = {}

    def numbered(chosen: Result, baseline: str) -> list[list[Any]]:
        """The answer with that baseline first."""
        others = (b for b in result.question.baselines if b != baseline)
        question = replace(chosen.question, baselines=(baseline, *others))
        chosen = replace(chosen, question=question)
        answer = answer_of(chosen)
        under = linked(chosen, answer.sentences)
        items = (doc.Sentence(answer.headline), *(under.items if under else ()))
        return [[texts.setdefault(s.text, len(texts)), s.link] for s in items]

    def figures(suites: Sequence[Suite]) -> dict[str, dict[str, list[Any]]]:
        """By baseline and variant: the word, the ratio and its ends."""
        means: dict[str, dict[str, list[Any]]] = {}
        for v in (s.verdict for s in suites):
            data = [v.outcome, *distribution.interval_data(v).values()]
            means.setdefault(v.baseline, {})[v.variant] = data
        return means

    baselines = result.question.baselines[: 1 if result.question.along else None]
    answers = {}
    for i, baseline in enumerate(baselines):
        if i:
            answers[f"{i}|"] = numbered(result, baseline)
        # Placement is judged over all benchmarks, and so is what it does to the answer.
        if not (result.judged.placements or result.judged.slopes):
            for out, suites in means.items():
                chosen = without(result, [names[n] for n in out], suites)
                answers[f"{i}|{_key(out)}"] = numbered(chosen, baseline)
    return {
        "benchmarks": names,
        "means": {_key(out): figures(suites) for out, suites in means.items()},
        "texts": list(texts),
        "answers": answers,
    }


def _means(
    result: Result, names: Sequence[str]
) -> Iterator[tuple[tuple[int, ...], tuple[Suite, ...]]]:
    """The means without some benchmarks; none at all where the blocks do not give the ones that the
    result has, as where several machines were pooled."""
    if not result.judged.suites:
        return
    again = ChosenMeans(result)
    if not agrees(again.over(names), result.judged.suites):
        return
    left = MOST_MEANS
    for size in range(1, len(names) - 1):
        sets = list(combinations(range(len(names)), size)) if size == 1 or left > 0 else []
        left -= len(sets) * len(result.judged.suites)
        if left < 0:
            return
        for out in sets:
            yield out, again.over([n for i, n in enumerate(names) if i not in out])


def without(result: Result, out: Collection[str], suites: tuple[Suite, ...]) -> Result:
    """The result without those benchmarks, with the means ``suites``; verdicts on single benchmarks
    stay as they were judged among all."""

    def trimmed(part: Any, *names: str, **changes: Any) -> Any:
        """A part of the result, with those of its fields without the benchmarks."""
        kept = {n: tuple(x for x in getattr(part, n) if x.benchmark not in out) for n in names}
        return replace(part, **kept, **changes)

    benchmarks = tuple(b for b in result.question.benchmarks if b.name not in out)
    observed = trimmed(result.found.observed, "figures")
    return replace(
        result,
        question=replace(result.question, benchmarks=benchmarks),
        recorded=trimmed(result.recorded, "blocks", "failures"),
        judged=trimmed(result.judged, "verdicts", suites=suites),
        found=trimmed(result.found, "counted", observed=observed),
    )


def _key(out: Sequence[int]) -> str:
    return ",".join(map(str, out))
