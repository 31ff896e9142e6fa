"""The answer on one screen of a terminal: what fits of it, and bars made of characters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from whyfast.report.document import Bar, Brief, Table

#: Lines and columns of the smallest usual terminal; the last line is left to the prompt.
LINES = 24
#: The widths between which a column of bars is drawn, in characters.
LEAST_BAR, MOST_BAR = 7, 28
#: So many lines of what to distrust, and as many rows are kept before a sentence goes.
_CARE_LINES, _KEPT_ROWS = 4, 6
#: Lines beside sentences and rows: a blank one above the table, its caption and headings, a blank
#: one below, the last one.
_AROUND_TABLE = 5

#: Of a text, how many lines it takes.
Height = Callable[[str], int]


@dataclass(frozen=True)
class Fitted:
    """What of a :class:`Brief` has room; ``missing`` is the number of rows that have none."""

    said: tuple[str, ...]
    table: Table | None
    care: tuple[str, ...]
    missing: int


def fit_screen(brief: Brief, height: Height, *, used: int, lines: int = LINES) -> Fitted:
    """What fits into ``lines`` of which ``used`` are taken, one among them by the prompt.

    ``height`` tells how many lines a text takes. First sentences are as many as leave room for some
    rows, then rows get all that is left, the most important of them.
    """
    care = brief.care
    while care and height(together(care)) > _CARE_LINES:
        care = care[:-1]
    around = (_AROUND_TABLE if brief.table else 1) + (height(together(care)) if care else 0)
    rows = len(brief.table.rows) if brief.table else 0
    left = lines - used - around
    said: list[str] = []
    for text in brief.said:
        if left - height(text) < min(rows, _KEPT_ROWS):
            break
        said.append(text)
        left -= height(text)
    kept = brief.table and _most_important(brief.table, brief.ranks, max(left, 1))
    return Fitted(tuple(said), kept, care, rows - len(kept.rows) if kept else 0)


def together(texts: Sequence[str]) -> str:
    """What to distrust as one paragraph."""
    return f"Distrust: {' '.join(texts)}"


def _most_important(table: Table, ranks: Sequence[int], room: int) -> Table:
    """The rows with the smallest ranks, in their order."""
    kept = sorted(sorted(range(len(ranks)), key=lambda i: ranks[i])[:room])
    return replace(table, rows=tuple(table.rows[i] for i in kept))


def bar_text(bar: Bar, width: int) -> str:
    """A bar in ``width`` characters, from the line at ``zero`` to the left or the right, in steps
    of half a character; one that may be of no length is light.

    >>> bar_text(Bar(0.5, 1.0), 7)
    '   │███'
    """
    middle = round(bar.zero * (width - 1))
    left, right = middle, width - 1 - middle
    length = abs(bar.end - bar.zero) * (width - 1)
    if bar.end < bar.zero:
        drawn = _block(min(length, left), bar.sure)[::-1].replace("▌", "▐")
        return f"{drawn:>{left}}│{'':{right}}"
    return f"{'':{left}}│{_block(min(length, right), bar.sure):<{right}}"


def _block(length: float, sure: bool) -> str:
    halves = round(2 * length)
    if not sure:
        return "░" * round(length)
    return "█" * (halves // 2) + "▌" * (halves % 2)
