"""The driver of ``whyfast timeit``, in every interpreter that is here."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.interpreters import Interpreter, interpreters

import whyfast.turns
from whyfast.turns.timeit.driver import WarmTurns, _heap

DRIVER = Path(whyfast.turns.__file__).parent / "timeit" / "driver.py"

#: The oldest, the newest, and the one that runs these tests.
SOME = (interpreters()[:1] + interpreters()[-1:]) or ()


def inspected(python: Interpreter, setup: str, *work: str, folder: Path | None = None) -> Any:
    argv: list[str | Path] = [python.program, DRIVER, "inspect", "wall", setup, *work]
    done = subprocess.run(argv, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def took(python: Interpreter, setup: str, *work: str, turns: int = 3) -> list[str]:
    """What it answers to that many turns of 1000 loops."""
    grant_read, grant = os.pipe()
    answer, answer_write = os.pipe()
    control, forks = os.pipe()
    os.write(grant, b"1000\n" * turns)
    os.write(forks, b"0\n")
    os.close(grant)
    os.close(forks)
    words = ["measure", "wall", setup, *work]
    side = [str(n) for n in (grant_read, answer_write, len(words))]
    inherited = (grant_read, answer_write, control)
    argv = [str(python.program), str(DRIVER), "fork", str(control), *side, *words]
    subprocess.run(argv, pass_fds=inherited, stderr=subprocess.DEVNULL)
    for descriptor in inherited:
        os.close(descriptor)
    with os.fdopen(answer) as lines:
        return lines.read().splitlines()


@pytest.fixture(params=SOME, ids=str)
def python(request: pytest.FixtureRequest) -> Interpreter:
    found: Interpreter = request.param
    return found


def test_it_answers_every_turn_with_the_time_of_the_loops(python: Interpreter) -> None:
    ready, *answers = took(python, "x = list(range(9))", "statement", "sorted(x)")
    assert ready == "ready 1"
    assert len(answers) == 3
    assert all(float(a) > 1e-5 for a in answers)


def test_an_empty_statement_takes_nothing_once_the_loop_is_subtracted(python: Interpreter) -> None:
    """With the loop it would be a third of the call."""
    empty, call = (
        min(map(float, took(python, "x = 1", "statement", code, turns=9)[1:]))
        for code in ("pass", "abs(x)")
    )
    assert empty < 0.15 * call


@pytest.mark.parametrize(
    ("nanoseconds", "lengths"),
    [
        # 50 µs of loops are not timed, once it is known how many these are.
        (1000, [100, 100, 51, 100]),
        (100, [100, 100, 100, 100]),
        (2_000_000, [100, 100, 100]),  # a cold start is nothing to such a loop
    ],
)
def test_loops_before_the_timed_ones_warm_up(nanoseconds: int, lengths: list[int]) -> None:
    class Granted(list[int]):
        answers: list[int]

        def took(self, elapsed: int) -> None:
            self.answers.append(elapsed)

    granted = Granted([100, 100])
    granted.answers = []
    turns = WarmTurns(granted, lambda: 0, lambda clock, loops: 7)
    seen = []
    for loops in turns:
        seen.append(len(list(loops)))
        turns.took(nanoseconds * seen[-1])
    assert seen == lengths
    assert granted.answers == [100 * nanoseconds - 7] * 2


@pytest.mark.parametrize(
    "empties",
    [
        [90_000_000, 120, 100, 130, 140, 120, 120],  # in the first turn, which takes five
        [120, 120, 130, 110, 100, 90_000_000, 120],
        [*[90_000_000] * 5, 100, 120],  # all five of the first turn
    ],
)
def test_an_empty_loop_that_was_interrupted_is_not_subtracted(empties: list[int]) -> None:
    class Granted(list[int]):
        answers: list[int]

        def took(self, elapsed: int) -> None:
            self.answers.append(elapsed)

    granted = Granted([10, 10, 10])
    granted.answers = []
    left = iter(empties)
    turns = WarmTurns(granted, lambda: 0, lambda clock, loops: next(left))
    for _ in turns:
        turns.took(2_000_000)
    assert granted.answers[1:] == [1_999_900] * 2
    assert (granted.answers[0] == 1_999_900) is (min(empties[:5]) == 100)


def test_what_is_registered_for_the_end_is_done(python: Interpreter, tmp_path: Path) -> None:
    done = tmp_path / "done"
    took(python, f"import atexit; atexit.register(open, {str(done)!r}, 'w')", "statement", "1")
    assert done.is_file()


def test_an_error_while_it_is_measured_is_the_answer(python: Interpreter) -> None:
    answers = took(python, "x = [1]", "statement", "x.pop()")
    assert answers == ["ready 1", "error IndexError: pop from empty list"]


def test_what_it_prints_is_dropped(python: Interpreter) -> None:
    data = inspected(python, "import sys", "statement", "sys.stdout.write('much ' * 999)")
    assert "error" not in data


def test_the_value_is_the_same_whatever_the_hash_seed_and_the_interpreter(
    python: Interpreter,
) -> None:
    data = inspected(python, "", "statement", "{'b': [1.5, True], 'a': {2}}")
    assert data["value"] == [
        *("dict", "(", "tuple", "(", "'a", "set", "(", "#2", ")", ")"),
        *("tuple", "(", "'b", "list", "(", "#1.5", "#1", ")", ")", ")"),
    ]


def test_modules_among_the_variables_are_not_looked_into(python: Interpreter) -> None:
    assert inspected(python, "import os, re, sys", "statement", "re")["changed"] == []


@pytest.mark.parametrize(
    ("setup", "statement", "name", "how"),
    [
        ("x = []", "x.append(1)", "x", "grows"),
        ("x = [3, 1, 2]", "x.sort()", "x", "once"),
        ("n = 0", "n += 1", "n", "always"),
    ],
)
def test_a_variable_that_the_statement_changes_is_named(
    python: Interpreter, setup: str, statement: str, name: str, how: str
) -> None:
    (changed,) = inspected(python, setup, "statement", statement)["changed"]
    assert (changed["name"], changed["how"]) == (name, how)


def test_what_a_later_loop_returns_otherwise_is_told(python: Interpreter) -> None:
    data = inspected(python, "g = iter(range(4))", "statement", "sum(g)")
    assert (data["shown"], data["later"]) == ("6", "0")


def test_calls_are_counted_by_the_loop(python: Interpreter) -> None:
    setup = "def f(x):\n    return len(x)"
    calls = inspected(python, setup, "statement", "f([1]), f([2])")["calls"]
    assert ["C", "len", 2.0] in calls
    assert any(c[0] == "Python" and c[1].endswith("f") and c[2] == 2.0 for c in calls)


@pytest.mark.parametrize(
    ("setup", "statement", "error"),
    [
        ("", "y + 1", "NameError"),
        ("", "sorted(x", "statement line 1"),
        ("x = 1 +", "x", "setup line 1"),
        ("", "return 1", "outside function"),
        ("", "break", "outside loop"),
        ("x = [1, 2, 3]", "x.pop()", "not in its first loop"),
    ],
)
def test_a_mistake_is_one_line(python: Interpreter, setup: str, statement: str, error: str) -> None:
    data = inspected(python, setup, "statement", statement)
    assert list(data) == ["error"]
    assert error in data["error"]
    assert "\n" not in data["error"]


FILE = """
def numbers():
    yield list(range(10))

