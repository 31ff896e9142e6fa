"""pyperf JSON, from perf 0.8.3 (format 4 and ``samples``) to today's 1.0 (``values``). A run of the
file is one process; calibration runs and warm-ups are left out, values divided by loops already."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from whyfast.formats.input import Facts, Format, Given, Node, epoch_seconds, plain_metadata
from whyfast.model.errors import UserError
from whyfast.model.sample import SECOND, Recording, Series
from whyfast.store.files import write_whole

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
    return given.has("benchmarks", "version")


def read(given: Given) -> Recording:
    """The file's benchmarks with their runs as processes."""
    doc = given.root
    node = doc.need("version")
    version = str(node.value)
    if isinstance(node.value, bool) or version not in _VERSIONS:
        node.fail(f"unknown format: {version[:20]}; expected that of {_OLDEST} or later")
    facts = Facts()
    shared = _facts(doc, facts)
    series: dict[str, Series] = {}
    empty = []
    dates: list[float] = []
    for bench in doc.need("benchmarks").items():
        benchmark = _benchmark(bench, shared, facts, dates, version)
        if benchmark.benchmark in series or benchmark.benchmark in empty:
            bench.fail(f"duplicate benchmark: {benchmark.benchmark}")
        if benchmark.processes:
            series[benchmark.benchmark] = benchmark
        else:
            empty.append(benchmark.benchmark)
    if not series:
        doc.need("benchmarks").fail("no benchmark with a value")
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


def _facts(node: Node, facts: Facts) -> dict[str, str | float]:
    """The metadata of the file or of a benchmark; ``common_metadata`` up to format 5."""
    metadata: dict[str, str | float] = {}
    for name in ("common_metadata", "metadata"):
        metadata |= plain_metadata(node.get(name))
    for key, value in metadata.items():
        if key not in _OF_BENCHMARK:
            facts.add(key, value)
    return metadata


def _benchmark(
    bench: Node, shared: dict[str, str | float], facts: Facts, dates: list[float], version: str
) -> Series:
    known = shared | _facts(bench, facts)
    name = known.get("name")
    if not isinstance(name, str) or not name.strip():
        # The file itself may hold the name, when all its benchmarks have the same one.
        bench.fail("no name in the benchmark's metadata")
    unit = known.get("unit", SECOND)
    if unit not in (SECOND, "byte", "integer"):
        bench.fail(f"unknown unit: {str(unit)[:20]}")
    wanted = "values" if version in ("6", "7", "1.0") else "samples"
    processes = []
    for run in bench.need("runs").items():
        metadata = _facts(run, facts)
        if isinstance(date := metadata.get("date"), str):
            seconds = epoch_seconds(date)
            if seconds is None:
                run.fail(f"metadata.date: not a date: {date[:40]}")
            dates.append(seconds)
        values = run.get(wanted)
        if values is not None and (numbers := tuple(v.time() for v in values.items())):
            processes.append(numbers)
    return Series(name, str(unit), tuple(processes))


FORMAT = Format("pyperf", claims, read)


VERSION = "1.0"
UNITS = (SECOND, "byte", "integer")

#: Metadata that pyperf knows, and writes as text or number; others are kept as text.
_NUMBERS = ("cpu_count", "load_avg_1min")
#: What pyperf expects per run or benchmark, or computes itself.
_RESERVED = ("name", "unit", "loops", "inner_loops", "date", "duration", "uptime")


def to_pyperf(recording: Recording) -> dict[str, Any]:
    """The recording as the JSON data of a pyperf file, which holds no units but pyperf's."""
    metadata = {k: _plain(k, v) for k, v in recording.metadata.items() if k not in _RESERVED}
    date = {}
    if recording.started is not None:
        moment = datetime.fromtimestamp(recording.started, UTC)
        date = {"date": moment.strftime("%Y-%m-%d %H:%M:%S.%f")}
    return {
        "version": VERSION,
        "metadata": metadata,
        "benchmarks": [
            {
                "metadata": {"name": series.benchmark, "unit": series.unit},
                "runs": [{"metadata": date, "values": list(values)} for values in series.processes],
            }
            for series in recording.series.values()
            if series.unit in UNITS
        ],
    }


def write_recordings(recordings: Sequence[Recording], folder: Path) -> Iterable[Path]:
    """One file a recording, named after it; the folder is made. Yields each path once written."""
    names = [_file_name(r.name) for r in recordings]
    if len(set(names)) < len(names):
        names = [f"{i}-{name}" for i, name in enumerate(names, 1)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot be created: {error.strerror}", where=folder) from None
    for recording, name in zip(recordings, names, strict=True):
        path = folder / f"{name}.json"
        try:
            write_whole(path, json.dumps(to_pyperf(recording), indent=1, allow_nan=False) + "\n")
        except OSError as error:
            raise UserError(f"cannot be written: {error.strerror}", where=path) from None
        yield path


def _plain(key: str, value: object) -> str | float:
    if isinstance(value, tuple):
        return "; ".join(value)
    if key in _NUMBERS:
        try:
            number = float(str(value))
        except ValueError:
            return str(value)
        if not math.isfinite(number):
            return str(value)
        return int(number) if number.is_integer() else number
    return value if isinstance(value, float) else str(value)


def _file_name(name: str) -> str:
    kept = "".join(c if c.isalnum() or c in "-_.=," else "_" for c in name)
    return kept.strip(".")[:100] or "run"
