"""Recognising the runtime of a command, and what its causes take over."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from whyfast.investigate.why.why_layers import RUNTIMES
from whyfast.model.why import Cause, Change, Fact, Item, Part, SourcePlace
from whyfast.why.functions import FunctionKey, FunctionTime
from whyfast.why.groups import FunctionGroup
from whyfast.why.runtimes.protocol import (
    Findings,
    RuntimeProgram,
    program_of,
    runtime_of,
    take_over,
)


def named(name: str) -> RuntimeProgram:
    return RuntimeProgram((name,), 0, Path("/opt/bin", name))


@pytest.mark.parametrize(
    ("name", "runtime"),
    [
        ("python3", "Python"),
        ("python3.14t", "Python"),
        ("python", "Python"),
        ("node", "Node"),
        ("java", "the JVM"),
        ("pythonic", None),
        ("javac", None),
        ("bash", None),
    ],
)
def test_a_runtime_is_known_by_its_program(name: str, runtime: str | None) -> None:
    found = runtime_of([named(name), named(name)], RUNTIMES)
    assert (found and found.name) == runtime


def test_two_runtimes_are_none() -> None:
    assert runtime_of([named("python3"), named("node")], RUNTIMES) is None
    assert runtime_of([named("python3"), None], RUNTIMES) is None


def script(path: Path, first: str) -> str:
    path.write_text(f"{first}\nprint(1)\n")
    path.chmod(0o755)
    return str(path)


def test_the_interpreter_of_a_script_stands_in_front_of_it(tmp_path: Path) -> None:
    tool = script(tmp_path / "tool", f"#!{sys.executable} -O")
    program = program_of([tool, "x"], os.environ)
    assert program is not None
    assert program.words == (sys.executable, "-O", tool, "x")
    assert program.path == Path(sys.executable).resolve()
    assert program.with_options(["-X", "dev"])[:3] == [sys.executable, "-X", "dev"]


def test_env_and_its_variables_are_passed_over(tmp_path: Path) -> None:
    tool = script(tmp_path / "tool", "#!/usr/bin/env -S A=1 " + sys.executable)
    for words in ([tool], ["env", "B=2", tool]):
        program = program_of(words, os.environ)
        assert program is not None
        assert program.path == Path(sys.executable).resolve()
        assert program.words[program.at] == sys.executable


def test_a_program_in_the_folder_that_env_enters(tmp_path: Path) -> None:
    script(tmp_path / "tool", f"#!{sys.executable}")
    for options in (["-C", str(tmp_path)], ["-u", "X", "-i", "--chdir", str(tmp_path), "Y=1"]):
        program = program_of(["env", *options, "./tool", "x"], os.environ)
        assert program is not None
        assert program.path == Path(sys.executable).resolve()
        assert program.words == ("env", *options, sys.executable, str(tmp_path / "tool"), "x")


def test_a_shell_script_with_the_name_of_a_runtime_starts_it(tmp_path: Path) -> None:
    program = program_of([script(tmp_path / "python3", "#!/bin/sh")], os.environ)
    assert program is not None
    assert program.name == "python3"


@pytest.mark.parametrize("words", [["sh", "-c", "python3 x.py"], ["/no/such/program"], ["env"]])
def test_a_command_line_of_a_shell_has_no_program(words: list[str]) -> None:
    assert program_of(words, os.environ) is None


def cause(key: str, share: float) -> Cause:
    return Cause(key, "", share, share, share, (), "measured")


def group(name: str, library: str = "") -> FunctionGroup:
    return FunctionGroup([FunctionTime(FunctionKey(library, name), Change(0, 1, 1, 1))])


def test_causes_take_over_what_their_runtime_executes() -> None:
    split: dict[Part, Change] = {
        "user": Change(0, 0.75, 0.75, 0.75),
        "kernel": Change(0, 0.25, 0.25, 0.25),
    }
    groups = [group("_PyEval_EvalFrameDefault"), group("dgemm", "libblas.so.3")]
    read = Item("kernel", "read", Change(0, 0.25, 0.25, 0.25), 0.25, SourcePlace(), (Fact("x"),))
    takes = {FunctionKey("", "_PyEval_EvalFrameDefault")}.__contains__
    for key, share, items in (
        ("more-calls", 0.75, ("_PyEval_EvalFrameDefault",)),
        ("imports", 1.0, ("_PyEval_EvalFrameDefault", "read")),
    ):
        taken = take_over(Findings((cause(key, 1.0),), takes), groups, [read], split)
        assert [(c.share, c.items) for c in taken] == [(share, items)]
    assert take_over(Findings((), takes), groups, [read], split) == []
