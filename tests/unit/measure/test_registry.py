"""Runners by name.

Whether BPF programs may be loaded here. Padding of environment and arguments: so many bytes in all,
and still the same program."""

import ctypes
import errno
import os
import sys
from pathlib import Path
from typing import get_args

import pytest
from tests.golden_files import Hear

from whyfast.measure.commands import CommandRunner
from whyfast.measure.invocation import (
    PAD_VARIABLE,
    InvocationFailed,
    LaunchArguments,
    padded,
    padded_process,
)
from whyfast.measure.registry import MAKERS, hook_folder, make_runner, why_no_bpf
from whyfast.measure.turns import TurnRunner
from whyfast.model.variant import RUNNER_KINDS, RunnerName

COMMANDS = {"v": (sys.executable, "-S", "-c", "print(42)")}


@pytest.mark.parametrize("name", get_args(RunnerName))
def test_each_kind_is_described_and_can_be_made(name: RunnerName) -> None:
    assert name in MAKERS
    runner = make_runner(name, LaunchArguments(COMMANDS, {}, 60.0))
    assert runner.loops_vary == RUNNER_KINDS[name].takes_turns
    assert isinstance(runner, TurnRunner) == runner.loops_vary


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


MAP_CREATE, PROG_LOAD = 0, 5


def _kernel(answers: dict[int, int], seen: list[int]):  # type: ignore[no-untyped-def]
    def call(command: int, attributes: ctypes.Array[ctypes.c_char]) -> int:
        seen.append(command)
        return answers.get(command) or os.open(os.devnull, os.O_RDONLY)

    return call


def test_nothing_is_said_where_a_program_loads() -> None:
    seen: list[int] = []
    before = len(os.listdir("/proc/self/fd"))
    assert why_no_bpf(_kernel({}, seen)) == ""
    assert seen == [MAP_CREATE, PROG_LOAD]
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("command", [MAP_CREATE, PROG_LOAD])
@pytest.mark.parametrize("number", [errno.EPERM, errno.ENOSYS, errno.ENOMEM])
def test_the_reason_is_said(command: int, number: int, golden: Hear) -> None:
    golden(why_no_bpf(_kernel({command: -number}, [])))


def test_padding_adds_one_variable_of_that_length() -> None:
    env = {"A": "1", "WHYFAST_PAD": "old"}
    assert padded(env, 3) == {"A": "1", "WHYFAST_PAD": "xxx"}
    assert padded({}, 0) == {"WHYFAST_PAD": ""}
    assert env == {"A": "1", "WHYFAST_PAD": "old"}


def test_a_path_gets_its_share_of_the_bytes() -> None:
    argv = ("/usr/bin/env", "/opt/vm", "turn")
    env, longer = padded_process({}, argv, 1, 64 * 3 + 5)
    assert longer == ("/usr/bin/env", "/opt/./././vm", "turn")
    assert env == {PAD_VARIABLE: "x" * (64 * 3 + 5 - 6)}


def test_all_bytes_together_are_what_was_drawn_and_the_path_varies() -> None:
    shares = set()
    for pad in range(4096):
        env, (path,) = padded_process({}, ("/a/b",), 0, pad)
        shares.add(len(path) - len("/a/b"))
        assert len(env[PAD_VARIABLE]) + len(path) - len("/a/b") == pad
    assert shares == set(range(0, 64, 2))


def test_what_is_no_absolute_path_is_left_alone() -> None:
    for argv, program in ((("vm", "x"), 0), (("./vm",), 0), (("/bin/vm",), None)):
        env, same = padded_process({}, argv, program, 4095)
        assert same == argv
        assert len(env[PAD_VARIABLE]) == 4095


def test_a_longer_path_is_the_same_program(tmp_path: Path) -> None:
    program = tmp_path / "vm"
    program.write_text(
        f"#!{sys.executable} -S\nimport os, sys; print(os.path.realpath(sys.argv[0]))\n"
    )
    program.chmod(0o755)
    real = str(program.resolve())
    arguments = LaunchArguments({"v": (str(program),)}, {}, 60, check=real, programs={"v": 0})
    for pad in (0, 64, 4095):
        assert CommandRunner(arguments).enter("v", cpu=None, pad=pad).turn(1).check == real
