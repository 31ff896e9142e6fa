"""whyfast's own JSON, of ``run``, ``ab`` and ``check``: each variant of each benchmark is a series,
what it took in a block a process. Two files are compared as those of any tool; ``whyfast report``
says more about one."""

from __future__ import annotations

from whyfast.formats.input import Format, Given, Node, parse_json
from whyfast.model.codec import is_packed, unpack
from whyfast.model.errors import UserError
from whyfast.model.history import PointSeries, Timeline
from whyfast.model.sample import SECOND, MetadataValue, Recording, Series

_FACTS = {
    "hostname": "hostname",
    "system": "platform",
    "os": "os",
    "architecture": "architecture",
    "boot_id": "boot_id",
    "cpu_model": "cpu_model_name",
    "cpus": "cpu_count",
}


def claims(given: Given) -> bool:
    """An object that names the schema of a result."""
    return given.document is not None and is_packed(given.document.value, "result")


def read(given: Given) -> Recording:
    """Series by benchmark and variant; ``variant=NAME`` chooses one of the variants."""
    unpack(given.root.value, "result", given.where)
    doc = given.root.need("data")
    recorded = doc.need("recorded")
    chosen = dict(given.chosen).get("variant")
    values: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    dates: list[float] = []
    for block in recorded.need("blocks").items():
        loops = block.need("loops").time()
        benchmark = block.need("benchmark").text()
        started = block.need("started").number()
        dates += [started, started + block.need("seconds").number()]
        for variant, turns in block.need("values").entries():
            taken = tuple(turn.time(1 / loops) for turn in turns.items())
            if taken and chosen in (None, variant):
                values.setdefault((benchmark, variant), []).append(taken)
    if not values:
        recorded.fail("blocks: none of that variant" if chosen else _why_none(doc.need("question")))
    about = doc.need("judged").need("about").text()
    return Recording(
        given.name,
        given.where,
        "whyfast",
        _series(values, "instruction" if about == "counts" else SECOND),
        _metadata(recorded),
        min(dates),
        max(dates),
    )


def _why_none(question: Node) -> str:
    kind = question.get("kind")
    if kind is not None and kind.value == "recordings":
        return "is a comparison without values of its own; compare its input files"
    return "blocks: none to compare"


def _series(values: dict[tuple[str, str], list[tuple[float, ...]]], unit: str) -> dict[str, Series]:
    """Named by what tells them apart: the benchmark, the variant, or both."""
    benchmarks = {benchmark for benchmark, _ in values}
    variants = {variant for _, variant in values}
    series = {}
    for (benchmark, variant), processes in values.items():
        several = [benchmark] if len(benchmarks) > 1 or len(variants) == 1 else []
        name = " ".join([*several, *([variant] if len(variants) > 1 else [])])
        series[name] = Series(name, unit, tuple(processes), subject=variant, task=benchmark)
    return series


def _metadata(recorded: Node) -> dict[str, MetadataValue]:
    metadata: dict[str, MetadataValue] = {}
    for session in recorded.need("sessions").items():
        environment = session.need("environment")
        for key, called in _FACTS.items():
            fact = environment.get(key)
            if fact is not None:
                metadata.setdefault(called, str(fact.value))
    return metadata


FORMAT = Format("whyfast", claims, read)


#: Characters of a commit's hash that name a point.
_SHORT = 10


def is_check_log(text: str) -> bool:
    """Whether the first line is one of a check."""
    first = text.lstrip().split("\n", 1)[0]
    return first.startswith("{") and "whyfast-check/" in first[:100]


def read_check_log(text: str, where: str) -> Timeline:
    """Each line a point: the head's seconds of each benchmark. A check that measured nothing,
    because nothing had changed, adds no point. UserError names the line that cannot be read, and a
    log with fewer than two points."""
    points: list[str] = []
    values: dict[str, dict[int, float]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        place = f"{where}:{number}"
        head, benchmarks = _line(line, place)
        if not benchmarks:
            continue
        for name, seconds in benchmarks.items():
            values.setdefault(name, {})[len(points)] = seconds
        points.append(head[:_SHORT])
    if len(points) < 2:
        raise UserError("has fewer than two checks that measured something", where=where)
    series = tuple(
        PointSeries(name, tuple(by_point.get(i) for i in range(len(points))))
        for name, by_point in values.items()
    )
    return Timeline(tuple(points), series, "check")


def _line(line: str, where: str) -> tuple[str, dict[str, float]]:
    document = parse_json(line, where, numbered=False)
    unpack(document.value, "check", where)
    entry = document.need("data")
    head, benchmarks = entry.value.get("head"), entry.value.get("benchmarks")
    if not isinstance(head, str) or not isinstance(benchmarks, dict):
        raise UserError("expected head (a commit) and benchmarks (an object)", where=where)
    seconds = {}
    for name, benchmark in entry.need("benchmarks").entries():
        sides = benchmark.get("seconds") if isinstance(benchmark.value, dict) else None
        value = sides.get("head") if sides is not None and isinstance(sides.value, dict) else None
        if value is not None:
            seconds[name] = value.time()
    return head, seconds
