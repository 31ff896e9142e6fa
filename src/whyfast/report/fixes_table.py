"""Fixes of placement as a table: with and without each, against both ends."""

from __future__ import annotations

import math

from whyfast.model.result import Result
from whyfast.model.verdict import Fix, FixWord
from whyfast.report.fixes_text import as_linked, overall_fixes
from whyfast.report.names import printable
from whyfast.report.placement_text import spread_text
from whyfast.report.summary_table import NOTHING, verdict_cell
from whyfast.report.table import Cell, Column, Table

#: What a fix did to the spread, where there is room for no sentence.
SAID: dict[FixWord, str] = {
    "removed": "removed",
    "reduced": "reduced",
    "larger": "made larger",
    "none": "none to remove",
    "undecided": "undecided",
}


def fixes_table(result: Result, *, every: bool = False) -> Table | None:
    """A row a fix and baseline; ``every`` adds one for each benchmark. None without a fix."""
    chosen = result.judged.fixes if every else overall_fixes(result.judged.fixes)
    if not chosen:
        return None
    columns = [
        Column("fix"),
        Column("of"),
        Column("against"),
        Column("without it"),
        Column("with it"),
        Column("spread over layouts"),
    ]
    named = len({f.benchmark for f in chosen}) > 1
    if named:
        columns.insert(3, Column("benchmark"))
    rows = []
    for fix in chosen:
        for end, without, with_fix in as_linked(fix, result.judged.placements):
            row = [
                Cell(printable(fix.variant)),
                Cell(printable(fix.of)),
                Cell(printable(end)),
                verdict_cell(without) if without else NOTHING,
                verdict_cell(with_fix) if with_fix else NOTHING,
                _spread(fix),
            ]
            if named:
                row.insert(3, Cell(printable(fix.benchmark or "all")))
            rows.append(tuple(row))
    caption = "Fixes as linked, and what layouts still do"
    return Table(caption, tuple(columns), tuple(rows), fixed=4 if named else 3) if rows else None


def _spread(fix: Fix) -> Cell:
    """Without the fix and with it, and what that comes to."""
    if not math.isfinite(fix.spread):
        return NOTHING
    if fix.spread <= 0 and fix.without <= 0:
        return Cell(SAID[fix.word], "none seen")
    return Cell(SAID[fix.word], f"{spread_text(fix.without)} → {spread_text(fix.spread)}")
