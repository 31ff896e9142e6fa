"""Placement or change as a table: each pair as linked and over layouts, side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from whyfast.model.result import Result
from whyfast.model.verdict import Placement, PlacementWord
from whyfast.report.names import printable
from whyfast.report.placement_text import overall_placements, spread_text
from whyfast.report.summary_table import NOTHING, verdict_cell
from whyfast.report.table import Cell, Column, Table

#: What each word is called where there is room for no sentence.
SAID: dict[PlacementWord, str] = {
    "placement": "placement",
    "change": "the change",
    "both": "both",
    "neither": "no difference",
    "undecided": "undecided",
}


def placement_table(result: Result, *, every: bool = False) -> Table | None:
    """A row a pair; ``every`` adds one for each benchmark. None where no layouts were drawn."""
    chosen = result.judged.placements if every else overall_placements(result.judged.placements)
    if not chosen:
        return None
    columns = [
        Column("variant"),
        Column("against"),
        Column("so it is"),
        Column("as linked"),
        Column("over layouts"),
        Column("spread", "right"),
    ]
    named = len({p.linked.benchmark for p in chosen}) > 1
    if named:
        columns.insert(2, Column("benchmark"))
    rows = []
    for p in _one_way(chosen):
        row = [
            Cell(printable(p.linked.variant)),
            Cell(printable(p.linked.baseline)),
            Cell(SAID[p.word]),
            verdict_cell(p.linked),
            verdict_cell(p.varied),
            spread_cell(p.spread),
        ]
        if named:
            row.insert(2, Cell(printable(p.linked.benchmark or "all")))
        rows.append(tuple(row))
    caption = f"Placement or change, over {max(p.layouts for p in chosen)} layouts"
    return Table(caption, tuple(columns), tuple(rows), fixed=3 if named else 2)


def _one_way(placements: Sequence[Placement]) -> Iterator[Placement]:
    """Without those that say another one from the other side."""
    seen = set()
    for p in placements:
        v = p.linked
        if (v.benchmark, v.baseline, v.variant) not in seen:
            seen.add((v.benchmark, v.variant, v.baseline))
            yield p


def spread_cell(spread: float) -> Cell:
    """What placement does to the time of one side, as one standard deviation."""
    if not math.isfinite(spread):
        return NOTHING
    return Cell(spread_text(spread))
