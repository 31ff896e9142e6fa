"""Source lines of what carries a difference, and the code of both sides with its counts."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.compiled import compile_text

from whyfast.explain.executed import Executed, LoadedCode
from whyfast.model.why import Change, CountedCode, SourcePlace
from whyfast.why.counts import SideCounts
from whyfast.why.functions import FunctionKey, FunctionTime
from whyfast.why.groups import FunctionGroup, SideCode
from whyfast.why.hot_code import call_place, counted_code, place_of

SOURCE = """\
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) int work(const char *text, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += STEP(text[i]);
    return sum;
}

int main(int argc, char **argv)
{
    puts(argv[0]);
    for (int i = 0; i < argc; i++) {
        size_t length = strlen(argv[i]);
        printf("%d %zu\\n", work(argv[i], 10), length);
    }
    puts("end");
    return 0;
}
"""
WHOLE = Change(1.0, 3.0, 1.9, 2.1)
ONE_EACH = 1_000.0

Build = Callable[..., Path]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """``build(step, *flags)`` → the program whose loop does ``step`` with each letter."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    folder = tmp_path_factory.mktemp("hot")

    def run(step: str, *flags: str) -> Path:
        out = folder / f"program{len(list(folder.iterdir()))}"
        words = ("-O1", "-fno-inline", "-fno-builtin", "-no-pie", f"-DSTEP(x)={step}")
        return compile_text(SOURCE, out, *words, *flags, name="hot.c")

    return run


def _addresses(path: Path, name: str) -> dict[int, str]:
    """The instructions of a function with their text."""
    program = LoadedCode(path).program
    (function,) = (f for f in program.functions if f.name == name)
    text = program.image.read(function.address, function.size)
    return dict(program.disassembler.text(text, function.address))


def _group(name: str, places: Mapping[str, Mapping[str, Mapping[int, float]]]) -> FunctionGroup:
    """A function of the program, of which ``places`` has the weights by side, file and address."""
    key = FunctionKey("", name)
    group = FunctionGroup(
        [FunctionTime(key, Change(1.0, 3.0, 1.9, 2.1), symbols=frozenset({name}))]
    )
    for side, files in places.items():
        executed = Executed()
        for weights in files.values():
            executed.places.update(weights)
        group.executed[side] = executed
    return group


def _side(name: str, path: Path, weights: Mapping[int, float]) -> SideCode:
    return SideCode(name, SideCounts(places={str(path): dict(weights)}))


def _sides(fast: Path, slow: Path, name: str = "work") -> tuple[FunctionGroup, SideCode, SideCode]:
    """The group of a function that ran once an instruction on the fast side, twice on the slow."""
    weights = {
        "fast": dict.fromkeys(_addresses(fast, name), ONE_EACH),
        "slow": dict.fromkeys(_addresses(slow, name), 2 * ONE_EACH),
    }
    places = {"fast": {str(fast): weights["fast"]}, "slow": {str(slow): weights["slow"]}}
    sides = _side("fast", fast, weights["fast"]), _side("slow", slow, weights["slow"])
    return (_group(name, places), *sides)


def test_the_place_is_the_line_of_the_hottest_instructions(build: Build) -> None:
    program = build("x * x", "-g")
    code = LoadedCode(program)
    hot = {a: 1_000_000.0 for a, line in _lines(code, "work").items() if line == "hot.c:8"}
    cold = dict.fromkeys(_lines(code, "work").keys() - hot, 1.0)
    group = _group("work", {"slow": {str(program): hot | cold}})
    assert place_of(group, _side("slow", program, hot | cold)) == SourcePlace(file="hot.c", line=8)


def test_what_never_ran_has_the_line_of_its_first_instruction(build: Build) -> None:
    program = build("x", "-g")
    group = _group("work", {"slow": {str(program): {}}})
    assert place_of(group, _side("slow", program, {})) == SourcePlace(file="hot.c", line=7)


def test_without_debug_information_there_is_no_line(build: Build) -> None:
    group, _, slow = _sides(build("x"), build("x + 1"))
    assert place_of(group, slow) == SourcePlace()


