"""The same thing in several series is one finding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from math import log, log1p
from statistics import median

from whyfast.model.errors import UserError
from whyfast.model.history import Drift, Finding, History, SeriesHistory, Timeline

#: Two drifts are one finding when they share this part of the points that either covers.
_OVERLAP = 0.5


def findings(found: Sequence[SeriesHistory]) -> tuple[Finding, ...]:
    """Steps and outliers: the same point and direction in several series is one finding; those
    in most series first."""
    groups: dict[tuple[str, int, int, bool], dict[str, float]] = {}
    for history in found:
        for shift in history.shifts:
            key = ("step", shift.before, shift.at, shift.ratio > 1)
            groups.setdefault(key, {})[history.series.name] = shift.ratio
        for outlier in history.outliers:
            key = ("outlier", outlier.at, outlier.at, outlier.ratio > 1)
            groups.setdefault(key, {})[history.series.name] = outlier.ratio
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(_steps_and_outliers(ordered, found))


def _steps_and_outliers(
    groups: Sequence[tuple[tuple[str, int, int, bool], Mapping[str, float]]],
    found: Sequence[SeriesHistory],
) -> Iterator[Finding]:
    for (kind, before, at, _), ratios in groups:
        where, of = _concerned(ratios, found)
        yield Finding("step" if kind == "step" else "outlier", before, at, ratios, of, where)


def drift_findings(found: Sequence[SeriesHistory]) -> tuple[Finding, ...]:
    """Drifts in one direction over about the same points are one finding, those in most series
    first; it lasts from the median start to the median end."""
    drifts = [(d, h.series.name) for h in found for d in h.drifts]
    groups: list[list[tuple[Drift, str]]] = []
    for drift, name in sorted(drifts, key=lambda item: (item[0].start - item[0].end, item[1])):
        for group in groups:
            if _alike(group[0][0], drift) and all(name != other for _, other in group):
                group.append((drift, name))
                break
        else:
            groups.append([(drift, name)])
    made = []
    for group in sorted(groups, key=lambda g: (-len(g), g[0][0].start)):
        ratios = {name: drift.ratio for drift, name in group}
        start, end = (round(median(getattr(d, e) for d, _ in group)) for e in ("start", "end"))
        where, of = _concerned(ratios, found)
        made.append(Finding("drift", start, end, ratios, of, where))
    return tuple(made)


def _alike(a: Drift, b: Drift) -> bool:
    shared = min(a.end, b.end) - max(a.start, b.start)
    either = max(a.end, b.end) - min(a.start, b.start)
    return (a.ratio > 1) == (b.ratio > 1) and shared >= _OVERLAP * either


def _concerned(
    ratios: Mapping[str, float], found: Sequence[SeriesHistory]
) -> tuple[dict[str, str], int]:
    """What the series of ``ratios`` share, and how many series share it."""
    series = {h.series.name: h.series for h in found}
    where = _shared([series[name].keys for name in ratios], [s.keys for s in series.values()])
    return where, sum(where.items() <= s.keys.items() for s in series.values())


def _shared(
    mine: Sequence[Mapping[str, str]], every: Sequence[Mapping[str, str]]
) -> dict[str, str]:
    """The columns with one value in all of ``mine``, and another somewhere else.

    Of a single series that would be all its columns; that says nothing that its name does not.
    """
    if len(mine) < 2:
        return {}
    return {
        column: value
        for column, value in mine[0].items()
        if all(keys.get(column) == value for keys in mine)
        and any(keys.get(column) != value for keys in every)
    }


# ---- Some of the series of a timeline, and the larger ones of what was found.


def only_series(timeline: Timeline, globs: Sequence[str]) -> Timeline:
    """The series whose names match any of ``globs``; all for none. UserError when none match."""
    for glob in globs:
        if not any(fnmatchcase(s.name, glob) for s in timeline.series):
            names = ", ".join(s.name for s in timeline.series[:5])
            raise UserError(f"no series has such a name; there are {names}, …", where=glob)
    kept = [s for s in timeline.series if not globs or any(fnmatchcase(s.name, g) for g in globs)]
    return replace(timeline, series=tuple(kept))


def at_least(history: History, minimum: float) -> History:
    """The history without what changes a series by less than ``minimum`` (0.05: 5 %). Levels stay
    as they are."""
    if minimum <= 0:
        return history
    kept = tuple(_larger(h, minimum) for h in history.series)
    return replace(
        history,
        series=kept,
        findings=findings(kept),
        drifts=drift_findings(kept),
        suite=tuple(_larger(h, minimum) for h in history.suite),
    )


def _larger(history: SeriesHistory, minimum: float) -> SeriesHistory:
    def large(ratio: float) -> bool:
        return abs(log(ratio)) >= log1p(minimum)

    return replace(
        history,
        shifts=tuple(s for s in history.shifts if large(s.ratio)),
        outliers=tuple(o for o in history.outliers if large(o.ratio)),
        drifts=tuple(d for d in history.drifts if large(d.ratio)),
    )


def has_changed(history: History, word: str) -> bool:
    """Whether any step or drift of a series, or of the suite, is that: ``slower``, ``faster``, or
    ``changed`` for either."""
    every = (*history.series, *history.suite)
    ratios = [s.ratio for h in every for s in h.shifts] + [d.ratio for h in every for d in h.drifts]
    if word == "changed":
        return bool(ratios)
    return any((ratio > 1) == (word == "slower") for ratio in ratios)
