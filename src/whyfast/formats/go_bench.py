"""The text that ``go test -bench`` prints, as the Go benchmark format has it.

A process begins at ``goos:``, or after ``PASS``, ``FAIL`` or ``ok``. Lines of ``-count`` come from
one process; where a benchmark has no other, each stands for a process, as for benchstat
(``Series.sampled``). Every unit is read: times of an operation into seconds, others as series of
their own. ``Unit`` lines say which are exact, and better when higher. ``key: value`` are facts of
what follows; ``FILE:key=value`` takes what follows such a line."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from whyfast.formats.input import LARGEST, WANTED, Facts, Format, Given, epoch_seconds, plausible
from whyfast.model.errors import UserError
from whyfast.model.sample import SECOND, Recording, Series, rate

_LINE = re.compile(r"(Benchmark\S*)\s+(\d+)\s+(\S.*)")
_FACT = re.compile(r"([a-z][^\s:A-Z]*):(?:\s+(\S.*))?$")
_UNIT = re.compile(r"Unit\s+(\S+)\s+(\S.*)")
_END = re.compile(r"(PASS|FAIL|ok)\b")
_SUFFIX = re.compile(r"-(\d{1,4})$")
_TIMES = {"ns/op": 1e-9, "us/op": 1e-6, "ms/op": 1e-3, "s/op": 1.0, "sec/op": 1.0}
_NAMES = {
    "goos": "os",
    "goarch": "architecture",
    "cpu": "cpu_model_name",
    "builder_id": "hostname",
    "builder_type": "cpu_model_name",
    "commit": "commit_id",
    "branch": "commit_branch",
}
#: benchseries writes both sides of its comparison into both files; ``toolchain`` says whose this
#: one is.
_SIDES = {"numerator": "Tip", "denominator": "Base"}
_DATES = ("numerator_stamp", "runstamp", "bentstamp", "experiment-commit-time")
#: More counts of CPUs than this are rather part of the names.
_MOST_CPUS = 8

#: Unit, and whether its time in seconds is meant.
_Key = tuple[str, str, str]


def claims(given: Given) -> bool:
    """Text with at least one line of a benchmark: a name, a count, and a value with its unit."""
    return given.text is not None and any(
        line.startswith("Benchmark") and (match := _LINE.match(line)) and len(match[3].split()) > 1
        for line in given.text.splitlines()
    )


@dataclass
class _Read:
    """The lines so far: ``values[key]`` are the values by process, ``texts`` the facts by key."""

    facts: Facts = field(default_factory=Facts)
    values: dict[_Key, list[list[float]]] = field(default_factory=dict)
    last: dict[_Key, int] = field(default_factory=dict)
    current: dict[str, str] = field(default_factory=dict)
    texts: dict[str, dict[str, None]] = field(default_factory=dict)
    exact: set[str] = field(default_factory=set)
    higher: dict[str, bool] = field(default_factory=dict)
    process: int = 0
    dates: list[float] = field(default_factory=list)


def read(given: Given) -> Recording:
    """One series per benchmark and unit, with the package in front where there are several."""
    assert given.text is not None
    state = _Read()
    chosen = dict(given.chosen)
    for number, line in enumerate(given.text.splitlines(), 1):
        if line.startswith("goos:") or _END.match(line):
            state.process += 1
        if match := _FACT.match(line):
            _note(state, match[1], (match[2] or "").strip())
        elif match := _UNIT.match(line):
            _declare(state, match[1], match[2])
        elif (match := _LINE.match(line)) and chosen.items() <= state.current.items():
            _line(state, match[1], match[3], f"{given.where}:{number}")
    if not state.values:
        message = "no benchmark after such a line" if chosen else "no benchmark with a value"
        raise UserError(message, where=given.where)
    return _recording(given, state, chosen)


def _note(state: _Read, key: str, value: str) -> None:
    state.current[key] = value
    if key == "pkg" or not value:
        return
    state.texts.setdefault(key, {})[value] = None
    side, _, what = key.partition("_")
    if key in _DATES or what == "stamp":
        seconds = epoch_seconds(value)
        if seconds is not None and key in ("runstamp", "bentstamp"):
            state.dates.append(seconds)
    elif side in _SIDES and what in ("hash", "branch"):
        if state.current.get("toolchain", _SIDES["numerator"]) == _SIDES[side]:
            state.facts.add({"hash": "commit_id", "branch": "commit_branch"}[what], value)
    elif key in _NAMES:
        state.facts.add(_NAMES[key], value)


def _declare(state: _Read, unit: str, metadata: str) -> None:
    for pair in metadata.split():
        key, _, value = pair.partition("=")
        if key == "assume" and value == "exact":
            state.exact.add(unit)
        elif key == "better" and value in ("higher", "lower"):
            state.higher[unit] = value == "higher"


def _line(state: _Read, name: str, rest: str, where: str) -> None:
    words = rest.split()
    for text, unit in zip(words[::2], words[1::2], strict=False):
        if unit[0].isdigit():
            raise UserError(f"{text[:20]} has no unit: {unit[:20]} follows it", where=where)
        value = _value(text, unit, where)
        key = (state.current.get("pkg", ""), name, unit)
        if state.last.get(key) != state.process:
            state.values.setdefault(key, []).append([])
            state.last[key] = state.process
        state.values[key][-1].append(value)


def _value(text: str, unit: str, where: str) -> float:
    scale = _TIMES.get(unit)
    try:
        value = float(text) * (scale or 1.0)
    except ValueError:
        raise UserError(f"not a number: {text[:40]} {unit[:20]}", where=where) from None
    if scale is not None and not plausible(value):
        raise UserError(f"{WANTED}, not {text[:40]} {unit[:20]}", where=where)
    if not (math.isfinite(value) and 0 <= value <= LARGEST):
        raise UserError(f"expected a number of 0 or more, not {text[:40]}", where=where)
    return value


def _recording(given: Given, state: _Read, chosen: Mapping[str, str]) -> Recording:
    packages = {package for package, _, _ in state.values}
    timed = {key for key in state.values if key[2] == "ns/op"}
    cpus = _cpus([name for _, name, _ in timed or state.values])
    for count in cpus:
        state.facts.add("gomaxprocs", count)
    series: dict[str, Series] = {}
    for (package, name, unit), values in state.values.items():
        if rate(unit) and (package, name, "ns/op") in timed:
            continue  # MB/s of a benchmark whose time is there says the same again
        short = name.removeprefix("Benchmark") or name
        if len(cpus) == 1 and _SUFFIX.search(name):
            short = short.removesuffix(f"-{cpus[0]}")
        full = f"{package}.{short}" if len(packages) > 1 and package else short
        if unit != "ns/op":
            full = f"{full} {unit}"
        series[full] = _series(full, unit, values, state)
    return Recording(
        given.name,
        given.where,
        "go",
        series,
        state.facts.settled(),
        min(state.dates, default=None),
        max(state.dates, default=None),
        tuple(_taken_together(state, chosen)),
    )


def _series(full: str, unit: str, values: list[list[float]], state: _Read) -> Series:
    processes = tuple(tuple(v) for v in values)
    sampled = len(processes) == 1 and len(processes[0]) > 1
    if sampled:
        processes = tuple((value,) for value in processes[0])
    return Series(
        full,
        SECOND if unit in _TIMES else unit,
        processes,
        sampled=sampled,
        higher=state.higher.get(unit, rate(unit)),
        exact=unit in state.exact,
    )


def _taken_together(state: _Read, chosen: Mapping[str, str]) -> list[str]:
    """``note: before`` and ``note: after`` of one file, which nobody chose between."""
    values = state.texts.get("note", {})
    if len(values) < 2 or "note" in chosen:
        return []
    some = " and ".join(list(values)[:3])
    return [f"its notes are {some}, read together; FILE:note={next(iter(values))} takes one"]


def _cpus(names: list[str]) -> list[str]:
    """The numbers that Go appends to every name when it uses more than one CPU; [] unless all
    names have one, of few different ones."""
    suffixes = {match[1] if (match := _SUFFIX.search(name)) else "" for name in names}
    if "" in suffixes or len(suffixes) > _MOST_CPUS:
        return []
    return sorted(suffixes, key=int)


FORMAT = Format("go", claims, read)
