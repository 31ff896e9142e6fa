"""The runners by name. A new one is one file and one line here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from whyfast.measure.commands import CommandRunner
from whyfast.measure.invocation import Runner
from whyfast.measure.pyperf_runner import pyperf_runner
from whyfast.measure.turns import TurnRunner
from whyfast.model.errors import UserError
from whyfast.model.variant import Benchmark


def make_runner(
    benchmark: Benchmark,
    commands: Mapping[str, tuple[str, ...]],
    env: Mapping[str, str],
    pyperf: Path | None = None,
    layouts: Mapping[str, Sequence[tuple[str, ...]]] | None = None,
    programs: Mapping[str, int] | None = None,
) -> Runner:
    """The runner of a benchmark; ``commands`` maps each variant to its argument vector,
    ``layouts`` to those of its layouts, ``programs`` to the place of the program in these.

    ``pyperf`` is a folder that holds the package pyperf, for interpreters without it.
    """
    if benchmark.runner in ("turn", "bpf"):  # a BPF program takes turns like any other
        return TurnRunner(
            commands,
            env=env,
            timeout=benchmark.timeout,
            check=benchmark.check,
            layouts=layouts,
            programs=programs,
        )
    if benchmark.runner == "command":
        return CommandRunner(
            commands,
            env=env,
            timeout=benchmark.timeout,
            check=benchmark.check,
            layouts=layouts,
            programs=programs,
        )
    if benchmark.runner == "pyperf":
        return pyperf_runner(
            commands,
            env=env,
            timeout=benchmark.timeout,
            packages=pyperf,
            layouts=layouts,
            programs=programs,
        )
    raise UserError(f"benchmark {benchmark.name}: runner {benchmark.runner!r} is not there yet")
