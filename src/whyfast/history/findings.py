"""The same thing in several series is one finding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from whyfast.model.history import Drift, Finding, SeriesHistory

#: Two drifts are one finding when they share this part of the points that either covers.
_OVERLAP = 0.5


def findings(found: Sequence[SeriesHistory]) -> tuple[Finding, ...]:
    """Steps and odd points: the same point and direction in several series is one finding; those
    in most series first."""
    groups: dict[tuple[str, int, int, bool], dict[str, float]] = {}
    for history in found:
        for shift in history.shifts:
            key = ("step", shift.before, shift.at, shift.ratio > 1)
            groups.setdefault(key, {})[history.series.name] = shift.ratio
        for odd in history.odd:
            key = ("odd", odd.at, odd.at, odd.ratio > 1)
            groups.setdefault(key, {})[history.series.name] = odd.ratio
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(_steps_and_odd(ordered, found))


def _steps_and_odd(
    groups: Sequence[tuple[tuple[str, int, int, bool], Mapping[str, float]]],
    found: Sequence[SeriesHistory],
) -> Iterator[Finding]:
    for (kind, before, at, _), ratios in groups:
        where, of = _concerned(ratios, found)
        yield Finding("step" if kind == "step" else "odd", before, at, ratios, of, where)


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
