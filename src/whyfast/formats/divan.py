"""The tree that divan prints: a line for each benchmark with the times of an iteration, fastest,
slowest, median and mean over its samples. The median is the one value, of one process.

Counts of bytes and allocations are on lines of their own, below, and not read.
"""

from __future__ import annotations

import re

from whyfast.formats.input import WANTED, Format, Given, plausible
from whyfast.model.errors import UserError
from whyfast.model.series import SECOND, Recording, Series

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


def claims(given: Given) -> bool:
    """Text with at least one line of a benchmark."""
    return given.text is not None and any(map(_LINE.match, given.text.splitlines()))


def read(given: Given) -> Recording:
    """Every benchmark of the tree, by the names that lead to it: ``parse::small``."""
    assert given.text is not None
    series: dict[str, Series] = {}
    path: list[str] = []
    for number, line in enumerate(given.text.splitlines(), 1):
        timed = _LINE.match(line)
        found = timed or _PARENT.match(line)
        if found is None:
            continue
        level = len(found["branches"]) // _LEVEL
        path = [*path[:level], found["name"].strip()]
        if timed is None:
            continue
        name = "::".join(path)
        where = f"{given.where}:{number}"
        try:
            value = float(timed["median"].replace(",", "")) * _UNITS[timed["unit"]]
        except ValueError:
            raise UserError(f"not a number: {timed['median'][:40]}", where=where) from None
        if not plausible(value):
            raise UserError(f"{WANTED}, not {timed['median'][:40]}", where=where)
        if name in series:
            raise UserError(f"duplicate benchmark: {name}", where=where)
        series[name] = Series(name, SECOND, ((value,),))
    return Recording(given.name, given.where, "divan", series)


def leaves(text: str) -> list[str]:
    """The names of all benchmarks of a tree, with or without times: those without one below."""
    names: list[str] = []
    path: list[str] = []
    for line in text.splitlines():
        if found := _PARENT.match(line):
            level = len(found["branches"]) // _LEVEL
            path = [*path[:level], found["name"].strip()]
            if level and names and names[-1] == "::".join(path[:-1]):
                names.pop()
            names.append("::".join(path))
    return names


FORMAT = Format("divan", claims, read)
