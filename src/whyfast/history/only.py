"""Some of the series of a timeline, and the larger ones of what was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from math import log, log1p

from whyfast.history.findings import drift_findings, findings
from whyfast.model.errors import UserError
from whyfast.model.history import History, SeriesHistory, Timeline


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
        odd=tuple(o for o in history.odd if large(o.ratio)),
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
