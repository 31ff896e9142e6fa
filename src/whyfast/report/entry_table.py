"""What handlers push and spill before they begin to work."""

from __future__ import annotations

from whyfast.model.evidence import EntryFacts
from whyfast.model.result import Result
from whyfast.report.names import printable
from whyfast.report.table import Cell, Column, Table


def entry_table(result: Result) -> Table | None:
    """A row a build of which the handlers are known; None when there is none."""
    rows = []
    for found in result.found.evidence:
        if (facts := found.entry) is not None:
            name, style = Cell(printable(found.variant)), Cell(_style(found.dispatch))
            rows.append((name, style, *entry_cells(facts)))
    columns = (
        Column("variant"),
        Column("handlers are"),
        Column("handlers", "right"),
        Column("that save any", "right"),
        Column("pushes", "right"),
        Column("spills", "right"),
        Column("of the median handler", "right"),
    )
    title = "What handlers save on the stack before their first branch or call"
    return Table(title, columns, tuple(rows)) if rows else None


def entry_cells(facts: EntryFacts) -> tuple[Cell, ...]:
    """Handlers, those that save any, pushes and spills over all, and those of the median one."""
    numbers = (facts.handlers, facts.saving, facts.pushes, facts.spills)
    medians = f"{facts.pushes_median:g} + {facts.spills_median:g}"
    return (*(Cell(str(n)) for n in numbers), Cell(medians))


def _style(dispatch: object) -> str:
    return "functions" if getattr(dispatch, "style", "") == "tail-call" else "parts of a loop"
