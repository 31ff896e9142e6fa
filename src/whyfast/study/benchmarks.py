"""``[benchmarks.NAME]``."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from whyfast.model.runner_kind import RUNNER_KINDS, RunnerKind, RunnerName
from whyfast.model.variant import Benchmark, Parameter
from whyfast.study.command import read_command
from whyfast.study.placeholders import NAMES_NAME, PARAMETER_NAME, bind, names_in
from whyfast.study.quantities import parse_duration
from whyfast.study.toml_table import NAME_HINT, TomlTable, is_name
from whyfast.study.wording import kind, quoted

#: By the key that makes several benchmarks of one, the placeholder in commands that it fills.
_BOUND = {"names": NAMES_NAME, "parameter": PARAMETER_NAME, "": ""}
_EXAMPLE = 'write parameter = { name = "tail call", values = [0, 1, 2, 4] }'


def read_benchmarks(table: TomlTable, *, needed: bool = True) -> tuple[Benchmark, ...]:
    """The benchmarks in file order; there must be one unless nothing is measured."""
    benchmarks = tuple(
        one for name, inner in table.tables() for one in _spread(inner, _benchmark(name, inner))
    )
    names = [b.name for b in benchmarks]
    for name in names:
        if names.count(name) > 1:
            message = f"names or a parameter give another benchmark the name {quoted(name)} too"
            raise table.error((name,), message, "rename one of them")
    if needed and not benchmarks:
        hint = 'write [benchmarks.NAME] with command = ["{program}"]'
        raise table.error((), "a study needs a benchmark", hint)
    return benchmarks


def _benchmark(name: str, table: TomlTable) -> Benchmark:
    table.check_name("a benchmark")
    table.check_keys(
        *("runner", "command", "check", "timeout", "names", "parameter"),
        *("distribution", "overhead", "figures"),
    )
    if "names" in table and "parameter" in table:
        hint = "leave one of them out"
        raise table.error(("names",), "a benchmark has names or a parameter, not both", hint)
    bound = _BOUND[next((key for key in _BOUND if key in table), "")]
    runner = cast(RunnerName, table.choice("runner", tuple(RUNNER_KINDS), "command"))
    return Benchmark(
        name=name,
        runner=runner,
        command=_command(table, bound),
        check=_check(table, RUNNER_KINDS[runner]),
        timeout=table.converted("timeout", parse_duration, 'timeout = "10s"', Benchmark.timeout),
        distribution=read_command(table, "distribution", bound=bound),
        overhead=read_command(table, "overhead", bound=bound),
        figures=read_command(table, "figures", bound=bound),
    )


def _command(table: TomlTable, bound: str) -> tuple[str, ...]:
    table.require("command", 'command = ["{program}", "argument"]')
    return read_command(table, "command", bound=bound)


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
    """One benchmark for each value of its ``parameter``, ``NAME-VALUE``, or each of its ``names``,
    in the order given; itself when it has neither. ``{parameter}`` in its commands is the value,
    ``{name}`` the name."""
    if "names" in table:
        return _named(table, benchmark)
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


def _named(table: TomlTable, benchmark: Benchmark) -> tuple[Benchmark, ...]:
    names = table.strings("names")
    if not names:
        raise table.error(("names",), "is empty", 'write names = ["NAME"]')
    for i, name in enumerate(names):
        if not is_name(name):
            message = f"{quoted(name)} cannot be the name of a benchmark"
            raise table.error(("names", i), message, NAME_HINT)
        if name in names[:i]:
            raise table.error(("names", i), f"{quoted(name)} is in the list twice")
    if not any(NAMES_NAME in names_in(word) for word in benchmark.command):
        message = "never uses {name}, so that all its names would run the same"
        raise table.error(("command",), message, 'add the word "{name}"')
    return tuple(replace(_bound_to(benchmark, NAMES_NAME, name), name=name) for name in names)


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
    one = _bound_to(benchmark, PARAMETER_NAME, str(parameter.value))
    return replace(one, name=f"{benchmark.name}-{parameter.value}", parameter=parameter)


def _bound_to(benchmark: Benchmark, placeholder: str, value: str) -> Benchmark:
    """With the value in all its commands."""

    def bound(command: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(bind(word, placeholder, value) for word in command)

    return replace(
        benchmark,
        command=bound(benchmark.command),
        distribution=bound(benchmark.distribution),
        overhead=bound(benchmark.overhead),
        figures=bound(benchmark.figures),
    )
