"""Which benchmarks of several recordings are the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from whyfast.investigate.compare_units import split_quantities
from whyfast.model.errors import UserError
from whyfast.model.series import Recording
from whyfast.model.verdict import Confound

#: The fact of Go's files that stands behind the names of their benchmarks.
_CPUS = "gomaxprocs"


@dataclass(frozen=True)
class Matched:
    """``recordings`` hold only what can be compared; ``benchmarks`` are the names, in the order of
    the first file; ``notes`` say what was left out; ``beside`` are the recordings with their
    quantities other than speed."""

    recordings: tuple[Recording, ...]
    benchmarks: tuple[str, ...]
    notes: tuple[Confound, ...]
    beside: tuple[Recording, ...]


def match_benchmarks(
    recordings: Sequence[Recording], globs: Sequence[str], higher: Sequence[str] = ()
) -> Matched:
    """The benchmarks that the first file shares with any other.

    ``globs`` narrow them, by name; each must match something. Two files with one benchmark each
    are compared even if they call it differently; ``higher`` as in
    :func:`~whyfast.investigate.compare_units.split_quantities`. UserError for different units of
    one benchmark, and when nothing is shared.
    """
    recordings, notes = _one_name(_chosen(recordings, globs))
    for name in recordings[0].series:
        units = {r.series[name].unit: r for r in recordings if name in r.series}
        if len(units) > 1:
            sides = ", ".join(f"{unit} in {r.source}" for unit, r in units.items())
            raise UserError(f"{name}: its units cannot be compared: {sides}")
    quantities = split_quantities(recordings, higher)
    recordings = quantities.speed
    beside = quantities.beside
    if not recordings[0].series and any(r.series for r in beside):
        return Matched(recordings, (), tuple(notes), beside)
    base, *heads = recordings
    for head in heads:
        shared = [name for name in base.series if name in head.series]
        if not head.series:
            raise UserError("has no benchmark with a time or a rate", where=head.source)
        if not shared:
            raise UserError(
                f"has no benchmark in common with {base.source} ({some(list(head.series))} here; "
                f"{some(list(base.series))} there)" + _alike(base, head),
                where=head.source,
            )
        for one, other in ((base, head), (head, base)):
            alone = [name for name in one.series if name not in other.series]
            if alone:
                notes.append(
                    Confound(
                        "unmatched",
                        f"only in {one.name}, so not in its mean against {other.name}: "
                        f"{some(alone)}",
                        "note",
                        (one.name,),
                    )
                )
    names = tuple(n for n in base.series if any(n in h.series for h in heads))
    return Matched(tuple(recordings), names, tuple(notes), beside)


def _alike(base: Recording, head: Recording) -> str:
    if base.tool == head.tool == "hyperfine" and len(base.series) == len(head.series):
        return "; --by position takes the first with the first"
    return ""


def _chosen(recordings: Sequence[Recording], globs: Sequence[str]) -> list[Recording]:
    if not globs:
        return list(recordings)
    every = {name for r in recordings for name in r.series}
    for glob in globs:
        if not any(fnmatchcase(name, glob) for name in every):
            raise UserError("no benchmark has such a name", where=f"--benchmark {glob}")
    return [
        _only(r, [n for n in r.series if any(fnmatchcase(n, g) for g in globs)]) for r in recordings
    ]


def _only(recording: Recording, names: Sequence[str]) -> Recording:
    if not names:
        raise UserError("has no benchmark that can be compared", where=recording.source)
    return replace(recording, series={name: recording.series[name] for name in names})


def _one_name(recordings: list[Recording]) -> tuple[list[Recording], list[Confound]]:
    names = [next(iter(r.series)) for r in recordings]
    if any(len(r.series) > 1 for r in recordings) or len(set(names)) == 1:
        return recordings, []
    renamed = [
        replace(r, series={names[0]: replace(r.series[name], benchmark=names[0])})
        for r, name in zip(recordings, names, strict=True)
    ]
    text = f"each file has one benchmark, under different names: {some(names)}"
    return renamed, [Confound("names", text, "note")]


def some(names: Sequence[str]) -> str:
    """The first eight, and how many more there are."""
    listed = ", ".join(names[:8])
    return f"{listed} and {len(names) - 8} more" if len(names) > 8 else listed


def same_cpu_names(recordings: Sequence[Recording]) -> tuple[Recording, ...]:
    """Go appends the number of CPUs to names, which a file that has one number throughout is read
    without. Where another file has several, it is put back: ``Sort`` is ``Sort-8``."""
    every = {name for r in recordings for name in r.series if _CPUS in r.metadata}
    return tuple(_with_cpus(r, every) for r in recordings)


def _with_cpus(recording: Recording, every: set[str]) -> Recording:
    cpus = recording.metadata.get(_CPUS)
    if not isinstance(cpus, str):
        return recording
    full = {name: _numbered(name, cpus) for name in recording.series}
    if not any(name in every for name in full.values()):
        return recording
    series = {full[name]: replace(s, benchmark=full[name]) for name, s in recording.series.items()}
    return replace(recording, series=series)


def _numbered(name: str, cpus: str) -> str:
    first, space, unit = name.partition(" ")
    return f"{first}-{cpus}{space}{unit}"
