"""The result in sentences, composed from the data: the most important first."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from whyfast.model.evidence import Evidence
from whyfast.model.result import Result
from whyfast.model.sample import RunFailure
from whyfast.model.study import Question, Recordings
from whyfast.model.verdict import Confound, Verdict
from whyfast.report.formatting import (
    format_percent,
    format_rough,
    format_seconds,
    format_verdict,
    has,
    join_words,
    no_difference,
    pluralize,
    quote,
    sentence,
    verdict_text,
)
from whyfast.report.sections.check import check_sentences
from whyfast.report.sections.claim_audit import audit_claim, audit_headline, audit_intervals
from whyfast.report.sections.cost_by_parameter import figure_sentences, slope_sentences
from whyfast.report.sections.counted_work import changed_sentences, counted_sentences
from whyfast.report.sections.dispatching import (
    Witness,
    dispatch_contrast,
    find_witness,
    runs_against,
    witness_sentence,
)
from whyfast.report.sections.distribution import influence_sentences
from whyfast.report.sections.kernel_counts import kernel_sentences
from whyfast.report.sections.layouts import control_sentences, fix_sentences, placement_sentences
from whyfast.report.sections.loops import loop_headline
from whyfast.report.sections.machine_code import (
    evidence_headline,
    evidence_sentences,
    image_sentences,
)
from whyfast.report.sections.main_table import (
    Comparisons,
    alike_sentences,
    decided,
    interaction_sentences,
)
from whyfast.report.sections.programs import (
    claim_untested,
    failed_expectation_sentences,
    folded_sentences,
    identical_sentences,
    lacking_sentences,
    lost_baselines,
    measured_builds,
    not_built,
    reason_and_output,
    unmeasured_sentences,
    without_lost,
)
from whyfast.report.sections.recordings import recording_sentences
from whyfast.report.sections.timeline import unusual_sentences
from whyfast.report.sections.ways import way_sentences

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
        headline, *rest = check_sentences(result)
    elif isinstance(result.question, Recordings) and len(result.question.variants) == 1:
        many = pluralize(len(result.question.benchmarks), "benchmark")
        headline, *rest = [f"{many}, imported; `whyfast history` shows what such results say."]
    elif isinstance(result.question, Recordings):
        headline, *rest = recording_sentences(result)
    elif result.judged.about == "counts":
        headline, *rest = kernel_sentences(result)
    elif result.found.loops and (text := loop_headline(result)):
        headline, *rest = text, *composed(result)
    else:
        headline, *rest = composed(result)
    if not result.recorded.complete:
        headline = f"The run is not complete. So far: {headline}"
    return Answer(headline, tuple(rest))


def composed(result: Result) -> list[str]:
    """The headline and the sentences under it, of a study and of commands.

    Where layouts were varied, it begins with what is placement and what is the change. A study with
    a claim is answered by its audit; any other by its largest difference from the first baseline.
    What the machine code shows is joined to the difference it goes with.
    """
    study: Question = result.question
    recorded, judged, found = result.recorded, result.judged, result.found
    comparisons = Comparisons.of_result(result)
    facts = {e.variant: e for e in found.evidence}
    texts = list(way_sentences(result))
    texts += placement_sentences(judged.placements, study, {f.variant for f in judged.fixes})
    texts += fix_sentences(judged.fixes, judged.placements, study)
    texts += slope_sentences(judged.slopes)
    first, later = lost_baselines(study, found.failed_expectations)
    later += failed_expectation_sentences(study, found.failed_expectations)
    texts += [*claim_untested(study, found.failed_expectations), *first]
    study = without_lost(study, found.failed_expectations)
    covered = {(p.linked.variant, p.linked.baseline) for p in judged.placements}
    if study.measured and not claim_untested(study, found.failed_expectations):
        texts += _audited(study, comparisons, found.evidence, covered)
    main = list(_against_main_baseline(study, comparisons))
    texts += interaction_sentences(result)
    texts += _differences(main, covered, study, comparisons, facts)
    texts += alike_sentences(result)
    texts += _rest(main, covered, study.margin)
    texts += influence_sentences(judged.suites, study)
    texts += unusual_sentences(judged.verdicts) if texts else []
    any_verdict = bool(texts)
    if not texts:
        nothing = " ".join(folded_sentences(recorded.same))
        nothing = nothing or "No verdict: nothing could be compared."
        texts.append(evidence_headline(study, facts, found.troubles) or nothing)
    texts += later
    texts += evidence_sentences(study, facts, found.troubles, found.calls)
    texts += changed_sentences(found.changed)
    texts += image_sentences(study, found.observed.images, judged.slopes)
    texts += counted_sentences(study, comparisons, found.counted)
    texts += figure_sentences(result)
    texts += control_sentences(study, comparisons)
    texts += unmeasured_sentences(study, recorded.builds)
    texts += folded_sentences(recorded.same) if any_verdict else []
    each = [b for b in measured_builds(study, recorded.builds) if b.variant not in recorded.same]
    texts += identical_sentences(study, each)
    texts += not_built(recorded.builds)
    texts += _run_failures(recorded.failed)
    texts += lacking_sentences(recorded.lacking)
    texts += _warnings(judged.confounds)
    return texts


def _audited(
    study: Question,
    comparisons: Comparisons,
    evidence: Sequence[Evidence],
    covered: set[tuple[str, str]],
) -> Iterator[str]:
    """The outcome of the audit of a claim, and its figures; adds the pairs to ``covered``."""
    audit = audit_claim(study, comparisons, evidence)
    if audit is not None:
        yield audit_headline(audit, study.margin)
        covered.add((audit.claim.variant, audit.claim.baseline))
        for figures in audit_intervals(audit, study.margin):
            yield figures
            covered |= {(audit.claim.variant, v.baseline) for v in audit.others}


def _against_main_baseline(study: Question, comparisons: Comparisons) -> Iterator[Verdict]:
    baselines = study.baselines if study.along else study.baselines[:1]
    for name, baseline in study.compared([v.name for v in study.variants], baselines):
        if study.variant(name).twin_of:
            continue
        verdict = comparisons.of(name, baseline)
        if verdict is not None:
            yield verdict


def _differences(
    main: Sequence[Verdict],
    covered: set[tuple[str, str]],
    study: Question,
    comparisons: Comparisons,
    evidence: Mapping[str, Evidence],
) -> Iterator[str]:
    """A sentence for each of the largest decided differences, and one for each cause shown; the
    table has all."""
    explained: set[str] = set()
    given = 0
    for verdict in decided(main):
        witness = find_witness(verdict, study, comparisons, evidence)
        # The audit covers the pair, but not its cause.
        if (verdict.variant, verdict.baseline) not in covered and given < _MOST_DIFFERENCES:
            given += 1
            yield _difference(verdict, study.margin, evidence, witness)
        if witness is not None and witness.slow not in explained:
            explained.add(witness.slow)
            yield witness_sentence(witness)


def _difference(
    verdict: Verdict, margin: float, evidence: Mapping[str, Evidence], witness: Witness | None
) -> str:
    base = f"{quote(verdict.variant)} is {format_verdict(verdict, margin, 'clause')}"
    contrast = dispatch_contrast(verdict, evidence)
    if contrast is None:
        return f"{base}."
    if runs_against(verdict, evidence):
        return f"{base}, although {contrast}."
    if witness is not None:
        return f"{base}; {contrast}."
    return f"{base}; this goes with a difference in the machine code: {contrast}."


def _rest(main: Sequence[Verdict], covered: set[tuple[str, str]], margin: float) -> Iterator[str]:
    """Of each baseline one sentence for all that are the same, one for all that are undecided."""
    rest = [v for v in main if (v.variant, v.baseline) not in covered]
    for baseline in dict.fromkeys(v.baseline for v in rest):
        verdicts = [v for v in rest if v.baseline == baseline]
        names = [f"{quote(v.variant)} ({verdict_text(v)})" for v in verdicts if v.outcome == "same"]
        if names:
            same = f"{has(names, 'is', 'are')} the same as {quote(baseline)}"
            yield f"{same} within {format_percent(margin)}."
        yield from (f"{_undecided(v, margin)}." for v in verdicts if v.outcome == "undecided")


def _undecided(verdict: Verdict, margin: float) -> str:
    text = no_difference(verdict, quote(verdict.variant), quote(verdict.baseline))
    if verdict.detectable is not None and math.isfinite(verdict.detectable):
        text += f"; {format_rough(verdict.detectable - 1)} would have been found 9 times in 10"
    if verdict.seconds_to_margin is not None and math.isfinite(verdict.seconds_to_margin):
        time = format_seconds(verdict.seconds_to_margin)
        text += f"; about {time} more would settle a difference of {format_percent(margin)}"
    return text


def _run_failures(failures: Sequence[RunFailure]) -> Iterator[str]:
    times = Counter((f.benchmark, f.variant, f.reason) for f in failures)
    latest = {(f.benchmark, f.variant, f.reason): f for f in failures}
    for (benchmark, variant, reason), number in times.items():
        often = f" ({number} times)" if number > 1 else ""
        text = reason_and_output(latest[benchmark, variant, reason])
        yield sentence(f"{quote(benchmark)} failed with {quote(variant)}{often}: {text}")


def _warnings(confounds: Sequence[Confound]) -> Iterator[str]:
    kinds = Counter(c.kind for c in confounds if c.severity == "warning")
    if kinds:
        number = kinds.total()
        verb = "is" if number == 1 else "are"
        total = f"{pluralize(number, 'warning')} ({join_words(list(kinds))})"
        yield f"Read this with care: {total} {verb} listed below."
