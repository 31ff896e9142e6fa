"""A document on the terminal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.render.summary_lines import HEADLINE, LINES, compact, fit_screen, last_line
from whyfast.report.sections.side_by_side import counted_lines, folded

if TYPE_CHECKING:
    from whyfast.model.code import CodeLine, CodeRow


# Two functions side by side; one above the other where the terminal is narrow.

#: From this width on two instructions fit side by side.
SIDES = 100
_FLOWS = {"indirect jump": "bold magenta", "indirect call": "bold magenta", "call": "cyan"}
_SOURCE = 16
_ALIKE = ("same", "registers")


def code_lines(block: doc.CodeSides, width: int, safe: Callable[[str], str]) -> Iterator[Text]:
    """Each a line; ``safe`` makes a text harmless for the terminal. Equal parts are folded, what
    differs is marked with ``-``, ``+`` and ``!``, so that colour is never needed."""
    rows, half = block.difference.rows, (width - 3) // 2
    for start, end, fold in folded(rows):
        if fold:
            yield Text(f"  ⋮ {fmt.pluralize(end - start, 'equal instruction')}", style="dim")
        elif width < SIDES:
            yield from _above(rows[start:end], width, safe)
        for row in rows[start:end] if width >= SIDES and not fold else ():
            mark = {"changed": "!", "only a": "-", "only b": "+"}.get(row.beside, " ")
            styles = ("dim",) * 3 if row.beside in _ALIKE else ("red", "bold", "green")
            text = _side(row.a, half, safe, styles[0]).append(f" {mark} ", style=styles[1])
            yield text.append_text(_side(row.b, half, safe, styles[2]))


def _above(rows: Iterable[CodeRow], width: int, safe: Callable[[str], str]) -> Iterator[Text]:
    for alike, part in groupby(rows, lambda row: row.beside in _ALIKE):
        group = list(part)
        sides = [("  ", "dim", [r.b for r in group])]
        if not alike:
            sides = [("- ", "red", [r.a for r in group]), ("+ ", "green", [r.b for r in group])]
        for mark, style, lines in sides:
            for line in filter(None, lines):
                text = Text(mark, style=style)
                yield text.append_text(_side(line, width - 2, safe, style))


def _side(line: CodeLine | None, width: int, safe: Callable[[str], str], style: str) -> Text:
    if line is None:
        return Text(" " * width)
    room = width - _SOURCE - 1
    text = safe(line.text)
    text = text if len(text) <= room else f"{text[: room - 1]}…"
    source = safe(line.source)[-_SOURCE:]
    instruction = Text(f"{text:<{room}}", style=_FLOWS.get(line.flow, style))
    return instruction.append(f" {source:<{_SOURCE}}", style="dim")


#: Fixed colours that can be read on black and on white; a terminal of eight has its nearest.
_GREEN, _RED, _BLUE, _ORANGE = "#008700", "#d70000", "#008787", "#af5f00"
_STYLES = {
    "faster": _GREEN,
    "slower": _RED,
    "same": _BLUE,
    "undecided": _ORANGE,
    "warning": _ORANGE,
    "unknown": "dim",
    "good": _GREEN,
}
_GAP = 2  # spaces between two cells: one of padding, one of the box
_LINE = 100  # longer lines of prose are hard to read, however wide the terminal
_WORDY = 40  # a column with longer cells is prose, and may be folded …
_FOLDED = 32  # … down to this width
_INTERVAL = re.compile(r"(\[\S+,) (\S+\])")
#: Stands for the space inside an interval while a line is folded: rich folds at every character
#: that Unicode calls a space, a no-break space too. No text has it: it is made visible before.
_KEEP = "\ue000"


def render_terminal(document: doc.Document, *, console: Console, verbose: bool = False) -> None:
    """Prints the answer on one screen, where the document has one; else, and with ``verbose``, the
    answer and the main sections, and with ``verbose`` those of detail. Width, height, colour and
    encoding are the console's."""
    printer = _Printer(console, verbose)
    if document.summary is not None and not verbose:
        printer.summary(document, document.summary)
        return
    printer.head(document)
    for section in document.sections:
        printer.section(section)


