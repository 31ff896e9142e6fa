"""pyperf JSON, from perf 0.8.3 (format 4 and ``samples``) to today's 1.0 (``values``).

A run of the file is one process. Calibration runs and warm-ups are left out. Values are already
divided by the number of loops.
"""

from __future__ import annotations

from whyfast.formats.dates import epoch_seconds
from whyfast.formats.facts import Facts
from whyfast.formats.format import Format, Given
from whyfast.formats.node import Node, plain_metadata
from whyfast.model.series import SECOND, Recording, Series

_OLDEST = "perf 0.8.3"
_VERSIONS = ("4", "5", "6", "7", "1.0")

#: Metadata of one benchmark or one moment, which say nothing about the run as a whole.
_OF_BENCHMARK = {
    *("name", "description", "loops", "inner_loops", "unit", "tags", "command", "duration"),
    *("calibrate_loops", "recalibrate_loops", "calibrate_warmups", "recalibrate_warmups"),
    *("timeit_stmt", "timeit_setup", "timeit_teardown", "date", "uptime", "cpu_freq", "cpu_temp"),
    *("mem_max_rss", "mem_peak_pagefile_usage", "command_max_rss", "runnable_threads"),
    "python_hash_seed",
}


def claims(given: Given) -> bool:
    """An object with a list of benchmarks that have runs, or none yet, and a version."""
    doc = given.document
    return doc is not None and doc.has("benchmarks") and doc.has("version")


def read(given: Given) -> Recording:
    """The file's benchmarks with their runs as processes."""
    doc = given.document
    assert doc is not None
    version = _version(doc.need("version"))
    facts = Facts()
    shared = _facts(doc, facts)
    series: dict[str, Series] = {}
    empty = []
    dates: list[float] = []
    for bench in doc.need("benchmarks").items():
        found = _benchmark(bench, shared, facts, dates, version)
        if found.benchmark in series or found.benchmark in empty:
            bench.fail(f"there are two benchmarks named {found.benchmark!r}")
        if found.processes:
            series[found.benchmark] = found
        else:
            empty.append(found.benchmark)
    if not series:
        doc.need("benchmarks").fail("there is no benchmark with a value")
    return Recording(
        name=given.name,
        source=given.where,
        tool="pyperf",
        series=series,
        metadata=facts.settled(),
        started=min(dates, default=None),
        ended=max(dates, default=None),
        left_out=tuple(f"{name} has no values" for name in empty),
    )


def _version(node: Node) -> str:
    version = str(node.value)
    if isinstance(node.value, bool) or version not in _VERSIONS:
        node.fail(f"format {version[:20]!r} is not known; {_OLDEST} and later can be read")
    return version


def _facts(node: Node, facts: Facts) -> dict[str, str | float]:
    """The metadata of the file or of a benchmark; ``common_metadata`` up to format 5."""
    found: dict[str, str | float] = {}
    for name in ("common_metadata", "metadata"):
        found |= plain_metadata(node.get(name))
    for key, value in found.items():
        if key not in _OF_BENCHMARK:
            facts.add(key, value)
    return found


def _benchmark(
    bench: Node,
    shared: dict[str, str | float],
    facts: Facts,
    dates: list[float],
    version: str,
) -> Series:
    mine = shared | _facts(bench, facts)
    name = mine.get("name")
    if not isinstance(name, str) or not name.strip():
        # The file itself may hold the name, when all its benchmarks have the same one.
        bench.fail("the benchmark has no name in its metadata")
    unit = mine.get("unit", SECOND)
    if unit not in (SECOND, "byte", "integer"):
        bench.fail(f"the unit {str(unit)[:20]!r} is not known")
    wanted = "values" if version in ("6", "7", "1.0") else "samples"
    processes = []
    for run in bench.need("runs").items():
        metadata = _facts(run, facts)
        if isinstance(date := metadata.get("date"), str):
            seconds = epoch_seconds(date)
            if seconds is None:
                run.fail(f"metadata.date: {date[:40]!r} is no date")
            dates.append(seconds)
        values = run.get(wanted)
        if values is not None and (numbers := tuple(v.time() for v in values.items())):
            processes.append(numbers)
    return Series(name, str(unit), tuple(processes))


FORMAT = Format("pyperf", claims, read)
