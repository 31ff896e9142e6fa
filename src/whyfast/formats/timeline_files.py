"""Recordings as the points of a timeline, of one machine or several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from whyfast.formats.dates import epoch_seconds
from whyfast.formats.given_order import order_notes
from whyfast.formats.load import bare_name, load_recordings
from whyfast.formats.points import (
    FOLDER,
    NO_MACHINE,
    Wanted,
    merged,
    point_value,
    tells_apart,
)
from whyfast.model.errors import UserError
from whyfast.model.history import PointSeries, Timeline
from whyfast.model.series import SECOND, MetadataValue, Recording, Series
from whyfast.model.units import rate

#: Hosts are told apart by themselves when each has so many points.
_FEWEST = 5
#: Characters of a commit's hash that name a point.
_SHORT = 10
_HOST, _COMMIT = "hostname", "commit_id"


@dataclass(frozen=True)
class _Point:
    """A recording's place: its machine and the name of its point."""

    machine: str
    name: str
    recording: Recording


def timeline_of_files(arguments: Sequence[str], wanted: Wanted) -> Timeline:
    """Each file a point. With several machines, files of one commit (or else of one name) are the
    same point on each. UserError for what cannot be read, ordered, or told apart."""
    recordings = load_recordings(arguments)
    if not any(is_read(s) for r in recordings for s in r.series.values()):
        raise UserError("no benchmark in these files has times", where=arguments[0])
    machine = _machines(recordings, wanted.machine)
    several = len({machine(r) for r in recordings}) > 1
    name = _names(recordings) if several else lambda r: r.name
    placed = [_Point(machine(r) if several else "", name(r), r) for r in recordings]
    order = wanted.order or ("run" if several and _dated(recordings) else "given")
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
        known = tuple(_facts(found[0]) if found else None for found in columns)
        if any(known):
            facts[m] = known
    first: dict[str, float | None] = {}
    for p in placed:
        first.setdefault(p.name, p.recording.started)
    when = tuple(first[point] for point in points)
    dates = when if any(w is not None for w in when) else ()
    notes = () if in_time else order_notes(points, dates)
    return Timeline(tuple(points), tuple(series), "file", dates, facts, notes=notes)


def _series(machine: str, columns: Sequence[Sequence[Recording]]) -> list[PointSeries]:
    names = dict.fromkeys(
        name for rs in columns for r in rs for name, s in r.series.items() if is_read(s)
    )
    made = []
    for name in names:
        found = [[s for r in rs if (s := r.series.get(name)) and is_read(s)] for rs in columns]
        cells = [point_value(p for s in at for p in s.processes) if at else None for at in found]
        spreads = tuple(c.spread if c else None for c in cells)
        called = f"{name} on {machine}" if machine else name
        made.append(
            PointSeries(
                called,
                tuple(c.value if c else None for c in cells),
                {"machine": machine} if machine else {},
                machine=machine,
                spreads=spreads if any(x is not None for x in spreads) else (),
                higher=any(is_rate(s) for at in found for s in at),
            )
        )
    return made


def is_read(series: Series) -> bool:
    """Times, and rates; nothing else has a better and a worse."""
    return series.unit == SECOND or is_rate(series)


def is_rate(series: Series) -> bool:
    """Whether more is better."""
    return series.higher or rate(series.unit)


def _facts(recording: Recording) -> Mapping[str, str]:
    return {key: _text(value) for key, value in recording.metadata.items()}


def _text(value: MetadataValue) -> str:
    if isinstance(value, tuple):
        return " and ".join(sorted(value))
    return value if isinstance(value, str) else f"{value:.6g}"


def _machines(recordings: Sequence[Recording], wanted: str | None) -> Callable[[Recording], str]:
    """What tells the machines apart, as a function of a recording."""
    if wanted == NO_MACHINE:
        return lambda r: ""
    if wanted == FOLDER:
        return lambda r: Path(r.source).absolute().parent.name
    if wanted is not None:
        for r in recordings:
            if wanted not in r.metadata:
                keys = ", ".join(sorted(r.metadata)) or "none"
                raise UserError(
                    f"says nothing of {wanted!r} (--machine); it has {keys}; or --machine {FOLDER}",
                    where=r.source,
                )
        return lambda r: _text(r.metadata[wanted])
    hosts = [_text(r.metadata[_HOST]) if _HOST in r.metadata else None for r in recordings]
    if tells_apart(hosts, _FEWEST):
        return lambda r: _text(r.metadata[_HOST])
    return lambda r: ""


def _names(recordings: Sequence[Recording]) -> Callable[[Recording], str]:
    """What the point of a recording is called where several machines share points: the commit; or
    the file's name, if it comes more than once; or its own."""
    if all(_COMMIT in r.metadata for r in recordings):
        return lambda r: _text(r.metadata[_COMMIT])[:_SHORT]
    names = [bare_name(Path(r.source)) for r in recordings]
    if len(set(names)) < len(names):
        return lambda r: bare_name(Path(r.source))
    return lambda r: r.name


def _dated(recordings: Sequence[Recording]) -> bool:
    return all(r.started is not None for r in recordings)


def _when(recording: Recording) -> float:
    if recording.started is None:
        raise UserError("does not say when it was run (--order run)", where=recording.source)
    return recording.started


def _committed(recording: Recording) -> float:
    date = recording.metadata.get("commit_date")
    seconds = epoch_seconds(date) if isinstance(date, str) else None
    if seconds is None:
        raise UserError(
            "does not say the date of its commit (commit_date, for --order commit)",
            where=recording.source,
        )
    return seconds