def doubled(numbers):
    return numbers * 2

def f(doubled, start=0):
    return sum(doubled, start)

def lost(nothing):
    pass
"""


def test_parameters_of_a_function_come_from_fixtures(python: Interpreter, tmp_path: Path) -> None:
    (tmp_path / "bench.py").write_text(FILE)
    data = inspected(python, "", "file", "bench.py", "f", folder=tmp_path)
    assert data["value"] == ["#90"]
    data = inspected(python, "doubled = [5]", "file", "bench.py", "f", folder=tmp_path)
    assert data["value"] == ["#5"]


@pytest.mark.parametrize(("function", "names"), [("lost", "nothing"), ("none", "doubled, f, lost")])
def test_a_function_or_argument_that_is_not_there_is_named(
    python: Interpreter, tmp_path: Path, function: str, names: str
) -> None:
    (tmp_path / "bench.py").write_text(FILE)
    data = inspected(python, "", "file", "bench.py", function, folder=tmp_path)
    assert names in data["error"]


def test_exceptions_that_are_caught_are_named(python: Interpreter) -> None:
    setup = "d = {1: 2}\ndef f(k):\n    try:\n        return d[k]\n    except KeyError: return 2"
    assert inspected(python, setup, "statement", "f(2)")["raised"] == ["KeyError"]
    assert inspected(python, setup, "statement", "f(1)")["raised"] == []
    ends = "list(i for i in (1, 2)); next(iter([]), None)"
    assert inspected(python, setup, "statement", ends)["raised"] == []


NEW = [p for p in SOME if p.version >= (3, 8, 0)]


@pytest.mark.parametrize("python", NEW[-1:], ids=str)
class TestNewerPythons:
    def test_coroutines_are_awaited(self, python: Interpreter, tmp_path: Path) -> None:
        setup = "import asyncio\nasync def c():\n    await asyncio.sleep(0)\n    return 7"
        assert inspected(python, setup, "statement", "await c()")["value"] == ["#7"]
        (tmp_path / "b.py").write_text("async def f():\n    return 8\n")
        assert inspected(python, "", "file", "b.py", "f", folder=tmp_path)["value"] == ["#8"]
        assert len(took(python, setup, "statement", "await c()")) == 4

    def test_constants_that_the_compiler_computed_are_named(self, python: Interpreter) -> None:
        assert inspected(python, "", "statement", "y = 2**10 + len('a')")["folded"] == [
            ["2**10", "1024"]
        ]
        assert inspected(python, "x = 2", "statement", "x**10, -1")["folded"] == []

    def test_bytecode_is_that_of_the_statement_alone(self, python: Interpreter) -> None:
        code = inspected(python, "a = b = 1", "statement", "a + b")["code"]
        names = [i[0] for i in code[0]["instructions"]]
        assert names[-2:] == [
            "BINARY_OP" if python.version >= (3, 11, 0) else "BINARY_ADD",
            "POP_TOP",
        ]
        assert all("LOAD" in name for name in names[:-2])
        if python.version >= (3, 11, 0):
            assert "BINARY_OP_ADD_INT" in [i[2] for i in code[0]["instructions"]]

    def test_a_list_of_free_objects_that_fills_is_no_memory_left(self, python: Interpreter) -> None:
        setup = "import asyncio"
        gather = "await asyncio.gather(asyncio.sleep(0), asyncio.sleep(0))"
        assert inspected(python, setup, "statement", gather)["left"] == 0
        cycle = inspected(python, "", "statement", "a = []; a.append(a)")
        assert cycle["left"] >= 1  # while the collector is off

    def test_memory_and_collections_are_found(self, python: Interpreter) -> None:
        # More lists at once than the young generation holds before it is collected.
        data = inspected(python, "x = range(3000)", "statement", "[[i] for i in x]")
        assert data["peak"] > 24000
        assert 0 < data["collections"] < 10
        assert inspected(python, "x = 1", "statement", "x")["collections"] == 0


def test_each_block_draws_how_full_the_heap_is() -> None:
    drawn = [_heap() for _ in range(20)]
    assert len({len(heap) for heap in drawn}) > 5
    assert len({len(heap[-1]) for heap in drawn}) > 5
    assert all(len(heap) <= 9 * 255 + 1 for heap in drawn)
    # Objects of their own, as one object many times would fill nothing.
    assert all(len({id(x) for x in heap}) == len(heap) for heap in drawn)
