"""The cost by parameter as tables: slope and intercept; every point with its spread."""

from __future__ import annotations

from whyfast.model.result import Result
from whyfast.model.slope import Line
from whyfast.report.lines_text import format_estimate
from whyfast.report.names import printable
from whyfast.report.numbers import format_percent, format_seconds, ratio_text
from whyfast.report.summary_table import NOTHING
from whyfast.report.table import Cell, Column, Table


def lines_tables(result: Result) -> tuple[Table, ...]:
    """Slope and intercept of every variant, a table a linear family."""
    return tuple(_lines_table(mine) for mine in _families(result) if mine[0].linear)


def points_tables(result: Result) -> tuple[Table, ...]:
    """The time at every value of the parameter, a table a family."""
    return tuple(_points_table(mine) for mine in _families(result))


def _families(result: Result) -> list[list[Line]]:
    names = dict.fromkeys(line.family for line in result.judged.slopes)
    return [[line for line in result.judged.slopes if line.family == name] for name in names]


def _lines_table(lines: list[Line]) -> Table:
    first = lines[0]
    columns = (
        Column("variant"),
        Column(f"one more {printable(first.name)}"),
        Column("against the baseline"),
        Column("line at 0"),
        Column("furthest from the line"),
    )
    rows = tuple(
        (
            Cell(printable(line.variant)),
            Cell(format_estimate(line.slope)),
            _ratio(line),
            Cell(format_estimate(line.intercept)),
            Cell(f"{_signed(line.departure)} at {line.departure_at}"),
        )
        for line in lines
    )
    passes = min(line.passes for line in lines)
    title = (
        f"Cost by number of {printable(first.name)}s: medians over {passes} "
        f"{'pass' if passes == 1 else 'passes'}, intervals at {format_percent(first.confidence)}"
    )
    return Table(title, columns, rows)


def _points_table(lines: list[Line]) -> Table:
    first = lines[0]
    columns = (
        Column(f"{printable(first.name)}s", "right"),
        Column("variant"),
        Column("time of a run"),
        Column("value", "right"),
        Column("process", "right"),
        Column("blocks", "right"),
    )
    rows = tuple(
        (
            Cell(str(point.at)),
            Cell(printable(line.variant)),
            Cell(format_estimate(point.seconds)),
            Cell(_deviation(point.value)),
            Cell(_deviation(point.process)),
            Cell(str(point.blocks)),
        )
        for at in [point.at for point in first.points]
        for line in lines
        for point in line.points
        if point.at == at
    )
    title = (
        f"Time by number of {printable(first.name)}s, with the standard deviations of a value "
        "within a process and between processes"
    )
    return Table(title, columns, rows, fixed=2)


def _ratio(line: Line) -> Cell:
    r = line.slope_ratio
    if r is None:
        return NOTHING
    if r.low is None or r.high is None or min(r.low, r.value) <= 0:
        return Cell(f"{r.value:.3g}x")
    text = ratio_text(r.value, r.low, r.high)
    return Cell(text.factor, text.interval)


def _signed(seconds: float) -> str:
    return f"{'−' if seconds < 0 else '+'}{format_seconds(abs(seconds))}"


def _deviation(share: float) -> str:
    return f"{share * 100:.2f} %" if share < 0.0995 else f"{share * 100:.0f} %"
