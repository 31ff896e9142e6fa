"""Counters and hot functions of several programs side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
from whyfast.report.formatting import pluralize

if TYPE_CHECKING:
    from whyfast.explain.source_lines import TouchedFunctions
    from whyfast.model.counters import Counter, Counts, HotFunction, Overlap

#: Touched functions that are named.
_FUNCTIONS = 8


def counter_tables(programs: Sequence[Counts]) -> list[Table]:
    """One table a source: what was measured is never in a table with what was simulated."""
    tables = []
    for source in ("measured", "simulated"):
        counters = [{c.name: c for c in p.counters if c.source == source} for p in programs]
        tools = dict.fromkeys(c.tool for by_name in counters for c in by_name.values())
        if source == "measured":
            tools |= {"user space": None}
        cells = []
        for name in dict.fromkeys(name for by_name in counters for name in by_name):
            row = [by_name.get(name) for by_name in counters]
            if any(c and c.value is not None for c in row):
                cells.append((name, *(_count(c, row[0]) for c in row)))
        columns = ("event", *right(*(p.variant for p in programs)))
        tables.append(table(source_text(source, tools), columns, cells))
    return [t for t in tables if t is not None]


def source_text(source: str, tools: Iterable[str]) -> str:
    """How something was counted, for captions."""
    how = "Counted by the hardware" if source == "measured" else "Simulated, not measured"
    return f"{how} ({', '.join(tools)})"


def share_cell(share: float, *, per_cycle: bool = False) -> Cell:
    """One event in another: ``1.23`` per cycle, else ``4.5 %``."""
    percent = f"{share * 100:.1f} %" if share >= 0.01 or not share else f"{share * 100:.2g} %"
    return Cell(f"{share:.2f}" if per_cycle else percent, number=share)


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
            f"Addresses in {program.variant}",
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
    texts = []
    for o in (o for o in overlaps if o.functions):
        functions = "1 hot function spans"
        if o.functions > 1:
            functions = f"{o.functions} hot functions span"
        crowded = f", and {o.crowded} of {o.sets} sets have too many" if o.crowded else ""
        texts.append(
            f"{o.variant}: {functions} {o.lines:,} lines on {pluralize(o.pages, 'page')} (the L1 "
            f"instruction cache holds {o.capacity:,}); up to {o.fullest} fall on one set "
            f"of {o.ways} ways{crowded}"
        )
    return texts


def counts_section(
    programs: Sequence[Counts],
    functions: Sequence[HotFunction],
    overlaps: Sequence[Overlap],
    touched: TouchedFunctions | None = None,
) -> ReportSection | None:
    """Everything that was counted, what could not be, and whether commits touch what is hot."""
    texts = [*overlap_sentences(overlaps), *_notes(programs)]
    kinds = {p.profile.main for p in programs if p.profile}
    if kinds and not functions and (len(kinds) > 1 or not all(p.profile for p in programs)):
        texts.append("The profiles are of different kinds, so functions are not compared.")
    if touched is not None:
        texts.append(_touched(touched, [f.name for f in functions if not f.object]))
    return section(
        "counts",
        "Counted work",
        *counter_tables(programs),
        _profile_table(functions, programs),
        *place_tables(functions, programs),
        sentences(texts),
    )


def _profile_table(functions: Sequence[HotFunction], programs: Sequence[Counts]) -> Table | None:
    profile = next((p.profile for p in programs if p.profile), None)
    if profile is None:
        return None
    about = {"event": profile.main, "source": profile.source, "tool": profile.tool}
    return hot_table(functions, [p.variant for p in programs], **about)


def _touched(touched: TouchedFunctions, hot: Sequence[str]) -> str:
    """Whether a range of commits touches hot functions, and what it touches."""
    text = touched.statement(hot) if hot else "the hot functions are unknown"
    names = [f.name for f in touched.functions]
    listed = ", ".join(names[:_FUNCTIONS]) + (", …" if names[_FUNCTIONS:] else "")
    return f"{touched.base}..{touched.head}: {text}; functions touched: {listed or 'none'}"


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
    if counter.unit != "events":
        return share_cell(value, per_cycle=counter.unit == "per cycle")
    ratio = ""
    if first is not None and first is not counter and first.value and value:
        ratio = f"{value / first.value:.3f}x"
    return Cell(f"{value:,.0f}", ratio, number=value)


def _share(function: HotFunction, i: int) -> Cell | None:
    share, cost = function.shares[i], function.costs[i]
    if share is None or cost is None:
        return None
    return Cell(f"{share * 100:.1f} %", f"{cost:,.0f}", number=share)
