"""Counters and hot functions of several programs side by side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from whyfast.model.result import Result
from whyfast.model.sample import Figure
from whyfast.report.document import (
    NOTHING,
    Cell,
    ReportSection,
    Table,
    number_cell,
    right,
    section,
    sentences,
    table,
)
from whyfast.report.formatting import pluralize, quote, sentence

if TYPE_CHECKING:
    from whyfast.explain.source_lines import TouchedFunctions
    from whyfast.model.counters import Counter, Counts, HotFunction, Overlap

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
    for o in overlaps:
        if not o.functions:
            continue
        functions = (
            "1 hot function spans" if o.functions == 1 else f"{o.functions} hot functions span"
        )
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
        _hot_table(functions, programs),
        *place_tables(functions, programs),
        sentences(texts),
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
    text = touched.statement(hot) if hot else "the hot functions are unknown"
    names = [f.name for f in touched.functions]
    listed = ", ".join(names[:_NAMES_SHOWN]) + (", …" if names[_NAMES_SHOWN:] else "")
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


# ---- Figures that programs report about a loop, and instructions of it: a table and sentences.


def figures_section(result: Result) -> ReportSection | None:
    """Figures reported by programs in which variants differ."""
    found = figures_table(result)
    return section("figures", "Other figures", found, importance="detail")


def _figures(result: Result) -> tuple[Figure, ...]:
    """Figures reported by programs, after the instructions of a loop where these were counted."""
    reported = result.found.observed.figures
    if not reported:
        return ()  # counts have a table of their own
    order = {b.name: at for at, b in enumerate(result.question.benchmarks)}
    counted = (
        Figure(one.benchmark, counts.variant, f"instructions a loop ({source})", round(number, 1))
        for one in result.found.counted
        for counts in one.counts
        for number, source in filter(None, [one.instructions_a_loop(counts.variant)])
    )
    return tuple(sorted((*counted, *reported), key=lambda f: order.get(f.benchmark, len(order))))


def figures_table(result: Result, *, every: bool = False) -> Table | None:
    """A row for each benchmark and figure, a column for each variant; None without figures.

    Rows in which all variants say the same are left out, unless ``every``.
    """
    figures: dict[tuple[str, str], dict[str, Figure]] = {}
    for one in _figures(result):
        figures.setdefault((one.benchmark, one.what), {})[one.variant] = one
    asked = {name for of in figures.values() for name in of}
    variants = [v.name for v in result.question.variants if v.name in asked]
    rows = [
        (benchmark, what, *(_cell(of.get(name)) for name in variants))
        for (benchmark, what), of in figures.items()
        if every or len({(f.number, f.text) for f in of.values()}) > 1
    ]
    title = "Other figures of a loop"
    title += "" if every else ", where variants differ"
    return table(title, ("benchmark", "figure", *right(*variants)), rows, fixed=2)


def figure_sentences(result: Result) -> list[str]:
    """For each variant that is faster than a baseline somewhere, and does more of something there:
    how often, and the largest case."""
    numbers = {
        (f.benchmark, f.variant, f.what): f.number for f in _figures(result) if f.number is not None
    }
    whats = list(dict.fromkeys(what for _, _, what in numbers))
    faster: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for v in result.judged.verdicts:
        if v.outcome == "faster" and v.benchmark is not None:
            faster[v.variant, v.baseline].append(v.benchmark)
    found = []
    for (variant, baseline), benchmarks in faster.items():
        for what in whats:
            more = [
                (mine, theirs, name)
                for name in benchmarks
                if (mine := numbers.get((name, variant, what))) is not None
                and (theirs := numbers.get((name, baseline, what))) is not None
                and mine > theirs
            ]
            if more:
                found.append(_sentence(variant, baseline, what, more, len(benchmarks)))
    return found


def _sentence(
    variant: str,
    baseline: str,
    what: str,
    more: Sequence[tuple[float, float, str]],
    faster: int,
) -> str:
    mine, theirs, name = max(more, key=lambda one: one[0] - one[1])
    of = "" if faster == 1 else f" on {len(more)} of the {pluralize(faster, 'benchmark')}"
    return sentence(
        f"{quote(variant)} is faster than {quote(baseline)} with more {what}{of}: "
        f"{mine:g} against {theirs:g} on {quote(name)}"
    )


def _cell(figure: Figure | None) -> Cell | None:
    if figure is None:
        return None
    if figure.number is not None:
        return Cell(f"{figure.number:g}", number=figure.number)
    return Cell(figure.text) if figure.text else Cell(NOTHING.text, figure.why)
