"""The answer on one screen of a terminal: what fits of it, and bars made of characters."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from whyfast.report.document import Bar, Cell, Column, Summary, Table
from whyfast.report.formatting import pluralize

#: Lines and columns of the smallest usual terminal; the last line is left to the prompt.
LINES = 24
#: The widths between which a column of bars is drawn, in characters.
LEAST_BAR, MOST_BAR = 7, 28
#: So many lines of the headline, and as many rows are kept before a sentence goes.
HEAD_LINES, _KEPT_ROWS = 8, 6
#: So many lines of what to distrust, where rows and sentences leave room for no more, and at most.
_CARE_LINES, _MOST_CARE_LINES = 4, 8
#: Lines beside sentences and rows: a blank one above the table, its headings, a blank one below.
_AROUND_TABLE = 3
#: A column is not made narrower than this, in characters.
_NARROWEST = 8

#: Arguments without others in them, what marks them, and how they are written. What begins with
#: ``<`` is a type of Rust, whose name is in there.
_ARGUMENTS = (
    (re.compile(r"\(\)"), "\0", "()"),
    (re.compile(r"(?<=\w)<[^<>()]*>"), "\1", "<…>"),
    (re.compile(r"\([^<>()]*\)"), "\2", "(…)"),
)

#: Of a text, how many lines it takes.
Height = Callable[[str], int]
#: Of a table, how wide its columns are with the gap behind them.
Widths = Callable[[Table], list[int]]


@dataclass(frozen=True)
class Fitted:
    """What of a :class:`Summary` has room; ``care`` is one paragraph of at most ``care_lines``,
    empty where nothing is to be distrusted, ``missing`` the number of rows that have no room."""

    said: tuple[str, ...]
    table: Table | None
    care: str
    care_lines: int
    missing: int


def fit_screen(summary: Summary, height: Height, *, used: int, lines: int = LINES) -> Fitted:
    """What fits into ``lines`` of which ``used`` are taken, one among them by the prompt.

    ``height`` tells how many lines a text takes. First sentences are as many as leave room for some
    rows, then rows get all that is left, the most important of them.
    """
    care = _care(summary.care, height, _CARE_LINES)
    taken = min(height(care), _CARE_LINES) if care else 0
    taken += len(summary.commands) + 1 if summary.commands else 0
    around = _AROUND_TABLE + height(summary.table.caption) if summary.table else 1
    rows = len(summary.table.rows) if summary.table else 0
    around += height(last_line(summary, rows))
    left = lines - used - around - taken
    said: list[str] = []
    for text in summary.said:
        if left - height(text) < min(rows, _KEPT_ROWS):
            break
        said.append(text)
        left -= height(text)
    kept = summary.table and _most_important(summary.table, summary.ranks, max(left, 1))
    spare = left - rows if len(said) == len(summary.said) else 0
    room = min(_CARE_LINES + max(spare, 0), _MOST_CARE_LINES)
    missing = rows - len(kept.rows) if kept else 0
    return Fitted(tuple(said), kept, _care(summary.care, height, room), room, missing)


def last_line(summary: Summary, missing: int) -> str:
    """How to see what has no room."""
    left_out = f"{pluralize(missing, f'more {summary.row}')} and " if missing else ""
    said = f"{left_out}{summary.more}"
    return said[:1].upper() + said[1:]


def _care(texts: Sequence[str], height: Height, lines: int) -> str:
    """What to distrust as one paragraph: as much as has room, and how much has none."""
    for number in range(len(texts), 1, -1):
        said = _together(texts[:number], len(texts) - number)
        if height(said) <= lines:
            return said
    return _together(texts[:1], len(texts) - 1) if texts else ""


def _together(texts: Sequence[str], others: int) -> str:
    more = [f"-v has {others} more."] if others else []
    return f"Distrust: {' '.join([*texts, *more])}"


def _most_important(table: Table, ranks: Sequence[int], room: int) -> Table:
    """The rows with the smallest ranks, in their order."""
    kept = sorted(sorted(range(len(ranks)), key=lambda i: ranks[i])[:room])
    return replace(table, rows=tuple(table.rows[i] for i in kept))


def compact(table: Table, widths: Widths, room: int, *, bars: bool) -> Table | None:
    """``table`` with a line a row, at most ``room`` wide: columns give way, what is too long is
    cut, and bars, where they can be drawn, fill what is left. None where that cannot be."""
    barred = [i for i, cell in enumerate(table.rows[0]) if cell.bar is not None]
    text = table.only([i for i in range(len(table.columns)) if i not in barred])
    while sum(widths(text)) > room and any(c.drop for c in text.columns):
        worst = max(c.drop for c in text.columns)
        text = text.only([i for i, c in enumerate(text.columns) if c.drop != worst])
    text = _narrowed(text, widths, room)
    if sum(widths(text)) > room:
        return None
    left = min(room - sum(widths(text)) - 1, MOST_BAR)
    if not (barred and left >= LEAST_BAR and bars):
        return text
    drawn = ((r, row[barred[0]]) for r, row in zip(text.rows, table.rows, strict=True))
    rows = tuple(
        (*r, Cell(bar_text(c.bar, left) if c.bar else "", "", c.outcome)) for r, c in drawn
    )
    return replace(text, columns=(*text.columns, Column("")), rows=rows)


def _narrowed(table: Table, widths: Widths, room: int) -> Table:
    """The widest columns cut until all have room; those of details fold instead."""
    if any(cell.detail for row in table.rows for cell in row):
        return table
    while (over := sum(now := widths(table)) - room) > 0:
        widest = max(range(len(now)), key=lambda i: now[i])
        second = max([_NARROWEST, *(w for i, w in enumerate(now) if i != widest)])
        gap = now[widest] - max(map(len, _texts(table, widest)))
        width = max(now[widest] - over, second - 1, _NARROWEST) - gap
        if width >= now[widest] - gap:
            break
        table = _cut_column(table, widest, width)
    return table


def _texts(table: Table, column: int) -> list[str]:
    return [table.columns[column].title, *(row[column].text for row in table.rows)]


def _cut_column(table: Table, column: int, width: int) -> Table:
    title, *texts = _texts(table, column)
    cells = [
        replace(row[column], text=text)
        for row, text in zip(table.rows, shortened(texts, width), strict=True)
    ]
    rows = tuple(
        (*row[:column], cell, *row[column + 1 :])
        for row, cell in zip(table.rows, cells, strict=True)
    )
    heads = list(table.columns)
    heads[column] = replace(heads[column], title=shortened([title], width)[0])
    return replace(table, columns=tuple(heads), rows=rows)


def shortened(texts: Sequence[str], width: int) -> list[str]:
    """Texts of at most ``width`` characters: of a longer one the arguments of templates and
    functions give way, then its middle, or what all begin with where that alone tells them apart.

    >>> shortened(["a short one", "one that is far too long"], 11)
    ['a short one', 'one t… long']
    """
    bare = [_without_arguments(text) if len(text) > width else text for text in texts]
    for shorter in (bare, texts):
        cut = [_middle_out(text, width) for text in shorter]
        if len(set(cut)) == len(set(texts)):
            return cut
    letters = enumerate(zip(*texts, strict=False))
    start = next((i for i, found in letters if len(set(found)) > 1), 0)
    return [_middle_out(f"…{text[start:]}" if start > 1 else text, width) for text in texts]


def _without_arguments(text: str) -> str:
    """``A<…>::f(…)`` of a name of C++ or Rust; a text of anything else as it is.

    >>> _without_arguments("std::map<int, std::pair<int, int> >::find(int const&)")
    'std::map<…>::find(…)'
    """
    if "::" not in text:
        return text
    previous = ""
    while previous != text:  # from within
        previous = text
        for pattern, mark, _ in _ARGUMENTS:
            text = pattern.sub(mark, text)
    for _, mark, short in _ARGUMENTS:
        text = text.replace(mark, short)
    return text


def _middle_out(text: str, width: int) -> str:
    if len(text) <= width:
        return text
    end = (width - 1) // 2
    return f"{text[: width - 1 - end]}…{text[len(text) - end :]}"


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
