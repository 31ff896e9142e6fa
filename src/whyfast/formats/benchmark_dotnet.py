"""BenchmarkDotNet's JSON, ``-report-full.json`` and ``-report-brief.json``. A launch is a process,
its values the measurements of stage *Result* by their operations; without these
``Statistics.OriginalValues``, as one process. Allocated bytes of an operation are a series of their
own."""

from __future__ import annotations

from whyfast.formats.input import Format, Given, Node, plain_metadata
from whyfast.model.series import SECOND, MetadataValue, Recording, Series

_NANOSECOND = 1e-9
#: What the file says of machine and runtime, and what that is called elsewhere.
_FACTS = {
    "OsVersion": "platform",
    "ProcessorName": "cpu_model_name",
    "LogicalCoreCount": "cpu_count",
    "Architecture": "architecture",
    "RuntimeVersion": "dotnet_version",
    "Configuration": "dotnet_configuration",
    "HasAttachedDebugger": "debugger",
    "BenchmarkDotNetVersion": "benchmark_dotnet_version",
}


def claims(given: Given) -> bool:
    """An object with ``HostEnvironmentInfo`` and ``Benchmarks``."""
    return given.has("HostEnvironmentInfo", "Benchmarks")


def read(given: Given) -> Recording:
    """One series per benchmark and job, and one of its bytes."""
    doc = given.root
    series: dict[str, Series] = {}
    left_out = []
    entries = list(doc.need("Benchmarks").items())
    names = [(e.get("FullName") or e.need("DisplayInfo")).text() for e in entries]
    for entry, full in zip(entries, names, strict=True):
        # Two jobs of one method differ only in the text for people: "Sums.Fast: Job-A(Runtime=…)".
        job = entry.get("DisplayInfo") if names.count(full) > 1 else None
        name = full if job is None else f"{full} {job.text().partition(': ')[2]}".strip()
        processes = _processes(entry)
        if not processes:
            left_out.append(f"{name} has no values")
            continue
        if name in series:
            entry.fail(f"duplicate benchmark: {name}")
        series[name] = Series(name, SECOND, processes)
        memory = entry.get("Memory")
        allocated = None if memory is None else memory.get("BytesAllocatedPerOperation")
        if allocated is not None:
            unit = f"{name} B/op"
            series[unit] = Series(unit, "B/op", ((allocated.amount(),),))
    if not series:
        doc.need("Benchmarks").fail("no benchmark with a time")
    facts = plain_metadata(doc.get("HostEnvironmentInfo"))
    metadata: dict[str, MetadataValue] = {n: facts[k] for k, n in _FACTS.items() if k in facts}
    return Recording(
        given.name, given.where, "benchmark-dotnet", series, metadata, left_out=tuple(left_out)
    )


def _processes(entry: Node) -> tuple[tuple[float, ...], ...]:
    """The values by launch; () for a benchmark that failed."""
    launches: dict[float, list[float]] = {}
    measurements = entry.get("Measurements")
    for taken in () if measurements is None else measurements.items():
        if taken.need("IterationStage").value != "Result":
            continue
        seconds = taken.need("Nanoseconds").time(_NANOSECOND)
        launch = taken.need("LaunchIndex").number()
        launches.setdefault(launch, []).append(seconds / taken.need("Operations").time())
    if launches:
        return tuple(tuple(values) for values in launches.values())
    statistics = entry.get("Statistics")
    together = None if statistics is None else statistics.get("OriginalValues")
    if together is None:
        return ()
    values = tuple(value.time(_NANOSECOND) for value in together.items())
    return (values,) if values else ()


FORMAT = Format("benchmark-dotnet", claims, read)
