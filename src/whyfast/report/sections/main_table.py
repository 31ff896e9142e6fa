"""The main tables: every variant against every baseline, or along axes; whether a change has the
same effect everywhere, and whether a claimed gain survives other baselines."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from statistics import median

from whyfast.judge.comparisons import plausible_baselines
from whyfast.judge.ratios import deciding
from whyfast.model.build import BuildFailure
from whyfast.model.result import Pooled, Result
from whyfast.model.sample import Block
from whyfast.model.study import Claim, Question
from whyfast.model.verdict import About, Interaction, Outcome, Verdict
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.sections.programs import contradictions

#: The most interactions that get a sentence; the table has all.
MOST_INTERACTIONS = 3
SUITE = "geometric mean"
#: Of two variants that are one program.
IDENTICAL = doc.Cell("same", "byte-identical", "same", 1.0)
OUTCOMES: tuple[Outcome, ...] = ("faster", "slower", "same", "undecided")


def decided(verdicts: Iterable[Verdict | None]) -> list[Verdict]:
    """Those that are faster or slower, the largest difference first."""
    known = [v for v in verdicts if v is not None and v.outcome in ("faster", "slower")]
    return sorted(known, key=lambda v: -fmt.size_of(v.ratio))


def verdict_cell(verdict: Verdict | Pooled) -> doc.Cell:
    """A verdict as a cell: the ratio or the word in front, the interval as its detail."""
    text, outcome = fmt.verdict_text(verdict), verdict.outcome
    if outcome in ("same", "undecided"):
        return doc.Cell(outcome, str(text), outcome, verdict.ratio)
    return doc.Cell(text.factor, text.interval, outcome, verdict.ratio)


def tally(verdicts: Iterable[Verdict]) -> str:
    """``faster on 3, slower on 1 and the same on 2``."""
    outcomes = Counter(v.outcome for v in verdicts)
    words = {"same": "the same"}
    return fmt.join([f"{words.get(o, o)} on {outcomes[o]}" for o in OUTCOMES if outcomes[o]])


def median_times(blocks: Iterable[Block]) -> Mapping[tuple[str, str], float]:
    """Median seconds of one inner loop, for each (benchmark, variant) over all blocks and turns. Of
    the blocks that the verdicts are about: those in drawn layouts where there are any."""
    times = fmt.grouped(
        ((block.benchmark, variant), value / block.loops)
        for block in deciding(list(blocks))
        for variant, values in block.values.items()
        for value in values
    )
    return {key: median(values) for key, values in times.items()}


def value_text(value: float, about: About) -> str:
    """One value in print: a time, or a number of instructions where those were counted."""
    return fmt.amount(value) if about == "counts" else fmt.seconds(value)


def time_cell(value: float | None, about: About) -> doc.Cell | None:
    """A median time as a cell, None when there is none."""
    return doc.value_cell(value, partial(value_text, about=about))


def summary_table(result: Result) -> doc.Table | None:
    """Every variant against every baseline; with a single benchmark its time as well. Variants of
    which only the machine code is read are left out; None when no other is there."""
    study, same = result.question, result.recorded.same
    if result.judged.about == "runs" and not result.judged.verdicts:
        return None
    times = _only_times(result)
    judged = (*result.judged.verdicts, *(s.verdict for s in result.judged.suites))
    names = [v.name for v in study.measured if v.name not in same]
    baselines = [b for b in study.baselines if b not in same]
    rows = [
        (
            folded_cell(result, name),
            time_cell(times.get(name), result.judged.about),
            *(comparison_cell(result, name, b) for b in baselines),
        )
        for name in dict.fromkeys([*names, *(v.variant for v in judged)])
    ]
    against = (f"against {b}" for b in baselines)
    columns = ("variant", *(doc.right("time") if times else (None,)), *against)
    return doc.table(time_caption(study), columns, rows, overall=True)


def time_caption(question: Question) -> str:
    """What a table of overall verdicts compares."""
    if len(question.benchmarks) == 1:
        return f"Time on {question.benchmarks[0].name}"
    return f"Time, {SUITE} of {fmt.pluralize(len(question.benchmarks), 'benchmark')}"


def _only_times(result: Result) -> dict[str, float]:
    """The median time of each variant on the only benchmark; none with several."""
    if len(result.question.benchmarks) != 1:
        return {}
    return {variant: time for (_, variant), time in median_times(result.recorded.blocks).items()}


def folded_cell(result: Result, name: str) -> doc.Cell:
    """The name of a variant, with those that it was measured for: "c2 = c3 = c4"."""
    others = [v for v, measured in result.recorded.same.items() if measured == name]
    return doc.Cell(" = ".join([name, *others]), "byte-identical" if others else "")


def comparison_cell(result: Result, name: str, baseline: str) -> doc.Cell | str | None:
    """A variant against a baseline: the overall verdict, or why there is none."""
    refuted = contradictions(result.found.failed_expectations)
    if name == baseline:
        return doc.Cell("baseline", refuted.get(name, ""))
    name, baseline = (result.recorded.same.get(n, n) for n in (name, baseline))
    if name == baseline:
        return IDENTICAL
    if name in refuted or baseline in refuted:
        return doc.Cell("not compared", refuted.get(name, ""))
    if (verdict := result.judged.overall(name, baseline)) is not None:
        return verdict_cell(verdict)
    for build in result.recorded.builds:
        if isinstance(build, BuildFailure) and build.variant == name:
            return "not buildable" if build.kind == "not-buildable" else "build failed"
    return "run failed" if any(f.variant == name for f in result.recorded.failed) else None


# Along axes.


def axes_table(result: Result) -> doc.Table | None:
    """The values of the axes that are compared along as columns, the baseline's first, and a row
    for each combination of the others; None where baselines are not along axes. With a single
    benchmark a baseline shows its time."""
    question = result.question
    measured = [v for v in question.measured if v.axes and not v.control_of]
    if not question.along or not measured:
        return None
    others = [axis for axis in measured[0].axes if axis not in question.along]
    base = _change(question, question.along)
    places = fmt.grouped(
        (tuple(v.axes[axis] for axis in others), (_change(question, v.axes), v.name))
        for v in measured
    )
    columns = dict.fromkeys([base, *(_change(question, v.axes) for v in measured)])
    times = _only_times(result)

    def cell(names: Mapping[str, str], column: str) -> doc.Cell | str | None:
        name, baseline = names.get(column), names.get(base)
        if name is None or baseline is None:
            return None
        time = times.get(result.recorded.same.get(name, name))
        if name == baseline and time is not None:
            return time_cell(time, result.judged.about)
        return comparison_cell(result, name, baseline)

    rows = [(*place, *(cell(dict(names), c) for c in columns)) for place, names in places.items()]
    caption = f"{time_caption(question)}, against {base}{' of the same row' if others else ''}"
    heads = [f"{base} (baseline)", *(c for c in columns if c != base)]
    # It says nothing that the caption does not.
    drops = {} if times else {heads[0]: 1}
    return doc.table(
        caption, (*others, *doc.right(*heads)), rows, fixed=max(1, len(others)), drops=drops
    )


def interaction_sentences(result: Result) -> Iterator[str]:
    """Where a change does not do the same in two places, the largest difference first."""
    apart = [i for i in _overall(result) if i.verdict.outcome in ("faster", "slower")]
    apart.sort(key=lambda i: -fmt.size_of(i.verdict.ratio))
    for interaction in apart[:MOST_INTERACTIONS]:
        yield _apart(result, interaction)
    if (more := len(apart) - MOST_INTERACTIONS) > 0:
        yield f"{fmt.pluralize(more, 'more pair')} of places differ, see below."


def alike_sentences(result: Result) -> Iterator[str]:
    """Where a change does the same in two places, and where that is open."""
    if same := _pairs(result, "same"):
        yield f"Within {fmt.percent(result.question.margin)}, {same}."
    if unclear := _pairs(result, "undecided"):
        yield f"It is undecided whether {unclear}."


def interaction_section(result: Result) -> doc.ReportSection | None:
    """Every interaction, on each benchmark and over all."""
    question = result.question
    rows = [
        (
            _changed(question, v),
            v.benchmark or SUITE,
            *_places(question, interaction),
            doc.Cell((text := fmt.plain_text_of(v)).factor, text.interval, number=v.ratio),
            "differ" if v.outcome in ("faster", "slower") else v.outcome,
            v.blocks,
        )
        for interaction in result.judged.interactions
        for v in (interaction.verdict,)
    ]
    columns = (
        "change",
        "benchmark",
        "in",
        "over in",
        *doc.right("ratio"),
        "verdict",
        *doc.right("blocks"),
    )
    shown = doc.table("Effect of the change in one place, relative to another", columns, rows)
    return doc.detail("interactions", "Does a change have the same effect everywhere?", shown)


def _overall(result: Result) -> list[Interaction]:
    """One of each two pairs: over the suite, or on the only benchmark."""
    single = len(result.question.benchmarks) == 1
    every = result.judged.interactions
    return [i for i in every if i.verdict.benchmark is None] or (list(every) if single else [])


def _apart(result: Result, interaction: Interaction) -> str:
    """The effect of a change in either place, and how far the two lie apart."""
    v, question = interaction.verdict, result.question
    base = fmt.quote(_change(question, question.along))
    pairs = zip((v.variant, v.baseline), interaction.baselines, strict=True)
    sides = []
    for pair, place in zip(pairs, _places(question, interaction), strict=True):
        verdict = result.judged.overall(*pair)
        effect = verdict and fmt.verdict(verdict, question.margin, "brief", base)
        sides.append(f"{effect or 'no verdict'} with {fmt.escape_controls(place)}")
    change, text = fmt.quote(_changed(question, v)), fmt.text_of(v)
    return (
        f"The effect of {change} depends on {fmt.escape_controls(interaction.axis)}: "
        f"{', '.join(sides)}; these differ by {text.value} {text.interval}."
    )


def _pairs(result: Result, outcome: str) -> str:
    """ "goto does the same with gcc and clang, and tail with …"; empty when there are none."""
    by_change = fmt.grouped(
        (fmt.quote(_changed(result.question, i.verdict)), map(fmt.escape_controls, places))
        for i in _overall(result)
        if i.verdict.outcome == outcome
        for places in [_places(result.question, i)]
    )
    texts: dict[str, list[str]] = {}
    for change, pairs in by_change.items():
        texts[change] = [f"with {a} and {b}" for a, b in pairs[:MOST_INTERACTIONS]]
        if (more := len(pairs) - MOST_INTERACTIONS) > 0:
            texts[change].append(f"in {fmt.pluralize(more, 'more pair')} of places")
    return fmt.join([f"{c} does the same {fmt.join(where)}" for c, where in texts.items()])


def _changed(question: Question, verdict: Verdict) -> str:
    return _change(question, question.variant(verdict.variant).axes)


def _change(question: Question, axes: Mapping[str, str]) -> str:
    """The values of the axes that are compared along."""
    return "-".join(axes[axis] for axis in question.along)


def _places(question: Question, interaction: Interaction) -> Iterator[str]:
    """The values that set the two places apart, each with those of further axes."""
    for name in (interaction.verdict.variant, interaction.verdict.baseline):
        axes = question.variant(name).axes
        further = [x for a, x in axes.items() if a != interaction.axis and a not in question.along]
        more = f" ({', '.join(further)})" if further else ""
        yield f"{axes[interaction.axis]}{more}"


# The audit of a claimed gain: does it survive other baselines that could have been chosen?


#: A gain that keeps less than this share of its logarithm against another baseline has vanished.
KEPT = 1 / 3
#: Baselines named in the headline before the rest is a number.
_NAMED = 3


@dataclass(frozen=True)
class Audit:
    """``claimed``: the verdict on the claim itself, None if not measured. ``others``: on the same
    variant against every other plausible baseline, the least gain first; ``vanished``: those that
    leave little of the gain, the fairest first (by the compiler of the claimed baseline, then named
    baselines)."""

    claim: Claim
    claimed: Verdict | None
    others: tuple[Verdict, ...]
    vanished: tuple[Verdict, ...]


def audit_claim(result: Result) -> Audit | None:
    """Holds the study's claim against its other baselines; None when it makes no claim."""
    study, overall = result.question, result.judged.overall
    claim = study.claim
    if claim is None:
        return None
    claimed = overall(claim.variant, claim.baseline)
    names = plausible_baselines(study, claim, result.found.evidence)
    others = [v for name in names if (v := overall(claim.variant, name)) is not None]
    others.sort(key=lambda verdict: -verdict.ratio)
    vanished: tuple[Verdict, ...] = ()
    if claimed is not None and claimed.outcome == "faster":
        fair = sorted(others, key=lambda verdict: _unlike(study, claim, verdict.baseline))
        vanished = tuple(v for v in fair if _vanishes(claimed, v))
    return Audit(claim, claimed, tuple(others), vanished)