def test_the_line_that_calls_a_function(build: Build) -> None:
    code = LoadedCode(build("x", "-g"))
    assert call_place(code, "main", {"work"}) == SourcePlace(file="hot.c", line=17)
    assert call_place(code, "main", {"strlen"}) == SourcePlace(file="hot.c", line=16)
    assert call_place(code, "main", {"fork"}) is None
    assert call_place(code, "nowhere", {"work"}) is None


def test_of_two_lines_that_call_it_the_one_that_ran_most(build: Build) -> None:
    program = build("x", "-g")
    code = LoadedCode(program)
    assert call_place(code, "main", {"puts"}) is None
    for line in (14, 19):
        calls = {
            address: 5.0
            for address, at in _lines(code, "main").items()
            if at == f"hot.c:{line}" and "call" in _addresses(program, "main").get(address, "")
        }
        group = _group("main", {"slow": {str(program): calls}})
        assert call_place(code, "main", {"puts"}, group, "slow") == SourcePlace(
            file="hot.c", line=line
        )


def test_a_function_of_a_library_has_the_line_of_its_caller(build: Build) -> None:
    program = build("x", "-g")
    key = FunctionKey("libc.so.6", "strlen")
    group = FunctionGroup([FunctionTime(key, WHOLE)])
    group.executed["slow"] = Executed()
    group.callers["slow"] = [FunctionKey("libc.so.6", "vfprintf"), FunctionKey("", "main")]
    assert place_of(group, _side("slow", program, {})) == SourcePlace(file="hot.c", line=16)


def _counted(fast: Path, slow: Path) -> CountedCode:
    group, *sides = _sides(fast, slow)
    code = counted_code([group], WHOLE, *sides)
    assert code is not None
    return code


def test_both_sides_are_beside_each_other_with_how_often_they_ran(build: Build) -> None:
    code = _counted(build("x", "-g"), build("x * 3", "-g"))
    assert (code.fast, code.slow, code.unit) == ("work", "work", "executions")
    both = [row for row in code.rows if row.fast and row.slow]
    assert {(row.fast.amount, row.slow.amount) for row in both if row.fast and row.slow} == {
        (ONE_EACH, 2 * ONE_EACH)
    }
    assert any(row.differs for row in code.rows)
    assert any(not row.differs for row in code.rows)
    assert {row.slow.source for row in both if row.slow} >= {"hot.c:8"}


def test_sampled_amounts_are_seconds(build: Build) -> None:
    fast, slow = build("x"), build("x * 3")
    group, _, _ = _sides(fast, slow)
    time = group.main.time
    places = {side: {str(p): {0: 1.0}} for side, p in (("fast", fast), ("slow", slow))}
    group.members = [FunctionTime(group.main.key, time, places, frozenset({"work"}))]
    code = counted_code([group], WHOLE, SideCode("fast"), SideCode("slow"))
    assert code is not None
    assert code.unit == "seconds"


def test_rows_that_hardly_ran_are_left_out_and_counted(build: Build) -> None:
    program = build("x", "-g")
    every = sorted(_addresses(program, "work"))
    weights = dict.fromkeys(every, 1.0) | {every[-1]: 1_000_000.0}
    group = _group("work", {s: {str(program): weights} for s in ("fast", "slow")})
    sides = (_side(s, program, weights) for s in ("fast", "slow"))
    code = counted_code([group], WHOLE, *sides)
    assert code is not None
    assert len(code.rows) == 3
    assert code.rows[0].skipped + len(code.rows) + code.last <= len(every)
    assert code.rows[0].skipped > 0


def test_no_code_of_what_carries_little_or_is_a_library(build: Build) -> None:
    group, fast, slow = _sides(build("x"), build("x * 3"))
    little = Change(1.0, 101.0, 99.0, 101.0)
    assert counted_code([group], little, fast, slow) is None
    group.members = [FunctionTime(FunctionKey("libc.so.6", "work"), WHOLE)]
    assert counted_code([group], WHOLE, fast, slow) is None


def _lines(code: LoadedCode, name: str) -> dict[int, str]:
    """The source line of each instruction of a function."""
    (function,) = (f for f in code.program.functions if f.name == name)
    starts = code.lines.of([(function.address, function.end)])
    lines: dict[int, str] = {}
    line = ""
    for address in _addresses(code.path, name):
        line = starts.get(address, line)
        lines[address] = line
    return lines
