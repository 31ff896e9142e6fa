"""pytest-benchmark's ``--benchmark-json``: all rounds of one process. ``stats.data`` has the
seconds of each, divided by its iterations; a file without it has the mean as its one value."""

from __future__ import annotations

from whyfast.formats.input import Format, Given, Node, epoch_seconds, plain_metadata
from whyfast.model.series import SECOND, MetadataValue, Recording, Series

#: What the file says of machine and interpreter, by the names that pyperf has for it.
_RENAMED = {
    "node": "hostname",
    "release": "platform",
    "python_version": "python_version",
    "python_implementation": "python_implementation",
    "python_compiler": "python_compiler",
}
_OF_CPU = {"brand_raw": "cpu_model_name", "count": "cpu_count"}


def claims(given: Given) -> bool:
    """An object with benchmarks and what machine they ran on."""
    return given.has("benchmarks", "machine_info")


def read(given: Given) -> Recording:
    """One benchmark per test, by its full name."""
    doc = given.root
    series: dict[str, Series] = {}
    for entry in doc.need("benchmarks").items():
        name = (entry.get("fullname") or entry.need("name")).text()
        if name in series:
            entry.fail(f"duplicate benchmark: {name}")
        series[name] = Series(name, SECOND, (_values(entry.need("stats")),))
    if not series:
        doc.need("benchmarks").fail("no benchmark")
    stamp = doc.get("datetime")
    started = None if stamp is None else epoch_seconds(stamp.text())
    return Recording(
        given.name, given.where, "pytest-benchmark", series, _metadata(doc), started, started
    )


def _values(stats: Node) -> tuple[float, ...]:
    data = stats.get("data")
    values = () if data is None else tuple(value.time() for value in data.items())
    return values or (stats.need("mean").time(),)


def _metadata(doc: Node) -> dict[str, MetadataValue]:
    machine = doc.get("machine_info")
    if machine is None:
        return {}
    facts = plain_metadata(machine)
    metadata: dict[str, MetadataValue] = {
        name: facts[key] for key, name in _RENAMED.items() if facts.get(key)
    }
    cpu = machine.get("cpu")
    if cpu is not None and isinstance(cpu.value, dict):
        of_cpu = plain_metadata(cpu)
        metadata |= {name: of_cpu[key] for key, name in _OF_CPU.items() if of_cpu.get(key)}
    commit = plain_metadata(doc.get("commit_info")).get("id")
    if commit and commit != "unversioned":
        metadata["commit_id"] = commit
    return metadata


FORMAT = Format("pytest-benchmark", claims, read)
