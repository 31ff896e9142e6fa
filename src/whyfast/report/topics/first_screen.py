"""The answer on one screen: what was asked, what is surprising, what to distrust."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from whyfast.model.build import BuildFailure
from whyfast.model.question import Question
from whyfast.model.result import Result
from whyfast.model.study import Study
from whyfast.model.verdict import Verdict
from whyfast.report.document import Brief, Row, Table, table
from whyfast.report.names import count, listed, shown
from whyfast.report.numbers import format_percent, ratio_text
from whyfast.report.topics.along_axes import alike_sentences, axes_table, interaction_sentences
from whyfast.report.topics.claim_audit import audit_claim
from whyfast.report.topics.dispatching import jumps_cell, kind_cell
from whyfast.report.topics.distribution import influence_sentences
from whyfast.report.topics.lacking import failed_sentences
from whyfast.report.topics.layouts import placement_sentences
from whyfast.report.topics.mechanism import find_witness, witness_sentence
from whyfast.report.topics.one_line import against_cell, bar_cell, reach_of, warnings_first
from whyfast.report.topics.programs import folded_sentences, unmet_sentences, without_lost
from whyfast.report.topics.summary import SUITE, Comparisons, folded_cell

if TYPE_CHECKING:
    from whyfast.model.trouble import Trouble

#: So many warnings are quoted, and sentences on surprises made; the rest is counted, or elsewhere.
_QUOTED = 2
#: What each column gives way with, where there is little room.
_DROP_JUMPS, _DROP_OTHERS = 1, 2


def first_screen(result: Result) -> Brief | None:
    """Of a study that was measured; None for others, whose answers are short or of another form."""
    asked = result.question
    if not isinstance(asked, Study) or result.judged.about == "counts":
        return None
    if result.found.check is not None or not asked.baselines:
        return None
    comparisons = Comparisons(result.judged.verdicts, result.judged.suites)
    if not comparisons:
        return None
    study = without_lost(asked, result.found.unmet)
    found, ranks = _axes(result) if study.along else _rows(result, study, comparisons)
    return Brief(
        said=tuple(_surprises(result, study, comparisons)),
        table=found,
        ranks=ranks,
        care=tuple(_care(result, study, comparisons)),
    )


def _rows(
    result: Result, study: Question, comparisons: Comparisons
) -> tuple[Table | None, tuple[int, ...]]:
    """The fastest first; and how much each row matters."""
    main, *others = (b for b in study.baselines if b not in result.recorded.same)
    names = [v.name for v in study.measured]
    found = {n: v for n in names if (v := comparisons.of(n, main)) is not None}
    names = sorted(
        (n for n in names if n in found or n == main),
        key=lambda n: found[n].ratio if n in found else 1.0,
    )
    importance = _importance(result, study, comparisons, found)
    reach = reach_of(found.values())
    facts = {e.variant: e.dispatch for e in result.found.evidence if e.dispatch is not None}
    rows: list[Row] = []
    for name in names:
        dispatch = facts.get(name)
        jumps = jumps_cell(dispatch) if dispatch else None
        kind = kind_cell(dispatch).text if dispatch else ""
        rows.append(
            (
                folded_cell(result, name).text,
                *((jumps, kind) if facts else ()),
                *(against_cell(comparisons, name, b) for b in (main, *others)),
                bar_cell(found.get(name), reach),
            )
        )
    columns = ("variant", *(("jumps", "dispatch") if facts else ()))
    made = table(
        _caption(result, main), (*columns, *(f"against {b}" for b in (main, *others)), ""), rows
    )
    if made is None:
        return None, ()
    giving_way = {"jumps": _DROP_JUMPS, "dispatch": _DROP_JUMPS}
    giving_way |= {f"against {b}": _DROP_OTHERS + i for i, b in enumerate(others)}
    heads = tuple(
        replace(c, drop=giving_way.get(c.title, 0), align="right" if c.title == "jumps" else "left")
        for c in made.columns
    )
    return replace(made, columns=heads), tuple(importance[name] for name in names)


def _axes(result: Result) -> tuple[Table | None, tuple[int, ...]]:
    """Axes as rows and columns, all rows equally important."""
    found = axes_table(result)
    return found, tuple(0 for _ in found.rows) if found else ()


def _caption(result: Result, main: str) -> str:
    benchmarks = result.question.benchmarks
    means = [s.verdict for s in result.judged.suites if s.verdict.baseline == main]
    said = [v for v in result.judged.verdicts if v.baseline == main] or means
    where = f"{SUITE} of {count(len(benchmarks), 'benchmark')}" if means else benchmarks[0].name
    blocks = sorted(v.blocks for v in said)
    confidence = min(v.confidence for v in (means or said))
    return (
        f"Time, {where}, {count(blocks[len(blocks) // 2], 'block')} each; "
        f"{format_percent(math.floor(confidence * 1000) / 1000)} intervals"
    )


def _importance(
    result: Result, study: Question, comparisons: Comparisons, found: dict[str, Verdict]
) -> dict[str, int]:
    """0 for what is asked about, then what is fastest and slowest by turns."""
    audit = audit_claim(study, comparisons, result.found.evidence)
    asked = list(study.baselines)
    if audit is not None:
        asked += [audit.claim.variant, audit.claim.baseline]
        asked += [v.baseline for v in audit.vanished[:1]]
    troubled = [t.variant for t in result.found.troubles]
    ordered = sorted(found, key=lambda n: found[n].ratio)
    ends = [n for pair in zip(ordered, reversed(ordered), strict=True) for n in pair]
    order = dict.fromkeys([*asked, *troubled, *ends])
    return {name: i for i, name in enumerate(order)}


def _surprises(result: Result, study: Question, comparisons: Comparisons) -> Iterator[str]:
    """What one would not guess from the headline and the table."""
    yield from list(interaction_sentences(result))[1:]  # the first is the headline
    yield from alike_sentences(result)
    yield from unmet_sentences(study, result.found.unmet)
    evidence = {e.variant: e for e in result.found.evidence}
    told = set()
    if not result.judged.placements:
        for v in _largest(study, comparisons):
            witness = find_witness(v, study, comparisons, evidence)
            if witness is not None and witness.slow not in told:
                told.add(witness.slow)
                yield witness_sentence(witness)
    else:
        yield from placement_sentences(
            result.judged.placements, study, {f.variant for f in result.judged.fixes}
        )[1 : 1 + _QUOTED]
    yield from folded_sentences(result.recorded.same)
    yield from (_trouble(t) for t in result.found.troubles[:_QUOTED])
    yield from influence_sentences(result.judged.suites, study)[:_QUOTED]


def _largest(study: Question, comparisons: Comparisons) -> list[Verdict]:
    main = study.baselines[0]
    every = [comparisons.of(v.name, main) for v in study.measured if not v.twin_of]
    decided = [v for v in every if v is not None and v.word in ("faster", "slower")]
    return sorted(decided, key=lambda v: -abs(math.log(v.ratio)))


def _trouble(one: Trouble) -> str:
    known = f"a known trouble of {one.compiler}" if one.listed else f"seen with {one.compiler}"
    return f"{shown(one.variant)} has {one.symptom}, {known}: {one.shows}."


def _care(result: Result, study: Question, comparisons: Comparisons) -> Iterator[str]:
    """What to distrust, the worst first."""
    yield from _twin(study, comparisons)
    quoted, notes = warnings_first(result.judged.confounds)
    yield from quoted
    if result.judged.about == "binaries" and not any(v.twin_of for v in study.variants):
        yield "The verdicts are about these very binaries, not about other layouts of them."
    yield from _failures(result)
    yield from notes


def _failures(result: Result) -> Iterator[str]:
    failed = [b.variant for b in result.recorded.builds if isinstance(b, BuildFailure)]
    if failed:
        yield f"Not built here: {listed([shown(n) for n in failed])}."
    yield from failed_sentences(result.recorded.failed)


def _twin(study: Question, comparisons: Comparisons) -> Iterator[str]:
    for twin in study.variants:
        v = comparisons.of(twin.name, twin.twin_of) if twin.twin_of else None
        if v is None or v.word == "same" or not (v.low > 0 and math.isfinite(v.high)):
            continue
        if v.word == "undecided":
            continue
        text = ratio_text(v.ratio, v.low, v.high)
        yield (
            f"Placement alone makes the twin of {shown(v.baseline)}, the same objects in another "
            f"layout, {text.factor}: differences of that size may be luck."
        )
