"""Turns that are granted beforehand, to real programs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import whyfast.turns
from whyfast.measure.launch import CannotCount, SystemLauncher
from whyfast.measure.turns import PregrantedLauncher

TURNS = str(Path(whyfast.turns.__file__).parent / "include")
PROGRAM = """
import os, sys
sys.path.insert(0, sys.argv[1])
from whyfast_turn import take_turns
total = 0
def run(loops):
    global total
    total += loops
    print(loops, os.environ["WHYFAST_TURN"])
    return "done"
take_turns(run)
print("left after", total)
"""


def _command(program: str = PROGRAM) -> tuple[str, ...]:
    return (sys.executable, "-c", program, TURNS)


def _run(command: tuple[str, ...], **grants: object) -> tuple[int, str]:
    launcher = PregrantedLauncher(SystemLauncher(), command, **grants)  # type: ignore[arg-type]
    done = launcher.run(("env", *command), env=os.environ, timeout=60.0)
    return done.status, done.stdout


def test_all_turns_are_taken_and_the_program_leaves() -> None:
    status, said = _run(_command(), loops=7, turns=3, check="done")
    assert status == 0
    lines = said.splitlines()
    assert lines[-1] == "left after 21"
    assert [line.split()[0] for line in lines[:-1]] == ["7", "7", "7"]


def test_descriptors_have_the_same_numbers_in_every_run() -> None:
    assert _run(_command(), loops=1, turns=1) == _run(_command(), loops=1, turns=1)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (PROGRAM, "wrong result: done, expected other"),
        ("print(1)", "expected 'ready 1' from the turn protocol, got ''"),
        (PROGRAM.replace("take_turns(run)", "sys.exit()"), "expected 'ready 1'"),
    ],
)
def test_answers_are_checked(program: str, message: str) -> None:
    with pytest.raises(CannotCount, match=message):
        _run(_command(program), loops=1, turns=1, check="other")


def test_a_program_that_fails_is_left_to_the_caller() -> None:
    failing = PROGRAM.replace("global total", "raise ValueError('broken')")
    assert _run(_command(failing), loops=1, turns=1)[0] == 1


def test_other_commands_are_passed_on() -> None:
    launcher = PregrantedLauncher(SystemLauncher(), _command(), loops=1, turns=1)
    done = launcher.run((sys.executable, "-c", "print(2)"), env=os.environ, timeout=60.0)
    assert done.stdout == "2\n"
    assert launcher.find("no-such-tool") is None
