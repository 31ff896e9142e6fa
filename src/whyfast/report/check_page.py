"""A check as a page, as a comment in Markdown, for GitHub's runners, and as a line of a log."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from whyfast.formats.check_log import SCHEMA
from whyfast.model.check import FunctionChange
from whyfast.model.result import Result
from whyfast.report.check_text import (
    change_sentence,
    change_text,
    changed_hot,
    check_answer,
    check_of,
    check_table,
    machine_line,
    percent_interval,
    promise,
)
from whyfast.report.markdown import escape
from whyfast.report.markdown import render_page as markdown_page
from whyfast.report.names import printable
from whyfast.report.page import Page
from whyfast.report.table import Table

#: Lines that a comment has at most: what is longer nobody reads.
LINES = 60
#: Rows of the table, and changed functions shown, in a comment.
_ROWS, _FUNCTIONS = 15, 3


def check_page(result: Result) -> Page:
    """The answer, the table, and what weakens it."""
    answer, table = check_answer(result), check_table(result)
    said = [*answer.sentences, *promise(result)]
    if line := machine_line(result.judged.confounds):
        said.append(line)
    return Page(answer.headline, (table,) if table else (), tuple(said))


def check_markdown(result: Result) -> str:
    """A comment for a pull request, of at most :data:`LINES` lines."""
    page = check_page(result)
    tables = tuple(_cut(t) for t in page.tables)
    text = markdown_page(Page(page.headline, tables, page.sentences))
    parts = [text.rstrip("\n")]
    used = parts[0].count("\n") + 1
    for change in changed_hot(result)[:_FUNCTIONS]:
        room = LINES - used - 9
        if not change.diff or room < 3:
            continue
        part = "\n".join(_folded(change, room))
        parts.append(part)
        used += part.count("\n") + 2
    lines = "\n\n".join(parts).split("\n")
    return "\n".join(lines[:LINES]) + "\n"


def _folded(change: FunctionChange, room: int) -> Iterator[str]:
    yield f"<details><summary>{escape(change_sentence(change).replace('`', ''))}</summary>"
    yield ""
    yield "```diff"
    lines = [printable(line).replace("```", "'''") for line in change.diff]
    yield from lines[:room]
    if len(lines) > room:
        yield f"… {len(lines) - room} more lines"
    yield "```"
    yield ""
    yield "</details>"


def _cut(table: Table) -> Table:
    if len(table.rows) <= _ROWS:
        return table
    more = len(table.rows) - _ROWS
    return Table(f"{table.caption}; {more} more are left out", table.columns, table.rows[:_ROWS])


def github_annotations(result: Result, failed: bool) -> list[str]:
    """Lines that GitHub's runner makes annotations of: one for the answer, one for each benchmark
    that is slower."""
    kind = "error" if failed else "notice"
    lines = [_annotation(kind, "whyfast", check_answer(result).headline)]
    for v in result.judged.verdicts:
        if v.word == "slower":
            said = f"{change_text(v)} {percent_interval(v)}"
            lines.append(_annotation("error" if failed else "warning", f"{v.benchmark}", said))
    return lines


def _annotation(kind: str, title: str, text: str) -> str:
    def escaped(said: str) -> str:
        return printable(said).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")

    title = escaped(title).replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={title}::{escaped(text)}"


def log_line(result: Result) -> str:
    """The result in one line of JSON, to be appended to a log that ``whyfast history`` reads.

    ``seconds`` are medians over blocks of the time of one loop.
    """
    check = check_of(result)
    entries: dict[str, Any] = {}
    for v in result.judged.verdicts:
        times = {
            side: [
                statistics.median(b.values[side]) / b.loops
                for b in result.recorded.blocks
                if b.benchmark == v.benchmark and side in b.values
            ]
            for side in ("base", "head")
        }
        entries[str(v.benchmark)] = {
            "verdict": v.word,
            "ratio": v.ratio,
            "seconds": {side: statistics.median(t) for side, t in times.items() if t},
        }
    at = datetime.fromtimestamp(result.recorded.started, UTC).isoformat(timespec="seconds")
    line = {
        "schema": SCHEMA,
        "head": check.head,
        "base": check.base,
        "date": at,
        "same": check.code.same,
        "benchmarks": entries,
    }
    return json.dumps(line, ensure_ascii=False) + "\n"