class _Printer:
    def __init__(self, console: Console, verbose: bool) -> None:
        self._console, self._verbose, self._begun = console, verbose, False
        self._encoding = console.encoding or "utf-8"
        self._wide = min(console.width, _LINE)

    def head(self, document: doc.Document) -> None:
        for text in (document.title, document.headline):
            if text:
                self._space()
                self._line(self._text(text, "bold"))

    def summary(self, document: doc.Document, summary: doc.Summary) -> None:
        """The question, the answer, and what fits on the screen under them."""
        head = [text for text in (document.title, summary.headline or document.headline) if text]
        most = HEADLINE // self._wide
        for text in head:
            self._space()
            self._line(self._text(text, "bold"), most)
        lines = max(LINES, self._console.height) if self._console.is_terminal else LINES
        taken = sum(min(self._height(text), most) for text in head)
        fitted = fit_screen(summary, self._height, used=taken + len(head), lines=lines)
        for text in fitted.findings:
            self._begun = True
            self._line(self._text(text))
        if fitted.table is not None:
            self._space()
            self._compact(fitted.table, summary.bars if self._unicode else "")
        if summary.commands:
            self._space()
            for command in summary.commands:
                self._console.print(self._text(command), soft_wrap=True)
        self._space()
        if fitted.care:
            self._line(self._text(fitted.care, _ORANGE), fitted.care_lines)
        self._line(self._text(last_line(summary, fitted.missing), "dim"))

    def _height(self, text: str) -> int:
        return len(self._folded(self._text(text)))

    def _compact(self, table: doc.Table, bars: str) -> None:
        """Every row on one line, unless the table is too wide for that."""
        widths = partial(self._widths, folded=False, stacked=False)
        text = compact(table, widths, self._console.width + 1, bars=bars)
        if text is None:
            self._begun = False
            self._table(table)
            return
        self._line(self._text(text.caption, "italic"))
        rich_table = self._rich(text, folded=False, stacked=False)
        rich_table.box = None
        rich_table.padding = (0, 2, 0, 0)
        self._console.print(rich_table)

    @property
    def _unicode(self) -> bool:
        return self._encoding.lower().startswith("utf")

    def section(self, section: doc.ReportSection) -> None:
        shown = ("answer", "main", "detail") if self._verbose else ("answer", "main")
        if section.importance in shown:
            for block in section.blocks:
                self._block(block)
        elif section.hint:
            self._space()
            self._line(self._text(section.hint, "dim"))

    def _block(self, block: doc.Block) -> None:
        match block:
            case doc.Table():
                shown = block.shown(self._verbose)
                if shown.rows:
                    self._table(shown)
            case doc.Sentences():
                self._sentences(block)
            case doc.CodeBlock():
                self._code(block)
            case doc.FactTree():
                self._space()
                self._facts(block.values)
            case doc.CodeSides():
                self._sides(block)
            case doc.Group():
                for inner in block.blocks:
                    self._block(inner)
            case doc.CountedSides():
                self._counted(block)
            case doc.Plot() | doc.ShareBars() | doc.FlameGraph():
                pass

    def _space(self) -> None:
        if self._begun:
            self._console.print()
        self._begun = True

    def _sentences(self, block: doc.Sentences) -> None:
        self._space()
        width = max(len(item.label) for item in block.items) + 2
        hanging = any(item.more for item in block.items)
        for item in block.items:
            if hanging:
                self._hanging(item, width)
                continue
            text = Text(style="dim" if block.aside else "")
            if item.label:
                text.append(f"{item.label}: ", style=_STYLES.get(item.label, ""))
            self._line(text.append(self._safe(item.text)))

    def _hanging(self, item: doc.Sentence, width: int) -> None:
        """The label in a column of its own, the texts beside it."""
        made = RichTable(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
        made.add_column(no_wrap=True, min_width=width - 2)
        made.add_column(overflow="fold")
        text = self._text(item.text, "bold")
        for i, more in enumerate(item.more):
            text.append(f"\n{self._safe(more)}", style="not bold" if i == 0 else "not bold dim")
        made.add_row(self._text(item.label, _STYLES.get(item.label, "")), text)
        self._console.print(made, width=self._wide)

    def _code(self, code: doc.CodeBlock) -> None:
        """Never folded; indented where white space does not matter."""
        self._space()
        indent = "" if code.language == "sh" else "    "
        for line in code.lines:
            self._console.print(self._text(f"{indent}{line}".rstrip()), soft_wrap=True)

    def _sides(self, block: doc.CodeSides) -> None:
        self._space()
        self._line(self._text(block.title, "bold"))
        for line in code_lines(block, self._console.width, self._safe):
            self._console.print(line, soft_wrap=True)

    def _counted(self, block: doc.CountedSides) -> None:
        self._space()
        self._line(self._text(block.caption, "italic"))
        for line in counted_lines(block, self._console.width):
            self._console.print(self._text(line), soft_wrap=True)

    def _facts(self, values: Mapping[str, Any], indent: str = "") -> None:
        width = max(map(len, values), default=0)
        for name, value in values.items():
            if isinstance(value, Mapping) and value:
                self._console.print(self._text(f"{indent}{name}", "dim"))
                self._facts(value, f"{indent}  ")
                continue
            text = self._text(f"{indent}{name:<{width}}  ", "dim")
            text.append(self._safe(doc.fact_text(value)), style="not dim")
            self._console.print(text, soft_wrap=True)

    def _line(self, text: Text, most: int | None = None) -> None:
        """Prose, folded between words, with every interval whole on one line; of more lines than
        ``most`` the first."""
        lines = self._folded(text)
        if most is not None and len(lines) > most:
            lines = lines[:most]
            lines[-1].append(self._safe(" …"))
            lines[-1].truncate(self._wide, overflow="ellipsis")
        for line in lines:
            self._console.print(line, width=self._wide)

    def _folded(self, text: Text) -> list[Text]:
        text.plain = _INTERVAL.sub(rf"\1{_KEEP}\2", text.plain)
        lines = list(text.wrap(self._console, self._wide))
        for line in lines:
            line.plain = line.plain.replace(_KEEP, " ").rstrip()
        return lines

    def _table(self, table: doc.Table) -> None:
        self._space()
        if table.caption:
            self._line(self._text(table.caption, "italic"))
        room = self._console.width + 1  # behind the last column stands padding only
        narrower: doc.Table | None = table
        while narrower is not None:
            table, narrower = narrower, narrower.narrower()
            for fold in (False, True):
                if sum(self._widths(table, folded=fold, stacked=False)) <= room:
                    self._console.print(self._rich(table, folded=fold, stacked=False))
                    return
        widths = [
            _FOLDED + _GAP if width > _WORDY + _GAP else width
            for width in self._widths(table, folded=True, stacked=True)
        ]
        for part in fit(table, widths, room):
            self._console.print(self._rich(part, folded=True, stacked=True))

    def _widths(self, table: doc.Table, *, folded: bool, stacked: bool) -> list[int]:
        widths = []
        for column, cells in zip(table.columns, zip(*table.rows, strict=True), strict=True):
            head = max(len(part) for part in column.title.split(" " if folded else "\n"))
            widths.append(max([head, *(self._cell_width(c, stacked) for c in cells)]) + _GAP)
        return widths

    def _cell_width(self, cell: doc.Cell, stacked: bool) -> int:
        return max((line.cell_len for line in self._cell(cell, stacked).split("\n")), default=0)

    def _rich(self, table: doc.Table, *, folded: bool, stacked: bool) -> RichTable:
        made = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
        for index, column in enumerate(table.columns):
            title = self._safe(column.title)
            widest = max(self._cell_width(row[index], stacked) for row in table.rows)
            made.add_column(
                # Folding a heading by hand keeps it from widening its column.
                Text(title.replace(" ", "\n") if folded and len(title) > widest else title),
                justify=column.align,
                overflow="fold",
                # Narrow columns stay whole when others must give way.
                no_wrap=widest <= 30 and len(column.title) < 16,
            )
        for row in table.rows:
            made.add_row(*(self._cell(cell, stacked) for cell in row))
        return made

    def _cell(self, cell: doc.Cell, stacked: bool) -> Text:
        text = self._text(cell.text, _STYLES[cell.outcome] if cell.outcome else "")
        if cell.detail:
            text = Text().append(text).append("\n" if stacked else " ")
            text.append(self._safe(cell.detail), style="dim")
        return text

    def _text(self, text: str, style: str = "") -> Text:
        return Text(self._safe(text), style=style)

    def _safe(self, text: str) -> str:
        """Text without control characters, in what the terminal can encode."""
        plain = fmt.escape_controls(text)
        if self._unicode:
            return plain
        spelled = plain.replace("–", "-").replace("µ", "u").replace("…", "...")
        return spelled.encode(self._encoding, "replace").decode(self._encoding)


def fit(table: doc.Table, widths: Sequence[int], room: int) -> tuple[doc.Table, ...]:
    """``table`` in as few parts as possible, each at most ``room`` wide where that can be.
    ``widths`` are those of the columns with the gap behind them. The fixed columns are repeated in
    every part. A column that does not fit even alone gets a part of its own."""
    start = sum(widths[: table.fixed])
    parts: list[list[int]] = []
    used = room
    for index in range(table.fixed, len(table.columns)):
        if parts and used + widths[index] <= room:
            parts[-1].append(index)
            used += widths[index]
        else:
            parts.append([index])
            used = start + widths[index]
    if len(parts) < 2:
        return (table,)
    return tuple(table.only([*range(table.fixed), *part]) for part in parts)
