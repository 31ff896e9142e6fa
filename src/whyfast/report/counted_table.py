"""What the builds of a study did: totals, where they differ, and each benchmark."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from whyfast.model.counted import Counted
from whyfast.model.counters import Source
from whyfast.model.hot import HotFunction, Overlap
from whyfast.model.result import Result
from whyfast.report.counted_totals import CountTotals, function_changes, totals
from whyfast.report.counters_table import NOTHING, counter_tables, hot_table, overlap_sentences
from whyfast.report.names import count, printable, shown
from whyfast.report.numbers import format_amount
from whyfast.report.table import Cell, Column, Table

SOURCES: tuple[Source, ...] = ("measured", "simulated")

#: A difference below this share of the baseline's count is none worth a list of functions.
SMALL = 0.001

#: Functions that are named for one difference.
NAMED = 3

#: Functions whose places are shown.
PLACED = 12

#: Title, event, the event that it is a share of (empty: the count itself).
_COLUMNS: dict[Source, tuple[tuple[str, str, str], ...]] = {
    "measured": (
        ("instructions", "instructions", ""),
        ("cycles", "cycles", ""),
        ("per cycle", "instructions", "cycles"),
        ("branch misses", "branch-misses", ""),
        ("L1i misses", "L1-icache-load-misses", ""),
        ("iTLB misses", "iTLB-load-misses", ""),
    ),
    "simulated": (
        ("instructions", "instructions", ""),
        ("branches mispredicted", "branch-misses", ""),
        ("indirect ones mispredicted", "indirect branch misses", "indirect branches"),
        ("L1i misses", "L1i misses", ""),
        ("L1d misses", "L1d misses", ""),
    ),
}


def count_tables(result: Result) -> tuple[Table, ...]:
    """What every build did in all benchmarks together, measured and simulated apart; and in which
    functions the builds differ from the main baseline."""
    found = [t for source in SOURCES if (t := totals(result.found.counted, source)) is not None]
    tables = [_totals_table(result, t) for t in found]
    return tuple(t for t in (*tables, where_table(result)) if t is not None)


def _totals_table(result: Result, found: CountTotals) -> Table | None:
    main = result.question.baselines[0]
    wanted = [
        column
        for column in _COLUMNS[found.source]
        if any({column[1], column[2] or column[1]} <= set(of) for of in found.sums.values())
        and any(of.get(column[1]) for of in found.sums.values())
    ]
    if not wanted:
        return None
    rows = []
    for name in _in_order(result, found.sums):
        cells = [Cell(printable(name))]
        for _, event, below in wanted:
            cells.append(_cell(found, event, below, name, main))
        rows.append(tuple(cells))
    titles = [title for title, _, _ in wanted]
    how = "Counted by the hardware" if found.source == "measured" else "Simulated, not measured"
    where = shown(found.benchmarks[0]) if len(found.benchmarks) == 1 else _number(found.benchmarks)
    left = f", without {_number(found.left_out)} not counted everywhere" if found.left_out else ""
    caption = f"{how} ({', '.join(found.tools)}): the same work of {where} in each build{left}"
    columns = (Column("variant"), *(Column(title, "right") for title in titles))
    return Table(caption, columns, tuple(rows))


def _number(benchmarks: Sequence[str]) -> str:
    return count(len(benchmarks), "benchmark")


def _cell(found: CountTotals, event: str, below: str, name: str, main: str) -> Cell:
    if below:
        share = found.share(event, below, name)
        if share is None:
            return NOTHING
        return Cell(f"{share:.2f}" if below == "cycles" else f"{share * 100:.1f} %")
    value = found.sums[name].get(event)
    if value is None:
        return Cell("unavailable")
    ratio = found.ratio(event, name, main)
    detail = "" if ratio is None or name == main else f"{ratio:.3f}x"
    return Cell(format_amount(value), detail)


def where_table(result: Result) -> Table | None:
    """In which functions each build executes and mispredicts more or less than the main baseline;
    None when no functions are known, or nothing differs."""
    main = result.question.baselines[0]
    source = next((c.source for c in result.found.counted if c.hot), None)
    found = totals(result.found.counted, source) if source else None
    if found is None or main not in found.sums:
        return None
    kinds = (("instructions", "costs"), ("mispredicted branches", "misses"))
    events = {"costs": "instructions", "misses": "branch-misses"}
    rows = []
    for name in _in_order(result, found.sums):
        cells = [_where(result, found, name, main, events[what], what) for _, what in kinds]
        if name != main and any(cell != NOTHING for cell in cells):
            rows.append((Cell(printable(name)), *cells))
    if not rows:
        return None
    columns = (Column("variant"), *(Column(title) for title, _ in kinds))
    caption = f"Where the builds differ from {shown(main)}: hot functions, largest change first"
    return Table(f"{caption} ({found.source})", columns, tuple(rows))


def _where(result: Result, found: CountTotals, name: str, main: str, event: str, what: str) -> Cell:
    value, base = (found.sums[n].get(event) for n in (name, main))
    if value is None or not base or abs(value - base) < SMALL * base:
        return NOTHING
    changes = function_changes(result.found.counted, found.benchmarks, name, main, what)
    said = [f"{printable(f)} {format_amount(change, sign=True)}" for f, change in changes[:NAMED]]
    rest = changes[NAMED:]
    if rest:
        more = format_amount(sum(change for _, change in rest), sign=True)
        said.append(f"{count(len(rest), 'other')} {more}")
    return Cell(format_amount(value - base, sign=True), f"in {', '.join(said)}" if said else "")


def count_details(result: Result) -> tuple[Table, ...]:
    """Each benchmark: all counters, and the hot functions; then where these lie in each build."""
    tables: list[Table] = []
    for one in result.found.counted:
        name = shown(one.benchmark)
        for table in counter_tables(one.counts):
            tables.append(_named(table, f"{name}, {one.work}"))
        names = list(one.profiled)
        hot = hot_table(one.hot, names, event=one.event, source=one.source, tool=one.tool)
        if hot is not None:
            tables.append(_named(hot, name))
    places = places_table(result.found.counted)
    return (*tables, *([places] if places else []))


def places_table(counted: Sequence[Counted]) -> Table | None:
    """Address of each hot function in each build, its lines and sets of the L1 instruction cache,
    and how many of these sets hold more hot lines than they have ways."""
    found: dict[str, tuple[Counted, HotFunction]] = {}
    for one in counted:
        for function in one.hot:
            if not function.object and any(function.places):
                found.setdefault(function.name, (one, function))
    if not found:
        return None
    variants = list(dict.fromkeys(v for one, _ in found.values() for v in one.profiled))
    rows = []
    for name, (one, function) in list(found.items())[:PLACED]:
        places = dict(zip(one.profiled, function.places, strict=True))
        cells = [Cell(printable(name))]
        for variant in variants:
            place = places.get(variant)
            if place is None:
                cells.append(NOTHING)
                continue
            crowded = f", {place.crowded} crowded" if place.crowded else ""
            lines = f"{count(place.lines, 'line')} on {count(place.pages, 'page')}"
            sets = f"{count(place.sets, 'set')}{crowded}"
            cells.append(Cell(f"{place.address:#x}", f"{lines}, {sets}"))
        rows.append(tuple(cells))
    columns = (Column("function"), *(Column(printable(v)) for v in variants))
    return Table("Where the hot functions lie", columns, tuple(rows))


def counted_notes(result: Result) -> tuple[str, ...]:
    """What the hot code of each build needs of the instruction cache, in the benchmark where it is
    most; and what there is to know about the counts, each note once."""
    largest: dict[str, Overlap] = {}
    for one in result.found.counted:
        for overlap in one.overlaps:
            known = largest.get(overlap.variant)
            if known is None or overlap.lines > known.lines:
                largest[overlap.variant] = overlap
    notes = dict.fromkeys(
        printable(note)
        for one in result.found.counted
        for counts in one.counts
        if not counts.failed
        for note in counts.notes
    )
    return (*overlap_sentences(list(largest.values())), *notes)


def _named(table: Table, name: str) -> Table:
    return Table(f"{name}: {table.caption}", table.columns, table.rows, table.fixed)


def _in_order(result: Result, names: Collection[str]) -> list[str]:
    return [v.name for v in result.question.variants if v.name in names]
