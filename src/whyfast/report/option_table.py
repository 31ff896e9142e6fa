"""Traces of compiler options in the dispatching functions."""

from __future__ import annotations

from whyfast.model.evidence import OptionTrace
from whyfast.model.result import Result
from whyfast.report.names import printable
from whyfast.report.table import Cell, Column, Table


def option_table(result: Result) -> Table | None:
    """Options as rows, builds as columns; None when no build shows a trace of any."""
    looked = {e.variant: e.options for e in result.found.evidence if e.options is not None}
    names = list(dict.fromkeys(t.option for traces in looked.values() for t in traces))
    if not names:
        return None
    rows = tuple(
        (
            Cell(option),
            *(_cell(next((t for t in ts if t.option == option), None)) for ts in looked.values()),
        )
        for option in names
    )
    columns = (Column("option"), *(Column(printable(name)) for name in looked))
    title = (
        "Compiler options with a trace in the dispatching functions, or in the compiler's record"
    )
    return Table(title, columns, rows)


def _cell(trace: OptionTrace | None) -> Cell:
    if trace is None:
        return Cell("–")
    seen = f"{trace.handlers} of {trace.of}" if trace.handlers else "not in the code"
    return Cell(seen, printable(trace.recorded))
