"""``[evidence]``: what to look for in the machine code, and what to count."""

from __future__ import annotations

from collections.abc import Sequence

from whyfast.model.counters import MEASURED, SIMULATED
from whyfast.model.study import CountersFrom, EvidenceSpec, Source
from whyfast.model.variant import Benchmark
from whyfast.study.command import read_command
from whyfast.study.toml_table import TomlTable
from whyfast.study.wording import kind, quoted

_EXAMPLE = 'write counters = true, "simulated", or names as in ["instructions"]'
_NAMES = tuple(dict.fromkeys((*MEASURED, *SIMULATED)))


def read_evidence(
    table: TomlTable, benchmarks: Sequence[Benchmark], source: Source
) -> EvidenceSpec:
    """The section, with every benchmark that it names known to exist."""
    table.check_keys("dispatch", "functions", "counters", "counted", "change", "image")
    counters, events = _counters(table)
    counted = table.strings("counted")
    names = [b.name for b in benchmarks]
    for i, name in enumerate(counted):
        table.check_known(("counted", i), "benchmark", name, names)
    change = _change(table, source)
    if counters == "nothing" and counted and not change:
        raise table.error(("counted",), "needs counters", "write counters = true")
    return EvidenceSpec(
        dispatch=table.strings("dispatch"),
        functions=table.strings("functions"),
        # Which functions are hot is known from counting alone.
        counters="hardware or simulation" if change and counters == "nothing" else counters,
        events=events,
        counted=counted,
        change=change,
        image=read_command(table, "image"),
    )


def _counters(table: TomlTable) -> tuple[CountersFrom, tuple[str, ...]]:
    value = table.data.get("counters", False)
    if isinstance(value, bool):
        return ("hardware or simulation" if value else "nothing"), ()
    if isinstance(value, str):
        if value != "simulated":
            raise table.error(("counters",), f"cannot be {quoted(value)}", _EXAMPLE)
        return "simulation", ()
    if not isinstance(value, list):
        message = f"must be true, false, a string or a list of strings, not {kind(value)}"
        raise table.error(("counters",), message, _EXAMPLE)
    events = table.strings("counters")
    if not events:
        raise table.error(("counters",), "is empty", _EXAMPLE)
    for i, name in enumerate(events):
        table.check_known(("counters", i), "counter", name, _NAMES)
    return "hardware or simulation", events


def _change(table: TomlTable, source: Source) -> str:
    """A range of commits, BASE..HEAD."""
    text = table.string("change")
    if not text:
        return ""
    base, dots, head = text.partition("..")
    if not (base and dots and head) or head.startswith(".") or text.startswith("-"):
        raise table.error(("change",), f"{quoted(text)} is not BASE..HEAD", "name two revisions")
    if source.kind != "git":
        hint = "write [source] git = … and revision = …"
        raise table.error(("change",), "needs a source from git", hint)
    return text
