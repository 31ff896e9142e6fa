"""Criterion.rs's folder of results, ``target/criterion`` or any folder above or within it. Each
benchmark has ``new/sample.json``: total times in ns and iterations, all of one process; where only
``estimates.json`` is left, its mean is the one value."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from whyfast.formats.input import Format, Given, Node, clean, parse_json, read_text
from whyfast.model.errors import UserError
from whyfast.model.series import SECOND, Recording, Series

_NANOSECOND = 1e-9
_MOST_FOLDERS = 100_000
_MOST_TEXT = 4_000_000  # bytes of one file; Criterion writes a few kB


def claims(given: Given) -> bool:
    """A folder that holds results somewhere below."""
    return given.text is None and next(_results(given.path), None) is not None


def read(given: Given) -> Recording:
    """Every benchmark below the folder. Links are not followed."""
    series: dict[str, Series] = {}
    for folder in sorted(_results(given.path)):
        name = _name(folder, given.path)
        if name in series:
            raise UserError(f"duplicate benchmark: {name}", where=folder)
        series[name] = Series(name, SECOND, (_values(folder),))
    return Recording(given.name, given.where, "criterion", series)


def _results(top: Path) -> Iterator[Path]:
    for count, (folder, folders, files) in enumerate(os.walk(top)):
        if count > _MOST_FOLDERS:
            raise UserError(f"holds more than {_MOST_FOLDERS} folders", where=top)
        folders.sort()
        here = Path(folder)
        if here.name == "new" and not {"sample.json", "estimates.json"}.isdisjoint(files):
            yield here


def _values(folder: Path) -> tuple[float, ...]:
    sample = folder / "sample.json"
    if not os.path.lexists(sample):
        mean = _document(folder / "estimates.json").need("mean").need("point_estimate")
        return (mean.time(_NANOSECOND),)
    document = _document(sample)
    times = list(document.need("times").items())
    iterations = list(document.need("iters").items())
    if len(times) != len(iterations) or not times:
        document.fail(f"{len(times)} times for {len(iterations)} iters")
    return tuple(
        time.time(_NANOSECOND) / number.time()
        for time, number in zip(times, iterations, strict=True)
    )


def _name(folder: Path, top: Path) -> str:
    """The benchmark's own full name, else its folders below the one that was given."""
    description = folder / "benchmark.json"
    if description.is_file():
        document = _document(description)
        if (named := document.get("full_id")) is not None:
            return named.text()
    if folder in (top, top / "new"):  # the folder that was given is the benchmark's own
        return clean(folder.absolute().parent.name)
    return clean(folder.parent.relative_to(top).as_posix())


def _document(path: Path) -> Node:
    return parse_json(read_text(path, _MOST_TEXT), str(path))


FORMAT = Format("criterion", claims, read)
