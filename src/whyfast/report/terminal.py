"""A result on the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from whyfast.model.result import Result
from whyfast.model.verdict import Word
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
from whyfast.report.table import Cell, Column, Table

_STYLES: dict[Word, str] = {
    "faster": "green",
    "slower": "red",
    "same": "cyan",
    "undecided": "yellow",
}
_GAP = 2  # spaces between two cells: one of padding, one of the box
_LINE = 100  # longer lines of prose are hard to read, however wide the terminal
_INTERVAL = re.compile(r"(\[\S+,) (\S+\])")
#: Stands for the space inside an interval while a line is folded: rich folds at every character
#: that Unicode calls a space, a no-break space too.
_KEEP = "\ue000"


def render_terminal(result: Result, *, console: Console, verbose: bool = False) -> None:
    """Prints the main table, the answer, what weakens it and how sure it is.

    ``verbose`` adds every benchmark, the evidence, the builds and the time spent. Width, colour
    and encoding are the console's.
    """
    _Printer(console).result(result, verbose=verbose)


class _Printer:
    def __init__(self, console: Console) -> None:
        self._console = console
        self._encoding = console.encoding or "utf-8"

    def result(self, result: Result, *, verbose: bool) -> None:
        self._heading(result)
        self._table(summary_table(result))
        self._optional(placement_table(result, every=verbose))
        if result.study.title != "compare":
            self._console.print()
            self._headline(result)
        self._lines(result.answer.sentences)
        self._confounds(result)
        self._lines(how_sure(result), style="dim")
        metrics = metric_table(result, decided=not verbose)
        if metrics is not None:
            self._table(metrics)
        if verbose:
            for table in benchmark_tables(result):
                self._table(table)
            self._optional(dispatch_table(result))
            self._lines(evidence_notes(result))
            self._optional(build_table(result))
            self._optional(noise_table(result))
            self._optional(phase_table(result))

    def _heading(self, result: Result) -> None:
        if result.study.title == "compare":
            self._headline(result)
        elif result.study.title != "ab":
            self._line(Text(self._safe(result.study.title), style="bold"))

    def _headline(self, result: Result) -> None:
        self._line(Text(self._safe(result.answer.headline), style="bold"))

    def _confounds(self, result: Result) -> None:
        if not result.confounds:
            return
        self._console.print()
        for confound in sorted(result.confounds, key=lambda c: c.severity != "warning"):
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

    def _optional(self, table: Table | None) -> None:
        if table is not None:
            self._table(table)

    def _table(self, table: Table) -> None:
        self._console.print()
        self._line(Text(self._safe(table.caption), style="italic"))
        if self._width(table, stacked=False) <= self._console.width:
            self._console.print(self._rich(table, stacked=False))
            return
        parts = self._cut(table)
        for part in parts:
            self._console.print(self._rich(part, stacked=True))

    def _cut(self, table: Table) -> tuple[Table, ...]:
        """The table in as few parts as fit into the width, one above the other."""
        for columns in range(len(table.columns) - table.fixed, 1, -1):
            parts = table.cut(columns)
            if all(self._width(part, stacked=True) <= self._console.width for part in parts):
                return parts
        return table.cut(1)

    def _width(self, table: Table, *, stacked: bool) -> int:
        columns = zip(*table.rows, strict=True) if table.rows else [()] * len(table.columns)
        total = 0
        for column, cells in zip(table.columns, columns, strict=True):
            # A heading of several words may fold between them.
            head = max(len(word) for word in column.title.split(" ") or [""])
            total += max([head, *(self._cell_width(c, stacked) for c in cells)]) + _GAP
        return total

    def _cell_width(self, cell: Cell, stacked: bool) -> int:
        text = Text(self._safe(_joined(cell, stacked)))
        return max((line.cell_len for line in text.split("\n")), default=0)

    def _rich(self, table: Table, *, stacked: bool) -> RichTable:
        made = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
        for index, column in enumerate(table.columns):
            title = self._safe(column.title)
            made.add_column(
                # Folding a heading by hand keeps it from widening its column.
                Text(title.replace(" ", "\n") if stacked and len(title) > 12 else title),
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
