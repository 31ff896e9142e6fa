"""A result as GitHub Markdown, for a pull request or a page."""

from __future__ import annotations

import re
from collections.abc import Iterable

from whyfast.model.result import Result
from whyfast.report.certainty import how_sure
from whyfast.report.detail_tables import (
    benchmark_tables,
    build_table,
    dispatch_table,
    evidence_notes,
    noise_table,
    phase_table,
)
from whyfast.report.metric_table import metric_table
from whyfast.report.names import printable
from whyfast.report.placement_table import placement_table
from whyfast.report.summary_table import summary_table
from whyfast.report.table import Cell, Table

# Everything that can start a construct of GitHub's dialect in the middle of a line.
_SPECIAL = re.compile(r"([\\`*_\[<|~$])")
# What starts a block at the beginning of a line: lists, headings, rules, ordered lists.
_LINE_START = re.compile(r"^(\s*)([-+=>]|#|\d+(?=[.)](?:\s|$)))")
# GitHub turns these into a mention or an issue even behind a backslash.
_REFERENCE = re.compile(r"([@#])(?=\w)")
_CODE = re.compile(r"`([^`]+)`")


def render_markdown(result: Result, *, verbose: bool = False) -> str:
    """The same as on the terminal: main table, answer, confounds, how sure; ``verbose`` adds every
    benchmark, the evidence, the builds and the time spent, each folded away."""
    parts = []
    if result.study.title not in ("ab", "compare"):
        parts.append(f"## {escape(result.study.title)}")
    parts.append(f"**{prose(result.answer.headline)}**")
    parts.append(_table(summary_table(result)))
    placements = placement_table(result, every=verbose)
    if placements is not None:
        parts.append(_table(placements))
    parts.append(_list(result.answer.sentences))
    confounds = sorted(result.confounds, key=lambda c: c.severity != "warning")
    parts.append("\n".join(f"- **{c.severity}:** {escape(c.text)}" for c in confounds))
    parts.append("\n".join(f"<sub>{prose(said)}</sub>  " for said in how_sure(result)).rstrip())
    metrics = metric_table(result, decided=not verbose)
    if metrics is not None:
        parts.append(_table(metrics))
    if verbose:
        parts += [_folded(table) for table in benchmark_tables(result)]
        parts += [_folded(t) for t in (dispatch_table(result),) if t is not None]
        parts.append("\n".join(f"- {escape(said)}" for said in evidence_notes(result)))
        extras = (build_table(result), noise_table(result), phase_table(result))
        parts += [_folded(t) for t in extras if t is not None]
    return "\n\n".join(part for part in parts if part) + "\n"


def escape(text: str) -> str:
    """``text`` so that Markdown shows it as it is, on one line."""
    flat = " ".join(printable(text).split())
    flat = flat.replace("&", "&amp;")
    inert = _SPECIAL.sub(r"\\\1", flat).replace("\\<", "&lt;")
    return _REFERENCE.sub(r"\1<!-- -->", _LINE_START.sub(_escape_start, inert))


def prose(text: str) -> str:
    """A sentence of the answer: escaped, but what stands in backticks stays code."""
    parts = _CODE.split(text)
    return "".join(f"`{part}`" if i % 2 else _within(part) for i, part in enumerate(parts))


def _within(text: str) -> str:
    """As :func:`escape`, keeping a space at either end."""
    lead = " " if text[:1].isspace() else ""
    tail = " " if text[-1:].isspace() and text.strip() else ""
    return f"{lead}{escape(text)}{tail}"


def _escape_start(match: re.Match[str]) -> str:
    space, mark = match.groups()
    # A digit cannot be escaped itself: the full stop or bracket behind it is.
    return f"{space}{mark}\\" if mark.isdigit() else f"{space}\\{mark}"


def _list(sentences: Iterable[str]) -> str:
    return "\n".join(f"- {prose(said)}" for said in sentences)


def _table(table: Table) -> str:
    heads = [escape(column.title) for column in table.columns]
    rules = ["---:" if column.align == "right" else "---" for column in table.columns]
    rows = [[_cell(cell) for cell in row] for row in table.rows]
    lines = [f"| {' | '.join(row)} |" for row in (heads, rules, *rows)]
    return "\n".join([f"_{escape(table.caption)}_", "", *lines])


def _cell(cell: Cell) -> str:
    text = escape(cell.text)
    if cell.word in ("faster", "slower"):
        text = f"**{text}**"
    return f"{text} {escape(cell.detail)}" if cell.detail else text


def _folded(table: Table) -> str:
    caption, body = _table(table).split("\n\n", 1)
    summary = caption.strip("_")
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"
