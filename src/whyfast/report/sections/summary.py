"""The summary of a report: the answer, the section's table with its most important rows, and
what to distrust. Each kind of result ranks the rows of a table that its report has anyway."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median_high

from whyfast.model.build import BuildFailure
from whyfast.model.result import Result
from whyfast.model.study import Recordings, Study
from whyfast.model.verdict import METRICS, Confound, Outcome, Verdict
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.sections import dispatching, main_table, programs
from whyfast.report.sections.certainty import more_or_less, shell_sentences, warnings_of
from whyfast.report.sections.changed_code import changed_code, check_of
from whyfast.report.sections.check import (
    check_headline,
    check_sentences,
    check_table,
    machine_line,
    scope,
    since_sentences,
)
from whyfast.report.sections.costs import cost_sentences
from whyfast.report.sections.distribution import influence_sentences
from whyfast.report.sections.each_benchmark import benchmark_tables
from whyfast.report.sections.layouts import placement_sentences
from whyfast.report.sections.loops import loop_findings, loop_table, way_sentences, way_summary
from whyfast.report.sections.recordings import headline_end, recording_surprises, run_times_table
from whyfast.report.sections.timeline import unusual_sentences
from whyfast.report.sections.why import account_sentences, named_causes

#: How many warnings, names and quantities beside time are quoted; the rest is counted.
_QUOTED, _NAMES, _QUANTITIES = 2, 3, 3
#: Columns that give way where the terminal is narrow, the one with the largest number first; from
#: 9 on to bars too.
_DROPS = {
    **dict.fromkeys(("runs", "time", "executes"), 1),
    **dict.fromkeys(("σ", "jumps", "dispatch", "instructions"), 2),
    **dict.fromkeys(("e-value", "mean without it", "processes", "blocks"), 9),
}


def result_summary(result: Result) -> doc.Summary | None:
    """The summary of a result; None where the whole report is short or has another form."""
    if result.found.check is not None:
        return check_summary(result)
    question = result.question
    if isinstance(question, Study):
        judged = result.judged.about != "counts" and question.baselines and result.judged.pairs
        return _study_summary(result) if judged else None
    return _runs_summary(result) if _main_verdicts(result) else None


def ranked(
    table: doc.Table | None,
    by: str = "",
    first: Sequence[str] = (),
    drops: Mapping[str, int] = _DROPS,
) -> tuple[doc.Table | None, tuple[int, ...]]:
    """The rows from fastest to slowest in the column ``by``, and their ranks: those named
    ``first``, then decided ones, then by the size of the difference. Others without a verdict are
    left out."""
    if table is None:
        return None, ()
    column = next((i for i, c in enumerate(table.columns) if c.title == by), None)

    def verdict(row: Sequence[doc.Cell]) -> doc.Cell:
        return row[column] if column is not None and row[column].outcome else doc.NOTHING

    shown = [r for r in table.rows if column is None or r[0].text in first or verdict(r).outcome]
    rows = sorted(shown, key=lambda row: verdict(row).number or 1.0)
    place = {name: i for i, name in enumerate(first)}

    def importance(i: int) -> tuple[int, bool, float]:
        cell = verdict(rows[i])
        decided = cell.outcome in ("faster", "slower")
        return place.get(rows[i][0].text, len(place)), not decided, -fmt.size_of(cell.number or 1.0)

    ranks = [0] * len(rows)
    for rank, i in enumerate(sorted(range(len(rows)), key=importance)):
        ranks[i] = rank
    return giving_way(replace(table, rows=tuple(rows)), drops), tuple(ranks)


def giving_way(table: doc.Table, drops: Mapping[str, int]) -> doc.Table:
    """The table without empty columns, the others marked with when they give way."""
    columns = tuple(replace(c, drop=drops.get(c.title, c.drop)) for c in table.columns)
    cells = zip(*table.rows, strict=True)
    kept = [i for i, column in enumerate(cells) if any(c.text not in ("", "–") for c in column)]
    return replace(table, columns=columns).only(kept)


def warnings_first(confounds: Sequence[Confound]) -> tuple[list[str], list[str]]:
    """The first warnings as sentences, and what else could mislead."""
    ordered = sorted(confounds, key=lambda c: c.severity != "warning")
    texts = [_capitalised(fmt.sentence(c.text), c.variants) for c in ordered]
    warnings = min(_QUOTED, len(warnings_of(ordered)))
    return texts[:warnings], texts[warnings:]


def _capitalised(text: str, names: Sequence[str]) -> str:
    """A sentence that begins with a capital, unless it begins with a name."""
    first = text.partition(" ")[0]
    return text if first in names or not first.isalpha() else text[0].upper() + text[1:]


def _intervals(verdicts: Iterable[Verdict]) -> str:
    confidence = math.floor(min(v.confidence for v in verdicts) * 1000) / 1000
    return f"; {fmt.percent(confidence)} intervals"


def _so_far(result: Result) -> str:
    return "" if result.recorded.complete else "The run is not complete. So far: "


# Studies: the question, what is surprising, what to distrust.


def _study_summary(result: Result) -> doc.Summary:
    lean = programs.without_lost(result)
    study = lean.question
    main = next((b for b in study.baselines if b not in result.recorded.same), "")
    by = f"against {main}"
    ways = way_summary(result)
    table = ways or main_table.axes_table(result)
    ranks: tuple[int, ...] = ()
    if table is None and (overall := main_table.summary_table(result)) is not None:
        others = [c.title for c in overall.columns if c.title.startswith("against ")]
        drops = _DROPS | {title: i + 2 for i, title in enumerate(others) if i}
        overall = replace(overall, caption=f"{overall.caption}{_blocks(result, main)}")
        first = _asked_first(lean)
        table, ranks = ranked(_with_dispatch(overall, result), by, first, drops)
    surprises, care = tuple(_study_surprises(result, lean)), tuple(_study_care(result))
    row = "way" if ways else "row"
    return doc.Summary(surprises, table, ranks, care, bars=by, row=row)


def _with_dispatch(table: doc.Table, result: Result) -> doc.Table:
    """The table with the dispatch of each variant behind its name."""
    known = {
        e.variant: (
            dispatching.jumps_cell(e.dispatch) or doc.NOTHING,
            doc.Cell(dispatching.kind_cell(e.dispatch).text),
        )
        for e in result.found.evidence
        if e.dispatch is not None
    }
    cells = [
        known.get(row[0].text.split(" = ")[0], (doc.Cell(""), doc.Cell(""))) for row in table.rows
    ]
    columns = (
        table.columns[0],
        doc.Column("jumps", "right"),
        doc.Column("dispatch"),
        *table.columns[1:],
    )
    rows = ((row[0], *own, *row[1:]) for row, own in zip(table.rows, cells, strict=True))
    return replace(table, columns=columns, rows=tuple(rows)) if known else table


def _blocks(result: Result, main: str) -> str:
    """How many blocks a verdict rests on, and how sure the intervals are."""
    means = [s.verdict for s in result.judged.suites if s.verdict.baseline == main]
    verdicts = [v for v in result.judged.verdicts if v.baseline == main] or means
    if not verdicts:
        return ""
    blocks = fmt.pluralize(median_high(v.blocks for v in verdicts), "block")
    return f", {blocks} each{_intervals(means or verdicts)}"


def _asked_first(result: Result) -> list[str]:
    """The variants that the question names, and those with a known trouble."""
    audit, names = main_table.audit_claim(result), list(result.question.baselines)
    if audit is not None:
        names += [audit.claim.variant, audit.claim.baseline]
        names += [v.baseline for v in audit.vanished[:1]]
    return list(dict.fromkeys([*names, *(t.variant for t in result.found.troubles)]))


def _study_surprises(result: Result, lean: Result) -> Iterator[str]:
    """What one would not guess from the headline and table; ``lean``: without lost baselines."""
    ways = list(way_sentences(result))
    yield from ways[1:]  # the first is the headline
    yield from list(main_table.interaction_sentences(result))[0 if ways else 1 :]  # likewise
    yield from account_sentences(result.found.account)
    yield from main_table.alike_sentences(result)
    yield from programs.failed_expectation_sentences(lean)
    fixed = {f.variant for f in result.judged.fixes}
    moved = placement_sentences(result.judged.placements, lean.question, fixed)
    if main_table.audit_claim(lean) is not None:
        yield from [*_witnesses(lean), *moved[-1:]]
    else:
        yield from moved[1 : 1 + _QUOTED] or _witnesses(lean)
    yield from list(cost_sentences(result))[:_QUOTED]
    yield from programs.folded_sentences(result.recorded.same)
    for t in result.found.troubles[:_QUOTED]:
        known = f"a known trouble of {t.compiler}" if t.listed else f"seen with {t.compiler}"
        yield f"{fmt.quote(t.variant)} has {t.symptom}, {known}: {t.shows}."
    yield from influence_sentences(result.judged.suites, lean.question)[:_QUOTED]


def _witnesses(result: Result) -> Iterator[str]:
    """Variants whose dispatch explains that they are slow, the largest difference first."""
    main, overall = result.question.baselines[0], result.judged.overall
    names = (v.name for v in result.question.measured if not v.control_of)
    witnesses: dict[str, dispatching.Witness] = {}
    for v in main_table.decided(overall(name, main) for name in names):
        if witness := dispatching.find_witness(v, result):
            witnesses.setdefault(witness.slow, witness)
    yield from map(dispatching.witness_sentence, witnesses.values())


def _study_care(result: Result) -> Iterator[str]:
    """What to distrust, the worst first."""
    controls = [v for v in result.question.variants if v.control_of]
    overall = result.judged.overall
    for v in main_table.decided(overall(v.name, v.control_of or "") for v in controls):
        yield (
            f"Placement alone makes the A/A control of {fmt.quote(v.baseline)} (the same objects "
            f"in another layout) {fmt.text_of(v).factor}: differences of that size may be luck."
        )
    generic = result.judged.about == "binaries" and not controls
    quoted_first, notes = warnings_first(
        [c for c in result.judged.confounds if not (generic and c.kind == "one-layout")]
    )
    yield from quoted_first
    if generic:
        yield "The verdicts are about these binaries; another layout of the same code may differ."
    failed = [b.variant for b in result.recorded.builds if isinstance(b, BuildFailure)]
    if failed:
        yield f"Not built on this machine: {fmt.quoted(failed)}."
    yield from programs.failed_sentences(result.recorded.failed)
    yield from notes


# Commands side by side, and recorded results.


def _runs_summary(result: Result) -> doc.Summary:
    """Of two sides the table has a row for each benchmark, of several one for each side, and the
    headline leaves the figures to the table."""
    question, main = result.question, result.question.baselines[0]
    overall = [
        v for x in question.variants if (v := result.judged.overall(x.name, main)) is not None
    ]
    sure = verdicts = _main_verdicts(result)
    headline, row, by = "", "row", f"against {main}"
    first: tuple[str, ...] = (main,)
    table = loop_table(result)
    if len(overall) > 1:
        table, sure = table or main_table.summary_table(result), overall
        if main_table.audit_claim(result) is None:
            headline = _runs_headline(result, overall)
    elif result.judged.about == "commands" and len(verdicts) == 1:
        table, first = table or run_times_table(result), first if result.found.loops else ()
    else:
        row, by, first = "benchmark", "verdict", ()
        table = next(iter(benchmark_tables(result)[main]), None)
        if table is not None:
            single = tuple(cells for cells in table.rows if cells[0].text != main_table.SUITE)
            caption = f"Each of {len(single)} benchmarks: {main_table.tally(verdicts)}"
            caption = table.caption if len(single) == 1 else caption
            table = replace(table, rows=single, caption=caption)
    if table is not None:
        table = replace(table, caption=f"{table.caption}{_intervals(sure)}")
    table, ranks = ranked(table, by, first, _DROPS | {main: 1, verdicts[0].variant: 1})
    return doc.Summary(
        findings=tuple(_runs_surprises(result)),
        table=table,
        ranks=ranks,
        care=tuple(_runs_care(result)),
        row=row,
        headline=headline,
        bars=by,
    )


def _main_verdicts(result: Result) -> list[Verdict]:
    """On single benchmarks against the main baseline."""
    main = result.question.baselines[0]
    return [v for v in result.judged.verdicts if v.baseline == main and v.benchmark is not None]


def _runs_headline(result: Result, overall: Sequence[Verdict]) -> str:
    """Which commands are faster and which slower; the table has by how much."""
    ordered = sorted(overall, key=lambda v: -fmt.size_of(v.ratio))
    names = fmt.grouped((v.outcome, fmt.quote(v.variant)) for v in ordered)
    parts = [_named(names[o], o, len(overall)) for o in main_table.OUTCOMES if o in names]
    every = fmt.grouped((v.variant, v.benchmark) for v in _main_verdicts(result))
    sets = [set(every.get(head.variant, ())) for head in overall]
    alike = len(sets[0]) > 1 and all(benchmarks == sets[0] for benchmarks in sets)
    over = f", over {fmt.pluralize(len(sets[0]), 'benchmark')}" if alike else ""
    end = headline_end(result) if isinstance(result.question, Recordings) else "."
    main = fmt.quote(result.question.baselines[0])
    return f"{_so_far(result)}Against {main}{over}: {', '.join(parts)}{end}"


def _named(names: Sequence[str], outcome: Outcome, total: int) -> str:
    word = "the same" if outcome == "same" else outcome
    if len(names) <= _NAMES:
        return f"{fmt.has(names, 'is', 'are')} {word}"
    most = f", most of all {names[0]}" if outcome in ("faster", "slower") else ""
    return f"{f'{len(names)} of' if len(names) < total else 'all'} {total} are {word}{most}"


def _runs_surprises(result: Result) -> Iterator[str]:
    """What one would not guess from the headline and the table."""
    yield from account_sentences(result.found.account)
    if isinstance(result.question, Recordings):
        yield from recording_surprises(result)
    else:
        yield from loop_findings(result)
        yield from list(cost_sentences(result))[:_QUOTED]
        yield from shell_sentences(result)
        # Of a single undecided side the headline has how much longer it takes.
        left = [v.seconds_to_margin for v in result.judged.verdicts if v.outcome == "undecided"]
        known = [seconds for seconds in left if seconds is not None and math.isfinite(seconds)]
        if len(known) > 1:
            margin = fmt.percent(result.question.margin)
            yield f"About {fmt.seconds(max(known))} more would tell {margin} in all of them."
        yield from unusual_sentences(result.judged.verdicts)[:_QUOTED]
        yield from influence_sentences(result.judged.suites, result.question)[:_QUOTED]
    # Named causes say what these are symptoms of; of loops it is memory of the interpreter, of
    # which the costs have what counts.
    if named_causes(result.found.account) or result.found.loops:
        return
    different = fmt.grouped(
        (v.variant, f"{more_or_less(fmt.text_of(v), v.metric)} {METRICS.get(v.metric, v.metric)}")
        for v in main_table.decided(v for v in result.judged.metrics if v.ratio > 0)
    )
    for name, parts in different.items():
        rest = len(parts) - _QUANTITIES
        more = f"; {rest} more differ" if rest > 0 else ""
        yield f"Beside time, {fmt.quote(name)} has {fmt.join(parts[:_QUANTITIES])}{more}."


def _runs_care(result: Result) -> Iterator[str]:
    # The headline has that drift is not excluded.
    drift = [c for c in result.judged.confounds if c.kind == "session-drift"]
    first, notes = warnings_first([c for c in result.judged.confounds if c not in drift])
    yield from first
    if warnings_of(drift):
        yield "Reruns of one build, given as --noise, would show the drift of this machine."
    yield from programs.failed_sentences(result.recorded.failed)
    yield from notes


# Checks of a change: slower or not, where, and what can have made it so.


def check_summary(result: Result) -> doc.Summary:
    """The answer, and a row for each benchmark where any was measured."""
    table = check_table(result)
    headline = f"{_so_far(result)}{check_headline(result, figures=False)}"
    scopes = [scope(result)] if result.judged.verdicts else []
    return doc.Summary(
        findings=tuple(_check_sentences(result)),
        table=table and giving_way(table, _DROPS),
        care=tuple(filter(None, (*scopes, machine_line(result.judged.confounds)))),
        headline=headline if table else "",
        bars="verdict",
        row="benchmark",
    )


def _check_sentences(result: Result) -> Iterator[str]:
    """How to find the commit first; then whatever the headline does not say."""
    check = check_of(result)
    known = list(since_sentences(result, check))
    yield from known
    names = [fmt.as_code(f.name) for f in check.code.reached]
    if len(names) == 1 and names[0] in check_headline(result):
        known += list(changed_code(check))[:1]
    yield from (text for text in check_sentences(result)[1:] if text not in known)


# Searches: since when, what that rests on, and what was measured.


def search_summary(
    basis: Sequence[str],
    weak: Sequence[str],
    measured: doc.Table | None,
    taken: str,
    *,
    focus: str = "",
) -> doc.Summary:
    """``basis`` is what the answer rests on, ``weak`` what it leaves open, ``measured`` a table
    with a row for each candidate, ``taken`` what it cost. Of many candidates the ends go first,
    then those about the one that is called ``focus``."""
    names = [row[0].text for row in measured.rows] if measured else []
    middle, ends = names.index(focus) if focus in names else 0, (0, len(names) - 1)
    return doc.Summary(
        findings=tuple(basis),
        table=measured and replace(measured, caption=f"{measured.caption}; {taken}"),
        ranks=tuple(0 if i in ends else 1 + abs(i - middle) for i in range(len(names))),
        care=tuple(weak),
        row="candidate",
    )
