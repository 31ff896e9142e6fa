"""The answer on one screen of a terminal: what fits of it, and bars made of characters."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from whyfast.report import document as doc
from whyfast.report import formatting as fmt

#: Lines and columns of the smallest usual terminal; the last line is left to the prompt.
LINES = 24
#: The widths between which a column of bars is drawn, in characters.
LEAST_BAR, MOST_BAR = 7, 28
#: The most characters of the headline; rows that are kept before a sentence goes.
HEADLINE, _KEPT_ROWS = 640, 6
#: Lines of what to distrust where rows and sentences leave no more room, and at most.
_CARE_LINES, _MOST_CARE_LINES = 4, 8
#: Lines beside sentences and rows: a blank one above the table, its headings, a blank one below.
_AROUND_TABLE = 3
#: Columns that give way to bars have this ``drop``.
_FOR_BARS = 9
#: The least logarithm that bars reach to.
_LEAST_REACH = math.log(1.25)
#: A column is not made narrower than this, in characters; one of names not while details may go.
_NARROWEST, _NAME = 8, 24

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
Widths = Callable[[doc.Table], list[int]]


@dataclass(frozen=True)
class Fitted:
    """What of a :class:`Summary` has room; ``care`` is one paragraph of at most ``care_lines``,
    empty where nothing is to be distrusted, ``missing`` the number of rows that have no room."""

    findings: tuple[str, ...]
    table: doc.Table | None
    care: str
    care_lines: int
    missing: int


def fit_screen(summary: doc.Summary, height: Height, *, used: int, lines: int = LINES) -> Fitted:
    """What fits into ``lines`` of which ``used`` are taken, one among them by the prompt.
    ``height`` tells how many lines a text takes. First sentences are as many as leave room for some
    rows, then rows get all that is left, the most important of them."""
    care = _care(summary.care, height, _CARE_LINES)
    taken = min(height(care), _CARE_LINES) if care else 0
    taken += len(summary.commands) + 1 if summary.commands else 0
    around = _AROUND_TABLE + height(summary.table.caption) if summary.table else 1
    rows = len(summary.table.rows) if summary.table else 0
    around += height(last_line(summary, rows))
    left = lines - used - around - taken
    texts: list[str] = []
    for text in summary.findings:
        if left - height(text) < min(rows, _KEPT_ROWS):
            break
        texts.append(text)
        left -= height(text)
    kept = summary.table
    if kept is not None:
        ranks = summary.ranks or range(rows)
        places = sorted(sorted(range(rows), key=ranks.__getitem__)[: max(left, 1)])
        kept = replace(kept, rows=tuple(kept.rows[i] for i in places))
    spare = left - rows if len(texts) == len(summary.findings) else 0
    room = min(_CARE_LINES + max(spare, 0), _MOST_CARE_LINES)
    missing = rows - len(kept.rows) if kept else 0
    return Fitted(tuple(texts), kept, _care(summary.care, height, room), room, missing)


def last_line(summary: doc.Summary, missing: int) -> str:
    """How to see what has no room."""
    left_out = f"{fmt.pluralize(missing, f'more {summary.row}')} and " if missing else ""
    text = f"{left_out}{summary.more}"
    return text[:1].upper() + text[1:]


def _care(texts: Sequence[str], height: Height, lines: int) -> str:
    """What to distrust as one paragraph: as much as has room, and how much has none."""
    for number in range(len(texts), 1, -1):
        paragraph = _together(texts[:number], len(texts) - number)
        if height(paragraph) <= lines:
            return paragraph
    return _together(texts[:1], len(texts) - 1) if texts else ""


def _together(texts: Sequence[str], others: int) -> str:
    more = [f"-v has {others} more."] if others else []
    return f"Distrust: {' '.join([*texts, *more])}"


def compact(table: doc.Table, widths: Widths, room: int, *, bars: str = "") -> doc.Table | None:
    """``table`` with one line for each row, at most ``room`` wide: columns give way, then details,
    what is still too long is cut, and the ratios of the column ``bars`` fill what is left. None
    where it does not fit."""
    bars = bars if any(c.title == bars for c in table.columns) else ""
    text = table
    if bars and sum(widths(text)) + 1 + MOST_BAR > room:
        text = text.only([i for i, c in enumerate(text.columns) if c.drop < _FOR_BARS])
    while sum(widths(text)) > room and (narrower := text.narrower()):
        text = narrower
    if sum(widths(text)) > room:
        text = _narrowed(_short_titles(text), widths, room, _NAME)
    details = [max(len(row[i].detail) for row in text.rows) for i in range(len(text.columns))]
    while sum(widths(text)) > room and any(details):
        widest = details.index(max(details))
        text = _with_column(text, widest, [replace(r[widest], detail="") for r in text.rows])
        details[widest] = 0
    text = _narrowed(text, widths, room, _NARROWEST)
    if sum(widths(text)) > room:
        return None
    left = min(room - sum(widths(text)) - 1, MOST_BAR)
    titles = [c.title for c in table.columns]
    if not bars or left < LEAST_BAR:
        return text
    column = titles.index(bars)
    drawn = draw_bars([row[column] for row in table.rows], left)
    # Beside the ratios that they draw, as other baselines may follow.
    at = next((i for i, c in enumerate(text.columns, 1) if c.title == bars), len(text.columns))
    rows = tuple((*r[:at], bar, *r[at:]) for r, bar in zip(text.rows, drawn, strict=True))
    columns = (*text.columns[:at], doc.Column(""), *text.columns[at:])
    return replace(text, columns=columns, rows=rows)


def draw_bars(cells: Sequence[doc.Cell], width: int) -> list[doc.Cell]:
    """The logarithms of the cells' ratios as bars from a common line, light where undecided."""
    logs = [
        math.log(c.number) if c.outcome and c.number and c.number < math.inf else 0.0 for c in cells
    ]
    low, high = min(0.0, *logs), max(0.0, *logs)
    if (short := _LEAST_REACH - (high - low)) > 0:  # a small difference looks small
        low, high = (low - short, high) if -low > high else (low, high + short)
    zero, ends = -low / (high - low), [(x - low) / (high - low) for x in logs]
    return [
        doc.Cell(bar_text(zero, end, width, c.outcome != "undecided"), "", c.outcome)
        for c, end in zip(cells, ends, strict=True)
    ]


