"""Runners by name."""

from __future__ import annotations

import sys
from typing import Any, cast

import pytest

from whyfast.measure.commands import CommandRunner
from whyfast.measure.invocation import InvocationFailed
from whyfast.measure.registry import make_runner
from whyfast.measure.turns import TurnRunner
from whyfast.model.errors import UserError
from whyfast.model.variant import Benchmark

COMMANDS = {"v": (sys.executable, "-S", "-c", "print(42)")}


def test_a_turn_benchmark_takes_turns() -> None:
    runner = make_runner(Benchmark("fib", "turn", ()), COMMANDS, {})
    assert isinstance(runner, TurnRunner)
    assert runner.loops_vary


def test_a_command_benchmark_is_checked_as_the_study_says() -> None:
    right, wrong = (
        make_runner(Benchmark("fib", "command", (), check=check), COMMANDS, {})
        for check in ("42", "43")
    )
    assert isinstance(right, CommandRunner)
    assert right.enter("v", cpu=None, pad=0).turn(1).check == "42"
    with pytest.raises(InvocationFailed, match="wrong result: '42', expected '43'"):
        wrong.enter("v", cpu=None, pad=0).turn(1)


def test_the_timeout_is_that_of_the_benchmark() -> None:
    benchmark = Benchmark("fib", "command", (), timeout=0.2)
    runner = make_runner(benchmark, {"v": ("sleep", "600")}, {})
    with pytest.raises(InvocationFailed, match=r"still running after 0\.2 s"):
        runner.enter("v", cpu=None, pad=0).turn(1)


def test_a_runner_that_is_not_there() -> None:
    benchmark = Benchmark("fib", cast("Any", "gem5"), ())
    with pytest.raises(UserError) as caught:
        make_runner(benchmark, COMMANDS, {})
    assert str(caught.value) == "benchmark fib: runner 'gem5' is not there yet"
