"""From arguments of the command line to a timeline: several files in order, or a table's column."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path
from statistics import fmean, stdev
from typing import Literal

from whyfast.formats import github_action
from whyfast.formats.csv_table import CsvRow, claims, parse, series_name, series_of
from whyfast.formats.input import Given, epoch_seconds, read_text
from whyfast.formats.load import bare_name, load_recordings, split_choice
from whyfast.formats.whyfast_result import is_check_log, read_check_log
from whyfast.model.errors import UserError
from whyfast.model.history import PointSeries, Timeline
from whyfast.model.sample import SECOND, MetadataValue, Recording, Series, rate

Order = Literal["given", "run", "commit"]


#: What ``--machine`` names to tell machines apart by the folders of the files, and not at all.
FOLDER, NO_MACHINE = "folder", "none"


@dataclass(frozen=True)
class Wanted:
    """``by``: the column whose values are points; ``order``: by when they were measured (``run``)
    or by the date of their commit; ``machine``: the key or column that tells machines apart, None
    for what the files show; ``higher``: patterns of series in which more is better."""

    by: str | None = None
    order: Order | None = None
    machine: str | None = None
    higher: tuple[str, ...] = ()


@dataclass(frozen=True)
class PointValue:
    """``value`` is the mean over processes of their means, as ``compare`` takes it; ``spread`` its
    standard error, relative, from the processes, or from the values of a single one; None where
    there is but one value."""

    value: float
    spread: float | None


def point_value(processes: Iterable[Sequence[float]]) -> PointValue:
    """The value of a point from what its processes measured."""
    kept = [tuple(p) for p in processes]
    means = [fmean(p) for p in kept]
    units = means if len(means) > 1 else list(kept[0])
    value = fmean(means)
    spread = stdev(units) / math.sqrt(len(units)) / value if len(units) > 1 else None
    return PointValue(value, spread)


def merged(sequences: Iterable[Sequence[str]]) -> list[str]:
    """One order of the points of several machines: that of the first; what another one has beside
    goes behind what it has before it there."""
    order: list[str] = []
    for sequence in sequences:
        place = 0
        for point in dict.fromkeys(sequence):
            if point in order:
                place = order.index(point) + 1
            else:
                order.insert(place, point)
                place += 1
    return order


def tells_apart(values: Sequence[str | None], fewest: int) -> bool:
    """Whether ``values``, one a point, name a few things that each come back: machines, say."""
    if any(v is None for v in values):
        return False
    counts: Collection[int] = [values.count(v) for v in set(values)]
    return len(counts) > 1 and min(counts) >= fewest


_NUMBER = re.compile(r"\d+")


def order_notes(points: Sequence[str], when: Sequence[float | None]) -> tuple[str, ...]:
    """A sentence where neighbours whose names differ in nothing but numbers stand with the higher
    number first, and no dates ``when`` they were measured say that this is right."""
    dates = [w for w in when if w is not None]
    if points and len(dates) == len(points) and dates == sorted(dates):
        return ()
    for before, after in pairwise(points):
        if _NUMBER.sub("#", before) == _NUMBER.sub("#", after) and _numbers(before) > _numbers(
            after
        ):
            return (
                f"{before} stands before {after}: points are taken in the order given, "
                "oldest first, and a shell's * sorts names as text; `sort -V` sorts by the "
                "numbers in them.",
            )
    return ()


def _numbers(name: str) -> list[int]:
    return [int(number) for number in _NUMBER.findall(name)]


#: Hosts are distinguished without --machine when each has at least this many points.
FEWEST = 5
#: Characters of a commit's hash that name a point.
SHORT = 10
HOST, _COMMIT = "hostname", "commit_id"


@dataclass(frozen=True)
class _Point:
    """A recording's place: its machine and the name of its point."""

    machine: str
    name: str
    recording: Recording


def _timeline_of(recordings: Sequence[Recording], wanted: Wanted, where: str) -> Timeline:
    """Each file a point. With several machines, files of one commit (or else of one name) are the
    same point on each."""
    if not any(is_read(s) for r in recordings for s in r.series.values()):
        raise UserError("no benchmark in these files has times", where=where)
    machine = _machines(recordings, wanted.machine)
    several = len({machine(r) for r in recordings}) > 1
    name = _names(recordings) if several else lambda r: r.name
    placed = [_Point(machine(r) if several else "", name(r), r) for r in recordings]
    dated = all(r.started is not None for r in recordings)
    order = wanted.order or ("run" if several and dated else "given")
    if order != "given":
        key = _when if order == "run" else _committed
        placed.sort(key=lambda p: key(p.recording))
    return _timeline(placed, in_time=order != "given")


