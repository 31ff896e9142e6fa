"""Some of the series of a timeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from whyfast.model.errors import UserError
from whyfast.model.history import Timeline


def only_series(timeline: Timeline, globs: Sequence[str]) -> Timeline:
    """The series whose names match any of ``globs``; all for none. UserError when none match."""
    for glob in globs:
        if not any(fnmatchcase(s.name, glob) for s in timeline.series):
            names = ", ".join(s.name for s in timeline.series[:5])
            raise UserError(f"no series has such a name; there are {names}, …", where=glob)
    kept = [s for s in timeline.series if not globs or any(fnmatchcase(s.name, g) for g in globs)]
    return replace(timeline, series=tuple(kept))
