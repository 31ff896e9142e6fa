"""The driver of the subject callconv: turns, lists, reports, and what it says of mistakes."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.interpreters import Interpreter, interpreters
from tests.subjects.callconv_builds import DRIVER, built, command, drive, environment

from whyfast.measure.invocation import InvocationFailed, LaunchArguments
from whyfast.measure.turns import TurnRunner

pytestmark = pytest.mark.skipif(not interpreters(), reason="no CPython with headers here")


@pytest.fixture(params=interpreters(), ids=str)
def python(request: pytest.FixtureRequest) -> Interpreter:
    found: Interpreter = request.param
    return found


@pytest.fixture
def newest() -> Interpreter:
    return interpreters()[-1]


def _runner(argv: list[str]) -> TurnRunner:
    return TurnRunner(LaunchArguments({"one": tuple(argv)}, environment(), 60.0))


@pytest.mark.parametrize(
    ("name", "check"),
    [("func-3", "3"), ("function-varargs-3", "c"), ("call-fresh-python-0", "None")],
)
def test_it_takes_turns(python: Interpreter, name: str, check: str) -> None:
    invocation = _runner(command(python, name)).enter("one", cpu=None, pad=0)
    readings = [invocation.turn(loops) for loops in (1, 7, 1000)]
    invocation.close()
    assert [r.check for r in readings] == [check] * 3


def test_a_benchmark_that_is_lacking_says_so_in_its_turn() -> None:
    oldest = interpreters()[0]
    listed = json.loads(drive(oldest, "--list").stdout)["benchmarks"]
    name, why = next(((n, w) for n, w in sorted(listed.items()) if w), ("", ""))
    if not name:
        pytest.skip("every CPython here has everything")
    with pytest.raises(InvocationFailed) as caught:
        _runner(command(oldest, name)).enter("one", cpu=None, pad=0)
    assert (caught.value.reason, caught.value.lacks) == (why, True)
    done = drive(oldest, "--evidence", name)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"lacks {why}\ndone\n", "")
    done = drive(oldest, "--loops", "1", name)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"{name}: {why}\n")


def test_by_hand_it_measures_once(newest: Interpreter) -> None:
    done = drive(newest, "func-0")
    assert done.returncode == 0
    assert done.stdout.endswith("loops), check None\n")


def test_the_list_names_interpreter_compiler_and_benchmarks(python: Interpreter) -> None:
    said = json.loads(drive(python, "--list").stdout)
    assert sorted(said) == ["benchmarks", "extension", "interpreter"]
    assert said["interpreter"]["version"] == str(python)
    assert said["interpreter"]["implementation"] == "CPython"
    assert said["extension"]["compiler"].startswith("gcc ")
    assert len(said["benchmarks"]) == 353
    assert said["benchmarks"]["func-3"] is None


def test_the_report_of_evidence_is_whole(python: Interpreter) -> None:
    lines = drive(python, "--evidence", "function-varargs-3").stdout.splitlines()
    assert lines[-1] == "done"
    said = [line.partition(" ")[0] for line in lines]
    assert set(said) <= {"figure", "word", "missing", "done"}
    assert "figure 0 references a call" in lines


def test_so_many_loops_and_no_more(newest: Interpreter) -> None:
    done = drive(newest, "--loops", "25", "func-0")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_bad_arguments(newest: Interpreter, tmp_path: Path) -> None:
    unknown = drive(newest, "nonesuch")
    assert (unknown.returncode, unknown.stderr) == (2, "no benchmark nonesuch; --list names them\n")
    none = drive(newest)
    assert none.returncode == 2
    assert none.stderr.endswith("error: which benchmark? --list names them\n")
    start = [str(newest.program), str(DRIVER), "--extension"]
    missing = subprocess.run(
        [*start, str(tmp_path / "callconv.so"), "func-0"], capture_output=True, text=True
    )
    assert missing.returncode == 1
    assert "no callconv.so there; README.md says how to make it" in missing.stderr


def test_an_extension_of_another_version_is_refused() -> None:
    have = interpreters()
    if len(have) < 2:
        pytest.skip("only one CPython here")
    extension = str(built(have[-1]) / "callconv.so")
    done = subprocess.run(
        [str(have[0].program), str(DRIVER), "--extension", extension, "func-0"],
        capture_output=True,
        text=True,
        env=environment(),
    )
    assert done.returncode == 1
    assert "was it made for this interpreter?" in done.stderr


TOOL = """#!/bin/sh
for word; do
    if [ "$before" = --loops ]; then loops=$word; fi
    before=$word
done
"""


def _tools(folder: Path, **bodies: str) -> dict[str, str]:
    """An environment in which these programs, and else none, are found."""
    for name, body in bodies.items():
        (folder / name).write_text(TOOL + body)
        (folder / name).chmod(0o755)
    return {**environment(), "PATH": str(folder)}


def _count(python: Interpreter, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(python, "--instructions", "func-0"), capture_output=True, text=True, env=env
    )


PERF_NONE = 'echo "<not supported>,,instructions:u,0,100.00,," >&2'
PERF = 'echo "$((9000000 + loops * 40)),,instructions:u,1,100.00,," >&2'
VALGRIND = 'echo "==17== Collected : $((5000000 + loops * 123))" >&2'


def test_instructions_are_from_two_runs(python: Interpreter, tmp_path: Path, golden: Hear) -> None:
    env = _tools(tmp_path, perf=PERF, valgrind=VALGRIND)
    golden(_count(python, env).stdout)


def test_callgrind_replaces_counters(python: Interpreter, tmp_path: Path, golden: Hear) -> None:
    env = _tools(tmp_path, perf=PERF_NONE, valgrind=VALGRIND)
    golden(_count(python, env).stdout)


def test_no_tools_no_counts(newest: Interpreter, tmp_path: Path, golden: Hear) -> None:
    done = _count(newest, _tools(tmp_path, perf=PERF_NONE))
    assert done.returncode == 2
    golden(done.stderr)
