"""Runners by name."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import get_args

import pytest

from whyfast.measure.commands import CommandRunner
from whyfast.measure.invocation import InvocationFailed, LaunchArguments
from whyfast.measure.registry import MAKERS, hook_folder, make_runner
from whyfast.measure.turns import TurnRunner
from whyfast.model.variant import RUNNER_KINDS, RunnerName

COMMANDS = {"v": (sys.executable, "-S", "-c", "print(42)")}


@pytest.mark.parametrize("name", get_args(RunnerName))
def test_each_kind_is_described_and_can_be_made(name: RunnerName) -> None:
    assert name in MAKERS
    runner = make_runner(name, LaunchArguments(COMMANDS, {}, 60.0))
    assert runner.loops_vary == RUNNER_KINDS[name].takes_turns


def test_a_turn_benchmark_takes_turns() -> None:
    runner = make_runner("turn", LaunchArguments(COMMANDS, {}, 60.0))
    assert isinstance(runner, TurnRunner)
    assert runner.loops_vary


def test_a_command_benchmark_is_checked_as_the_study_says() -> None:
    right, wrong = (
        make_runner("command", LaunchArguments(COMMANDS, {}, 60.0, check)) for check in ("42", "43")
    )
    assert isinstance(right, CommandRunner)
    assert right.enter("v", cpu=None, pad=0).turn(1).check == "42"
    with pytest.raises(InvocationFailed, match="wrong result: '42', expected '43'"):
        wrong.enter("v", cpu=None, pad=0).turn(1)


def test_the_timeout_is_that_of_the_benchmark() -> None:
    runner = make_runner("command", LaunchArguments({"v": ("sleep", "600")}, {}, 0.2))
    with pytest.raises(InvocationFailed, match=r"still running after 0\.2 s"):
        runner.enter("v", cpu=None, pad=0).turn(1)


def test_a_pyperf_script_becomes_a_worker_with_the_hook_in_all_layouts() -> None:
    arguments = LaunchArguments(
        {"v": ("python", "bm.py")},
        {"PYTHONPATH": "/own"},
        60.0,
        layouts={"v": [("python2", "bm.py")]},
        packages=Path("/pyperf"),
    )
    made = MAKERS["pyperf"].adapt(arguments)
    assert made.env["PYTHONPATH"] == os.pathsep.join((str(hook_folder()), "/pyperf", "/own"))
    for env, argv in (made.process("v", 0, 0), made.process("v", 0, 1)):
        assert argv[1:3] == ("bm.py", "--worker")
        assert argv[-1] == "--hook=whyfast"
        assert env["PYTHONDONTWRITEBYTECODE"] == "1"
