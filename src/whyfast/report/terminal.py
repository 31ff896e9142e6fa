"""A result on the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from whyfast.model.result import Result
from whyfast.model.verdict import Word
from whyfast.report.answer import answer_of
from whyfast.report.benchmark_lines import EXPLAINED, LineGroup, few_lines, line_groups
from whyfast.report.benchmark_table import benchmark_tables
from whyfast.report.certainty import how_sure
from whyfast.report.contents import TableRows, background_tables, evidence_tables, main_tables
from whyfast.report.detail_tables import evidence_notes
from whyfast.report.guest_page import guest_page
from whyfast.report.metric_table import metric_table
from whyfast.report.names import printable
from whyfast.report.page import Page
from whyfast.report.table import Cell, Column, Table
from whyfast.report.table_fit import fit
from whyfast.report.trouble_text import toml_lines

_STYLES: dict[Word, str] = {
    "faster": "green",
    "slower": "red",
    "same": "cyan",
    "undecided": "yellow",
}
_GAP = 2  # spaces between two cells: one of padding, one of the box
_LINE = 100  # longer lines of prose are hard to read, however wide the terminal
_WORDY = 40  # a column with longer cells is prose, and may be folded …
_FOLDED = 32  # … down to this width
_INTERVAL = re.compile(r"(\[\S+,) (\S+\])")
#: Stands for the space inside an interval while a line is folded: rich folds at every character
#: that Unicode calls a space, a no-break space too.
_KEEP = "\ue000"


def render_terminal(
    result: Result, *, console: Console, verbose: bool = False, rows: TableRows = "variants"
) -> None:
    """Prints the answer, the main tables, what weakens it and how sure it is.

    ``verbose`` adds every benchmark, the evidence, the builds and the time spent. Width, colour
    and encoding are the console's. ``rows`` are those of the table of times.
    """
    _Printer(console).result(result, verbose=verbose, rows=rows)


def render_page(page: Page, *, console: Console) -> None:
    """Prints the headline, the tables and the sentences of ``page``."""
    _Printer(console).page(page)


class _Printer:
    def __init__(self, console: Console) -> None:
        self._console = console
        self._encoding = console.encoding or "utf-8"

    def result(self, result: Result, *, verbose: bool, rows: TableRows) -> None:
        if result.question.title:
            self._line(Text(self._safe(result.question.title), style="bold"))
            self._console.print()
        if result.judged.about == "counts":
            self.page(guest_page(result, every=verbose))
            return
        self._line(Text(self._safe(answer_of(result).headline), style="bold"))
        for table in main_tables(result, verbose=verbose, rows=rows):
            self._table(table)
        few = few_lines(result)
        if not verbose:
            self._groups(few)
        self._lines(answer_of(result).sentences)
        self._code(toml_lines(result.found.troubles))
        self._confounds(result)
        self._lines(how_sure(result), style="dim")
        metrics = metric_table(result, decided=not verbose)
        if metrics is not None:
            self._table(metrics)
        if verbose:
            self._details(result)
        elif line_groups(result) and not few:
            self._lines(("Each benchmark: with -v.",), style="dim")

    def page(self, page: Page) -> None:
        self._line(Text(self._safe(page.headline), style="bold"))
        for table in page.tables:
            self._table(table)
        self._lines(page.sentences)

    def _code(self, lines: Sequence[str]) -> None:
        """Lines to be copied: never folded, indented."""
        if lines:
            self._console.print()
        for line in lines:
            self._console.print(Text(f"    {self._safe(line)}".rstrip()), soft_wrap=True)

    def _details(self, result: Result) -> None:
        groups = line_groups(result)
        self._groups(groups)
        if not groups:
            for table in benchmark_tables(result):
                self._table(table)
        for table in evidence_tables(result):
            self._table(table)
        self._lines(evidence_notes(result))
        for table in background_tables(result):
            self._table(table)

    def _groups(self, groups: Sequence[LineGroup]) -> None:
        for group in groups:
            self._console.print()
            self._line(Text(self._safe(group.title), style="italic"))
            # The heading names the pair; where the lines are too long for it, they do not.
            named = max(map(len, group.texts())) <= min(self._console.width, _LINE)
            for start, line in zip(group.starts(named=named), group.lines, strict=True):
                text = Text(self._safe(start))
                text.append(self._safe(line.said), style=_STYLES[line.word])
                self._line(text)
            self._line(Text(self._safe(f"geometric mean: {group.mean}")))
        if groups:
            self._lines((EXPLAINED,), style="dim")

    def _confounds(self, result: Result) -> None:
        if not result.judged.confounds:
            return
        self._console.print()
        for confound in sorted(result.judged.confounds, key=lambda c: c.severity != "warning"):
            style = "yellow" if confound.severity == "warning" else ""
            said = Text(f"{confound.severity}: ", style=style)
            said.append(self._safe(confound.text), style="")
            self._line(said)

    def _lines(self, sentences: Iterable[str], style: str = "") -> None:
        sentences = list(sentences)
        if sentences:
            self._console.print()
        for said in sentences:
            self._line(Text(self._safe(said), style=style))

    def _line(self, text: Text) -> None:
        """Prose, folded between words, with every interval whole on one line."""
        text.plain = _INTERVAL.sub(rf"\1{_KEEP}\2", text.plain)
        width = min(self._console.width, _LINE)
        for line in text.wrap(self._console, width):
            line.plain = line.plain.replace(_KEEP, " ").rstrip()
            self._console.print(line, width=width)

    def _table(self, table: Table) -> None:
        self._console.print()
        self._line(Text(self._safe(table.caption), style="italic"))
        room = self._console.width + 1  # behind the last column stands padding only
        for folded in (False, True):
            if sum(self._widths(table, folded=folded, stacked=False)) <= room:
                self._console.print(self._rich(table, folded=folded, stacked=False))
                return
        widths = [
            _FOLDED + _GAP if width > _WORDY + _GAP else width
            for width in self._widths(table, folded=True, stacked=True)
        ]
        for part in fit(table, widths, room):
            self._console.print(self._rich(part, folded=True, stacked=True))

    def _widths(self, table: Table, *, folded: bool, stacked: bool) -> list[int]:
        columns = zip(*table.rows, strict=True) if table.rows else [()] * len(table.columns)
        widths = []
        for column, cells in zip(table.columns, columns, strict=True):
            head = max(len(part) for part in column.title.split(" " if folded else "\n"))
            widths.append(max([head, *(self._cell_width(c, stacked) for c in cells)]) + _GAP)
        return widths

    def _cell_width(self, cell: Cell, stacked: bool) -> int:
        text = Text(self._safe(_joined(cell, stacked)))
        return max((line.cell_len for line in text.split("\n")), default=0)

    def _rich(self, table: Table, *, folded: bool, stacked: bool) -> RichTable:
        made = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
        for index, column in enumerate(table.columns):
            title = self._safe(column.title)
            widest = max([0, *(self._cell_width(row[index], stacked) for row in table.rows)])
            made.add_column(
                # Folding a heading by hand keeps it from widening its column.
                Text(title.replace(" ", "\n") if folded and len(title) > widest else title),
                justify=column.align,
                overflow="fold",
                no_wrap=self._short(column, index, table, stacked),
            )
        for row in table.rows:
            made.add_row(*(self._cell(cell, stacked) for cell in row))
        return made

    def _short(self, column: Column, index: int, table: Table, stacked: bool) -> bool:
        """Whether a column is narrow enough to be kept whole when others must give way."""
        cells = [row[index] for row in table.rows]
        return (
            all(self._cell_width(cell, stacked) <= 30 for cell in cells) and len(column.title) < 16
        )

    def _cell(self, cell: Cell, stacked: bool) -> Text:
        text = Text()
        text.append(self._safe(cell.text), style=_STYLES[cell.word] if cell.word else "")
        if cell.detail:
            text.append("\n" if stacked else " ")
            text.append(self._safe(cell.detail), style="dim")
        return text

    def _safe(self, text: str) -> str:
        """Text without control characters, in what the terminal can encode."""
        plain = printable(text)
        if self._encoding.lower().startswith("utf"):
            return plain
        spelled = plain.replace("–", "-").replace("µ", "u")
        return spelled.encode(self._encoding, "replace").decode(self._encoding)


def _joined(cell: Cell, stacked: bool) -> str:
    if not cell.detail:
        return cell.text
    return f"{cell.text}{chr(10) if stacked else ' '}{cell.detail}"
