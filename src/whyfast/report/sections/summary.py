"""Cells of the tables on the first screen, where a verdict has one line; and what to distrust."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from whyfast.model.build import BuildFailure
from whyfast.model.result import Result
from whyfast.model.study import Question, Study
from whyfast.model.verdict import Confound, Verdict
from whyfast.report.document import Bar, Cell, Row, Summary, Table, right, table
from whyfast.report.formatting import (
    escape_controls,
    format_percent,
    join_words,
    plain_ratio_text,
    pluralize,
    quote,
    ratio_text,
    sentence,
    within,
)
from whyfast.report.sections.along_axes import alike_sentences, axes_table, interaction_sentences
from whyfast.report.sections.check import (
    change_text,
    changed_code,
    check_headline,
    check_of,
    check_sentences,
    executes_text,
    in_order,
    instructions_text,
    interval_text,
    machine_line,
    scope,
    since_sentences,
)
from whyfast.report.sections.claim_audit import audit_claim
from whyfast.report.sections.dispatching import (
    find_witness,
    jumps_cell,
    kind_cell,
    witness_sentence,
)
from whyfast.report.sections.distribution import influence_sentences
from whyfast.report.sections.layouts import placement_sentences
from whyfast.report.sections.main_table import SUITE, Comparisons, failed_sentences, folded_cell
from whyfast.report.sections.programs import (
    failed_expectation_sentences,
    folded_sentences,
    without_lost,
)

if TYPE_CHECKING:
    from whyfast.model.evidence import Trouble

#: A bar is as long as its column at this ratio at least, so that a small difference looks small.
_LEAST_REACH = 1.25
#: So many warnings are quoted; the rest is counted.
_QUOTED = 2


def against_cell(comparisons: Comparisons, name: str, baseline: str) -> Cell | None:
    """A variant against a baseline, in one line; None where they were not compared."""
    if name == baseline:
        return Cell("baseline")
    v = comparisons.of(name, baseline)
    return None if v is None else line_cell(v)


def line_cell(v: Verdict) -> Cell:
    """One cell of text: the interval stands in the same line."""
    if not (v.low > 0 and math.isfinite(v.high)):
        return Cell(f"undecided, {_so_far(v.ratio)}", "", "undecided", v.ratio)
    if v.outcome == "same":
        return Cell(f"same {plain_ratio_text(v.ratio, v.low, v.high)}", "", "same", v.ratio)
    text = ratio_text(v.ratio, v.low, v.high)
    if v.outcome == "undecided":
        return Cell(f"undecided {text.interval}", "", "undecided", v.ratio)
    return Cell(str(text), "", v.outcome, v.ratio)


def _so_far(ratio: float) -> str:
    """Of an interval without ends: to two decimals, as nobody knows how sure that is."""
    if not 0 < ratio < math.inf:
        return "too few blocks"
    value = f"{max(ratio, 1 / ratio):.2f}x"
    direction = "" if value == "1.00x" else " faster" if ratio < 1 else " slower"
    return f"{value}{direction} so far"


def reach_of(found: Iterable[Verdict]) -> tuple[float, float]:
    """Logarithms between which all bars lie, 0 among them."""
    logs = [math.log(v.ratio) for v in found if 0 < v.ratio < math.inf]
    low, high = min([0.0, *logs]), max([0.0, *logs])
    least = math.log(_LEAST_REACH)
    if high - low < least:
        return (low - (least - high + low), high) if -low > high else (low, low + least)
    return low, high


def bar_cell(v: Verdict | None, reach: tuple[float, float]) -> Cell:
    """The logarithm of the ratio as a bar, of no length where there is none."""
    low, high = reach
    zero = -low / (high - low)
    if v is None or not 0 < v.ratio < math.inf:
        return Cell("", bar=Bar(zero, zero))
    end = (math.log(within(v.ratio, v.low, v.high)) - low) / (high - low)
    return Cell("", "", v.outcome, bar=Bar(zero, end, v.outcome != "undecided"))


def warnings_first(confounds: Sequence[Confound]) -> tuple[list[str], list[str]]:
    """The first warnings as sentences, and what else could mislead."""
    ordered = sorted(confounds, key=lambda c: c.severity != "warning")
    said = [sentence(c.text) for c in ordered]
    warnings = min(_QUOTED, sum(c.severity == "warning" for c in ordered))
    return said[:warnings], said[warnings:]


# ---- The answer on one screen: what was asked, what is surprising, what to distrust.

#: What each column gives way with, where there is little room.
_DROP_JUMPS, _DROP_OTHERS = 1, 2


def first_screen(result: Result) -> Summary | None:
    """Of a study that was measured; None for others, whose answers are short or of another form."""
    asked = result.question
    if not isinstance(asked, Study) or result.judged.about == "counts":
        return None
    if result.found.check is not None or not asked.baselines:
        return None
    comparisons = Comparisons(result.judged.verdicts, result.judged.suites)
    if not comparisons:
        return None
    study = without_lost(asked, result.found.failed_expectations)
    found, ranks = _axes(result) if study.along else _rows(result, study, comparisons)
    return Summary(
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
    where = f"{SUITE} of {pluralize(len(benchmarks), 'benchmark')}" if means else benchmarks[0].name
    blocks = sorted(v.blocks for v in said)
    confidence = min(v.confidence for v in (means or said))
    return (
        f"Time, {where}, {pluralize(blocks[len(blocks) // 2], 'block')} each; "
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
    yield from failed_expectation_sentences(study, result.found.failed_expectations)
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
    decided = [v for v in every if v is not None and v.outcome in ("faster", "slower")]
    return sorted(decided, key=lambda v: -abs(math.log(v.ratio)))


def _trouble(one: Trouble) -> str:
    known = f"a known trouble of {one.compiler}" if one.listed else f"seen with {one.compiler}"
    return f"{quote(one.variant)} has {one.symptom}, {known}: {one.shows}."


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
        yield f"Not built here: {join_words([quote(n) for n in failed])}."
    yield from failed_sentences(result.recorded.failed)


def _twin(study: Question, comparisons: Comparisons) -> Iterator[str]:
    for control in study.variants:
        v = comparisons.of(control.name, control.twin_of) if control.twin_of else None
        if v is None or v.outcome == "same" or not (v.low > 0 and math.isfinite(v.high)):
            continue
        if v.outcome == "undecided":
            continue
        text = ratio_text(v.ratio, v.low, v.high)
        yield (
            f"Placement alone makes the twin of {quote(v.baseline)}, the same objects in another "
            f"layout, {text.factor}: differences of that size may be luck."
        )


# ---- The first screen of a check: slower or not, where, and what can have made it so.

#: What gives way where there is little room.
_DROP_INSTRUCTIONS, _DROP_EXECUTES = 2, 1


def check_screen(result: Result) -> Summary:
    """The answer; a row a benchmark where any was measured."""
    measured = bool(result.judged.verdicts)
    found = _table(result) if measured else None
    start = "" if result.recorded.complete else "The run is not complete. So far: "
    return Summary(
        said=tuple(_said(result)),
        table=found,
        ranks=tuple(range(len(found.rows))) if found else (),
        care=tuple(_first_check_care(result)),
        row="row",
        headline=f"{start}{check_headline(result, figures=False)}" if measured else "",
    )


def _said(result: Result) -> Iterator[str]:
    """How to find the commit first; then what else is said of a check."""
    check = check_of(result)
    yield from since_sentences(result, check)
    told = set(since_sentences(result, check))
    only = [f"`{escape_controls(f.name)}`" for f in check.code.reached]
    if len(only) == 1 and only[0] in check_headline(result):
        told |= set(list(changed_code(check))[:1])  # the headline says what became of it
    yield from (s for s in check_sentences(result)[1:] if s not in told)


def _table(result: Result) -> Table | None:
    check, verdicts = check_of(result), in_order(result)
    reach = reach_of(verdicts)
    rows: list[Row] = []
    for v in verdicts:
        of = check.reach(v.benchmark or "")
        only = v.benchmark is not None
        text = f"{change_text(v)} {interval_text(v)}"
        rows.append(
            (
                escape_controls(v.benchmark or "geometric mean"),
                Cell(f"{v.outcome} {interval_text(v)}", "", v.outcome, v.ratio)
                if v.outcome in ("same", "undecided")
                else Cell(text, "", v.outcome, v.ratio),
                executes_text(of) if only else "",
                instructions_text(of) if only else "",
                bar_cell(v, reach),
            )
        )
    counted = any(row[3] for row in rows)
    rows = rows if counted else [(*row[:3], row[4]) for row in rows]
    more = right("instructions") if counted else ()
    made = table(
        f"{escape_controls(check.head_name)} against {escape_controls(check.base_name)}",
        ("benchmark", "head against base", "executes", *more, ""),
        rows,
    )
    drops = {"executes": _DROP_EXECUTES, "instructions": _DROP_INSTRUCTIONS}
    return made and replace(
        made, columns=tuple(replace(c, drop=drops.get(c.title, 0)) for c in made.columns)
    )


def _first_check_care(result: Result) -> Iterator[str]:
    if result.judged.verdicts:
        yield scope(result)
    if line := machine_line(result.judged.confounds):
        yield line


# ---- The first screen of a search: since when, what that rests on, and what was measured.


def search_brief(
    said: Sequence[str],
    weak: Sequence[str],
    measured: Table | None,
    taken: str,
    *,
    focus: str = "",
) -> Summary:
    """``said`` is what the answer rests on, ``weak`` what it leaves open, ``measured`` a row a
    candidate, ``taken`` what it cost.

    Of many candidates the ends go first, then those about the one that is called ``focus``.
    """
    names = [row[0].text for row in measured.rows] if measured else []
    middle = names.index(focus) if focus in names else 0
    ends = (0, len(names) - 1)
    return Summary(
        said=tuple(said),
        table=measured and replace(measured, caption=f"{measured.caption}; {taken}"),
        ranks=tuple(0 if i in ends else 1 + abs(i - middle) for i in range(len(names))),
        care=tuple(weak),
        row="candidate",
    )
