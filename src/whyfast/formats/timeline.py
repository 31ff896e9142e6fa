"""From arguments of the command line to a timeline: several files in order, or a table's column."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean

from whyfast.formats.check_log import is_check_log, read_check_log
from whyfast.formats.csv_table import claims, parse, series_name
from whyfast.formats.format import Given
from whyfast.formats.load import load_recordings
from whyfast.formats.select import split_choice
from whyfast.formats.source import read_text
from whyfast.model.errors import UserError
from whyfast.model.history import PointSeries, Timeline
from whyfast.model.series import SECOND, Series


def load_timeline(arguments: Sequence[str], by: str | None) -> Timeline:
    """Each file a point, in the order given; or, with ``by``, each value of a column of one CSV
    file a point, in the order in which they first appear; or each line of one log of ``whyfast
    check``. UserError for what cannot be read."""
    if by is not None:
        if len(arguments) != 1:
            raise UserError(
                "goes with a single CSV file; several files are points already", where="--by"
            )
        return _of_table(arguments[0], by)
    if len(arguments) == 1:
        path = Path(arguments[0])
        if path.is_file() and is_check_log(text := read_text(path)):
            return read_check_log(text, str(path))
        raise UserError(
            "one file is one point; name several, or --by COLUMN of a CSV file", where=arguments[0]
        )
    return _of_files(arguments)


def _of_files(arguments: Sequence[str]) -> Timeline:
    recordings = load_recordings(arguments)
    names = dict.fromkeys(
        name for r in recordings for name, s in r.series.items() if s.unit == SECOND
    )
    if not names:
        raise UserError("no benchmark in these files has times", where=arguments[0])
    return Timeline(
        tuple(r.name for r in recordings),
        tuple(
            PointSeries(name, tuple(_mean(r.series.get(name)) for r in recordings))
            for name in names
        ),
    )


def _mean(series: Series | None) -> float | None:
    return None if series is None or series.unit != SECOND else _mean_of(series.processes)


def _mean_of(processes: Iterable[Sequence[float]]) -> float:
    """The mean over processes of their means, as ``compare`` takes it."""
    return fmean(fmean(values) for values in processes)


def _of_table(argument: str, by: str) -> Timeline:
    path, chosen = split_choice(argument)
    given = Given(path, path.stem, text=None if os.path.isdir(path) else read_text(path))
    if not claims(given):
        raise UserError("goes with a CSV file that has a column of times", where=f"--by {by}")
    table = parse(given)
    for column in (by, *(column for column, _ in chosen)):
        table.check(column, str(path))
    rows = [r for r in table.rows if all(r.cells[c] == v for c, v in chosen)]
    if not rows:
        raise UserError(
            "no row has these values" if chosen else "there is no row below the heading", where=path
        )
    points = list(dict.fromkeys(row.cells[by] for row in rows))
    place = {point: i for i, point in enumerate(points)}
    keys = [c for c in table.keys if c != by and c not in dict(chosen)]
    values: dict[tuple[str, ...], list[dict[str, list[float]]]] = {}
    for row in rows:
        name = tuple(row.cells[c] for c in keys)
        processes = values.setdefault(name, [{} for _ in points])[place[row.cells[by]]]
        processes.setdefault(row.cells.get("process", ""), []).append(row.value)
    series = []
    for name, cells in values.items():
        pairs = dict(zip(keys, name, strict=True))
        means = tuple(_mean_of(found.values()) if found else None for found in cells)
        called = series_name(pairs, keys) or path.stem
        series.append(PointSeries(called, means, pairs, table.resolution))
    return Timeline(tuple(points), tuple(series), by)