def audit_headline(audit: Audit, margin: float) -> str:
    """The outcome of the audit in one sentence; ``margin`` is relative."""
    claim, claimed = audit.claim, audit.claimed
    variant, baseline = fmt.quote(claim.variant), fmt.quote(claim.baseline)
    if claimed is None:
        return (
            f"The claim that {variant} beats {baseline} could not be tested: "
            "there is no result for the pair."
        )
    if claimed.outcome == "undecided":
        return f"Whether {variant} beats {baseline} is undecided: {fmt.text_of(claimed)}."
    whole = fmt.verdict(claimed, margin, "clause")
    if claimed.outcome != "faster":
        return f"The claim does not hold: {variant} is {whole}."
    gain = fmt.verdict(claimed, margin, "brief")
    if audit.vanished:
        first = audit.vanished[0]
        nothing = first.outcome in ("same", "slower") or first.low >= 1 / (1 + margin)
        share = "the" if nothing else "most of the"
        return (
            f"{variant} is {gain}, but {_against_all(audit.vanished, margin)}: "
            f"{share} gain is a slow baseline."
        )
    if not audit.others:
        return f"{variant} is {whole}; no other baseline was measured."
    return f"{variant} is {gain}; {_holds(claimed, audit.others)}."


def audit_intervals(audit: Audit, margin: float) -> Iterator[str]:
    """The figures behind the headline, with their intervals, where there are several."""
    if audit.claimed is None or not audit.others:
        return
    parts = [
        f"{fmt.verdict(v, margin)} against {fmt.quote(v.baseline)}"
        for v in (audit.claimed, *audit.others)
    ]
    yield f"In figures, {fmt.quote(audit.claim.variant)} is {'; '.join(parts)}."


