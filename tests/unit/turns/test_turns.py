"""The turn protocol as ``whyfast.turns`` speaks it, in a process of its own over real pipes."""

import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.turns.child import Turns

import whyfast
from whyfast.measure.invocation import Invocation, InvocationFailed, LaunchArguments
from whyfast.measure.turns import TurnRunner

SOURCE = Path(whyfast.__file__).parent.parent
TIMES = re.compile(r"\d+\.\d{9}")

PLAIN = """
    def run(loops):
        for _ in range(loops):
            pass
        return 42

    take_turns(run)
"""


def _program(body: str) -> list[str]:
    """A Python program without site packages that takes turns."""
    code = "from whyfast.turns import take_turns\n" + textwrap.dedent(body)
    start = f"import sys; sys.path.insert(0, {str(SOURCE)!r})\n"
    return [sys.executable, "-I", "-S", "-c", start + code]


class TimedTurns(Turns):
    """Every time in an answer is replaced by T."""

    def line(self) -> str:
        return TIMES.sub("T", super().line())


Start = Callable[[str], TimedTurns]


@pytest.fixture
def start() -> Iterator[Start]:
    started: list[TimedTurns] = []

    def begin(body: str) -> TimedTurns:
        started.append(TimedTurns(_program(body)))
        return started[-1]

    yield begin
    for turns in started:
        turns.close()


ECHO = "take_turns(lambda loops: loops)"
NO_WORD = "error ValueError: the check value '%s' is not one word without spaces\n"


@pytest.mark.parametrize(
    ("body", "grants", "answers"),
    [
        (PLAIN, "", []),
        (PLAIN, "3\n", ["T 42\n"]),
        (ECHO, "7\n11\n", ["T 7\n", "T 11\n"]),
        (ECHO, "18446744073709551615\n", ["T 18446744073709551615\n"]),
        ("take_turns(lambda loops: None)", "1\n", ["T\n"]),
        ("take_turns(lambda loops: 0)", "1\n", ["T 0\n"]),
        ("take_turns(lambda loops: 'f00d')", "1\n", ["T f00d\n"]),
        ("take_turns(lambda loops: [1, 2], check=len)", "1\n", ["T 2\n"]),
        ("take_turns(lambda loops: 1, check=lambda result: None)", "1\n", ["T\n"]),
        ("take_turns(lambda loops: '\\ud800')", "1\n", ["T \\ud800\n"]),
    ],
)
def test_all_grants_are_answered(start: Start, body: str, grants: str, answers: list[str]) -> None:
    turns = start(body)
    turns.grant(grants)
    assert [turns.line() for _ in range(1 + len(answers))] == ["ready 1\n", *answers]
    assert turns.finish() == 0
    assert (turns.line(), turns.errors()) == ("", "")


@pytest.mark.parametrize(
    ("body", "grants", "answers", "status"),
    [
        (PLAIN, "1\nx\n", ["T 42\n", "error malformed grant\n"], 2),
        (PLAIN, "12", ["error malformed grant\n"], 2),  # cut short
        ("take_turns(lambda loops: sys.exit(5))", "1\n", [""], 5),
        ("take_turns(lambda loops: [1, 2])", "1\n", [NO_WORD % "[1, 2]"], 1),
        ("take_turns(lambda loops: '')", "1\n", [NO_WORD % ""], 1),
    ],
)
def test_what_ends_a_program(
    start: Start, body: str, grants: str, answers: list[str], status: int
) -> None:
    turns = start(body)
    turns.line()
    turns.grant(grants)
    assert turns.finish() == status
    assert [turns.line() for _ in answers] == answers


def test_a_grant_in_pieces(start: Start) -> None:
    turns = start(ECHO)
    assert turns.line() == "ready 1\n"
    for piece in ("1", "2", "\n3", "\n"):
        turns.grant(piece)
    assert turns.line() == "T 12\n"
    assert turns.line() == "T 3\n"


def test_more_loops_take_longer(start: Start) -> None:
    turns = start(PLAIN)
    turns.line()
    turns.grant("10\n1000000\n")
    few, many = (float(turns.answers.readline().split()[0]) for _ in range(2))
    assert many > 100 * few


@pytest.mark.parametrize(
    "grant",
    [
        *(
            "0\n",
            "\n",
            "-1\n",
            "+1\n",
            " 1\n",
            "1 \n",
            "1.5\n",
            "1_0\n",
            "x\n",
            "x",
            "1\r\n",
            "٣\n",
        ),
        *("18446744073709551616\n", "9" * 5000),
    ],
)
def test_a_malformed_grant(start: Start, grant: str) -> None:
    turns = start(PLAIN)
    turns.line()
    turns.grant(grant)
    assert turns.line() == "error malformed grant\n"
    assert turns.process.wait(timeout=120) == 2


def test_an_exception_in_the_workload(start: Start, golden: Hear) -> None:
    turns = start("""
        def run(loops):
            raise ValueError("no\\nnumber")

        take_turns(run)
    """)
    assert turns.line() == "ready 1\n"
    turns.grant("1\n")
    golden(turns.line())
    assert turns.finish() == 1
    golden(turns.errors().splitlines()[0])


def test_whyfast_gone_while_the_workload_runs(start: Start, golden: Hear) -> None:
    turns = start("""
        import os, select

        def run(loops):
            poller = select.poll()
            poller.register(int(os.environ["WHYFAST_TURN"].split(",")[1]), 0)
            poller.poll()

        take_turns(run)
    """)
    turns.line()
    turns.grant("1\n")
    turns.answers.close()
    assert turns.process.wait(timeout=120) == 1
    golden(turns.errors())


@pytest.mark.parametrize("value", ["", "3", "3,", ",4", "3,x", "3,4,5", "-3,4", "3, 4"])
def test_a_malformed_variable(value: str, golden: Hear) -> None:
    done = subprocess.run(
        _program(PLAIN),
        env={**os.environ, "WHYFAST_TURN": value},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    golden(done.stderr)


@pytest.mark.parametrize(("result", "said"), [("42", ", check 42"), ("None", "")])
def test_by_hand_it_measures_itself(result: str, said: str) -> None:
    done = subprocess.run(
        _program(f"import time\ntake_turns(lambda loops: time.sleep(0.06) or {result})"),
        env={name: text for name, text in os.environ.items() if name != "WHYFAST_TURN"},
        capture_output=True,
        text=True,
        check=True,
    )
    pattern = rf"\d+\.\d ns per loop \(fastest of 7 values of 1 loops\){said}\n"
    assert re.fullmatch(pattern, done.stdout)
    assert float(done.stdout.split()[0]) > 60e6


def _enter(body: str) -> Invocation:
    runner = TurnRunner(LaunchArguments({"a": tuple(_program(body))}, dict(os.environ), 20.0))
    return runner.enter("a", cpu=None, pad=0)


def test_whyfast_understands_it() -> None:
    with closing(_enter(PLAIN)) as player:
        reading = player.turn(1000)
    assert 0 < reading.seconds < 1
    assert reading.check == "42"


def test_whyfast_reports_its_exception() -> None:
    player = _enter("take_turns(lambda loops: 1 / 0)")
    with pytest.raises(InvocationFailed, match=r"^ZeroDivisionError: division by zero$"):
        player.turn(1)
