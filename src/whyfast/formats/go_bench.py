"""The text that ``go test -bench`` prints.

``-count`` repeats within one process, so its lines are values of one. A new process begins where
the output of another ``go test`` was appended: at a line ``goos:``, or after ``PASS``, ``FAIL`` or
``ok``. Only ``ns/op`` is read.
"""

from __future__ import annotations

import re

from whyfast.formats.facts import Facts
from whyfast.formats.format import Format, Given
from whyfast.formats.times import WANTED, plausible
from whyfast.model.errors import UserError
from whyfast.model.series import SECOND, Recording, Series

_LINE = re.compile(r"(Benchmark\S*)\s+(\d+)\s+(\S.*)")
_TIME = re.compile(r"(\S+) ns/op")
_FACT = re.compile(r"(goos|goarch|cpu):\s*(\S.*)")
_PACKAGE = re.compile(r"pkg:\s*(\S+)")
_END = re.compile(r"(PASS|FAIL|ok)\b")
_SUFFIX = re.compile(r"-(\d{1,4})$")
_NAMES = {"goos": "os", "goarch": "architecture", "cpu": "cpu_model_name"}


def claims(given: Given) -> bool:
    """Text with at least one line of a benchmark in ns/op."""
    return given.text is not None and any(
        line.startswith("Benchmark") and " ns/op" in line for line in given.text.splitlines()
    )


def read(given: Given) -> Recording:
    """One benchmark a name, with its package before it when there are several packages."""
    assert given.text is not None
    facts = Facts()
    processes: dict[tuple[str, str], list[list[float]]] = {}
    package, process, begun = "", 0, -1
    last: dict[tuple[str, str], int] = {}
    for number, line in enumerate(given.text.splitlines(), 1):
        if match := _FACT.match(line):
            facts.add(_NAMES[match[1]], match[2].strip())
        if line.startswith("goos:") or _END.match(line):
            process += 1
        elif match := _PACKAGE.match(line):
            package = match[1]
        elif match := _LINE.match(line):
            key = (package, match[1])
            value = _value(match[3], f"{given.where}:{number}")
            if value is None:
                continue
            if last.get(key) != process:
                processes.setdefault(key, []).append([])
                last[key] = process
            processes[key][-1].append(value)
            begun = number
    if begun < 0:
        raise UserError("there is no benchmark with a time in ns/op", where=given.where)
    cpus = _common_suffix([name for _, name in processes])
    if cpus:
        facts.add("gomaxprocs", cpus)
    several = len({package for package, _ in processes}) > 1
    series: dict[str, Series] = {}
    for (package, name), values in processes.items():
        short = name.removeprefix("Benchmark").removesuffix(f"-{cpus}" if cpus else "") or name
        full = f"{package}.{short}" if several and package else short
        series[full] = Series(full, SECOND, tuple(tuple(v) for v in values))
    return Recording(given.name, given.where, "go", series, facts.settled())


def _value(rest: str, where: str) -> float | None:
    """Seconds from what follows the iterations; None when the line has no ns/op."""
    match = _TIME.search(rest)
    if match is None:
        return None
    try:
        seconds = float(match[1]) * 1e-9
    except ValueError:
        raise UserError(f"{match[1][:40]!r} ns/op is no time", where=where) from None
    if not plausible(seconds):
        raise UserError(f"{WANTED}, not {match[1][:40]} ns/op", where=where)
    return seconds


def _common_suffix(names: list[str]) -> str | None:
    """The number that Go appends to every name when it uses more than one CPU."""
    found = {match[1] if (match := _SUFFIX.search(name)) else None for name in names}
    return found.pop() if len(found) == 1 else None


FORMAT = Format("go", claims, read)