def _unlike(study: Question, claim: Claim, name: str) -> int:
    """How far a baseline is from the claimed one: another build by the same compiler is nearest."""
    toolchains = {v.name: v.toolchain for v in study.variants}
    if toolchains.get(name) == toolchains.get(claim.baseline):
        return 0
    return 1 if name in study.baselines else 2


def _vanishes(claimed: Verdict, other: Verdict) -> bool:
    if other.outcome in ("same", "slower"):
        return True
    small = -math.log(other.ratio) < KEPT * -math.log(claimed.ratio)
    return small and not other.low <= claimed.ratio <= other.high


def _against_all(vanished: tuple[Verdict, ...], margin: float) -> str:
    """The fairest comparison; with it those others that are the same."""
    first = vanished[0]
    names = [fmt.quote(v.baseline) for v in vanished if v.outcome == "same"]
    same = f"the same as {fmt.join(names, _NAMED)} within {fmt.percent(margin)}"
    if first.outcome == "same":
        return same
    text = fmt.verdict(first, margin, "brief")
    if first.outcome == "faster":
        text = f"only {text}"
    if first.outcome == "undecided" and first.low > 0:
        most = fmt.ratio_text(min(first.low, 1.0), first.low, first.high).value
        text = f"at most {most} faster than {fmt.quote(first.baseline)}"
    return f"{text} and {same}" if names else text


def _holds(claimed: Verdict, others: tuple[Verdict, ...]) -> str:
    open_ones = [fmt.quote(v.baseline) for v in others if v.outcome == "undecided"]
    held = [claimed, *(v for v in others if v.outcome == "faster")]
    if len(held) == 1:
        return f"against {fmt.join(open_ones)} it is undecided"
    gains = sorted(held, key=lambda v: -v.ratio)
    ends = [fmt.text_of(v).value for v in (gains[0], gains[-1])]
    which = "both" if len(held) == 2 else f"all {len(held)}"
    if open_ones:
        which = str(len(held))
    text = f"the gain holds against {which} baselines, between {ends[0]} and {ends[1]}"
    return f"{text}, and is undecided against {fmt.join(open_ones)}" if open_ones else text
