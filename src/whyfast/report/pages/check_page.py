"""A check as a page, as a Markdown comment, as annotations on GitHub, and as a line of a log."""

from __future__ import annotations

import statistics
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from whyfast.model.code import FunctionChange
from whyfast.model.codec import dump
from whyfast.model.result import Result
from whyfast.report.answer import answer_of
from whyfast.report.document import (
    Block,
    CodeBlock,
    Document,
    Table,
    document,
    group,
    section,
    sentences,
)
from whyfast.report.formatting import escape_controls, percent_text
from whyfast.report.render.markdown import code, fold, render_markdown
from whyfast.report.sections.check import (
    CHECK_HEADING,
    change_sentence,
    changed_hot,
    check_of,
    check_table,
    machine_line,
    promise,
)
from whyfast.report.sections.summary import check_summary
from whyfast.report.sections.why_details import why_sections

#: The most lines of a comment: nobody reads longer ones.
LINES = 60
#: Rows of the table, and changed functions shown, in a comment.
_ROWS, _FUNCTIONS = 15, 3


def check_page(result: Result) -> Document:
    """The answer, the table, what weakens it, and how the instructions of hot functions changed."""
    answer = answer_of(result)
    texts = [*answer.sentences, *promise(result)]
    if line := machine_line(result.judged.confounds):
        texts.append(line)
    return document(
        "check",
        "",
        answer.headline,
        section("benchmarks", "Benchmarks", check_table(result), importance="answer"),
        section("sure", "How sure", sentences(texts), importance="answer"),
        *why_sections(result.found.account),
        section(
            "code",
            "Changed code",
            # The instructions of each before and after.
            *(group(_title(c), CodeBlock(c.diff, "diff")) for c in changed_hot(result) if c.diff),
            importance="detail",
        ),
        heading=CHECK_HEADING,
        summary=check_summary(result),
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

    ``seconds`` are medians over blocks of the time of one loop.
    """
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
    }
    return dump("check", data, levels=0)
