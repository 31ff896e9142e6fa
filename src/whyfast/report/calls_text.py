"""Calls that one build makes and another has inlined: a sentence and a table."""

from __future__ import annotations

from collections.abc import Sequence

from whyfast.explain.calls import DISPATCH
from whyfast.model.evidence import CalleeCounts
from whyfast.model.result import Result
from whyfast.report.names import listed, printable, shown
from whyfast.report.table import Cell, Column, Table

#: Fewer calls than this are worth a row of the table, and no sentence.
_MANY = 10
_NAMED = 3


def calls_sentences(calls: Sequence[CalleeCounts]) -> tuple[str, ...]:
    """The small functions of the same source file that only some builds call often from where they
    dispatch; nothing when there are none."""
    said = []
    telling = [
        c for c in calls if c.where == DISPATCH and c.local and max(c.counts.values()) >= _MANY
    ]
    for one in telling[:_NAMED]:
        making = [f"{shown(v)} ({n})" for v, n in one.counts.items() if n]
        without = [shown(v) for v, n in one.counts.items() if not n]
        verb = "has" if len(without) == 1 else "have"
        said.append(
            f"{listed(making)} {'calls' if len(making) == 1 else 'call'} {shown(one.callee)} from "
            f"the dispatching code, where {listed(without)} {verb} it inlined or do"
            f"{'es' if len(without) == 1 else ''} without."
        )
    return tuple(said)


def calls_table(result: Result, *, most: int | None = None) -> Table | None:
    """Who calls what how often; None when all builds call the same functions. ``most`` rows."""
    if not result.found.calls:
        return None
    names = list(dict.fromkeys(v for c in result.found.calls for v in c.counts))
    rows = []
    for one in result.found.calls[:most]:
        where = "dispatching code" if one.where == DISPATCH else printable(one.where)
        cells = [Cell(where), Cell(printable(one.callee), "static" if one.local else "")]
        counts = [one.counts.get(name) for name in names]
        cells += [Cell("–" if n is None else str(n)) for n in counts]
        rows.append(tuple(cells))
    left = len(result.found.calls) - len(rows)
    columns = (
        Column("called from"),
        Column("function"),
        *(Column(printable(name), "right") for name in names),
    )
    caption = "Calls that one build makes and another has inlined, or does without"
    if left:
        caption += f" ({left} more in the HTML report and in JSON)"
    return Table(caption, columns, tuple(rows), fixed=2)
