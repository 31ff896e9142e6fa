"""``data.js`` of github-action-benchmark: a script that assigns JSON, all results by commit, to
``window.BENCHMARK_DATA``. Entries of one commit are one recording; its runs count as processes. The
action's range means another thing with each tool, and is not read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from whyfast.formats.input import Format, Given, Node, clean, parse_json, plausible
from whyfast.model.errors import UserError
from whyfast.model.sample import SECOND, MetadataValue, Recording, Series, rate

_ASSIGNMENT = re.compile(r"\s*window\.BENCHMARK_DATA\s*=\s*(?=\{)")
_TIME = re.compile(r"(ns|nsec|us|µs|μs|usec|ms|msec|s|sec|seconds?)(/(iter|op))?")
_SCALES = {"n": 1e-9, "u": 1e-6, "µ": 1e-6, "μ": 1e-6, "m": 1e-3, "s": 1.0}
_MILLISECOND = 1e-3
#: Characters of a commit's hash that name a point.
_SHORT = 10
_TOOL_OF_RATES = "customBiggerIsBetter"


@dataclass
class _Commit:
    """What was stored of a commit: values by name of the series, in the order stored."""

    id: str
    facts: dict[str, MetadataValue]
    started: float
    ended: float
    series: dict[str, Series] = field(default_factory=dict)


def claims(given: Given) -> bool:
    """The script, or its JSON alone."""
    if given.has("entries", "lastUpdate"):
        return True
    return given.text is not None and _ASSIGNMENT.match(given.text) is not None


def recordings(given: Given) -> tuple[Recording, ...]:
    """A recording per commit, in the order of their first results."""
    doc = _document(given)
    suites = list(doc.need("entries").entries())
    commits: dict[str, _Commit] = {}
    bad = 0
    for suite, entries in suites:
        for entry in entries.items():
            at = _commit(commits, entry)
            bad += _add(at, entry, f"{suite}/" if len(suites) > 1 else "")
    dated = sorted((c for c in commits.values() if c.series), key=lambda c: c.started)
    if not dated:
        doc.need("entries").fail("no commit with a value")
    words = f"{bad} values that are no times above 0" if bad else ""
    return tuple(
        Recording(
            c.id[:_SHORT],
            given.where,
            "github-action-benchmark",
            c.series,
            c.facts,
            c.started,
            c.ended,
            (words,) if words else (),
        )
        for c in dated
    )


def read(given: Given) -> Recording:
    """The commit that ``given.chosen`` names (``FILE.js:commit=abc123``), else the last one."""
    every = recordings(given)
    chosen = dict(given.chosen)
    if not chosen:
        last = max(every, key=lambda r: r.ended or 0.0)
        return replace(last, name=f"{given.name} {last.name}")
    wanted = chosen.pop("commit", "")
    if chosen or not wanted:
        raise UserError("expected FILE.js:commit=HASH", where=given.where)
    matching = [r for r in every if str(r.metadata["commit_id"]).startswith(wanted)]
    if len(matching) != 1:
        known = ", ".join(r.name for r in every[-5:])
        many = f"{len(matching)} commits begin with" if matching else "no commit"
        raise UserError(f"{many} {clean(wanted)}; the last are {known}", where=given.where)
    return matching[0]


def _document(given: Given) -> Node:
    if given.document is not None:
        return given.document
    assert given.text is not None
    match = _ASSIGNMENT.match(given.text)
    assert match is not None
    return parse_json(given.text[match.end() :].rstrip().removesuffix(";"), given.where)


def _commit(commits: dict[str, _Commit], entry: Node) -> _Commit:
    commit, when = entry.need("commit"), entry.need("date").time(_MILLISECOND)
    name = commit.need("id").text()
    at = commits.get(name)
    if at is None:
        facts: dict[str, MetadataValue] = {"commit_id": name}
        date = commit.get("timestamp")
        if date is not None:
            facts["commit_date"] = date.text()
        at = commits[name] = _Commit(name, facts, when, when)
    at.started, at.ended = min(at.started, when), max(at.ended, when)
    return at


def _add(at: _Commit, entry: Node, suite: str) -> int:
    """Add the values of one run of one suite; how many were left out."""
    bigger = (tool := entry.get("tool")) is not None and tool.value == _TOOL_OF_RATES
    seen: dict[str, int] = {}
    bad = 0
    for bench in entry.need("benches").items():
        number, unit = bench.need("value").number(), _text(bench.get("unit"))
        time = _TIME.fullmatch(unit)
        scale = _SCALES[unit[0]] if time else 1.0
        full = suite + bench.need("name").text()
        if not time and not full.endswith(unit):
            full = f"{full} {unit}"
        seen[full] = seen.get(full, 0) + 1
        name = full if seen[full] == 1 else f"{full} ({seen[full]})"
        if not plausible(number * scale):
            bad += 1
            continue
        before = at.series.get(name)
        at.series[name] = Series(
            name,
            SECOND if time else unit or "value",
            (*(before.processes if before else ()), (number * scale,)),
            higher=bigger or rate(unit),
        )
    return bad


def _text(node: Node | None) -> str:
    return node.text() if node is not None and isinstance(node.value, str) and node.value else ""


def as_points(given: Given) -> Sequence[Recording]:
    """The recordings of a history: at least two commits. UserError for fewer."""
    every = recordings(given)
    if len(every) < 2:
        raise UserError("has results of one commit only", where=given.where)
    return every


FORMAT = Format("github-action-benchmark", claims, read)
