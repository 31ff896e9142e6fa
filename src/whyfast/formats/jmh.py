"""JMH's ``-rf json``: a list with one entry per benchmark, mode and parameters.

A fork is a process, its measured iterations are its values; JMH leaves warm-up iterations out.
Modes ``avgt``, ``sample`` and ``ss`` are times of an operation; an iteration of ``sample`` is the
mean of its histogram. ``thrpt`` is a rate, in operations per second. Where a file has several modes
of a benchmark, all but times of an operation have the mode in their names. What a profiler adds per
operation (``gc.alloc.rate.norm``, in B/op) is a series of its own, beside time."""

from __future__ import annotations

import re

from whyfast.formats.input import Collected, Facts, Format, Given, Node, plausible
from whyfast.model.sample import SECOND, Recording, Series

_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "hr": 3600.0, "day": 86400.0}
_SCORE = re.compile(r"(ops/)?(" + "|".join(_SECONDS) + r")(/op)?")
#: What the file says of the virtual machine, and what that is called elsewhere.
_FACTS = {
    "jdkVersion": "java_version",
    "vmName": "java_vm_name",
    "vmVersion": "java_vm_version",
    "jmhVersion": "jmh_version",
}
#: How often a benchmark is measured changes what is measured (compiled more, other threads).
_SETTINGS = ("threads", "warmupIterations", "warmupTime", "measurementTime")
_TIME_MODES = ("avgt", "sample", "ss")


def claims(given: Given) -> bool:
    """A list whose first entry names a benchmark and has a metric."""
    document = given.document
    if document is None or not isinstance(document.value, list) or not document.value:
        return False
    first = next(iter(document.items()))
    return first.has("benchmark") and first.has("primaryMetric")


def read(given: Given) -> Recording:
    """One series per benchmark, parameters and mode, and one per amount of an operation."""
    entries = list(given.root.items())
    modes: dict[str, set[str]] = {}
    for entry in entries:
        modes.setdefault(_name(entry), set()).add(entry.need("mode").text())
    facts, collected = Facts(), Collected()
    for entry in entries:
        name, mode = _name(entry), entry.need("mode").text()
        if len(modes[name]) > 1 and mode != min(modes[name], key=_rank):
            name = f"{name} {mode}"
        for series in (_score(name, entry), *_amounts(name, entry)):
            collected.add(entry, series)
        _note(facts, entry)
    return collected.recording(given, "jmh", given.root, facts.settled())


def _rank(mode: str) -> int:
    return (*_TIME_MODES, mode).index(mode)


def _name(entry: Node) -> str:
    """``package.Class.method size=10``."""
    params = entry.get("params")
    pairs = [] if params is None else [f"{key}={_word(v)}" for key, v in params.entries()]
    return " ".join((entry.need("benchmark").text(), *pairs))


def _word(value: Node) -> str:
    return value.text() if isinstance(value.value, str) and value.value.strip() else "''"


def _score(name: str, entry: Node) -> Series:
    metric = entry.need("primaryMetric")
    unit = metric.need("scoreUnit")
    match = _SCORE.fullmatch(unit.text())
    if match is None or bool(match[1]) == bool(match[3]):
        unit.fail(f"unknown unit: {unit.text()[:20]}; expected a time/op, or ops/ a time")
    scale = _SECONDS[match[2]]
    if match[1]:
        return Series(name, "ops/s", _forks(metric, 1 / scale), higher=True)
    return Series(name, SECOND, _forks(metric, scale))


def _forks(metric: Node, scale: float) -> tuple[tuple[float, ...], ...]:
    """The values by fork; forks that measured nothing are left out."""
    histogram = metric.get("rawDataHistogram")
    raw = metric.need("rawData") if histogram is None else histogram
    forks = (
        tuple(v.time(scale) if histogram is None else _mean(v, scale) for v in fork.items())
        for fork in raw.items()
    )
    processes = tuple(fork for fork in forks if fork)
    if not processes:
        raw.fail("no fork with a value")
    return processes


def _mean(iteration: Node, scale: float) -> float:
    """The mean of ``[[value, count], …]``."""
    total = samples = 0.0
    for pair in iteration.items():
        value, count = (*(n.number() for n in pair.items()), 0.0, 0.0)[:2]
        total, samples = total + value * count, samples + count
    mean = total / samples * scale if samples > 0 else 0.0
    if not plausible(mean):
        iteration.fail("expected pairs of a time above 0 and how often it was sampled")
    return mean


def _amounts(name: str, entry: Node) -> list[Series]:
    """What profilers counted per operation. Times are no amounts, and rates and sums over an
    iteration depend on how many operations fitted in."""
    metrics = entry.get("secondaryMetrics")
    amounts = []
    for key, metric in () if metrics is None else metrics.entries():
        unit, raw = metric.get("scoreUnit"), metric.get("rawData")
        if unit is None or raw is None or not isinstance(unit.value, str):
            continue
        _, per, operation = unit.value.rpartition("/")
        if not per or operation != "op" or _SCORE.fullmatch(unit.value):
            continue
        processes = tuple(
            tuple(value.amount() for value in fork.items()) for fork in raw.items() if fork.value
        )
        if processes:
            # Before 1.37, names of profilers begin with a dot that marks them as no benchmarks.
            full = f"{name} {key.removeprefix('·')}"
            amounts.append(Series(full, unit.text(), processes))
    return amounts


def _note(facts: Facts, entry: Node) -> None:
    for key, known in _FACTS.items():
        if (value := entry.get(key)) is not None:
            facts.add(known, value.text())
    for key in _SETTINGS:
        if (value := entry.get(key)) is not None and isinstance(value.value, str | int | float):
            facts.add(f"jmh_{key}", str(value.value))
    options = entry.get("jvmArgs")
    if options is not None:
        facts.add("java_options", " ".join(option.text() for option in options.items()) or "none")


#: A line of ``-lp`` on a parameter of the benchmark above it.
_PARAMETER = re.compile(r'\s+param "(.+?)" = \{(.*)\}')


def listed(text: str) -> list[str]:
    """The benchmarks that ``-lp`` prints, with each combination of their parameters, as
    :func:`read` names them."""
    names: list[list[str]] = []
    for line in text.splitlines():
        if match := _PARAMETER.fullmatch(line):
            pairs = [f"{match[1]}={value}" for value in match[2].split(", ")]
            names[-1] = [f"{name} {pair}" for name in names[-1] for pair in pairs]
        elif re.fullmatch(r"[\w$]+(\.[\w$]+)+", line):
            names.append([line])
    return [name for each in names for name in each]


def words_of(pattern: str) -> tuple[str, ...]:
    """What runs the benchmark of such a name alone, its special characters escaped."""
    method, *pairs = re.split(r" (?=\w+=)", pattern)
    return (f"^{method}$", *("-p" + re.sub(r"\\(.)", r"\1", pair) for pair in pairs))


FORMAT = Format("jmh", claims, read)
