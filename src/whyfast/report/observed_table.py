"""What the programs said about themselves, as tables: machine code, single runs, cost of timing."""

from __future__ import annotations

from collections.abc import Sequence

from whyfast.model.observed import RunTimes
from whyfast.model.question import Question
from whyfast.model.result import Result
from whyfast.report.image_text import FORMS
from whyfast.report.names import printable
from whyfast.report.numbers import format_seconds
from whyfast.report.summary_table import NOTHING
from whyfast.report.table import Cell, Column, Table

#: The quantiles of the single runs that are shown.
QUANTILES = (0.01, 0.5, 0.9, 0.99, 0.999)


def image_table(result: Result) -> Table | None:
    """How the programs of each variant follow one another; None when none was read."""
    rows = []
    for image in result.found.observed.images:
        first = image.programs[0] if image.programs else None
        rows.append(
            (
                Cell(printable(image.variant)),
                Cell(FORMS[image.form]),
                Cell(f"{first.size} B") if first else NOTHING,
                Cell(str(first.instructions)) if first else NOTHING,
                Cell(printable("; ".join(first.exits))) if first and first.exits else NOTHING,
                Cell(printable(image.reason)),
            )
        )
    columns = (
        Column("variant"),
        Column("to the next by"),
        Column("first program", "right"),
        Column("instructions", "right"),
        Column("its ways out"),
        Column("all of them"),
    )
    found = dict.fromkeys(s.environment.get("spectre_v2") for s in result.recorded.sessions)
    mitigations = "; ".join(printable(str(text)) for text in found if text)
    title = "Machine code made at run time"
    title += f" (spectre_v2 in this kernel: {mitigations})" if mitigations else ""
    return Table(title, columns, tuple(rows)) if rows else None


def run_times_table(result: Result, *, every: bool = False) -> Table | None:
    """Quantiles of single runs; None when no program reported them.

    Of a family the ends only, unless ``every``: the shortest chain is the cost of the clock.
    """
    shown = {found.benchmark for found in result.found.observed.run_times}
    if not every:
        shown &= _ends(result.question)
    rows = [
        (
            Cell(printable(found.benchmark)),
            Cell(printable(found.variant)),
            *(Cell(_at(found, share)) for share in QUANTILES),
            Cell(_longest(found)),
            Cell(f"{sum(found.counts):,}".replace(",", " ")),
        )
        for found in result.found.observed.run_times
        if found.counts and found.benchmark in shown
    ]
    columns = (
        Column("benchmark"),
        Column("variant"),
        *(Column(f"{share * 100:g} %", "right") for share in QUANTILES),
        Column("longest", "right"),
        Column("runs", "right"),
    )
    title = "Single runs, timed by themselves: quantiles, the cost of reading the clock included"
    return Table(title, columns, tuple(rows), fixed=2) if rows else None


def overhead_table(result: Result) -> Table | None:
    """What the ways of timing cost; None when no program reported it."""
    rows = tuple(
        (Cell(printable(one.what)), Cell(format_seconds(one.seconds)))
        for one in result.found.observed.overheads
    )
    columns = (Column("what"), Column("time", "right"))
    return Table("What timing itself costs", columns, rows) if rows else None


def quantile(starts: Sequence[float], counts: Sequence[int], share: float) -> int:
    """The place of the bucket that holds that share of the runs, counted from the shortest."""
    wanted, seen = share * sum(counts), 0
    for i, count in enumerate(counts):
        seen += count
        if seen >= wanted:
            return i
    return len(starts) - 1


def _ends(study: Question) -> set[str]:
    """Benchmarks without a parameter, and those with the least and the most of one."""
    families: dict[str, list[tuple[int, str]]] = {}
    for b in study.benchmarks:
        family = (b.parameter.family, b.parameter.value) if b.parameter else (b.name, 0)
        families.setdefault(family[0], []).append((family[1], b.name))
    return {name for own in families.values() for name in (min(own)[1], max(own)[1])}


def _at(found: RunTimes, share: float) -> str:
    i = quantile(found.starts, found.counts, share)
    return _bucket(found, i)


def _longest(found: RunTimes) -> str:
    return _bucket(found, len(found.starts) - 1)


def _bucket(found: RunTimes, i: int) -> str:
    more = "≥ " if found.widths[i] == 0 else ""
    return more + format_seconds(found.starts[i])
