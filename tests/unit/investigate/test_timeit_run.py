"""Loops against each other, in an outside that is a double; at the end once in the real one."""

import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.golden_files import Hear
from tests.unit.investigate.doubles import Watcher, World, own, ratios
from tests.unit.measure.tools import Replay, said

from whyfast.investigate.timeit_run import TimedSide, TimeitOptions, run_timeit
from whyfast.model.errors import UserError
from whyfast.model.result import Result

SEEN: dict[str, Any] = {
    "implementation": "CPython",
    "version": "3.13.0",
    "compiler": "GCC 12",
    "variables": {"CONFIG_ARGS": ""},
    "value": ["#3"],
    "shown": "3",
    "later": None,
    "changed": [],
    "calls": [["C", "len", 1.0]],
    "peak": 100,
    "left": 0.0,
    "collections": 0.0,
    "loop": 60.0,
    "empty": 10.0,
    "folded": [],
    "code": [{"name": "statement", "instructions": [["LOAD_FAST", "x", ""], ["CALL", "", "C"]]}],
}
A = TimedSide("a", ("py",), "x = 1", "a")
B = TimedSide("b", ("py",), "x = 1", "b")


def compare(
    folder: Path,
    *sides: TimedSide,
    seen: Mapping[str, Mapping[str, Any]] | None = None,
    times: Mapping[str, float] | None = None,
    **options: Any,
) -> Result:
    """With what the driver says of each statement, and seconds of a loop."""
    world = World()
    world.script = ratios(times or {"a": 1e-3, "b": 2e-3, "a (again)": 1e-3})

    def driver(argv: Any) -> Any:
        return said(json.dumps({**SEEN, **(seen or {}).get(argv[-1], {})}))

    world.launcher = Replay({"py": driver})
    sides = sides or (A, B)
    return run_timeit(
        sides, TimeitOptions(**options), own(folder), Watcher(), services=world.services()
    )


def kinds(result: Result) -> list[str]:
    return [c.kind for c in result.judged.confounds]


def test_the_verdict_and_the_facts_of_each_side(tmp_path: Path) -> None:
    result = compare(tmp_path, seen={"a": {"loop": 1e6}, "b": {"loop": 2e6}})
    (verdict,) = result.judged.verdicts
    assert (verdict.variant, verdict.baseline, verdict.outcome) == ("b", "a", "slower")
    assert verdict.ratio == pytest.approx(2, rel=0.02)
    a, b = result.found.loops
    assert (a.variant, a.python, a.empty, a.subtracted) == ("a", "CPython 3.13.0", 1e-8, True)
    assert b.time is not None
    assert b.time.low <= b.time.seconds <= b.time.high
    assert [i.specialised for i in b.code[0].instructions] == ["", "C"]
    assert "statement" not in kinds(result)


def test_a_single_statement_is_measured_against_itself(tmp_path: Path) -> None:
    result = compare(tmp_path, A)
    assert [f.variant for f in result.found.loops] == ["a", "a (again)"]


def test_repeat_is_the_number_of_blocks_and_number_that_of_loops(tmp_path: Path) -> None:
    blocks = compare(tmp_path, number=77, repeat=4, budget=99.0).recorded.blocks
    assert [b.loops for b in blocks] == [77] * 4


@pytest.mark.parametrize(
    ("fast", "slow", "loops"),
    [
        (50.0, 60.0, 1000),  # nanoseconds of a loop: turns of 50 µs
        (2e4, 3e4, 2),
        (1e7, 2e7, 1),
        (50.0, 1e6, 2),  # longer than 2 ms no turn need be
        (50.0, 1e7, 1),
    ],
)
def test_a_turn_is_as_short_as_the_clock_allows(
    fast: float, slow: float, loops: int, tmp_path: Path
) -> None:
    seen = {"a": {"loop": slow}, "b": {"loop": fast}}
    times = {"a": slow * 1e-9, "b": fast * 1e-9}
    blocks = compare(tmp_path, seen=seen, times=times, repeat=2).recorded.blocks
    assert [b.loops for b in blocks] == [loops] * 2


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (["#3"], ["#4"]),
        (["list", "(", "#1", ")"], ["tuple", "(", "#1", ")"]),
        (["an iterator: map"], ["list", "(", "#1", ")"]),
        (["#3"], ["#3", "#3"]),
    ],
)
def test_other_values_are_bad_input(
    tmp_path: Path, a: list[str], b: list[str], golden: Hear
) -> None:
    seen = {"a": {"value": a, "shown": "A"}, "b": {"value": b, "shown": "B"}}
    with pytest.raises(UserError) as error:
        compare(tmp_path, seen=seen)
    golden(str(error.value))
    assert compare(tmp_path, seen=seen, different=True).judged.verdicts


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (["#0.3"], ["#0.30000000000000004"]),
        (["#1"], ["#1.0"]),
        (["None"], ["#3"]),
        (["?Match"], ["?SRE_Match"]),
        (None, ["#3"]),
    ],
)
def test_equal_values_and_none_can_be_compared(tmp_path: Path, a: Any, b: Any) -> None:
    assert compare(tmp_path, seen={"a": {"value": a}, "b": {"value": b}}).judged.verdicts


