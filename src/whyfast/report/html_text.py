"""Pieces of HTML from plain data, with everything escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from html import escape as _escape

from whyfast.report.names import printable
from whyfast.report.table import Cell, Table

#: Longer tables and lists begin folded, or with their first entries only.
MANY_ROWS = 12
MANY_ITEMS = 6

_CODE = re.compile(r"`([^`]+)`")


def text(value: str) -> str:
    """``value`` as HTML text or attribute value."""
    return _escape(printable(value), quote=True)


def prose(sentence: str) -> str:
    """A sentence of the answer; what stands in backticks becomes code."""
    parts = _CODE.split(sentence)
    return "".join(f"<code>{text(p)}</code>" if i % 2 else text(p) for i, p in enumerate(parts))


def paragraphs(sentences: Iterable[str], *, cls: str = "") -> str:
    """A paragraph each."""
    attribute = f' class="{cls}"' if cls else ""
    return "\n".join(f"<p{attribute}>{prose(s)}</p>" for s in sentences)


def items(sentences: Iterable[str]) -> str:
    """A list, or nothing when there is nothing to list."""
    lines = "\n".join(f"<li>{prose(s)}</li>" for s in sentences)
    return f"<ul>\n{lines}\n</ul>" if lines else ""


def folding_items(sentences: Iterable[str]) -> str:
    """A list of which no more than the first :data:`MANY_ITEMS` show until one asks."""
    sentences = tuple(sentences)
    if len(sentences) <= MANY_ITEMS:
        return items(sentences)
    rest = sentences[MANY_ITEMS:]
    return items(sentences[:MANY_ITEMS]) + "\n" + details(f"{len(rest)} more", items(rest))


def folding_table(data: Table, *, cls: str = "") -> str:
    """A table, folded away under its caption when it is long."""
    if len(data.rows) <= MANY_ROWS:
        return table(data, cls=cls)
    return details(data.caption, table(data, caption=False, cls=cls))


def table(data: Table, *, caption: bool = True, cls: str = "") -> str:
    """A table with headings for its columns and rows, in a box that scrolls by itself.

    The box can be reached with the keyboard, as what scrolls must be. ``cls`` ``stack`` shows the
    rows as blocks on a phone, ``wordy`` gives prose in the last column its room, ``two-lines`` puts
    the detail of a cell beneath it.
    """
    # The roles are said aloud because a style sheet that stacks cells would undo them.
    heads = "".join(
        f'<th scope="col" role="columnheader"{_align(c.align)}>{text(c.title)}</th>'
        for c in data.columns
    )
    rows = "\n".join(f'<tr role="row">{_row(data, row)}</tr>' for row in data.rows)
    hidden = "" if caption else ' class="unseen"'
    label = text(data.caption)
    return (
        f'<div class="{f"scroll {cls}".strip()}" tabindex="0" role="region" aria-label="{label}">'
        f'<table role="table"><caption{hidden}>{label}</caption>\n'
        f'<thead role="rowgroup"><tr role="row">{heads}</tr></thead>\n'
        f'<tbody role="rowgroup">\n{rows}\n</tbody></table></div>'
    )


def code(lines: Iterable[str]) -> str:
    """Lines to be copied as they are, or nothing when there are none."""
    said = "\n".join(text(line) for line in lines)
    return f"<pre><code>{said}</code></pre>" if said else ""


def details(summary: str, body: str, *, cls: str = "") -> str:
    """``body`` folded away under ``summary``; ``body`` is HTML, ``summary`` is not."""
    attribute = f' class="{cls}"' if cls else ""
    return f"<details{attribute}><summary>{text(summary)}</summary>\n{body}\n</details>"


def section(name: str, title: str, body: str) -> str:
    """A section under its heading, or nothing when ``body`` is empty; ``body`` is HTML."""
    if not body.strip():
        return ""
    heading = f'<h2 id="{text(name)}">{text(title)}</h2>'
    return f'<section aria-labelledby="{text(name)}">{heading}\n{body}\n</section>'


def when(seconds: float) -> str:
    """A time given in seconds since the epoch; one that no calendar has, as a file may say, as it
    is."""
    try:
        return datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (OverflowError, ValueError, OSError):
        return f"{seconds:g} s after 1970"


def tree(value: object) -> str:
    """Plain JSON data as nested lists of terms."""
    if isinstance(value, Mapping):
        if not value:
            return "<span>none</span>"
        pairs = "\n".join(f"<dt>{text(str(k))}</dt><dd>{tree(v)}</dd>" for k, v in value.items())
        return f"<dl>\n{pairs}\n</dl>"
    if isinstance(value, (list, tuple)):
        if not value:
            return "<span>none</span>"
        if all(isinstance(v, (str, int, float)) for v in value):
            return f"<code>{text(' '.join(str(v) for v in value))}</code>"
        return "<ol>" + "".join(f"<li>{tree(v)}</li>" for v in value) + "</ol>"
    if value is None:
        return "<span>unknown</span>"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"<code>{text(str(value))}</code>" if _is_code(value) else text(str(value))


def _is_code(value: object) -> bool:
    return isinstance(value, str) and bool(re.search(r"[/=_]|^-|^[0-9a-f]{16,}$", value))


def _row(data: Table, row: tuple[Cell, ...]) -> str:
    cells = []
    for index, (column, cell) in enumerate(zip(data.columns, row, strict=True)):
        align, said = _align(column.align), _cell(cell)
        if index < data.fixed:
            cells.append(f'<th scope="row" role="rowheader"{align}>{said}</th>')
        else:
            title = text(column.title)
            cells.append(f'<td role="cell" data-title="{title}"{align}>{said}</td>')
    return "".join(cells)


def _cell(cell: Cell) -> str:
    said = text(cell.text)
    if cell.word:
        said = f'<span class="verdict {cell.word}">{said}</span>'
    detail = f' <span class="detail">{text(cell.detail)}</span>' if cell.detail else ""
    return f"<span>{said}{detail}</span>" if detail else said


def _align(align: str) -> str:
    return ' class="number"' if align == "right" else ""
