"""``[benchmarks.NAME]``."""

from __future__ import annotations

from typing import cast, get_args

from whyfast.model.study import Benchmark, RunnerName
from whyfast.study.placeholders import COMMAND_NAMES, names_in
from whyfast.study.quantities import parse_duration
from whyfast.study.sections import check_placeholders
from whyfast.study.table import Table
from whyfast.study.wording import quoted

_RUNNERS: tuple[str, ...] = get_args(RunnerName)


def read_benchmarks(table: Table) -> tuple[Benchmark, ...]:
    """The benchmarks in file order."""
    benchmarks = tuple(_benchmark(name, inner) for name, inner in table.tables())
    if not benchmarks:
        hint = 'write [benchmarks.NAME] with command = ["{program}"]'
        raise table.error((), "a study needs a benchmark", hint)
    return benchmarks


def _benchmark(name: str, table: Table) -> Benchmark:
    table.check_name("a benchmark")
    table.check_keys("runner", "command", "check", "timeout")
    runner = table.choice("runner", _RUNNERS, "command")
    timeout = Benchmark.timeout
    if "timeout" in table:
        timeout = table.converted("timeout", parse_duration, 'timeout = "10s"')
    return Benchmark(
        name=name,
        runner=cast(RunnerName, runner),
        command=_command(table),
        check=_check(table, runner),
        timeout=timeout,
    )


def _command(table: Table) -> tuple[str, ...]:
    example = 'command = ["{program}", "argument"]'
    table.require("command", example)
    command = table.strings("command", empty=True)
    if not command or not command[0].strip():
        raise table.error(("command",), "names no program", f"write {example}")
    for i, word in enumerate(command):
        check_placeholders(table, ("command", i), word, COMMAND_NAMES)
    if not any("program" in names_in(word) for word in command):
        message = "never uses {program}, so that every variant would run the same"
        raise table.error(("command",), message, f"write {example}")
    return command


def _check(table: Table, runner: str) -> str | None:
    if "check" not in table:
        return None
    check = table.string("check")
    if runner != "turn":
        message = f"the {runner} runner reports no result to check"
        raise table.error(("check",), message, 'remove it, or write runner = "turn"')
    if len(check.split()) != 1 or check != check.strip():
        raise table.error(("check",), f"{quoted(check)} is not one word without spaces")
    return check
