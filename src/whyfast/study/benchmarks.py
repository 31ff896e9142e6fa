"""``[benchmarks.NAME]``."""

from __future__ import annotations

from typing import cast

from whyfast.model.runner_kind import RUNNER_KINDS, RunnerKind, RunnerName
from whyfast.model.variant import Benchmark
from whyfast.study.command import read_command
from whyfast.study.parameter import spread
from whyfast.study.quantities import parse_duration
from whyfast.study.toml_table import TomlTable
from whyfast.study.wording import quoted


def read_benchmarks(table: TomlTable, *, needed: bool = True) -> tuple[Benchmark, ...]:
    """The benchmarks in file order; there must be one unless nothing is measured."""
    benchmarks = tuple(
        one for name, inner in table.tables() for one in spread(inner, _benchmark(name, inner))
    )
    names = [b.name for b in benchmarks]
    for name in names:
        if names.count(name) > 1:
            message = f"a parameter gives another benchmark the name {quoted(name)} too"
            raise table.error((name,), message, "rename one of them")
    if needed and not benchmarks:
        hint = 'write [benchmarks.NAME] with command = ["{program}"]'
        raise table.error((), "a study needs a benchmark", hint)
    return benchmarks


def _benchmark(name: str, table: TomlTable) -> Benchmark:
    table.check_name("a benchmark")
    table.check_keys(
        "runner", "command", "check", "timeout", "parameter", "distribution", "overhead"
    )
    runner = cast(RunnerName, table.choice("runner", tuple(RUNNER_KINDS), "command"))
    timeout = Benchmark.timeout
    if "timeout" in table:
        timeout = table.converted("timeout", parse_duration, 'timeout = "10s"')
    return Benchmark(
        name=name,
        runner=runner,
        command=_command(table),
        check=_check(table, RUNNER_KINDS[runner]),
        timeout=timeout,
        distribution=read_command(table, "distribution", parameter="parameter" in table),
        overhead=read_command(table, "overhead", parameter="parameter" in table),
    )


def _command(table: TomlTable) -> tuple[str, ...]:
    table.require("command", 'command = ["{program}", "argument"]')
    return read_command(table, "command", parameter="parameter" in table)


def _check(table: TomlTable, kind: RunnerKind) -> str | None:
    if "check" not in table:
        return None
    check = table.string("check")
    if not kind.checks:
        message = f"the {kind.name} runner reports no result to check"
        raise table.error(("check",), message, 'remove it, or write runner = "turn"')
    if len(check.split()) != 1 or check != check.strip():
        raise table.error(("check",), f"{quoted(check)} is not one word without spaces")
    return check
