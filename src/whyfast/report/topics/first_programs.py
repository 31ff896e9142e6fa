"""The first screen of programs side by side: what differs, where most, what cannot be seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from whyfast.explain.function_differences import (
    FunctionDifference,
    FunctionTotals,
    compare_functions,
    unmatched_functions,
)
from whyfast.model.evidence import Evidence
from whyfast.model.hot import Heat
from whyfast.report.document import Brief, Cell, Row, Table, right, table
from whyfast.report.names import sentence, shown
from whyfast.report.topics.two_programs import Looked

#: What gives way where there is little room, the largest first.
_DROPS = {
    "calls": 2,
    "bytes": 1,
    "targets": 1,
    "indirect calls": 3,
    "tail jumps": 4,
}


def programs_screen(
    found: Sequence[Looked],
    candidates: Table | None,
    said: Sequence[str] = (),
    care: Sequence[str] = (),
    heat: Heat | None = None,
) -> Brief:
    """Of several programs the functions that differ, the most relevant first; of one, or where
    none differs, its ``candidates``. ``said`` are findings, ``care`` what is to be known of the
    files. With ``heat`` the hottest functions go first."""
    first, *others = (one.program for one in found)
    differing = [(other, d) for other in others for d in compare_functions(first, other)]
    differing = [(other, d) for other, d in differing if d.differs]
    if heat is not None:
        differing.sort(key=lambda pair: -heat.of(pair[1].name))
    made = candidates
    if differing:
        made = _difference_table(first, differing, len(others), heat)
    if made is not None:
        heads = (replace(c, drop=_DROPS.get(c.title, 0)) for c in made.columns)
        made = replace(made, columns=tuple(heads))
    only = [text for other in others if (text := _only(first, other))]
    return Brief(
        said=(*said, *only),
        table=made,
        ranks=tuple(range(len(made.rows))) if made else (),
        care=tuple(map(sentence, care)),
        row="function",
    )


def _difference_table(
    first: Evidence,
    differing: Sequence[tuple[Evidence, FunctionDifference]],
    others: int,
    heat: Heat | None,
) -> Table | None:
    rows: list[Row] = [
        (
            d.name,
            *((share_cell(heat, d.name),) if heat else ()),
            *((other.variant,) if others > 1 else ()),
            *(_change(d, what) for what in ("indirect_jumps", "instructions", "size")),
            _change(d, "direct_calls"),
        )
        for other, d in differing
    ]
    which = (*(right("of the run") if heat else ()), *(("in",) if others > 1 else ()))
    names = right("indirect jumps", "instructions", "bytes", "calls")
    heading = shown(first.variant) if others > 1 else f"{shown(first.variant)} → "
    heading += "" if others > 1 else shown(differing[0][0].variant)
    caption = "Functions that differ, from" if others > 1 else "Functions that differ,"
    return table(f"{caption} {heading}", ("function", *which, *names), rows)


def share_cell(heat: Heat, name: str) -> Cell:
    """The share of the run that a function takes, nothing where the profile has none of it."""
    share = heat.of(name)
    return Cell(f"{100 * share:.1f} %" if share else "", number=share)


def _change(d: FunctionDifference, what: str) -> Cell:
    a, b = _number(d.a, what), _number(d.b, what)
    return Cell(f"{a:,}" if a == b else f"{a:,} → {b:,}", number=b - a)


def _number(of: FunctionTotals, what: str) -> int:
    number: int = getattr(of, what)
    return number


def _only(a: Evidence, b: Evidence) -> str:
    """How many functions one of the two has alone."""
    counts = [
        (program, len(names))
        for program, names in zip((a, b), unmatched_functions(a, b), strict=True)
    ]
    parts = [f"{number:,} only in {shown(program.variant)}" for program, number in counts if number]
    return f"Further functions: {', '.join(parts)}." if parts else ""