def _timeline(placed: Sequence[_Point], *, in_time: bool) -> Timeline:
    machines = list(dict.fromkeys(p.machine for p in placed))
    points = merged([[p.name for p in placed if p.machine == m] for m in machines])
    if in_time:  # whichever machine came first
        points = list(dict.fromkeys(p.name for p in placed))
    series: list[PointSeries] = []
    facts: dict[str, tuple[Mapping[str, str] | None, ...]] = {}
    for m in machines:
        at: dict[str, list[Recording]] = {}
        for p in placed:
            if p.machine == m:
                at.setdefault(p.name, []).append(p.recording)
        columns = [at.get(point, []) for point in points]
        series += _series(m, columns)
        known = tuple(
            {key: fact_text(value) for key, value in rs[0].metadata.items()} if rs else None
            for rs in columns
        )
        if any(known):
            facts[m] = known
    first: dict[str, float | None] = {}
    for p in placed:
        first.setdefault(p.name, p.recording.started)
    when = tuple(first[point] for point in points)
    dates = when if any(w is not None for w in when) else ()
    notes = () if in_time else order_notes(points, dates)
    return Timeline(tuple(points), tuple(series), "file", dates, facts, notes=notes)


def _series(machine: str, columns: Sequence[Sequence[Recording]]) -> Iterator[PointSeries]:
    names = dict.fromkeys(
        name for rs in columns for r in rs for name, s in r.series.items() if is_read(s)
    )
    for name in names:
        read = [[s for r in rs if (s := r.series.get(name)) and is_read(s)] for rs in columns]
        cells = [[p for s in at for p in s.processes] for at in read]
        higher = any(is_rate(s) for at in read for s in at)
        yield _on_machine(replace(_over_points(name, cells), higher=higher), machine)


def _over_points(name: str, cells: Sequence[Sequence[Sequence[float]]]) -> PointSeries:
    """A series from the processes at each point, which may be none."""
    points = [point_value(processes) if processes else None for processes in cells]
    values = tuple(p.value if p else None for p in points)
    spreads = tuple(p.spread if p else None for p in points)
    known = any(s is not None for s in spreads)
    return PointSeries(name, values, spreads=spreads if known else ())


def _on_machine(series: PointSeries, machine: str) -> PointSeries:
    if not machine:
        return series
    keys = {**series.keys, "machine": machine}
    return replace(series, name=f"{series.name} on {machine}", keys=keys, machine=machine)


def is_read(series: Series) -> bool:
    """Times, and rates; nothing else has a better and a worse."""
    return series.unit == SECOND or is_rate(series)


def is_rate(series: Series) -> bool:
    """Whether more is better."""
    return series.higher or rate(series.unit)


def fact_text(value: object) -> str:
    """A fact in words."""
    if isinstance(value, list | tuple):
        return " and ".join(sorted(map(str, value)))
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _machines(recordings: Sequence[Recording], wanted: str | None) -> Callable[[Recording], str]:
    """What tells the machines apart, as a function of a recording."""
    if wanted == NO_MACHINE:
        return lambda r: ""
    if wanted == FOLDER:
        return lambda r: Path(r.source).absolute().parent.name
    if wanted is None:
        hosts = [fact_text(r.metadata[HOST]) if HOST in r.metadata else None for r in recordings]
        apart = tells_apart(hosts, FEWEST)
        return lambda r: fact_text(r.metadata[HOST]) if apart else ""
    for r in recordings:
        if wanted not in r.metadata:
            keys = ", ".join(sorted(r.metadata)) or "none"
            raise UserError(
                f"no {wanted} in the file (--machine); available: {keys}, or {FOLDER}",
                where=r.source,
            )
    return lambda r: fact_text(r.metadata[wanted])


def _names(recordings: Sequence[Recording]) -> Callable[[Recording], str]:
    """What the point of a recording is called where several machines share points: the commit; or
    the file's name, if it comes more than once; or its own."""
    if all(_COMMIT in r.metadata for r in recordings):
        return lambda r: fact_text(r.metadata[_COMMIT])[:SHORT]
    names = [bare_name(Path(r.source)) for r in recordings]
    if len(set(names)) < len(names):
        return lambda r: bare_name(Path(r.source))
    return lambda r: r.name


def _when(recording: Recording) -> float:
    if recording.started is None:
        raise UserError("no date of the run (--order run)", where=recording.source)
    return recording.started


def _committed(recording: Recording) -> float:
    date = recording.metadata.get("commit_date")
    seconds = epoch_seconds(date) if isinstance(date, str) else None
    if seconds is None:
        raise UserError(
            "no date of the commit (commit_date, for --order commit)", where=recording.source
        )
    return seconds


#: Columns that tell series apart even if each point has but one value of them.
_NAMES = ("benchmark",)


