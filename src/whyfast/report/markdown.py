"""A result as GitHub Markdown, for a pull request or a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from whyfast.model.result import Result
from whyfast.report.answer import answer_of
from whyfast.report.benchmark_lines import EXPLAINED, LineGroup, line_groups
from whyfast.report.benchmark_table import benchmark_tables
from whyfast.report.certainty import how_sure
from whyfast.report.contents import TableRows, background_tables, evidence_tables, main_tables
from whyfast.report.detail_tables import evidence_notes
from whyfast.report.guest_page import guest_page
from whyfast.report.metric_table import metric_table
from whyfast.report.names import printable
from whyfast.report.page import Page
from whyfast.report.table import Cell, Table
from whyfast.report.trouble_text import toml_lines

# Everything that can start a construct of GitHub's dialect in the middle of a line.
_SPECIAL = re.compile(r"([\\`*_\[<|~$])")
# What starts a block at the beginning of a line: lists, headings, rules, ordered lists.
_LINE_START = re.compile(r"^(\s*)([-+=>]|#|\d+(?=[.)](?:\s|$)))")
# GitHub turns these into a mention or an issue even behind a backslash.
_REFERENCE = re.compile(r"([@#])(?=\w)")
_CODE = re.compile(r"`([^`]+)`")
_TICKS = re.compile(r"`+")
#: GitHub takes 65 536 characters in an issue or a comment; some are left for its reader's own.
MOST = 64_000


def render_markdown(result: Result, *, verbose: bool = False, rows: TableRows = "variants") -> str:
    """The same as on the terminal: answer, main tables, confounds, how sure; ``verbose`` adds every
    benchmark, the evidence, the builds and the time spent, each folded away.

    What would make it longer than GitHub takes is left out, the least important first, and named.
    """
    parts = []
    if result.question.title:
        parts.append(f"## {escape(result.question.title)}")
    if result.judged.about == "counts":
        return "\n\n".join([*parts, render_page(guest_page(result, every=verbose))])
    parts.append(f"**{prose(answer_of(result).headline)}**")
    parts += [_table(table) for table in main_tables(result, verbose=verbose, rows=rows)]
    parts.append(_list(answer_of(result).sentences))
    if lines := toml_lines(result.found.troubles):
        parts.append("\n".join(("```toml", *map(printable, lines), "```")))
    confounds = sorted(result.judged.confounds, key=lambda c: c.severity != "warning")
    parts.append("\n".join(f"- **{c.severity}:** {prose(c.text)}" for c in confounds))
    parts.append("\n".join(f"<sub>{prose(said)}</sub>  " for said in how_sure(result)).rstrip())
    metrics = metric_table(result, decided=not verbose)
    if metrics is not None:
        parts.append(_table(metrics))
    if verbose:
        used = sum(len(part) + 2 for part in parts)
        parts += _within_limit(_details(result), MOST - used)
    return "\n\n".join(part for part in parts if part) + "\n"


def _details(result: Result) -> Iterator[tuple[str, str]]:
    """What is folded away, as title and Markdown, the most important first."""
    groups = line_groups(result)
    if groups:
        for baseline in dict.fromkeys(g.baseline for g in groups):
            mine = [g for g in groups if g.baseline == baseline]
            yield f"each benchmark against {baseline}", _lines(baseline, mine)
    else:
        yield from ((t.caption, _folded(t)) for t in benchmark_tables(result))
    yield from ((t.caption, _folded(t)) for t in evidence_tables(result))
    notes = "\n".join(f"- {escape(said)}" for said in evidence_notes(result))
    yield "what could not be seen in the programs", notes
    yield from ((t.caption, _folded(t)) for t in background_tables(result))


def _within_limit(found: Iterable[tuple[str, str]], room: int) -> list[str]:
    kept, left_out = [], []
    for title, part in found:
        if len(part) + 2 <= room:
            kept.append(part)
            room -= len(part) + 2
        else:
            left_out.append(title[:80])
    if left_out:
        kept.append(
            f"<sub>Left out, as GitHub takes no more than 65 536 characters: "
            f"{escape('; '.join(left_out))}. `--html` and `--json` have it all.</sub>"
        )
    return kept


def _lines(baseline: str, groups: Sequence[LineGroup]) -> str:
    """The lines of all variants against one baseline, as text that is shown as it is."""
    blocks = []
    for group in groups:
        body = [*group.texts(), f"geometric mean: {group.mean}"]
        blocks.append("\n".join([group.title, *(f"  {said}" for said in body)]))
    text = "\n\n".join(blocks)
    fence = "`" * max(3, *(len(run) + 1 for run in _TICKS.findall(text)), 3)
    return (
        f"<details><summary>Each benchmark against {escape(baseline)}</summary>\n\n"
        f"{fence}text\n{text}\n{fence}\n\n{EXPLAINED}\n\n</details>"
    )


def render_page(page: Page) -> str:
    """The headline, the tables and the sentences of ``page``."""
    parts = [f"**{prose(page.headline)}**", *map(_table, page.tables), _list(page.sentences)]
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
