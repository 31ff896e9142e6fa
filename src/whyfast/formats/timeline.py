"""From arguments of the command line to a timeline: several files in order, or a table's column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from whyfast.formats.check_log import is_check_log, read_check_log
from whyfast.formats.points import Wanted
from whyfast.formats.source import read_text
from whyfast.formats.timeline_files import timeline_of_files
from whyfast.formats.timeline_table import timeline_of_table
from whyfast.model.errors import UserError
from whyfast.model.history import Timeline


def load_timeline(arguments: Sequence[str], wanted: Wanted) -> Timeline:
    """Each file a point; or, with ``by``, each value of a column of one CSV file a point; or each
    line of one log of ``whyfast check``. UserError for what cannot be read."""
    return rated(_loaded(arguments, wanted), wanted.higher)


def rated(timeline: Timeline, higher: Sequence[str]) -> Timeline:
    """The timeline with the series whose names match any of ``higher`` as rates. UserError for a
    pattern that matches none."""
    for glob in higher:
        if not any(fnmatchcase(s.name, glob) for s in timeline.series):
            raise UserError("no series has such a name", where=f"--higher {glob}")
    series = (
        replace(s, higher=s.higher or any(fnmatchcase(s.name, glob) for glob in higher))
        for s in timeline.series
    )
    return replace(timeline, series=tuple(series))


def _loaded(arguments: Sequence[str], wanted: Wanted) -> Timeline:
    if wanted.by is not None:
        if len(arguments) != 1:
            raise UserError(
                "goes with a single CSV file; several files are points already", where="--by"
            )
        return timeline_of_table(arguments[0], wanted.by, wanted)
    if len(arguments) == 1:
        path = Path(arguments[0])
        if path.is_file() and is_check_log(text := read_text(path)):
            return read_check_log(text, str(path))
        raise UserError(
            "one file is one point; name several, or --by COLUMN of a CSV file", where=arguments[0]
        )
    return timeline_of_files(arguments, wanted)
