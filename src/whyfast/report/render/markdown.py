"""A document as GitHub Markdown, for a pull request or a page."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.sections.side_by_side import counted_lines, folded

# Everything that can start a construct of GitHub's dialect in the middle of a line, or end one.
_SPECIAL = re.compile(r"([\\`*_\[<|~$]|#(?!\w))")
# What starts a block at the beginning of a line: lists, quotes, underlines, ordered lists.
_LINE_START = re.compile(r"^(\s*)([-+=>]|\d+(?=[.)](?:\s|$)))")
# GitHub turns these into a mention or an issue even behind a backslash.
_REFERENCE = re.compile(r"([@#])(?=\w)")
_CODE = re.compile(r"`([^`]+)`")
_TICKS = re.compile(r"`+")
#: GitHub takes 65 536 characters in an issue or a comment; some are left for its reader's own.
MOST = 64_000
#: Lines of one function beside another's.
MOST_CODE = 80


def render_markdown(document: doc.Document, *, verbose: bool = False) -> str:
    """The answer and the main sections; ``verbose`` adds those of detail, folded away. What would
    make it longer than GitHub takes is left out, the least important first, and named."""
    parts = [f"## {escape(document.title)}"] if document.title else []
    parts += [f"**{prose(document.headline)}**"] if document.headline else []
    for section in document.sections:
        if section.importance in ("answer", "main"):
            parts += [_block(block, verbose=verbose) for block in section.blocks]
    if verbose:
        details = [s for s in document.sections if s.importance == "detail"]
        used = sum(len(part) + 2 for part in parts)
        parts += _details(details, MOST - used)
    return "\n\n".join(part for part in parts if part) + "\n"


def escape(text: str) -> str:
    """``text`` so that Markdown shows it as it is, on one line."""
    flat = " ".join(fmt.escape_controls(text).split()).replace("&", "&amp;")
    inert = _SPECIAL.sub(r"\\\1", flat).replace("\\<", "&lt;")
    return _REFERENCE.sub(r"\1<!-- -->", _LINE_START.sub(_escape_start, inert))


def prose(text: str) -> str:
    """A sentence: escaped, but what stands in backticks stays code."""
    parts = _CODE.split(fmt.escape_controls(text).strip())
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


def _details(sections: Iterable[doc.ReportSection], room: int) -> list[str]:
    """The folded parts that have room, and the titles of those that have none."""
    kept, left_out = [], []
    for section, block in ((s, block) for s in sections for block in s.blocks):
        title, part = section.title, _block(block, caption=False)
        if isinstance(block, (doc.Table, doc.Group)):
            title = block.caption if isinstance(block, doc.Table) else block.title
            part = fold(title, part)
        if len(part) + 2 <= room:
            kept.append(part)
            room -= len(part) + 2
        else:
            left_out.append(f"{title[:1].lower()}{title[1:80]}")
    if left_out:
        kept.append(
            f"<sub>Left out, as GitHub takes no more than 65 536 characters: "
            f"{escape('; '.join(left_out))}. `--html` and `--json` have it all.</sub>"
        )
    return kept


def _block(block: doc.Block, *, verbose: bool = True, caption: bool = True) -> str:
    match block:
        case doc.Table():
            shown = block.shown(verbose)
            return _table(shown, caption=caption) if shown.rows else ""
        case doc.Sentences(items=items, aside=True):
            return "\n".join(f"<sub>{prose(item.text)}</sub>  " for item in items).rstrip()
        case doc.Sentences(items=items):
            return "\n".join(map(_item, items))
        case doc.CodeBlock():
            return code(block.lines, block.language)
        case doc.FactTree():
            return _facts(block.values)
        case doc.Group(blocks=blocks):
            return "\n\n".join(filter(None, map(_block, blocks)))
        case doc.CodeSides():
            return _sides(block)
        case doc.CountedSides():
            return fold(block.caption, code(list(counted_lines(block)), "text", MOST_CODE))
        case doc.Plot() | doc.ShareBars() | doc.FlameGraph():
            return ""


def _sides(block: doc.CodeSides) -> str:
    """A difference of texts, equal lines folded; of a long one its beginning."""
    lines: list[str] = []
    rows = block.difference.rows
    for start, end, equal in folded(rows, around=1):
        if equal:
            lines.append(f"  … {end - start} equal")
            continue
        for row in rows[start:end]:
            if row.beside in ("same", "registers") and row.b is not None:
                lines.append(f"  {row.b.text}")
                continue
            lines += [f"- {row.a.text}"] if row.a else []
            lines += [f"+ {row.b.text}"] if row.b else []
    return fold(block.title, code(lines, "diff", MOST_CODE))


def _item(item: doc.Sentence) -> str:
    label = f"**{item.label}:** " if item.label else ""
    return "- " + label + "\\\n  ".join(prose(text) for text in (item.text, *item.more))


def code(lines: Sequence[str], language: str, most: int | None = None) -> str:
    """Lines as they are; of more than ``most`` the first."""
    if most is not None and len(lines) > most:
        lines = [*lines[:most], f"  … {len(lines) - most} more lines"]
    text = "\n".join(map(fmt.escape_controls, lines))
    fence = "`" * max(3, *(len(run) + 1 for run in _TICKS.findall(text)), 3)
    return f"{fence}{language}\n{text}\n{fence}"


def _facts(values: Mapping[str, Any], indent: str = "") -> str:
    lines = []
    for name, value in values.items():
        if isinstance(value, Mapping) and value:
            lines += [f"{indent}- {escape(name)}:", _facts(value, f"{indent}  ")]
        else:
            lines.append(f"{indent}- {escape(name)}: {escape(doc.fact_text(value))}")
    return "\n".join(lines)


def _table(table: doc.Table, *, caption: bool) -> str:
    heads = [escape(column.title) for column in table.columns]
    rules = ["---:" if column.align == "right" else "---" for column in table.columns]

    def text(cell: doc.Cell) -> str:
        bold = "**" if cell.outcome in ("faster", "slower") else ""
        detail = f" {escape(cell.detail)}" if cell.detail else ""
        return f"{bold}{escape(cell.text)}{bold}{detail}"

    rows = [list(map(text, row)) for row in table.rows]
    title = [f"_{escape(table.caption)}_", ""] if caption and table.caption else []
    return "\n".join([*title, *(f"| {' | '.join(row)} |" for row in (heads, rules, *rows))])


def fold(title: str, body: str) -> str:
    """Folded away under a title, which is HTML: Markdown has no meaning there."""
    summary = _REFERENCE.sub(r"\1<!-- -->", html.escape(fmt.escape_controls(title), quote=False))
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"
