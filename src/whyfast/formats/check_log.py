"""The log that ``whyfast check --append`` writes: one line of JSON a check."""

from __future__ import annotations

import json
from typing import Any

from whyfast.formats.times import WANTED, plausible
from whyfast.model.errors import UserError
from whyfast.model.history import PointSeries, Timeline

#: Names the form of a line.
SCHEMA = "whyfast-check/1"

#: Characters of a commit's hash that name a point.
_SHORT = 10


def is_check_log(text: str) -> bool:
    """Whether the first line is one of a check."""
    first = text.lstrip().split("\n", 1)[0]
    return first.startswith("{") and SCHEMA in first[:100]


def read_check_log(text: str, where: str) -> Timeline:
    """Each line a point: the head's seconds of each benchmark.

    A check that measured nothing, because nothing had changed, adds no point. UserError names the
    line that cannot be read, and a log with fewer than two points.
    """
    points: list[str] = []
    values: dict[str, dict[int, float]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        place = f"{where}:{number}"
        head, benchmarks = _line(line, place)
        if not benchmarks:
            continue
        for name, seconds in benchmarks.items():
            values.setdefault(name, {})[len(points)] = seconds
        points.append(head[:_SHORT])
    if len(points) < 2:
        raise UserError("has fewer than two checks that measured something", where=where)
    series = tuple(
        PointSeries(name, tuple(of.get(i) for i in range(len(points))))
        for name, of in values.items()
    )
    return Timeline(tuple(points), series, "check")


def _line(line: str, where: str) -> tuple[str, dict[str, float]]:
    try:
        data: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UserError(f"is not JSON: {error}", where=where) from None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise UserError(f"is no line of {SCHEMA}", where=where)
    head, benchmarks = data.get("head"), data.get("benchmarks")
    if not isinstance(head, str) or not isinstance(benchmarks, dict):
        raise UserError("head (a commit) and benchmarks (an object) are wanted", where=where)
    found = {}
    for name, one in benchmarks.items():
        seconds = one.get("seconds") if isinstance(one, dict) else None
        value = seconds.get("head") if isinstance(seconds, dict) else None
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not plausible(value):
            raise UserError(f"benchmarks.{name}.seconds.head: {WANTED}", where=where)
        found[str(name)] = float(value)
    return head, found
