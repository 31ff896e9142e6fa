"""The result in sentences, composed from the data: the most important first."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from whyfast.judge.confounds import identical_programs
from whyfast.model.build import BuildFailure, BuildOutcome
from whyfast.model.evidence import Evidence
from whyfast.model.question import Question, Recordings
from whyfast.model.result import Result
from whyfast.model.sample import RunFailure
from whyfast.model.verdict import Confound, Verdict
from whyfast.report.answer_text import Answer
from whyfast.report.claim import audit_claim, audit_headline, audit_intervals
from whyfast.report.compare_answer import compare_answer
from whyfast.report.comparisons import Comparisons
from whyfast.report.counted_text import counted_sentences, touched_sentences
from whyfast.report.evidence_text import evidence_headline, evidence_sentences
from whyfast.report.expectations import (
    claim_untested,
    lost_baselines,
    unmet_sentences,
    without_lost,
)
from whyfast.report.figures_text import figure_sentences
from whyfast.report.fixes_text import fix_sentences
from whyfast.report.guest_page import guest_answer
from whyfast.report.image_text import image_sentences
from whyfast.report.influence_text import influence_sentences
from whyfast.report.lacking_text import lacking_sentences
from whyfast.report.lines_text import line_sentences
from whyfast.report.mechanism import (
    Witness,
    dispatch_contrast,
    find_witness,
    runs_against,
    witness_sentence,
)
from whyfast.report.names import count, listed, sentence, shown
from whyfast.report.numbers import (
    format_percent,
    format_seconds,
    plain_ratio_text,
    ratio_text,
)
from whyfast.report.placement_text import placement_sentences, twin_sentence
from whyfast.report.unmeasured import measured_builds, unmeasured_sentences


def answer_of(result: Result) -> Answer:
    """What the result says, whichever question it answers."""
    if isinstance(result.question, Recordings):
        return compare_answer(result)
    if result.judged.about == "counts":
        return guest_answer(result)
    return compose_answer(result)


def compose_answer(result: Result) -> Answer:
    """The headline and the sentences under it.

    Where layouts were varied, it begins with what is placement and what is the change. A study with
    a claim is answered by its audit; any other by its largest difference from the first baseline.
    What the machine code shows is joined to the difference it goes with.
    """
    study: Question = result.question
    recorded, judged, found = result.recorded, result.judged, result.found
    builds, confounds, suites = recorded.builds, judged.confounds, judged.suites
    placements, fixes, lines = judged.placements, judged.fixes, judged.slopes
    evidence, unmet, troubles = found.evidence, found.unmet, found.troubles
    comparisons = Comparisons(judged.verdicts, suites)
    facts = {e.variant: e for e in evidence}
    sentences = placement_sentences(placements, study, {f.variant for f in fixes})
    sentences += fix_sentences(fixes, placements, study)
    sentences += line_sentences(lines)
    said_first, said_later = lost_baselines(study, unmet)
    said_later += unmet_sentences(study, unmet)
    study = without_lost(study, unmet)
    audit = audit_claim(study, comparisons, evidence) if study.measured else None
    said: set[tuple[str, str]] = {(p.linked.variant, p.linked.baseline) for p in placements}
    untested = claim_untested(study, unmet)
    sentences += [*untested, *said_first]
    if not untested and audit is not None:
        sentences.append(audit_headline(audit, study.margin))
        if (figures := audit_intervals(audit, study.margin)) is not None:
            sentences.append(figures)
            said |= {(audit.claim.variant, v.baseline) for v in audit.others}
        said.add((audit.claim.variant, audit.claim.baseline))
    main = list(_against_main_baseline(study, comparisons))
    sentences += _differences(main, said, study, comparisons, facts)
    sentences += _rest(main, said, study.margin)
    sentences += influence_sentences(suites, study)
    if not sentences:
        nothing = "There is no verdict: nothing could be compared."
        sentences.append(evidence_headline(study, facts, troubles) or nothing)
    sentences += said_later
    sentences += evidence_sentences(study, facts, troubles, found.calls)
    sentences += touched_sentences(found.changed)
    sentences += image_sentences(study, found.observed.images, lines)
    sentences += counted_sentences(study, comparisons, found.counted)
    sentences += figure_sentences(result)
    sentences += twin_sentence(study, comparisons)
    sentences += unmeasured_sentences(study, builds)
    sentences += _byte_identical(study, measured_builds(study, builds))
    sentences += _not_built(builds)
    sentences += _run_failures(recorded.failed)
    sentences += lacking_sentences(recorded.lacking)
    sentences += _warnings(confounds)
    headline, *rest = sentences
    if not recorded.complete:
        headline = f"The run is not complete. So far: {headline}"
    return Answer(headline, tuple(rest))


def _against_main_baseline(study: Question, comparisons: Comparisons) -> Iterable[Verdict]:
    main = study.baselines[0] if study.baselines else None
    for variant in study.variants:
        if main is None or variant.name == main or variant.twin_of:
            continue
        verdict = comparisons.of(variant.name, main)
        if verdict is not None:
            yield verdict


def _differences(
    main: Sequence[Verdict],
    said: set[tuple[str, str]],
    study: Question,
    comparisons: Comparisons,
    evidence: Mapping[str, Evidence],
) -> list[str]:
    """A sentence for each decided difference, the largest first, and one for each cause shown."""
    decided = [v for v in main if v.word in ("faster", "slower")]
    decided.sort(key=lambda v: -abs(math.log(v.ratio)))
    sentences = []
    explained: set[str] = set()
    for verdict in decided:
        witness = find_witness(verdict, study, comparisons, evidence)
        # What the audit has said is not said twice, but its cause still is.
        if (verdict.variant, verdict.baseline) not in said:
            sentences.append(_difference(verdict, evidence, witness))
        if witness is not None and witness.slow not in explained:
            explained.add(witness.slow)
            sentences.append(witness_sentence(witness))
    return sentences


def _difference(verdict: Verdict, evidence: Mapping[str, Evidence], witness: Witness | None) -> str:
    text = ratio_text(verdict.ratio, verdict.low, verdict.high)
    base = (
        f"{shown(verdict.variant)} is {text.factor} than {shown(verdict.baseline)} {text.interval}"
    )
    contrast = dispatch_contrast(verdict, evidence)
    if contrast is None:
        return f"{base}."
    if runs_against(verdict, evidence):
        return f"{base}, although {contrast}."
    if witness is not None:
        return f"{base}; {contrast}."
    return f"{base}; this goes with a difference in the machine code: {contrast}."


def _rest(main: Sequence[Verdict], said: set[tuple[str, str]], margin: float) -> list[str]:
    """One sentence for all that are the same, one for all that are undecided."""
    sentences = []
    left = [v for v in main if (v.variant, v.baseline) not in said]
    same = [v for v in left if v.word == "same"]
    if same:
        names = [f"{shown(v.variant)} ({plain_ratio_text(v.ratio, v.low, v.high)})" for v in same]
        verb = "is" if len(same) == 1 else "are"
        sentences.append(
            f"{listed(names)} {verb} the same as {shown(same[0].baseline)} "
            f"within {format_percent(margin)}."
        )
    undecided = [v for v in left if v.word == "undecided"]
    if undecided:
        parts = [f"{shown(v.variant)} ({_undecided(v, margin)})" for v in undecided]
        sentences.append(f"Undecided against {shown(undecided[0].baseline)}: {', '.join(parts)}.")
    return sentences


def _undecided(verdict: Verdict, margin: float) -> str:
    text = str(ratio_text(verdict.ratio, verdict.low, verdict.high))
    if verdict.detectable is not None and math.isfinite(verdict.detectable):
        text += f"; {(verdict.detectable - 1) * 100:.2g} % would have been found 9 times in 10"
    if verdict.seconds_to_margin is not None and math.isfinite(verdict.seconds_to_margin):
        time = format_seconds(verdict.seconds_to_margin)
        text += f"; about {time} more would tell {format_percent(margin)}"
    return text


def _byte_identical(study: Question, builds: Sequence[BuildOutcome]) -> list[str]:
    return [
        f"{listed([shown(name) for name in names])} are byte-identical: any difference between "
        "them is measurement error."
        for names in identical_programs(study, builds)
    ]


def _not_built(builds: Sequence[BuildOutcome]) -> list[str]:
    return [
        sentence(
            f"{shown(b.variant)} cannot be built here: {b.reason}"
            if b.kind == "not-buildable"
            else f"The build of {shown(b.variant)} failed: {b.reason}"
        )
        for b in builds
        if isinstance(b, BuildFailure)
    ]


def _run_failures(failures: Sequence[RunFailure]) -> list[str]:
    times = Counter((f.benchmark, f.variant, f.reason) for f in failures)
    return [
        sentence(
            f"{shown(benchmark)} failed with {shown(variant)}"
            f"{f' ({number} times)' if number > 1 else ''}: {reason}"
        )
        for (benchmark, variant, reason), number in times.items()
    ]


def _warnings(confounds: Sequence[Confound]) -> list[str]:
    kinds = Counter(c.kind for c in confounds if c.severity == "warning")
    if not kinds:
        return []
    number = kinds.total()
    total = count(number, "warning")
    verb = "is" if number == 1 else "are"
    return [f"Read this with care: {total} ({listed(list(kinds))}) {verb} listed below."]
