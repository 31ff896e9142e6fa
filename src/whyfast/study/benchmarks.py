"""``[benchmarks.NAME]``."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from whyfast.model.runner_kind import RUNNER_KINDS, RunnerKind, RunnerName
from whyfast.model.variant import Benchmark, Parameter
from whyfast.study.command import read_command
from whyfast.study.placeholders import PARAMETER_NAME, bind, names_in
from whyfast.study.quantities import parse_duration
from whyfast.study.toml_table import TomlTable
from whyfast.study.wording import kind, quoted

_EXAMPLE = 'write parameter = { name = "tail call", values = [0, 1, 2, 4] }'


def read_benchmarks(table: TomlTable, *, needed: bool = True) -> tuple[Benchmark, ...]:
    """The benchmarks in file order; there must be one unless nothing is measured."""
    benchmarks = tuple(
        one for name, inner in table.tables() for one in _spread(inner, _benchmark(name, inner))
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
    return Benchmark(
        name=name,
        runner=runner,
        command=_command(table),
        check=_check(table, RUNNER_KINDS[runner]),
        timeout=table.converted("timeout", parse_duration, 'timeout = "10s"', Benchmark.timeout),
        distribution=read_command(table, "distribution", parameter="parameter" in table),
        overhead=read_command(table, "overhead", parameter="parameter" in table),
    )


def _command(table: TomlTable) -> tuple[str, ...]:
    table.require("command", 'command = ["{program}", "argument"]')
    return read_command(table, "command", parameter="parameter" in table)


def _check(table: TomlTable, runner: RunnerKind) -> str | None:
    if "check" not in table:
        return None
    check = table.string("check")
    if not runner.checks:
        message = f"the {runner.name} runner reports no result to check"
        raise table.error(("check",), message, 'remove it, or write runner = "turn"')
    if len(check.split()) != 1 or check != check.strip():
        raise table.error(("check",), f"{quoted(check)} is not one word without spaces")
    return check


def _spread(table: TomlTable, benchmark: Benchmark) -> tuple[Benchmark, ...]:
    """One benchmark for each value of its ``parameter``, ``NAME-VALUE``, in the order given; itself
    when it has none. ``{parameter}`` in its commands is the value."""
    if "parameter" not in table:
        return (benchmark,)
    inner = table.table("parameter")
    inner.check_keys("name", "values", "linear")
    inner.require("name", 'name = "tail call", what the numbers count, in the singular')
    inner.require("values", "values = [0, 1, 2, 4]")
    name = inner.sentence("name")
    values = _values(inner)
    if not any(PARAMETER_NAME in names_in(word) for word in benchmark.command):
        message = "never uses {parameter}, so that all its values would run the same"
        raise table.error(("command",), message, 'as in "--length", "{parameter}"')
    linear = inner.flag("linear") if "linear" in inner else True
    return tuple(_at(benchmark, Parameter(benchmark.name, name, value, linear)) for value in values)


def _values(table: TomlTable) -> tuple[int, ...]:
    values = table.data["values"]
    if not isinstance(values, list):
        raise table.error(("values",), f"must be a list of numbers, not {kind(values)}", _EXAMPLE)
    for i, value in enumerate(values):
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise table.error(("values", i), "must be a whole number, 0 or more", _EXAMPLE)
        if value in values[:i]:
            raise table.error(("values", i), f"{value} is in the list twice")
    if len(values) < 2:
        raise table.error(("values",), "needs two values or more", _EXAMPLE)
    return tuple(values)


def _at(benchmark: Benchmark, parameter: Parameter) -> Benchmark:
    def bound(command: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(bind(word, PARAMETER_NAME, str(parameter.value)) for word in command)

    return replace(
        benchmark,
        name=f"{benchmark.name}-{parameter.value}",
        command=bound(benchmark.command),
        distribution=bound(benchmark.distribution),
        overhead=bound(benchmark.overhead),
        parameter=parameter,
    )
