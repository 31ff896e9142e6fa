"""The values of a table's column as the points of a timeline."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from whyfast.formats.csv_table import CsvRow, CsvTable, claims, parse, series_name
from whyfast.formats.dates import epoch_seconds
from whyfast.formats.format import Given
from whyfast.formats.points import FOLDER, NO_MACHINE, Wanted, merged, point_value
from whyfast.formats.select import split_choice
from whyfast.formats.source import read_text
from whyfast.model.errors import UserError
from whyfast.model.history import PointSeries, Timeline

#: Columns that tell series apart even if each point has but one value of them.
_NAMES = ("benchmark",)


def timeline_of_table(argument: str, by: str, wanted: Wanted) -> Timeline:
    """Each value of the column ``by`` a point, in the order in which they first appear.

    A column that has one value at each point of a machine, and others elsewhere, is no part of the
    series' names: it is on record of the points. UserError for what cannot be read or ordered.
    """
    path, chosen = split_choice(argument)
    given = Given(path, path.stem, text=None if os.path.isdir(path) else read_text(path))
    if not claims(given):
        raise UserError("goes with a CSV file that has a column of times", where=f"--by {by}")
    table = parse(given)
    machine = None if wanted.machine == NO_MACHINE else wanted.machine
    if machine == FOLDER:
        raise UserError("goes with several files; name a column", where=f"--machine {FOLDER}")
    for column in (by, *(column for column, _ in chosen), *((machine,) if machine else ())):
        table.check(column, str(path))
    rows = [r for r in table.rows if all(r.cells[c] == v for c, v in chosen)]
    if not rows:
        raise UserError(
            "no row has these values" if chosen else "there is no row below the heading", where=path
        )
    keys = [c for c in table.keys if c not in (by, machine) and c not in dict(chosen)]
    recorded = [c for c in keys if c not in _NAMES and _of_points(rows, c, (by, machine))]
    rows = _ordered(rows, recorded, wanted, str(path))
    machines = list(dict.fromkeys(r.cells[machine] if machine else "" for r in rows))
    by_machine = {m: [r for r in rows if not machine or r.cells[machine] == m] for m in machines}
    points = merged([r.cells[by] for r in mine] for mine in by_machine.values())
    if wanted.order == "run":
        points = list(dict.fromkeys(r.cells[by] for r in rows))
    names = [c for c in keys if c not in recorded]
    series: list[PointSeries] = []
    facts: dict[str, tuple[Mapping[str, str] | None, ...]] = {}
    for m, mine in by_machine.items():
        cells = _Cells(by, names, m, path.stem, points)
        series += cells.series(mine, table)
        if recorded:
            at = {r.cells[by]: r for r in reversed(mine)}
            facts[m] = tuple(
                {c: at[p].cells[c] for c in recorded} if p in at else None for p in points
            )
    return Timeline(tuple(points), tuple(series), by, _dates(facts, len(points)), facts)


class _Cells:
    """The rows of one machine as series."""

    def __init__(
        self, by: str, names: Sequence[str], machine: str, stem: str, points: Sequence[str]
    ) -> None:
        self._by, self._names, self._machine, self._stem = by, names, machine, stem
        self._place = {point: i for i, point in enumerate(points)}

    def series(self, rows: Iterable[CsvRow], table: CsvTable) -> list[PointSeries]:
        """One for each combination of what names them."""
        values: dict[tuple[str, ...], list[dict[str, list[float]]]] = {}
        for row in rows:
            name = tuple(row.cells[c] for c in self._names)
            cells = values.setdefault(name, [{} for _ in self._place])
            processes = cells[self._place[row.cells[self._by]]]
            processes.setdefault(row.cells.get("process", ""), []).append(row.value)
        return [self._one(name, cells, table) for name, cells in values.items()]

    def _one(
        self, name: Sequence[str], cells: Sequence[Mapping[str, Sequence[float]]], table: CsvTable
    ) -> PointSeries:
        pairs = dict(zip(self._names, name, strict=True))
        found = [point_value(at.values()) if at else None for at in cells]
        spreads = tuple(v.spread if v else None for v in found)
        called = series_name(pairs, self._names) or self._stem
        if self._machine:
            called, pairs = f"{called} on {self._machine}", {**pairs, "machine": self._machine}
        return PointSeries(
            called,
            tuple(v.value if v else None for v in found),
            pairs,
            table.resolution,
            self._machine,
            spreads if any(s is not None for s in spreads) else (),
        )


def _of_points(rows: Sequence[CsvRow], column: str, place: tuple[str | None, ...]) -> bool:
    """Whether each point of each machine has one value of the column, and not all the same."""
    found: dict[tuple[str, ...], set[str]] = {}
    for row in rows:
        where = tuple(row.cells[c] for c in place if c)
        found.setdefault(where, set()).add(row.cells[column])
    return all(len(v) == 1 for v in found.values()) and len(set.union(*found.values())) > 1


def _ordered(
    rows: Sequence[CsvRow], recorded: Sequence[str], wanted: Wanted, where: str
) -> list[CsvRow]:
    if wanted.order == "commit":
        raise UserError("goes with files that name commit_date", where="--order commit")
    if wanted.order != "run":
        return list(rows)
    for column in recorded:
        dates = [epoch_seconds(row.cells[column]) for row in rows]
        if all(d is not None for d in dates):
            order = sorted(range(len(rows)), key=lambda i: dates[i] or 0.0)
            return [rows[i] for i in order]
    raise UserError("no column holds a date of each point (--order run)", where=where)


def _dates(
    facts: Mapping[str, Sequence[Mapping[str, str] | None]], points: int
) -> tuple[float | None, ...]:
    """When each point was measured, from a column that holds dates; () without one."""
    found: list[float | None] = [None] * points
    for known in facts.values():
        for column in next((f for f in known if f), {}):
            dates = [epoch_seconds(f[column]) if f else None for f in known]
            if all(d is not None for d, f in zip(dates, known, strict=True) if f):
                found = [a if a is not None else b for a, b in zip(found, dates, strict=True)]
                break
    return tuple(found) if any(f is not None for f in found) else ()
