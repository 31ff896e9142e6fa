"""Counters and hot functions of several programs side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from whyfast.report.document import (
    Cell,
    ReportSection,
    Table,
    number_cell,
    right,
    section,
    sentences,
    table,
)
from whyfast.report.names import count

if TYPE_CHECKING:  # reports of commands show no machine code
    from whyfast.explain.changed_functions import TouchedFunctions
    from whyfast.model.counters import Counter, Counts
    from whyfast.model.hot import HotFunction, Overlap

_NAMES_SHOWN = 8


def counter_tables(programs: Sequence[Counts]) -> list[Table]:
    """One table a source: what was measured is never in a table with what was simulated."""
    tables = []
    for source in ("measured", "simulated"):
        found = [{c.name: c for c in p.counters if c.source == source} for p in programs]
        names = dict.fromkeys(name for of in found for name in of)
        rows = [(name, [of.get(name) for of in found]) for name in names]
        rows = [row for row in rows if any(c and c.value is not None for c in row[1])]
        tools = ", ".join(dict.fromkeys(c.tool for of in found for c in of.values()))
        caption = (
            f"Counted by the hardware ({tools}, user space)"
            if source == "measured"
            else f"Simulated, not measured ({tools})"
        )
        cells = [(name, *(_count(c, of[0]) for c in of)) for name, of in rows]
        tables.append(table(caption, ("event", *right(*(p.variant for p in programs))), cells))
    return [t for t in tables if t is not None]


def hot_table(
    functions: Sequence[HotFunction], variants: Sequence[str], *, event: str, source: str, tool: str
) -> Table | None:
    """Each hot function's share of every program; the largest difference in cost first.

    ``event`` is the main one of the profiles, which are of that ``source`` and by ``tool``.
    """
    event = {"Ir": "instructions", "samples": "samples of time"}.get(event, event)
    rows = [
        (Cell(f.name, f.object), *(_share(f, i) for i in range(len(f.costs)))) for f in functions
    ]
    order = ", largest difference first" if len(variants) > 1 else ""
    caption = f"Hot functions: share of {event} without callees{order} ({source}, {tool})"
    return table(caption, ("function", *right(*variants)), rows)


def place_tables(functions: Sequence[HotFunction], programs: Sequence[Counts]) -> list[Table]:
    """Where the hot functions of each program lie."""
    numbers = right("address", "bytes", "lines", "pages", "L1i sets", "crowded sets")
    tables = [
        table(
            f"Where they lie in {program.variant}",
            ("function", "section", *numbers),
            [
                (
                    *(f.name, p.section, Cell(f"{p.address:#x}", number=p.address)),
                    *(number_cell(n) for n in (p.size, p.lines, p.pages, p.sets, p.crowded)),
                )
                for f in functions
                if (p := f.places[i])
            ],
        )
        for i, program in enumerate(programs)
    ]
    return [t for t in tables if t is not None]


def overlap_sentences(overlaps: Sequence[Overlap]) -> list[str]:
    """What each program's hot code needs of the L1 instruction cache, whole functions counted."""
    said = []
    for o in overlaps:
        if not o.functions:
            continue
        functions = (
            "1 hot function spans" if o.functions == 1 else f"{o.functions} hot functions span"
        )
        crowded = f", and {o.crowded} of {o.sets} sets have too many" if o.crowded else ""
        said.append(
            f"{o.variant}: {functions} {o.lines:,} lines on {count(o.pages, 'page')} (the L1 "
            f"instruction cache holds {o.capacity:,}); up to {o.fullest} fall on one set "
            f"of {o.ways} ways{crowded}"
        )
    return said


def counts_section(
    programs: Sequence[Counts],
    functions: Sequence[HotFunction],
    overlaps: Sequence[Overlap],
    touched: TouchedFunctions | None = None,
) -> ReportSection | None:
    """Everything that was counted, what could not be, and whether commits touch what is hot."""
    said = [*overlap_sentences(overlaps), *_notes(programs)]
    kinds = {p.profile.main for p in programs if p.profile}
    if kinds and not functions and (len(kinds) > 1 or not all(p.profile for p in programs)):
        said.append("The profiles are not all of the same kind, so functions are not compared.")
    if touched is not None:
        said.append(_touched(touched, [f.name for f in functions if not f.object]))
    return section(
        "counts",
        "What they did",
        *counter_tables(programs),
        _hot_table(functions, programs),
        *place_tables(functions, programs),
        sentences(said),
    )


def _hot_table(functions: Sequence[HotFunction], programs: Sequence[Counts]) -> Table | None:
    profile = next((p.profile for p in programs if p.profile), None)
    if profile is None:
        return None
    variants = [p.variant for p in programs]
    return hot_table(
        functions, variants, event=profile.main, source=profile.source, tool=profile.tool
    )


def _touched(touched: TouchedFunctions, hot: Sequence[str]) -> str:
    """Whether a range of commits touches hot functions, and what it touches."""
    said = touched.statement(hot) if hot else "which functions are hot is not known"
    names = [f.name for f in touched.functions]
    listed = ", ".join(names[:_NAMES_SHOWN]) + (", …" if names[_NAMES_SHOWN:] else "")
    return f"{touched.base}..{touched.head}: {said}; functions touched: {listed or 'none'}"


def _notes(programs: Sequence[Counts]) -> list[str]:
    """Each note once, with the programs that it is about unless they are all."""
    about: dict[str, list[str]] = {}
    for p in programs:
        for note in p.notes:
            about.setdefault(note, []).append(p.variant)
    return [
        note if len(names) == len(programs) else f"{', '.join(names)}: {note}"
        for note, names in about.items()
    ]


def _count(counter: Counter | None, first: Counter | None) -> Cell | None:
    if counter is None:
        return None
    if counter.value is None:
        return Cell("unavailable", counter.note)
    value = counter.value
    if counter.unit == "per cycle":
        return Cell(f"{value:.2f}", number=value)
    if counter.unit != "events":
        text = f"{value * 100:.1f} %" if value >= 0.01 else f"{value * 100:.2g} %"
        return Cell(text, number=value)
    ratio = ""
    if first is not None and first is not counter and first.value and value:
        ratio = f"{value / first.value:.3f}x"
    return Cell(f"{value:,.0f}", ratio, number=value)


def _share(function: HotFunction, i: int) -> Cell | None:
    share, cost = function.shares[i], function.costs[i]
    if share is None or cost is None:
        return None
    return Cell(f"{share * 100:.1f} %", f"{cost:,.0f}", number=share)
