"""A check as a page, as a Markdown comment, as annotations on GitHub, and as a line of a log."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from whyfast.judge.judge_run import cost_changes
from whyfast.model.code import FunctionChange
from whyfast.model.codec import dump
from whyfast.model.result import Result
from whyfast.report.answer import answer_of
from whyfast.report.document import (
    Block,
    CodeBlock,
    Document,
    ReportSection,
    Table,
    document,
    group,
    right,
    section,
    sentences,
    table,
)
from whyfast.report.formatting import escape_controls, percent_text, pluralize
from whyfast.report.render.markdown import code, fold, render_markdown
from whyfast.report.sections.changed_code import (
    change_sentence,
    changed_hot,
    check_of,
    growth_section,
    only_moved,
    some_code,
)
from whyfast.report.sections.check import check_table, in_order, machine_line, promise, short_answer
from whyfast.report.sections.costs import check_cost_table
from whyfast.report.sections.distribution import interval_plot
from whyfast.report.sections.main_table import median_times, time_cell
from whyfast.report.sections.summary import check_summary
from whyfast.report.sections.timeline import machine_section, when
from whyfast.report.sections.why_details import why_sections

#: The most lines of a comment: nobody reads longer ones.
LINES = 60
#: Functions whose instructions are shown on a page.
OPEN = 20
#: Rows of the table, and changed functions shown, in a comment.
_ROWS, _FUNCTIONS = 15, 3


def check_page(result: Result) -> Document:
    """The answer, the table, what weakens it, and how the instructions of hot functions changed;
    then all that a reader elsewhere needs: commits, compilers, machine and times."""
    answer = answer_of(result)
    texts = [*answer.sentences, *promise(result)]
    if line := machine_line(result.judged.confounds):
        texts.append(line)
    started = when(result.recorded.started)
    machine = machine_section(result)  # the terminal has no room for it
    measured = bool(result.judged.verdicts)
    return document(
        "check",
        "",
        answer.headline,
        section("benchmarks", "Benchmarks", check_table(result), importance="answer"),
        section("sure", "How sure", sentences(texts), importance="answer"),
        _compared(result),
        section("times", "Times", interval_plot(result), _times(result)) if measured else None,
        *why_sections(result.found.account),
        section("costs", "Costs beside time", check_cost_table(result), importance="detail"),
        growth_section(result),
        section("code", "Changed code", *_code(result), importance="detail"),
        machine and replace(machine, importance="record"),
        about=(started, _machine(result)),
        heading=_heading(result),
        summary=check_summary(result),
    )


def _heading(result: Result) -> str:
    """``BASE..HEAD of PROJECT: 15.0 % faster``."""
    check = check_of(result)
    names = (check.base_name, check.head_name)
    ends = f"{names[0]}..{names[1]}" if not any(" " in n for n in names) else " to ".join(names)
    return f"{ends} of {result.question.name}: {short_answer(result)}"


def _machine(result: Result) -> str:
    """The processor and the system of the last session, as far as they are known."""
    sessions = result.recorded.sessions
    facts = sessions[-1].environment if sessions else {}
    known = [str(facts[key]) for key in ("cpu_model", "os", "system") if facts.get(key)]
    return ", ".join(known) or "not recorded"


def _compared(result: Result) -> ReportSection | None:
    """The two commits, the compilers and the machine, so that the report can travel alone."""
    check = check_of(result)
    compilers = dict.fromkeys(t.version for t in result.recorded.toolchains)
    rows = [
        ("base", f"{check.base_name} ({check.base[:12]})"),
        ("head", f"{check.head_name} ({check.head[:12]})"),
        ("date", when(result.recorded.started)),
        ("compiler", ", ".join(compilers) or "not recorded"),
        ("machine", _machine(result)),
    ]
    return section("compared", "What was compared", table("", ("", ""), rows), importance="detail")


def _times(result: Result) -> Table | None:
    """Seconds of one loop on both sides: medians over blocks."""
    times = median_times(result.recorded.blocks)
    rows = [
        (
            name,
            *(time_cell(times.get((name, side)), result.judged.about) for side in ("base", "head")),
            sum(b.benchmark == name for b in result.recorded.blocks),
        )
        for name in dict.fromkeys(v.benchmark for v in in_order(result) if v.benchmark)
        if (name, "base") in times
    ]
    return table("Medians of the blocks", ("benchmark", *right("base", "head", "blocks")), rows)


def _code(result: Result) -> Iterator[Block | None]:
    """The instructions of each before and after, the first :data:`OPEN` of them; then, in a line,
    those that differ in nothing but places."""
    hot = [c for c in changed_hot(result) if c.diff]
    real = [c for c in hot if not only_moved(c)]
    moved = [c.name for c in hot if only_moved(c)]
    reached = check_of(result).code.reached
    texts = []
    if len(reached) > len(hot) > 0:
        texts.append(
            f"Of {pluralize(len(reached), 'changed function')} the benchmarks execute "
            f"{len(hot)} whose instructions differ."
        )
    if len(real) > OPEN:
        texts.append(f"The first {OPEN} of {len(real)} are here, what carries most first.")
    yield sentences(texts)
    for change in real[:OPEN]:
        yield group(_title(change), CodeBlock(change.diff, "diff"))
    if moved:
        differ = "differs" if len(moved) == 1 else "differ"
        yield sentences(
            [
                f"{pluralize(len(moved), 'function')} {differ} only in offsets, addresses or "
                f"registers: {some_code(moved)}."
            ]
        )


def check_markdown(result: Result) -> str:
    """A comment for a pull request, of at most :data:`LINES` lines."""
    page = check_page(result)
    answer, *details = page.sections
    rest = tuple(s for s in details if s.importance == "answer")
    short = replace(answer, blocks=tuple(map(_cut, answer.blocks)))
    parts = [render_markdown(replace(page, sections=(short, *rest))).rstrip("\n")]
    used = parts[0].count("\n") + 1
    for change in changed_hot(result)[:_FUNCTIONS]:
        room = LINES - used - 9
        if change.diff and room >= 3:
            parts.append(fold(_title(change), code(change.diff, "diff", room)))
            used += parts[-1].count("\n") + 2
    lines = "\n\n".join(parts).split("\n")
    return "\n".join(lines[:LINES]) + "\n"


def _title(change: FunctionChange) -> str:
    return change_sentence(change).replace("`", "")


def _cut(block: Block) -> Block:
    if not isinstance(block, Table) or len(block.rows) <= _ROWS:
        return block
    more = len(block.rows) - _ROWS
    caption = f"{block.caption}; {more} more are left out"
    return replace(block, caption=caption, rows=block.rows[:_ROWS])


def github_annotations(result: Result, failed: bool) -> list[str]:
    """Lines that GitHub's runner makes annotations of: one for the answer, one for each benchmark
    that is slower."""
    kind = "error" if failed else "notice"
    lines = [_annotation(kind, "whyfast", answer_of(result).headline)]
    for v in result.judged.verdicts:
        if v.outcome == "slower":
            kind = "error" if failed else "warning"
            lines.append(_annotation(kind, f"{v.benchmark}", str(percent_text(v))))
    return lines


def _annotation(kind: str, title: str, text: str) -> str:
    title, text = (escape_controls(raw).replace("%", "%25") for raw in (title, text))
    title = title.replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={title}::{text}"


def log_line(result: Result) -> str:
    """The result in one line of JSON, to be appended to a log that ``whyfast history`` reads.
    ``seconds`` are medians over blocks of the time of one loop."""
    check = check_of(result)
    entries: dict[str, Any] = {}
    for v in result.judged.verdicts:
        times: dict[str, list[float]] = {}
        for block in result.recorded.blocks:
            if block.benchmark == v.benchmark:
                for side, values in block.values.items():
                    times.setdefault(side, []).append(statistics.median(values) / block.loops)
        entries[str(v.benchmark)] = {
            "outcome": v.outcome,
            "ratio": v.ratio,
            "seconds": {side: statistics.median(times[side]) for side in sorted(times)},
        }
    at = datetime.fromtimestamp(result.recorded.started, UTC).isoformat(timespec="seconds")
    data = {
        "head": check.head,
        "base": check.base,
        "date": at,
        "same": check.code.same,
        "benchmarks": entries,
        "costs": {
            c.key: {"base": c.before, "head": c.after}
            for c in cost_changes(result)
            if c.after is not None and c.benchmark is None
        },
    }
    return dump("check", data, levels=0)
