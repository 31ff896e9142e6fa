"""Benchmarks of Rust: the folder of results of Criterion.rs, the tree that divan prints, and
the lines of `#[bench]`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from whyfast.formats.input import Format, Given, Node, clean, parse_json, read_text, seconds
from whyfast.model.errors import UserError
from whyfast.model.sample import SECOND, Recording, Series

# Criterion.rs: target/criterion or any folder above or within it. Each benchmark has
# new/sample.json: total times in ns and iterations, all of one process; where only estimates.json
# is left, its mean is the one value.

_NANOSECOND = 1e-9
_MOST_FOLDERS = 100_000
_MOST_TEXT = 4_000_000  # bytes of one file; Criterion writes a few kB


def _claims_criterion(given: Given) -> bool:
    """A folder that holds results somewhere below."""
    return given.text is None and next(_results(given.path), None) is not None


def _read_criterion(given: Given) -> Recording:
    """Every benchmark below the folder. Links are not followed."""
    series: dict[str, Series] = {}
    for folder in sorted(_results(given.path)):
        name = _name_of(folder, given.path)
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


def _name_of(folder: Path, top: Path) -> str:
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


# divan: a line for each benchmark with the times of an iteration, fastest, slowest, median and mean
# over its samples. The median is the one value, of one process. Counts of bytes and allocations are
# on lines of their own, below, and not read.

_TIME = r"([\d.,]+) (ps|ns|µs|ms|s)"
#: A name behind the branches that lead to it, four times and two counts.
_LINE = re.compile(
    r"(?P<branches>[│ ├╰─]*)(?P<name>\S.*?) +"
    rf"{_TIME} +│ {_TIME} +│ (?P<median>[\d.,]+) (?P<unit>ps|ns|µs|ms|s) +│ {_TIME} +│ \d+ +│ \d+"
)
_PARENT = re.compile(r"(?P<branches>[│ ├╰─]*)(?P<name>[^│\s][^│]*?) *(│|$|fastest)")
_UNITS = {"ps": 1e-12, "ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
#: Characters of a branch: every level has three.
_LEVEL = 3


def _claims_divan(given: Given) -> bool:
    """Text with at least one line of a benchmark."""
    return given.text is not None and any(map(_LINE.match, given.text.splitlines()))


def _read_divan(given: Given) -> Recording:
    """Every benchmark of the tree, by the names that lead to it: ``parse::small``."""
    assert given.text is not None
    series: dict[str, Series] = {}
    path: list[str] = []
    for number, line in enumerate(given.text.splitlines(), 1):
        timed = _LINE.match(line)
        match = timed or _PARENT.match(line)
        if match is None:
            continue
        level = len(match["branches"]) // _LEVEL
        path = [*path[:level], match["name"].strip()]
        if timed is None:
            continue
        name = "::".join(path)
        _add(series, name, (timed["median"], _UNITS[timed["unit"]]), f"{given.where}:{number}")
    return Recording(given.name, given.where, "divan", series)


def _add(series: dict[str, Series], name: str, read: tuple[str, float], where: str) -> None:
    """The benchmark, with a number as it is printed and how many seconds its unit has."""
    value = seconds(read[0].replace(",", ""), read[1], where)
    if name in series:
        raise UserError(f"duplicate benchmark: {name}", where=where)
    series[name] = Series(name, SECOND, ((value,),))


# `#[bench]`, timed by the library `test` of Rust: a line for each with the median of its samples.

_LIBTEST = re.compile(
    r"test (?P<name>\S+)\s+\.\.\. bench: +(?P<median>[\d.,]+) ns/iter \(\+/- [\d.,]+\)"
)


def _claims_libtest(given: Given) -> bool:
    """Text with at least one line of a benchmark."""
    return given.text is not None and any(map(_LIBTEST.match, given.text.splitlines()))


def _read_libtest(given: Given) -> Recording:
    """Every benchmark by its path in its crate: ``parse::small``."""
    assert given.text is not None
    series: dict[str, Series] = {}
    for number, line in enumerate(given.text.splitlines(), 1):
        if match := _LIBTEST.match(line):
            _add(series, match["name"], (match["median"], 1e-9), f"{given.where}:{number}")
    return Recording(given.name, given.where, "libtest", series)


def leaves(text: str) -> list[str]:
    """The names of all benchmarks of a tree, with or without times: those without one below."""
    names: list[str] = []
    path: list[str] = []
    for line in text.splitlines():
        if match := _PARENT.match(line):
            level = len(match["branches"]) // _LEVEL
            path = [*path[:level], match["name"].strip()]
            if level and names and names[-1] == "::".join(path[:-1]):
                names.pop()
            names.append("::".join(path))
    return names


CRITERION = Format("criterion", _claims_criterion, _read_criterion)
DIVAN = Format("divan", _claims_divan, _read_divan)
LIBTEST = Format("libtest", _claims_libtest, _read_libtest)
