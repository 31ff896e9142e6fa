"""Padding of environment and arguments: so many bytes in all, and still the same program."""

from __future__ import annotations

import sys
from pathlib import Path

from whyfast.measure.commands import CommandRunner
from whyfast.measure.invocation import PAD_VARIABLE, LaunchArguments, padded, padded_process


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
    runner = CommandRunner(
        LaunchArguments(
            {"v": (str(program),)}, {}, 60, check=str(program.resolve()), programs={"v": 0}
        )
    )
    for pad in (0, 64, 4095):
        assert runner.enter("v", cpu=None, pad=pad).turn(1).check == str(program.resolve())
