"""Results of JavaScript's benchmarks: mitata's ``format: 'json'``, tinybench's tasks, and what
``vitest bench --outputJson`` writes of them.

All values come from one process, mitata's sorted. Without samples the mean is the one value.
tinybench has no file of its own: a list of ``{name: task.name, result: task.result}`` is read, or
of the same with the result's keys in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from whyfast.formats.input import Format, Given, Node
from whyfast.model.series import SECOND, MetadataValue, Recording, Series

_NANOSECOND, _MILLISECOND = 1e-9, 1e-3


@dataclass
class _Tasks:
    """The benchmarks so far, and what was left out, in words."""

    series: dict[str, Series] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    def add(self, entry: Node, series: Series) -> None:
        if series.benchmark in self.series:
            entry.fail(f"duplicate benchmark: {series.benchmark}")
        self.series[series.benchmark] = series

    def recording(
        self, given: Given, tool: str, metadata: dict[str, MetadataValue], started: float | None
    ) -> Recording:
        if not self.series:
            given.root.fail("no benchmark with a time")
        return Recording(
            given.name,
            given.where,
            tool,
            self.series,
            metadata,
            started,
            started,
            tuple(self.left_out),
        )


def _claims_mitata(given: Given) -> bool:
    """An object with the layout of groups, benchmarks and a context."""
    return given.has("layout", "benchmarks", "context")


def _read_mitata(given: Given) -> Recording:
    """One series per run of a benchmark, with its group in front; and its bytes, where counted."""
    doc, state = given.root, _Tasks()
    groups = [layout.get("name") for layout in doc.need("layout").items()]
    for trial in doc.need("benchmarks").items():
        at = trial.get("group")
        index = -1 if at is None else int(at.number())
        group = groups[index] if 0 <= index < len(groups) else None
        for run in trial.need("runs").items():
            name = run.need("name").text()
            if group is not None and isinstance(group.value, str):
                name = f"{group.text()}/{name}"
            stats = run.get("stats")
            if stats is None:
                state.left_out.append(f"{name} ended with an error")
                continue
            values = _samples(stats.get("samples"), _NANOSECOND)
            values = values or (stats.need("avg").time(_NANOSECOND),)
            state.add(run, Series(name, SECOND, (values,)))
            heap = stats.get("heap")
            used = None if heap is None else heap.get("avg")
            if used is not None and used.number() >= 0:  # a collection in between makes it negative
                unit = f"{name} B/op"
                state.add(run, Series(unit, "B/op", ((used.amount(),),)))
    context = doc.need("context")
    metadata = _texts(context, {"runtime": "runtime", "version": "runtime_version", "arch": "os"})
    if (cpu := context.get("cpu")) is not None:
        metadata |= _texts(cpu, {"name": "cpu_model_name"})
    now = context.get("now")
    return state.recording(given, "mitata", metadata, now.time(_MILLISECOND) if now else None)


def _claims_tinybench(given: Given) -> bool:
    """A list of results with latency, or of what stands for one; or vitest's files of groups."""
    document = given.document
    if document is None:
        return False
    if isinstance(document.value, list):
        return any(_of_tinybench(entry) is not None for entry in document.items())
    files = document.get("files") if document.has("files") else None
    if files is None or not isinstance(files.value, list):
        return False
    return all(entry.has("groups") for entry in files.items())


def _read_tinybench(given: Given) -> Recording:
    """One series per task; of vitest's, with its file and groups in front."""
    state = _Tasks()
    metadata: dict[str, MetadataValue] = {}
    for name, entry in _tasks(given.root):
        result = _of_tinybench(entry)
        if result is None:
            state.left_out.append(f"{name} has no result")
            continue
        metadata = metadata or _texts(
            result, {"runtime": "runtime", "runtimeVersion": "runtime_version"}
        )
        latency = result.get("latency") or result
        values = _samples(latency.get("samples"), _MILLISECOND)
        values = values or (latency.need("mean").time(_MILLISECOND),)
        state.add(entry, Series(name, SECOND, (values,)))
    return state.recording(given, "tinybench", metadata, None)


def _tasks(root: Node) -> Iterator[tuple[str, Node]]:
    """Each task with its name."""
    if isinstance(root.value, list):
        for entry in root.items():
            if entry.get("name") is None:
                entry.fail(
                    "name is missing; bench.results has no names: write "
                    "bench.tasks.map(t => ({name: t.name, result: t.result}))"
                )
            yield entry.need("name").text(), entry
        return
    for file in root.need("files").items():
        for group in file.need("groups").items():
            within = group.need("fullName").text()  # file > describe > describe
            for entry in group.need("benchmarks").items():
                yield f"{within} > {entry.need('name').text()}", entry


def _of_tinybench(entry: Node) -> Node | None:
    """Where the numbers of a task are: older versions have them beside each other, newer ones in
    ``latency``; None for a task that was not run, or failed."""
    if not isinstance(entry.value, dict):
        return None
    result = entry.get("result") or entry
    if not isinstance(result.value, dict):
        return None
    return result if result.has("latency") or (result.has("mean") and result.has("rme")) else None


def _samples(node: Node | None, scale: float) -> tuple[float, ...]:
    """All samples; () where one is 0, shorter than a tick of the clock: the mean is better then."""
    if node is None or any(value.value == 0 for value in node.items()):
        return ()
    return tuple(value.time(scale) for value in node.items())


def _texts(node: Node, names: dict[str, str]) -> dict[str, MetadataValue]:
    """The keys that are text, under the names that they have elsewhere."""
    return {
        name: value.text()
        for key, name in names.items()
        if (value := node.get(key)) is not None and isinstance(value.value, str) and value.value
    }


MITATA = Format("mitata", _claims_mitata, _read_mitata)
TINYBENCH = Format("tinybench", _claims_tinybench, _read_tinybench)
