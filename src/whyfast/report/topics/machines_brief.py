"""Machines side by side on one screen of a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from whyfast.model.merged import Merged
from whyfast.report.document import NOTHING, Brief, Cell, Row, Table, table
from whyfast.report.names import count, sentence, shown
from whyfast.report.numbers import ratio_text
from whyfast.report.topics.machines import overall_caption
from whyfast.report.topics.over_machines import (
    OverMachines,
    cpu_text,
    machine_sentences,
    over_machines,
)

#: So many machines have a column each; of more each has a row.
_COLUMNS = 4
#: So many warnings are quoted.
_QUOTED = 2


def machines_brief(merged: Merged) -> Brief | None:
    """The findings, the smallest table that carries them, what to distrust."""
    few = len(merged.machines) <= _COLUMNS
    found = _by_column(merged) if few else _by_row(merged)
    return Brief(
        said=tuple(machine_sentences(merged)[1:]),
        table=found,
        ranks=tuple(range(len(found.rows))) if found else (),
        care=tuple(_care(merged)),
        more="intervals, benchmarks and each machine by itself: -v, or --html FILE.",
        row="comparison" if few else "machine",
    )


def _by_column(merged: Merged) -> Table | None:
    every = over_machines(merged)
    several = len({o.baseline for o in every}) > 1
    rows: list[Row] = [
        (
            f"{o.variant} against {o.baseline}" if several else o.variant,
            *(_cell(o, m.machine.name) for m in merged.machines),
        )
        for o in every
    ]
    names = [m.machine.name for m in merged.machines]
    return table(overall_caption(merged, every), ("variant", *names), rows)


def _by_row(merged: Merged) -> Table | None:
    """The first comparisons as columns; the later ones give way first."""
    every = over_machines(merged)
    rows: list[Row] = [
        (
            m.machine.name,
            *(_cell(o, m.machine.name) for o in every),
            cpu_text(m.machine.facts) or None,
        )
        for m in merged.machines
    ]
    several = len({o.baseline for o in every}) > 1
    heads = [f"{o.variant} / {o.baseline}" if several else o.variant for o in every]
    made = table(overall_caption(merged, every), ("machine", *heads, "CPU"), rows)
    if made is None:
        return None
    # The CPU goes first, then the later comparisons.
    columns = tuple(replace(c, drop=max(0, i - 1)) for i, c in enumerate(made.columns))
    return replace(made, columns=columns)


def _cell(o: OverMachines, machine: str) -> Cell:
    """The ratio alone: intervals stand in the whole report."""
    if machine in o.identical:
        return Cell("same", "", "same", 1.0)
    v = o.verdicts.get(machine)
    if v is None:
        return NOTHING
    if v.word in ("same", "undecided"):
        return Cell(v.word, "", v.word, v.ratio)
    return Cell(ratio_text(v.ratio, v.low, v.high).factor, "", v.word, v.ratio)


def _care(merged: Merged) -> Iterator[str]:
    """What differs between the machines beside them, then what is missing, then their own
    warnings by number."""
    warnings = [c for c in merged.confounds if c.severity == "warning"]
    yield from (sentence(c.text) for c in warnings[:_QUOTED])
    lacking = dict.fromkeys((lack.machine, lack.variant) for lack in merged.lacking)
    yield from (f"{shown(m)} has no {shown(v)}." for m, v in list(lacking)[:_QUOTED])
    own = {
        m.machine.name: sum(c.severity == "warning" for c in m.result.judged.confounds)
        for m in merged.machines
    }
    some = [f"{shown(name)} {number}" for name, number in own.items() if number]
    if some:
        yield f"Warnings of the machines themselves: {', '.join(some)}."
    rest = len(merged.confounds) - len(warnings[:_QUOTED])
    if rest:
        yield f"{count(rest, 'further note')} on what differs between the machines."
