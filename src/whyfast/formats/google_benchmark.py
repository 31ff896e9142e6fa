"""Google Benchmark's ``--benchmark_format=json``.

Repetitions are values of one process: the library runs them all in the same one. The time is
``real_time``, per iteration. Aggregates are left out, unless the file has nothing else of a
benchmark: then the mean is its one value.
"""

from __future__ import annotations

from whyfast.formats.input import Format, Given, Node, epoch_seconds, plain_metadata
from whyfast.model.series import SECOND, Recording, Series

_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_RENAMED = {"host_name": "hostname", "num_cpus": "cpu_count"}
_VOLATILE = ("date", "executable", "json_schema_version")


def claims(given: Given) -> bool:
    """An object with ``context`` and ``benchmarks``."""
    doc = given.document
    return doc is not None and doc.has("context") and doc.has("benchmarks")


def read(given: Given) -> Recording:
    """One benchmark a run name, with its repetitions."""
    doc = given.document
    assert doc is not None
    values: dict[str, list[float]] = {}
    means: dict[str, float] = {}
    seen: set[tuple[str, float]] = set()
    left_out = []
    for entry in doc.need("benchmarks").items():
        named = entry.get("run_name") or entry.need("name")
        name = named.text()
        if (error := entry.get("error_occurred")) is not None and error.value is not False:
            left_out.append(f"{name} ended with an error")
            continue
        if (skipped := entry.get("skipped")) is not None and skipped.value is not False:
            left_out.append(f"{name} was skipped")
            continue
        kind = entry.get("run_type")
        if kind is not None and kind.text() == "aggregate":
            _mean(entry, name, means)
            continue
        if (index := entry.get("repetition_index")) is not None:
            place = (name, index.number())
            if place in seen:
                index.fail(f"{name!r} has two repetitions with this number")
            seen.add(place)
        values.setdefault(name, []).append(_time(entry))
    single = {name: (mean,) for name, mean in means.items() if name not in values}
    found = {name: tuple(times) for name, times in values.items()} | single
    if not found:
        doc.need("benchmarks").fail("there is no benchmark with a time")
    context = plain_metadata(doc.get("context"))
    started = epoch_seconds(str(context.get("date", "")))
    return Recording(
        given.name,
        given.where,
        "google-benchmark",
        {name: Series(name, SECOND, (times,)) for name, times in found.items()},
        {_RENAMED.get(k, k): v for k, v in context.items() if k not in _VOLATILE},
        started,
        started,
        tuple(dict.fromkeys(left_out)),
    )


def _mean(entry: Node, name: str, means: dict[str, float]) -> None:
    aggregate = entry.get("aggregate_name")
    if aggregate is not None and aggregate.text() == "mean":
        means[name] = _time(entry)


def _time(entry: Node) -> float:
    unit = entry.get("time_unit")
    scale = _UNITS.get("ns" if unit is None else unit.text())
    if scale is None:
        assert unit is not None
        unit.fail(f"one of {', '.join(_UNITS)} is wanted, not {unit.text()[:20]!r}")
    return entry.need("real_time").time(scale)


FORMAT = Format("google-benchmark", claims, read)
