"""``parameter``: one benchmark for each of several numbers."""

from __future__ import annotations

from dataclasses import replace

from whyfast.model.variant import Benchmark, Parameter
from whyfast.study.placeholders import PARAMETER_NAME, bind, names_in
from whyfast.study.toml_table import TomlTable
from whyfast.study.wording import kind

_EXAMPLE = 'write parameter = { name = "tail call", values = [0, 1, 2, 4] }'


def spread(table: TomlTable, benchmark: Benchmark) -> tuple[Benchmark, ...]:
    """The benchmark for each value of its parameter, ``NAME-VALUE``, in the order given; itself
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
    return tuple(
        _one(benchmark, Parameter(benchmark.name, name, value, linear)) for value in values
    )


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


def _one(benchmark: Benchmark, parameter: Parameter) -> Benchmark:
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
