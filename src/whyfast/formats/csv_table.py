"""CSV with a heading: one row per value.

One column holds the times: ``seconds``, ``value``, or a name that ends in ``_s``, ``_ms``, ``_us``,
``_ns`` or such a unit in brackets, ``Time (ms)``. ``process`` names the process that yielded the
value, else all count as one; the others name the benchmark. Cells are separated by commas, or by
semicolons or tabs where the comma is for decimals."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from whyfast.formats.input import Format, Given, clean, seconds
from whyfast.model.errors import UserError
from whyfast.model.sample import SECOND, Recording, Series

_UNITS = {"_s": 1.0, "_ms": 1e-3, "_us": 1e-6, "_ns": 1e-9}
_WANTED = "no column of times; expected seconds, value, or a name that ends in _s, _ms, _us or _ns"
_BRACKETS = re.compile(r"[(\[](s|ms|us|µs|μs|ns)[)\]]$")
#: Columns that are known in capitals too.
_KNOWN = ("benchmark", "process", "seconds", "value")
#: What separates cells; where it is not the comma, that is for decimals.
_SEPARATORS = (",", ";", "\t")
#: How hyperfine's summary begins.
_HYPERFINE = ["command", "mean", "stddev", "median"]


def claims(given: Given) -> bool:
    """Text whose first line is a heading of several columns, one of them of times."""
    if given.text is None or given.document is not None:
        return False
    heading = _heading(given.text)
    return len(heading) > 1 and any(_unit(column) for column in heading)


def refuse(given: Given) -> None:
    """UserError for a table without the columns that are needed."""
    if given.text is None or given.document is not None:
        return
    heading = _heading(given.text)
    if heading[:4] == _HYPERFINE:
        raise UserError(
            "hyperfine's CSV has only means; use its --export-json, which has the runs",
            where=given.where,
        )
    # A heading has words; a second line has as many cells.
    words = len(heading) > 1 and all(re.match(r"[A-Za-z_]", cell) for cell in heading)
    second = next(iter(given.text.strip().splitlines()[1:]), "")
    if words and second.count(_separator(given.text)) == len(heading) - 1:
        there = ", ".join(clean(cell[:40]) for cell in heading[:8])
        raise UserError(f"{_WANTED}; available: {there}", where=f"{given.where}:1")


@dataclass(frozen=True)
class CsvRow:
    """One value in seconds, with the text of all cells of its row by column."""

    cells: Mapping[str, str]
    value: float


@dataclass(frozen=True)
class CsvTable:
    """``keys`` are the columns that tell benchmarks apart; ``resolution`` is the last decimal that
    any of the times has, in seconds."""

    heading: tuple[str, ...]
    keys: tuple[str, ...]
    rows: tuple[CsvRow, ...]
    resolution: float

    def check(self, column: str, where: str) -> None:
        """UserError unless rows can be told apart by ``column``."""
        if column not in self.keys:
            raise UserError(
                f"unknown column: {column}; available: {', '.join(self.keys)}", where=where
            )

    def chosen(self, wanted: Mapping[str, str], where: str) -> list[CsvRow]:
        """The rows with the ``wanted`` values by column. UserError for an unknown column, and for
        no row."""
        for column in wanted:
            self.check(column, where)
        rows = [r for r in self.rows if all(r.cells[c] == v for c, v in wanted.items())]
        if not rows:
            message = "no row has these values" if wanted else "no row below the heading"
            raise UserError(message, where=where)
        return rows


def parse(given: Given) -> CsvTable:
    """All rows, with the time of each."""
    assert given.text is not None
    heading = _heading(given.text)
    if len(set(heading)) != len(heading):
        raise UserError("two columns have the same name", where=f"{given.where}:1")
    times = [column for column in heading if _unit(column)]
    if len(times) != 1:
        several = f"several columns of times: {', '.join(times)}; expected one"
        raise UserError(several, where=f"{given.where}:1")
    scale, comma = _unit(times[0]) or 1.0, _separator(given.text)
    rows, decimals = [], 0
    for line, row in _rows(given, len(heading)):
        cells = dict(zip(heading, row, strict=True))
        number = cells[times[0]] if comma == "," else cells[times[0]].replace(",", ".")
        rows.append(CsvRow(cells, seconds(number, scale, f"{given.where}:{line}")))
        decimals = max(decimals, _decimals(number))
    keys = tuple(c for c in heading if c not in (times[0], "process"))
    return CsvTable(tuple(heading), keys, tuple(rows), 10.0**-decimals * scale)


def read(given: Given) -> Recording:
    """The rows that ``given.chosen`` selects, grouped by benchmark and process."""
    table = parse(given)
    chosen = dict(given.chosen)
    keys = [column for column in table.keys if column not in chosen]
    rows = table.chosen(chosen, given.where)
    series = series_of(rows, keys, given.path.stem, known="process" in table.heading)
    return Recording(given.name, given.where, "csv", series)


def series_of(
    rows: Iterable[CsvRow], keys: Sequence[str], unnamed: str, *, known: bool = True
) -> dict[str, Series]:
    """The rows by benchmark, which ``keys`` name, and by process, where that is ``known``."""
    groups: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        name = series_name(row.cells, keys) or unnamed
        groups.setdefault(name, {}).setdefault(row.cells.get("process", ""), []).append(row.value)
    return {
        name: Series(name, SECOND, tuple(map(tuple, by_process.values())), known)
        for name, by_process in groups.items()
    }


def _heading(text: str) -> list[str]:
    try:
        start = io.StringIO(text[:10_000].lstrip("\r\n"))
        first = next(csv.reader(start, delimiter=_separator(text)), [])
    except csv.Error:
        return []
    cells = [cell.strip() for cell in first]
    return [cell.lower() if cell.lower() in _KNOWN else cell for cell in cells]


def _separator(text: str) -> str:
    """What separates the cells of the heading."""
    first = text[:10_000].lstrip("\r\n").partition("\n")[0]
    return max(_SEPARATORS, key=first.count)


def _unit(column: str) -> float | None:
    if column in ("seconds", "value"):
        return 1.0
    if match := _BRACKETS.search(column):
        return _UNITS[f"_{match[1].replace('µ', 'u').replace('μ', 'u')}"]
    return next((s for end, s in _UNITS.items() if column.endswith(end) and column != end), None)


def _rows(given: Given, width: int) -> Sequence[tuple[int, list[str]]]:
    assert given.text is not None
    text = io.StringIO(given.text, newline="")
    reader = csv.reader(text, strict=True, delimiter=_separator(given.text))
    rows = []
    try:
        for row in reader:
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != width:
                raise UserError(
                    f"{len(row)} cells for {width} columns",
                    where=f"{given.where}:{reader.line_num}",
                )
            rows.append((reader.line_num, [clean(cell.strip()) for cell in row]))
    except csv.Error as error:
        raise UserError(
            f"is invalid CSV: {error}", where=f"{given.where}:{reader.line_num}"
        ) from None
    return rows[1:]


def series_name(cells: Mapping[str, str], keys: Sequence[str]) -> str:
    """``keys`` of a row as the name of a benchmark: ``sort size=10``."""
    parts = [cells["benchmark"]] if "benchmark" in keys else []
    parts += [f"{key}={cells[key]}" for key in keys if key != "benchmark"]
    return " ".join(part for part in parts if part)


def _decimals(text: str) -> int:
    """How many decimals a number is written with; as many as matter when it has an exponent."""
    mantissa, _, exponent = text.lower().partition("e")
    return len(mantissa.partition(".")[2]) - int(exponent or 0)


FORMAT = Format("csv", claims, read)
