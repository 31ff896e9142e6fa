"""The first screen of a check: slower or not, where, and what can have made it so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from whyfast.model.result import Result
from whyfast.report.document import Brief, Cell, Row, Table, right, table
from whyfast.report.names import visible
from whyfast.report.topics.changed_code import changed_code
from whyfast.report.topics.check import (
    change_text,
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
from whyfast.report.topics.one_line import bar_cell, reach_of

#: What gives way where there is little room.
_DROP_INSTRUCTIONS, _DROP_EXECUTES = 2, 1


def check_screen(result: Result) -> Brief:
    """The answer; a row a benchmark where any was measured."""
    measured = bool(result.judged.verdicts)
    found = _table(result) if measured else None
    start = "" if result.recorded.complete else "The run is not complete. So far: "
    return Brief(
        said=tuple(_said(result)),
        table=found,
        ranks=tuple(range(len(found.rows))) if found else (),
        care=tuple(_care(result)),
        row="row",
        headline=f"{start}{check_headline(result, figures=False)}" if measured else "",
    )


def _said(result: Result) -> Iterator[str]:
    """How to find the commit first; then what else is said of a check."""
    check = check_of(result)
    yield from since_sentences(result, check)
    told = set(since_sentences(result, check))
    only = [f"`{visible(f.name)}`" for f in check.code.reached]
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
                visible(v.benchmark or "geometric mean"),
                Cell(f"{v.word} {interval_text(v)}", "", v.word, v.ratio)
                if v.word in ("same", "undecided")
                else Cell(text, "", v.word, v.ratio),
                executes_text(of) if only else "",
                instructions_text(of) if only else "",
                bar_cell(v, reach),
            )
        )
    counted = any(row[3] for row in rows)
    rows = rows if counted else [(*row[:3], row[4]) for row in rows]
    more = right("instructions") if counted else ()
    made = table(
        f"{visible(check.head_name)} against {visible(check.base_name)}",
        ("benchmark", "head against base", "executes", *more, ""),
        rows,
    )
    drops = {"executes": _DROP_EXECUTES, "instructions": _DROP_INSTRUCTIONS}
    return made and replace(
        made, columns=tuple(replace(c, drop=drops.get(c.title, 0)) for c in made.columns)
    )


def _care(result: Result) -> Iterator[str]:
    if result.judged.verdicts:
        yield scope(result)
    if line := machine_line(result.judged.confounds):
        yield line