def _short_titles(table: doc.Table) -> doc.Table:
    """No title much longer than the cells under it."""
    columns = []
    for column, cells in zip(table.columns, zip(*table.rows, strict=True), strict=True):
        longest = max(len(c.text) + len(c.detail) for c in cells)
        title = shortened([column.title], max(longest, _NAME))[0]
        columns.append(replace(column, title=title))
    return replace(table, columns=tuple(columns))


def _narrowed(table: doc.Table, widths: Widths, room: int, least: int) -> doc.Table:
    """The widest columns without details cut until all have room."""
    detailed = {i for row in table.rows for i, cell in enumerate(row) if cell.detail}
    plain = [i for i in range(len(table.columns)) if i not in detailed]
    while plain and (over := sum(now := widths(table)) - room) > 0:
        widest = max(plain, key=lambda i: now[i])
        second = max([least, *(now[i] for i in plain if i != widest)])
        heading, texts = [table.columns[widest].title], [row[widest].text for row in table.rows]
        gap = now[widest] - max(map(len, (*heading, *texts)))
        width = max(now[widest] - over, second - 1, least) - gap
        if width >= now[widest] - gap:
            break
        cells = [
            replace(row[widest], text=text)
            for row, text in zip(table.rows, shortened(texts, width), strict=True)
        ]
        table = _with_column(table, widest, cells, shortened(heading, width)[0])
    return table


def _with_column(
    table: doc.Table, i: int, cells: Sequence[doc.Cell], title: str | None = None
) -> doc.Table:
    heads = list(table.columns)
    if title is not None:
        heads[i] = replace(heads[i], title=title)
    rows = zip(table.rows, cells, strict=True)
    return replace(
        table,
        columns=tuple(heads),
        rows=tuple((*row[:i], cell, *row[i + 1 :]) for row, cell in rows),
    )


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
    start = next((i for i, column in letters if len(set(column)) > 1), 0)
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


def bar_text(zero: float, end: float, width: int, sure: bool = True) -> str:
    """A bar in ``width`` characters, from the line at ``zero`` to ``end`` (both shares of the
    width), in steps of half a character; one that is not ``sure`` is light.

    >>> bar_text(0.5, 1.0, 7)
    '   │███'
    """
    middle = round(zero * (width - 1))
    left, right = middle, width - 1 - middle
    halves = round(2 * min(abs(end - zero) * (width - 1), left if end < zero else right))
    if not sure:
        drawn = "░" * round(halves / 2)
    else:
        drawn = "█" * (halves // 2) + ("▐" if end < zero else "▌") * (halves % 2)
    if end < zero:
        return f"{drawn[::-1]:>{left}}│{'':{right}}"
    return f"{'':{left}}│{drawn:<{right}}"
