"""Google Benchmark's ``--benchmark_format=json``. Repetitions are values (``real_time`` per
iteration) of one process. Aggregates are left out, unless the file has nothing else: then the mean
is the one value."""

from __future__ import annotations

from whyfast.formats.input import Format, Given, Node, epoch_seconds, plain_metadata
from whyfast.model.series import SECOND, Recording, Series

_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_RENAMED = {"host_name": "hostname", "num_cpus": "cpu_count"}
_VOLATILE = ("date", "executable", "json_schema_version")


def claims(given: Given) -> bool:
    """An object with ``context`` and ``benchmarks``."""
    return given.has("context", "benchmarks")


def read(given: Given) -> Recording:
    """One benchmark per run name, with its repetitions."""
    doc = given.root
    values: dict[str, list[float]] = {}
    means: dict[str, float] = {}
    seen: set[tuple[str, float]] = set()
    left_out = []
    for entry in doc.need("benchmarks").items():
        named = entry.get("run_name") or entry.need("name")
        name = named.text()
        flags = {"error_occurred": "ended with an error", "skipped": "was skipped"}
        problems = [t for key, t in flags.items() if (v := entry.get(key)) and v.value is not False]
        if problems:
            left_out.append(f"{name} {problems[0]}")
            continue
        kind, aggregate = entry.get("run_type"), entry.get("aggregate_name")
        if kind is not None and kind.text() == "aggregate":
            if aggregate is not None and aggregate.text() == "mean":
                means[name] = _time(entry)
            continue
        if (index := entry.get("repetition_index")) is not None:
            place = (name, index.number())
            if place in seen:
                index.fail(f"duplicate repetition of {name}")
            seen.add(place)
        values.setdefault(name, []).append(_time(entry))
    single = {name: (mean,) for name, mean in means.items() if name not in values}
    benchmarks = {name: tuple(times) for name, times in values.items()} | single
    if not benchmarks:
        doc.need("benchmarks").fail("no benchmark with a time")
    context = plain_metadata(doc.get("context"))
    started = epoch_seconds(str(context.get("date", "")))
    return Recording(
        given.name,
        given.where,
        "google-benchmark",
        {name: Series(name, SECOND, (times,)) for name, times in benchmarks.items()},
        {_RENAMED.get(k, k): v for k, v in context.items() if k not in _VOLATILE},
        started,
        started,
        tuple(dict.fromkeys(left_out)),
    )


def _time(entry: Node) -> float:
    unit = entry.get("time_unit")
    scale = _UNITS.get("ns" if unit is None else unit.text())
    if scale is None:
        assert unit is not None
        unit.fail(f"unknown unit: {unit.text()[:20]}; available: {', '.join(_UNITS)}")
    return entry.need("real_time").time(scale)


FORMAT = Format("google-benchmark", claims, read)