@pytest.mark.parametrize(
    "odd",
    [
        {"changed": [{"name": "x", "how": "grows", "lengths": [0, 1, 2, 8]}]},
        {"changed": [{"name": "x", "how": "once", "lengths": []}]},
        {"changed": [{"name": "x", "how": "always", "lengths": []}]},
        {"later": "4"},
        {"left": 2.0},
        {"folded": [["2**10", "1024"]]},
        {"code": [{"name": "statement", "instructions": [["NOP", "", ""]]}]},
        {"code": [{"name": "statement", "instructions": [["LOAD_CONST", "1", ""]]}]},
    ],
    ids=lambda odd: "-".join(odd),
)
def test_what_makes_a_loop_another_thing_than_one_run_is_said(
    tmp_path: Path, odd: dict[str, Any], golden: Hear
) -> None:
    result = compare(tmp_path, seen={"b": odd})
    (warning,) = [c for c in result.judged.confounds if c.kind == "statement"]
    assert warning.variants == ("b",)
    golden(warning.text)


def test_a_loop_that_is_hardly_more_than_an_empty_one_is_not_subtracted(tmp_path: Path) -> None:
    result = compare(tmp_path, seen={"b": {"loop": 11.0}})
    assert not any(f.subtracted for f in result.found.loops)
    assert "loop-overhead" in kinds(result)


def test_nothing_is_subtracted_where_a_statement_has_nothing_to_run(tmp_path: Path) -> None:
    code = [{"name": "statement", "instructions": [["NOP", "", ""]]}]
    result = compare(tmp_path, seen={"a": {"code": code, "loop": 60.0}})
    assert [f.subtracted for f in result.found.loops] == [False, False]
    assert "loop-overhead" in kinds(result)


def test_interpreters_that_were_built_otherwise_are_a_confound(tmp_path: Path) -> None:
    other = {"version": "3.11.0", "variables": {"CONFIG_ARGS": "--enable-optimizations"}}
    result = compare(tmp_path, seen={"b": other})
    (warning,) = [c for c in result.judged.confounds if c.kind == "interpreter-builds"]
    assert "PGO" in warning.text


def test_what_the_driver_finds_wrong_is_bad_input(tmp_path: Path, golden: Hear) -> None:
    with pytest.raises(UserError) as error:
        compare(tmp_path, seen={"b": {"error": "NameError: name 'y' is not defined"}})
    golden(str(error.value))


def test_a_program_that_is_no_python_is_bad_input(tmp_path: Path, golden: Hear) -> None:
    world = World()
    world.launcher = Replay({"py": lambda argv: said("usage: py\n", 1)})
    with pytest.raises(UserError) as error:
        run_timeit((A, B), TimeitOptions(), own(tmp_path), Watcher(), services=world.services())
    golden(str(error.value))


def test_in_the_real_world_a_longer_list_takes_longer(tmp_path: Path) -> None:
    setup = "x, y = [1] * 50, [1] * 5000"
    small = TimedSide("small", (sys.executable,), setup, "sum(x) and 1")
    large = replace(small, name="large", statement="sum(y) and 1")
    options = TimeitOptions(budget=60.0, repeat=12)
    result = run_timeit((small, large), options, own(tmp_path), Watcher())
    (verdict,) = result.judged.verdicts
    assert verdict.outcome == "slower"
    assert 5 < verdict.ratio < 500
