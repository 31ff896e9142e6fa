"""Which series of the compared files are benchmarks of speed, and which stand beside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from whyfast.model.errors import UserError
from whyfast.model.series import SECOND, Recording, Series
from whyfast.model.units import rate


@dataclass(frozen=True)
class Quantities:
    """The same recordings twice: with their ``speed`` (times, and rates as time per piece of work),
    and with all that stands ``beside`` it (bytes, allocations, units of their own).

    A series that is better when higher holds reciprocals, so that a ratio above 1 is always worse.
    """

    speed: tuple[Recording, ...]
    beside: tuple[Recording, ...]


def split_quantities(recordings: Sequence[Recording], higher: Sequence[str]) -> Quantities:
    """``higher`` are globs of units or benchmarks that are better when higher; each must match.

    Where the first recording has times, a rate stands beside them. UserError for a glob that
    matches nothing.
    """
    every = {(n, s.unit) for r in recordings for n, s in r.series.items()}
    for glob in higher:
        if not any(fnmatchcase(n, glob) or fnmatchcase(u, glob) for n, u in every):
            raise UserError("no unit and no benchmark has such a name", where=f"--higher {glob}")
    marked = [_marked(r, higher) for r in recordings]
    timed = bool(marked) and any(s.unit == SECOND for s in marked[0].series.values())

    zeros = {
        s.benchmark
        for r in marked
        for s in r.series.values()
        if any(v == 0 for values in s.processes for v in values)
    }

    def is_speed(series: Series) -> bool:
        if series.benchmark in zeros:
            return False  # it has no ratio
        return series.unit == SECOND if timed else rate(series.unit) or series.higher

    return Quantities(
        tuple(_part(r, (s for s in r.series.values() if is_speed(s))) for r in marked),
        tuple(_part(r, (s for s in r.series.values() if not is_speed(s))) for r in marked),
    )


def _marked(recording: Recording, higher: Sequence[str]) -> Recording:
    if not higher:
        return recording
    series = {
        name: replace(
            s,
            higher=s.higher or any(fnmatchcase(name, g) or fnmatchcase(s.unit, g) for g in higher),
        )
        for name, s in recording.series.items()
    }
    return replace(recording, series=series)


def _part(recording: Recording, chosen: Iterable[Series]) -> Recording:
    return replace(recording, series={s.benchmark: as_cost(s) for s in chosen})


def as_cost(series: Series) -> Series:
    """Reciprocals of what is better when higher; zeros, which have none, stay."""
    if not series.higher:
        return series
    processes = tuple(tuple(1 / v if v else 0.0 for v in values) for values in series.processes)
    return replace(series, processes=processes)