def timeline_of_table(argument: str, by: str, wanted: Wanted) -> Timeline:
    """Each value of the column ``by`` a point, in the order in which they first appear. A column
    that has one value at each point of a machine, and others elsewhere, is no part of the series'
    names: it is on record of the points. UserError for what cannot be read or ordered."""
    path, chosen = split_choice(argument)
    given = Given(path, path.stem, text=None if os.path.isdir(path) else read_text(path))
    if not claims(given):
        raise UserError("expected a CSV file with a column of times", where=f"--by {by}")
    table = parse(given)
    machine = None if wanted.machine == NO_MACHINE else wanted.machine
    if machine == FOLDER:
        raise UserError("works with several files; name a column", where=f"--machine {FOLDER}")
    for column in (by, machine) if machine else (by,):
        table.check(column, str(path))
    rows = table.chosen(dict(chosen), str(path))
    keys = [c for c in table.keys if c not in (by, machine) and c not in dict(chosen)]
    recorded = [c for c in keys if c not in _NAMES and _of_points(rows, c, (by, machine))]
    names = [c for c in keys if c not in recorded]
    dates = {c: [epoch_seconds(r.cells[c]) for r in rows] for c in recorded}
    dated = next((c for c, at in dates.items() if None not in at), None)
    if wanted.order == "commit":
        raise UserError("works with files that name commit_date", where="--order commit")
    if wanted.order == "run" and dated is None:
        raise UserError("no column holds a date of each point (--order run)", where=str(path))
    cells: dict[tuple[str, str], list[CsvRow]] = {}
    for row in rows:
        cells.setdefault((row.cells[machine] if machine else "", row.cells[by]), []).append(row)
    placed = []
    for (on, point), at in cells.items():
        facts: dict[str, MetadataValue] = {c: at[0].cells[c] for c in recorded}
        started = epoch_seconds(at[0].cells[dated]) if dated else None
        series = series_of(at, names, path.stem)
        placed.append(_Point(on, point, Recording(point, str(path), "csv", series, facts, started)))
    if wanted.order == "run":
        placed.sort(key=lambda p: _when(p.recording))
    timeline = _timeline(placed, in_time=wanted.order == "run")
    pairs = {series_name(r.cells, names): {c: r.cells[c] for c in names} for r in rows}
    return replace(
        timeline,
        by=by,
        notes=(),
        series=tuple(
            replace(
                s,
                keys={**pairs.get(s.name.removesuffix(f" on {s.machine}"), {}), **s.keys},
                resolution=table.resolution,
            )
            for s in timeline.series
        ),
    )


def _of_points(rows: Sequence[CsvRow], column: str, place: tuple[str | None, ...]) -> bool:
    """Whether each point of each machine has one value of the column, and not all the same."""
    values: dict[tuple[str, ...], set[str]] = {}
    for row in rows:
        where = tuple(row.cells[c] for c in place if c)
        values.setdefault(where, set()).add(row.cells[column])
    return all(len(v) == 1 for v in values.values()) and len(set.union(*values.values())) > 1


def load_timeline(arguments: Sequence[str], wanted: Wanted) -> Timeline:
    """Each file a point; or, with ``by``, each value of a column of one CSV file a point; or each
    line of one log of ``whyfast check``. UserError for what cannot be read."""
    return rated(_loaded(arguments, wanted), wanted.higher)


def rated(timeline: Timeline, higher: Sequence[str]) -> Timeline:
    """The timeline with the series whose names match any of ``higher`` as rates. UserError for a
    pattern that matches none."""
    for glob in higher:
        if not any(fnmatchcase(s.name, glob) for s in timeline.series):
            raise UserError("no series matches", where=f"--higher {glob}")
    series = (
        replace(s, higher=s.higher or any(fnmatchcase(s.name, glob) for glob in higher))
        for s in timeline.series
    )
    return replace(timeline, series=tuple(series))


def _loaded(arguments: Sequence[str], wanted: Wanted) -> Timeline:
    if wanted.by is not None:
        if len(arguments) != 1:
            raise UserError(
                "works with a single CSV file; several files are points already", where="--by"
            )
        return timeline_of_table(arguments[0], wanted.by, wanted)
    if len(arguments) == 1:
        path = Path(arguments[0])
        text = read_text(path) if path.is_file() else None
        if text is not None and is_check_log(text):
            return read_check_log(text, str(path))
        if github_action.claims(given := Given(path, path.stem, text)):
            every = github_action.as_points(given)
            return replace(_timeline_of(every, wanted, str(path)), by="commit")
        raise UserError(
            "one file is one point; name several, or --by COLUMN of a CSV file", where=arguments[0]
        )
    return _timeline_of(load_recordings(arguments), wanted, arguments[0])
