"""JSON in which a tool reports all benchmarks of a run: hyperfine, pytest-benchmark, Google
Benchmark, BenchmarkDotNet, mitata, tinybench and what vitest writes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from whyfast.formats.input import Collected, Format, Given, Node, epoch_seconds, plain_metadata
from whyfast.model.sample import SECOND, MetadataValue, Recording, Series

_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_NANOSECOND, _MILLISECOND = _UNITS["ns"], _UNITS["ms"]

# hyperfine's --export-json: every time is one execution of the command, a process, in seconds.

#: What the commands of a file do, when they are compared with each other.
_TASK = "command"


def _claims_hyperfine(given: Given) -> bool:
    if not given.has("results") or not isinstance(given.root.value["results"], list):
        return False
    return all(entry.has("command") for entry in given.root.need("results").items())


def _read_hyperfine(given: Given) -> Recording:
    collected, results = Collected(), given.root.need("results")
    for entry in results.items():
        name = entry.need("command").text()
        times = tuple((time.time(),) for time in entry.need("times").items())
        collected.add(entry, Series(name, SECOND, times, subject=name, task=_TASK), what=_TASK)
        if not times:
            entry.fail("times: expected at least one")
        codes = entry.get("exit_codes")
        if codes is not None and (count := sum(c.value not in (0, None) for c in codes.items())):
            collected.left_out.append(f"{name}: {count} of its runs ended with an error")
    return collected.recording(given, "hyperfine", results, none="no command")


# pytest-benchmark's --benchmark-json: all rounds of one process. stats.data has the seconds of
# each, divided by its iterations; a file without it has the mean as its one value.

#: What the file says of machine and interpreter, by the names that pyperf has for it.
_OF_MACHINE = {
    "node": "hostname",
    "release": "platform",
    "python_version": "python_version",
    "python_implementation": "python_implementation",
    "python_compiler": "python_compiler",
}
_OF_CPU = {"brand_raw": "cpu_model_name", "count": "cpu_count"}


def _read_pytest(given: Given) -> Recording:
    collected, doc = Collected(), given.root
    for entry in doc.need("benchmarks").items():
        name = (entry.get("fullname") or entry.need("name")).text()
        stats = entry.need("stats")
        data = stats.get("data")
        values = () if data is None else tuple(value.time() for value in data.items())
        collected.add(entry, Series(name, SECOND, (values or (stats.need("mean").time(),),)))
    stamp = doc.get("datetime")
    started = None if stamp is None else epoch_seconds(stamp.text())
    within, facts = doc.need("benchmarks"), _pytest_facts(doc)
    return collected.recording(given, "pytest-benchmark", within, facts, started, "no benchmark")


def _pytest_facts(doc: Node) -> dict[str, MetadataValue]:
    machine = doc.get("machine_info")
    if machine is None:
        return {}
    facts = _renamed(plain_metadata(machine), _OF_MACHINE)
    cpu = machine.get("cpu")
    if cpu is not None and isinstance(cpu.value, dict):
        facts |= _renamed(plain_metadata(cpu), _OF_CPU)
    commit = plain_metadata(doc.get("commit_info")).get("id")
    if commit and commit != "unversioned":
        facts["commit_id"] = commit
    return facts


def _renamed(facts: dict[str, str | float], names: dict[str, str]) -> dict[str, MetadataValue]:
    """The facts that are there, under the names that they have elsewhere."""
    return {name: facts[key] for key, name in names.items() if facts.get(key)}


# Google Benchmark's --benchmark_format=json. Repetitions are values (real_time per iteration) of
# one process. Aggregates are left out, unless the file has nothing else: then the mean is the one
# value.

_OF_CONTEXT = {"host_name": "hostname", "num_cpus": "cpu_count"}
_VOLATILE = ("date", "executable", "json_schema_version")
_PROBLEMS = {"error_occurred": "ended with an error", "skipped": "was skipped"}


def _read_google(given: Given) -> Recording:
    """One benchmark per run name, with its repetitions."""
    doc, collected = given.root, Collected()
    values: dict[str, list[float]] = {}
    means: dict[str, float] = {}
    seen: set[tuple[str, float]] = set()
    for entry in doc.need("benchmarks").items():
        name = (entry.get("run_name") or entry.need("name")).text()
        flags = {key: entry.get(key) for key in _PROBLEMS}
        if problems := [_PROBLEMS[k] for k, v in flags.items() if v and v.value is not False]:
            collected.left_out.append(f"{name} {problems[0]}")
            continue
        kind, aggregate = entry.get("run_type"), entry.get("aggregate_name")
        if kind is not None and kind.text() == "aggregate":
            if aggregate is not None and aggregate.text() == "mean":
                means[name] = _google_time(entry)
            continue
        if (index := entry.get("repetition_index")) is not None:
            place = (name, index.number())
            if place in seen:
                index.fail(f"duplicate repetition of {name}")
            seen.add(place)
        values.setdefault(name, []).append(_google_time(entry))
    for name, times in (values | {n: [m] for n, m in means.items() if n not in values}).items():
        collected.series[name] = Series(name, SECOND, (tuple(times),))
    context = plain_metadata(doc.get("context"))
    facts = {_OF_CONTEXT.get(k, k): v for k, v in context.items() if k not in _VOLATILE}
    started = epoch_seconds(str(context.get("date", "")))
    return collected.recording(given, "google-benchmark", doc.need("benchmarks"), facts, started)


def _google_time(entry: Node) -> float:
    unit = entry.get("time_unit")
    scale = _UNITS.get("ns" if unit is None else unit.text())
    if scale is None:
        assert unit is not None
        unit.fail(f"unknown unit: {unit.text()[:20]}; available: {', '.join(_UNITS)}")
    return entry.need("real_time").time(scale)


# BenchmarkDotNet's -report-full.json and -report-brief.json. A launch is a process, its values the
# measurements of stage Result by their operations; without these Statistics.OriginalValues, as one
# process. Allocated bytes of an operation are a series of their own.

#: What the file says of machine and runtime, and what that is called elsewhere.
_OF_HOST = {
    "OsVersion": "platform",
    "ProcessorName": "cpu_model_name",
    "LogicalCoreCount": "cpu_count",
    "Architecture": "architecture",
    "RuntimeVersion": "dotnet_version",
    "Configuration": "dotnet_configuration",
    "HasAttachedDebugger": "debugger",
    "BenchmarkDotNetVersion": "benchmark_dotnet_version",
}


def _read_dotnet(given: Given) -> Recording:
    """One series per benchmark and job, and one of its bytes."""
    doc, collected = given.root, Collected()
    entries = list(doc.need("Benchmarks").items())
    names = [(e.get("FullName") or e.need("DisplayInfo")).text() for e in entries]
    for entry, full in zip(entries, names, strict=True):
        # Two jobs of one method differ only in the text for people: "Sums.Fast: Job-A(Runtime=…)".
        job = entry.get("DisplayInfo") if names.count(full) > 1 else None
        name = full if job is None else f"{full} {job.text().partition(': ')[2]}".strip()
        processes = _launches(entry)
        if not processes:
            collected.left_out.append(f"{name} has no values")
            continue
        collected.add(entry, Series(name, SECOND, processes))
        if (allocated := entry.find("Memory", "BytesAllocatedPerOperation")) is not None:
            unit = f"{name} B/op"
            collected.series[unit] = Series(unit, "B/op", ((allocated.amount(),),))
    facts = _renamed(plain_metadata(doc.get("HostEnvironmentInfo")), _OF_HOST)
    return collected.recording(given, "benchmark-dotnet", doc.need("Benchmarks"), facts)


def _launches(entry: Node) -> tuple[tuple[float, ...], ...]:
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
    together = entry.find("Statistics", "OriginalValues")
    values = () if together is None else tuple(v.time(_NANOSECOND) for v in together.items())
    return (values,) if values else ()


# JavaScript: mitata's format: 'json', tinybench's tasks, and what vitest bench --outputJson writes
# of them. All values come from one process, mitata's sorted. Without samples the mean is the one
# value. tinybench has no file of its own: a list of {name: task.name, result: task.result} is read,
# or of the same with the result's keys in it.


def _read_mitata(given: Given) -> Recording:
    """One series per run of a benchmark, with its group in front; and its bytes, where counted."""
    doc, collected = given.root, Collected()
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
                collected.left_out.append(f"{name} ended with an error")
                continue
            collected.add(run, _of_samples(name, stats, stats.get("samples"), "avg", _NANOSECOND))
            used = stats.find("heap", "avg")
            if used is not None and used.number() >= 0:  # a collection in between makes it negative
                collected.add(run, Series(f"{name} B/op", "B/op", ((used.amount(),),)))
    context = doc.need("context")
    facts = _texts(context, {"runtime": "runtime", "version": "runtime_version", "arch": "os"})
    if (cpu := context.get("cpu")) is not None:
        facts |= _texts(cpu, {"name": "cpu_model_name"})
    now = context.get("now")
    started = now.time(_MILLISECOND) if now else None
    return collected.recording(given, "mitata", doc, facts, started)


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
    collected = Collected()
    facts: dict[str, MetadataValue] = {}
    for name, entry in _tasks(given.root):
        result = _of_tinybench(entry)
        if result is None:
            collected.left_out.append(f"{name} has no result")
            continue
        facts = facts or _texts(result, {"runtime": "runtime", "runtimeVersion": "runtime_version"})
        latency = result.get("latency") or result
        samples = latency.get("samples")
        collected.add(entry, _of_samples(name, latency, samples, "mean", _MILLISECOND))
    return collected.recording(given, "tinybench", given.root, facts)


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


def _of_samples(name: str, stats: Node, samples: Node | None, mean: str, scale: float) -> Series:
    """All samples; the mean alone where there are none, or one is 0, shorter than a tick of the
    clock."""
    values: tuple[float, ...] = ()
    if samples is not None and not any(value.value == 0 for value in samples.items()):
        values = tuple(value.time(scale) for value in samples.items())
    return Series(name, SECOND, (values or (stats.need(mean).time(scale),),))


def _texts(node: Node, names: dict[str, str]) -> dict[str, MetadataValue]:
    """The keys that are text, under the names that they have elsewhere."""
    return {
        name: value.text()
        for key, name in names.items()
        if (value := node.get(key)) is not None and isinstance(value.value, str) and value.value
    }


def _with_keys(*names: str) -> Callable[[Given], bool]:
    return lambda given: given.has(*names)


HYPERFINE = Format("hyperfine", _claims_hyperfine, _read_hyperfine)
PYTEST = Format("pytest-benchmark", _with_keys("benchmarks", "machine_info"), _read_pytest)
GOOGLE = Format("google-benchmark", _with_keys("context", "benchmarks"), _read_google)
DOTNET = Format("benchmark-dotnet", _with_keys("HostEnvironmentInfo", "Benchmarks"), _read_dotnet)
MITATA = Format("mitata", _with_keys("layout", "benchmarks", "context"), _read_mitata)
TINYBENCH = Format("tinybench", _claims_tinybench, _read_tinybench)
