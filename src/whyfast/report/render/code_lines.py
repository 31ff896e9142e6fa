"""Two functions side by side as lines of a terminal, or one above the other where it is narrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from whyfast.report.document import CodeSides
from whyfast.report.names import count
from whyfast.report.topics.code_sides import folded

if TYPE_CHECKING:
    from whyfast.model.code_listing import CodeLine, CodeRow

#: From this width on two instructions fit side by side.
SIDES = 100
_FLOWS = {"indirect jump": "bold magenta", "indirect call": "bold magenta", "call": "cyan"}
_SOURCE = 16


def code_lines(block: CodeSides, width: int, safe: Callable[[str], str]) -> Iterator[Text]:
    """Each a line; ``safe`` makes a text harmless for the terminal. Equal parts are folded, what
    differs is marked with ``-``, ``+`` and ``!``, so that colour is never needed."""
    rows = block.difference.rows
    for start, end, fold in folded(rows):
        if fold:
            yield Text(f"  ⋮ {count(end - start, 'equal instruction')}", style="dim")
        elif width >= SIDES:
            yield from (_beside(row, width, safe) for row in rows[start:end])
        else:
            yield from _above(rows[start:end], width, safe)


def _beside(row: CodeRow, width: int, safe: Callable[[str], str]) -> Text:
    half = (width - 3) // 2
    mark = {"same": " ", "registers": " ", "changed": "!", "only a": "-", "only b": "+"}[row.beside]
    differs = row.beside not in ("same", "registers")
    text = _side(row.a, half, safe, "red" if differs else "dim")
    text.append(f" {mark} ", style="bold" if differs else "dim")
    return text.append_text(_side(row.b, half, safe, "green" if differs else "dim"))


def _above(rows: tuple[CodeRow, ...], width: int, safe: Callable[[str], str]) -> Iterator[Text]:
    i = 0
    while i < len(rows):
        if rows[i].beside in ("same", "registers"):
            yield Text("  ").append_text(_side(rows[i].b, width - 2, safe, "dim"))
            i += 1
            continue
        end = i
        while end < len(rows) and rows[end].beside not in ("same", "registers"):
            end += 1
        for mark, style, lines in (
            ("- ", "red", [r.a for r in rows[i:end]]),
            ("+ ", "green", [r.b for r in rows[i:end]]),
        ):
            for line in lines:
                if line is not None:
                    text = Text(mark, style=style)
                    yield text.append_text(_side(line, width - 2, safe, style))
        i = end


def _side(line: CodeLine | None, width: int, safe: Callable[[str], str], style: str) -> Text:
    if line is None:
        return Text(" " * width)
    room = width - _SOURCE - 1
    text = safe(line.text)
    text = text if len(text) <= room else f"{text[: room - 1]}…"
    made = Text(f"{text:<{room}}", style=_FLOWS.get(line.flow, style))
    source = safe(line.source)[-_SOURCE:]
    return made.append(f" {source:<{_SOURCE}}", style="dim")
