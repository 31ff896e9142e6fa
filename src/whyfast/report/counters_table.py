"""Counters and hot functions of several programs side by side."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from whyfast.explain.changed_functions import Touched
from whyfast.model.counters import Counter, Counts
from whyfast.model.hot import HotFunction, Overlap
from whyfast.report.names import printable
from whyfast.report.table import Cell, Column, Table

_NAMES_SHOWN = 8

NOTHING = Cell("–")


def counter_tables(programs: Sequence[Counts]) -> list[Table]:
    """One table a source: what was measured is never in a table with what was simulated."""
    tables = []
    for source in ("measured", "simulated"):
        names = dict.fromkeys(c.name for p in programs for c in p.counters if c.source == source)
        found = [{c.name: c for c in p.counters if c.source == source} for p in programs]
        rows = [(name, [of.get(name) for of in found]) for name in names]
        rows = [row for row in rows if any(c and c.value is not None for c in row[1])]
        if not rows:
            continue
        tools = ", ".join(dict.fromkeys(c.tool for of in found for c in of.values()))
        caption = (
            f"Counted by the hardware ({tools}, user space)"
            if source == "measured"
            else f"Simulated, not measured ({tools})"
        )
        columns = [Column("event"), *(Column(printable(p.variant), "right") for p in programs)]
        cells = [(Cell(name), *(_cell(c, of[0]) for c in of)) for name, of in rows]
        tables.append(Table(caption, tuple(columns), tuple(cells)))
    return tables


def hot_table(
    functions: Sequence[HotFunction], variants: Sequence[str], *, event: str, source: str, tool: str
) -> Table | None:
    """Each hot function's share of every program; the largest difference in cost first.

    ``event`` is the main one of the profiles, which are of that ``source`` and by ``tool``.
    """
    if not functions:
        return None
    event = {"Ir": "instructions", "samples": "samples of time"}.get(event, event)
    columns = [Column("function"), *(Column(printable(v), "right") for v in variants)]
    rows = [
        (Cell(printable(f.name), printable(f.object)), *(_share(f, i) for i in range(len(f.costs))))
        for f in functions
    ]
    order = ", largest difference first" if len(variants) > 1 else ""
    caption = f"Hot functions: share of {event} without callees{order} ({source}, {tool})"
    return Table(caption, tuple(columns), tuple(rows))


def place_tables(functions: Sequence[HotFunction], programs: Sequence[Counts]) -> list[Table]:
    """Where the hot functions of each program lie."""
    titles = ("address", "bytes", "lines", "pages", "L1i sets", "crowded sets")
    columns = (Column("function"), Column("section"), *(Column(t, "right") for t in titles))
    tables = []
    for i, program in enumerate(programs):
        placed = [(f.name, f.places[i]) for f in functions]
        rows = [
            (
                Cell(printable(name)),
                Cell(printable(p.section)),
                Cell(f"{p.address:#x}"),
                *(Cell(f"{n:,}") for n in (p.size, p.lines, p.pages, p.sets, p.crowded)),
            )
            for name, p in placed
            if p
        ]
        if rows:
            tables.append(
                Table(f"Where they lie in {printable(program.variant)}", columns, tuple(rows))
            )
    return tables


def overlap_sentences(overlaps: Sequence[Overlap]) -> list[str]:
    """What each program's hot code needs of the L1 instruction cache, whole functions counted."""
    sentences = []
    for o in overlaps:
        if not o.functions:
            continue
        functions = (
            "1 hot function spans" if o.functions == 1 else f"{o.functions} hot functions span"
        )
        crowded = f", and {o.crowded} of {o.sets} sets have too many" if o.crowded else ""
        sentences.append(
            f"{printable(o.variant)}: {functions} {o.lines:,} lines on {o.pages:,} pages (the L1 "
            f"instruction cache holds {o.capacity:,}); up to {o.fullest} fall on one set "
            f"of {o.ways} ways{crowded}"
        )
    return sentences


def print_counts(
    programs: Sequence[Counts],
    functions: Sequence[HotFunction],
    overlaps: Sequence[Overlap],
    console: Console,
) -> None:
    """Everything on the terminal, and what could not be counted."""
    hot = _hot_table(functions, programs)
    for table in (*counter_tables(programs), *([hot] if hot else [])):
        _print(table, console)
    for table in place_tables(functions, programs):
        _print(table, console)
    said = [*overlap_sentences(overlaps), *_notes(programs)]
    if said:
        console.print()
    for sentence in said:
        console.print(Text(sentence), soft_wrap=not console.is_terminal)


def _hot_table(functions: Sequence[HotFunction], programs: Sequence[Counts]) -> Table | None:
    profile = next((p.profile for p in programs if p.profile), None)
    if profile is None:
        return None
    variants = [p.variant for p in programs]
    return hot_table(
        functions, variants, event=profile.main, source=profile.source, tool=profile.tool
    )


def print_touched(touched: Touched, hot: Sequence[str], console: Console) -> None:
    """Whether a range of commits touches hot functions, and what it touches."""
    said = touched.statement(hot) if hot else "which functions are hot is not known"
    names = [printable(f.name) for f in touched.functions]
    listed = ", ".join(names[:_NAMES_SHOWN]) + (", …" if names[_NAMES_SHOWN:] else "")
    console.print()
    console.print(
        Text(
            f"{printable(touched.base)}..{printable(touched.head)}: {printable(said)}; "
            f"functions touched: {listed or 'none'}"
        ),
        soft_wrap=not console.is_terminal,
    )


def _notes(programs: Sequence[Counts]) -> list[str]:
    """Each note once, with the programs that it is about unless they are all."""
    about: dict[str, list[str]] = {}
    for p in programs:
        for note in p.notes:
            about.setdefault(printable(note), []).append(printable(p.variant))
    return [
        note if len(names) == len(programs) else f"{', '.join(names)}: {note}"
        for note, names in about.items()
    ]


def _print(table: Table, console: Console) -> None:
    made = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for column in table.columns:
        made.add_column(Text(column.title), justify=column.align, overflow="fold")
    for row in table.rows:
        cells = []
        for cell in row:
            text = Text(cell.text)
            text.append(f" {cell.detail}" if cell.detail else "", style="dim")
            cells.append(text)
        made.add_row(*cells)
    console.print()
    console.print(Text(table.caption, style="italic"))
    console.print(made)


def _cell(counter: Counter | None, first: Counter | None) -> Cell:
    if counter is None:
        return NOTHING
    if counter.value is None:
        return Cell("unavailable", counter.note)
    value = counter.value
    if counter.unit == "per cycle":
        return Cell(f"{value:.2f}")
    if counter.unit != "events":
        return Cell(f"{value * 100:.1f} %" if value >= 0.01 else f"{value * 100:.2g} %")
    if first is None or first is counter or not first.value or not value:
        return Cell(f"{value:,.0f}")
    return Cell(f"{value:,.0f}", f"{value / first.value:.3f}x")


def _share(function: HotFunction, i: int) -> Cell:
    share, cost = function.shares[i], function.costs[i]
    if share is None or cost is None:
        return NOTHING
    return Cell(f"{share * 100:.1f} %", f"{cost:,.0f}")
