"""``whyfast.turns`` copied beside a program of another CPython, 2.7 and on."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.interpreters import Interpreter, interpreters

import whyfast
from whyfast.measure.invocation import InvocationFailed, LaunchArguments
from whyfast.measure.turns import TurnRunner

MODULE = Path(whyfast.__file__).parent / "turns" / "include" / "whyfast_turn.py"

pytestmark = pytest.mark.skipif(not interpreters(), reason="no CPython with headers here")


@pytest.fixture(params=interpreters(), ids=str)
def python(request: pytest.FixtureRequest) -> Interpreter:
    found: Interpreter = request.param
    return found


def _environment() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}


def _command(python: Interpreter, folder: Path, body: str) -> tuple[str, ...]:
    shutil.copy(MODULE, folder / "whyfast_turn.py")
    program = folder / "program.py"
    program.write_text("import time\nfrom whyfast_turn import take_turns\n" + body)
    return (str(python.program), "-B", str(program))


def _runner(command: tuple[str, ...]) -> TurnRunner:
    return TurnRunner(LaunchArguments({"one": command}, _environment(), 60.0))


def test_it_takes_turns(python: Interpreter, tmp_path: Path) -> None:
    command = _command(
        python, tmp_path, "take_turns(lambda loops: time.sleep(0.002 * loops), lambda _: u'done')"
    )
    invocation = _runner(command).enter("one", cpu=None, pad=0)
    readings = [invocation.turn(loops) for loops in (1, 10)]
    invocation.close()
    assert [r.check for r in readings] == ["done", "done"]
    assert readings[0].seconds >= 0.002
    assert readings[1].seconds >= 0.02


def test_a_clock_of_the_programs_own(python: Interpreter, tmp_path: Path) -> None:
    body = "ticks = iter([5, 1500000007])\ntake_turns(lambda _: 7, clock=lambda: next(ticks))"
    wall = iter([0.0, 1.6])  # of whyfast's own, which the answer is held against
    arguments = LaunchArguments({"one": _command(python, tmp_path, body)}, _environment(), 60.0)
    runner = TurnRunner(arguments, wall=lambda: next(wall))
    invocation = runner.enter("one", cpu=None, pad=0)
    reading = invocation.turn(3)
    invocation.close()
    assert (reading.seconds, reading.check) == (1.500000002, "7")


def test_an_exception_is_told(python: Interpreter, tmp_path: Path) -> None:
    command = _command(python, tmp_path, "take_turns(lambda loops: [][loops])")
    invocation = _runner(command).enter("one", cpu=None, pad=0)
    with pytest.raises(InvocationFailed, match="IndexError: list index out of range"):
        invocation.turn(5)


def test_a_check_value_with_a_space_is_told(python: Interpreter, tmp_path: Path) -> None:
    invocation = _runner(_command(python, tmp_path, "take_turns(lambda _: 'a b')")).enter(
        "one", cpu=None, pad=0
    )
    with pytest.raises(InvocationFailed, match="the check value 'a b' is not one word"):
        invocation.turn(1)


@pytest.mark.parametrize("grant", [b"0\n", b"-1\n", b"x\n", b"18446744073709551616\n", b"7"])
def test_a_malformed_grant(python: Interpreter, tmp_path: Path, grant: bytes) -> None:
    command = _command(python, tmp_path, "take_turns(lambda loops: None)")
    grants, give = os.pipe()
    take, answers = os.pipe()
    env = {**_environment(), "WHYFAST_TURN": f"{grants},{answers}"}
    with subprocess.Popen(command, env=env, pass_fds=(grants, answers)) as process:
        os.close(grants)
        os.close(answers)
        os.write(give, grant)
        os.close(give)
        with os.fdopen(take, "rb") as said:
            assert said.read() == b"ready 1\nerror malformed grant\n"
    assert process.returncode == 2


def test_a_malformed_variable(python: Interpreter, tmp_path: Path) -> None:
    command = _command(python, tmp_path, "take_turns(lambda loops: None)")
    env = {**_environment(), "WHYFAST_TURN": "3,x"}
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "WHYFAST_TURN is malformed: expected two file descriptors, IN,OUT\n"


def test_by_hand_it_measures_itself(python: Interpreter, tmp_path: Path) -> None:
    body = "take_turns(lambda loops: time.sleep(0.01 * loops) or 42)"
    done = subprocess.run(
        _command(python, tmp_path, body), env=_environment(), capture_output=True, text=True
    )
    assert done.returncode == 0
    assert done.stdout.endswith(" loops), check 42\n")
    assert " ns per loop (fastest of 7 values of " in done.stdout
