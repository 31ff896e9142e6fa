"""The turn protocol as the files for C, Rust, Go, JavaScript and Java speak it, over real pipes."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.unit.turns.child import Start, starting

import whyfast

INCLUDE = Path(whyfast.__file__).parent / "turns/include"

C = """
#include "whyfast_turn.h"

static uint64_t sum(void *state, uint64_t loops)
{
    volatile uint64_t total = 0;

    if (*(int *)state)
        whyfast_turn_fail("it\\nbroke");
    for (uint64_t i = 0; i < loops; i++) {
        total = 0;
        for (uint64_t n = 0; n < 100; n++)
            total = total + n;
    }
    return total;
}

int main(int argc, char **argv)
{
    int bad = argc > 1 && !strcmp(argv[1], "bad");

    return whyfast_turns(sum, &bad);
}
"""

RUST = """
mod whyfast_turn;
fn main() {
    if std::env::args().any(|word| word == "none") {
        whyfast_turn::lacks("has no such thing");
    }
    let table: Vec<u64> = (0..100).collect();
    whyfast_turn::bench_checked("sum", || std::hint::black_box(&table).iter().sum::<u64>());
    whyfast_turn::bench("other", || 1);
    whyfast_turn::bench("bad", || { if std::hint::black_box(true) { panic!("it\\nbroke") } });
}
"""

GO = """
package main

import (
	"os"
	"strconv"

	"demo/whyfastturn"
)

func main() {
	table := make([]uint64, 100)
	for i := range table {
		table[i] = uint64(i)
	}
	if len(os.Args) > 1 && os.Args[1] == "none" {
		whyfastturn.Lacks("has no such thing")
	}
	whyfastturn.Take(func(loops uint64) string {
		var sum uint64
		for range loops {
			sum = 0
			for _, x := range table {
				sum += x
			}
		}
		if len(os.Args) > 1 && os.Args[1] == "bad" {
			panic("it\\nbroke")
		}
		return strconv.FormatUint(sum, 10)
	})
}
"""

GO_TEST = """
package main

import (
	"testing"

	"demo/whyfastturn"
)

var seen int

func BenchmarkOther(b *testing.B) { b.Skip("not here") }

func BenchmarkCount(b *testing.B) {
	for i := 0; i < b.N; i++ {
		seen++
	}
}

func TestMain(m *testing.M) { whyfastturn.Main(m, BenchmarkOther, BenchmarkCount) }
"""

JAVASCRIPT = """
import { bench, lacks } from "./whyfast_turn.mjs";
if (process.argv.includes("none")) lacks("has no such thing");
const table = Array.from({ length: 100 }, (_, i) => i);
await bench("sum", () => table.reduce((a, b) => a + b), { warmup: 20 });
await bench("other", async () => 1, { warmup: 20 });
await bench("bad", () => { throw new Error("it\\nbroke"); }, { warmup: 0 });
"""

JAVA = """
public final class Demo {
    public static void main(String[] args) {
        if (args.length > 0 && args[0].equals("none")) {
            WhyfastTurn.lacks("has no such thing");
        }
        int[] table = new int[100];
        for (int i = 0; i < table.length; i++) {
            table[i] = i;
        }
        WhyfastTurn turns = new WhyfastTurn(args).warmup(20);
        turns.bench("sum", () -> java.util.Arrays.stream(table).sum());
        turns.bench("other", () -> 1);
        turns.bench("bad", () -> { throw new IllegalStateException("it\\nbroke"); });
    }
}
"""


def _tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def _run(*command: object, cwd: Path) -> None:
    env = {**os.environ, "GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOTOOLCHAIN": "local"}
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


#: How C is compiled; C++ as well.
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2", f"-I{INCLUDE}")


def _c(folder: Path) -> list[str]:
    (folder / "main.c").write_text(C)
    _run(_tool("gcc"), "-std=c99", *WARNINGS, "main.c", "-o", "program", cwd=folder)
    return [str(folder / "program")]


@pytest.mark.parametrize(
    ("compiler", "standard"), [("gcc", "c11"), ("gcc", "gnu11"), ("g++", "c++11"), ("g++", "c++17")]
)
def test_the_header_is_c_and_cpp(tmp_path: Path, compiler: str, standard: str) -> None:
    name = "main.c" if compiler == "gcc" else "main.cpp"
    (tmp_path / name).write_text(C)
    _run(_tool(compiler), f"-std={standard}", *WARNINGS, "-fsyntax-only", name, cwd=tmp_path)


def _rust(folder: Path) -> list[str]:
    (folder / "main.rs").write_text(RUST)
    shutil.copy(INCLUDE / "whyfast_turn.rs", folder)
    warnings = ("-D", "warnings", "--edition", "2021")
    _run(_tool("rustc"), "-O", *warnings, "main.rs", "-o", "program", cwd=folder)
    return [str(folder / "program")]


def _go_module(folder: Path) -> str:
    go = _tool("go")
    (folder / "go.mod").write_text("module demo\n\ngo 1.22\n")
    (folder / "main.go").write_text(GO)
    (folder / "main_test.go").write_text(GO_TEST)
    shutil.copytree(INCLUDE / "whyfastturn", folder / "whyfastturn")
    return go


def _go(folder: Path) -> list[str]:
    _run(_go_module(folder), "build", "-o", "program", ".", cwd=folder)
    return [str(folder / "program")]


def _javascript(folder: Path) -> list[str]:
    (folder / "main.mjs").write_text(JAVASCRIPT)
    shutil.copy(INCLUDE / "whyfast_turn.mjs", folder)
    return [_tool("node"), str(folder / "main.mjs")]


def _java(folder: Path) -> list[str]:
    (folder / "Demo.java").write_text(JAVA)
    shutil.copy(INCLUDE / "WhyfastTurn.java", folder)
    _run(
        _tool("javac"),
        *("-Xlint:all", "-Werror", "-d", ".", "Demo.java", "WhyfastTurn.java"),
        cwd=folder,
    )
    return [_tool("java"), "-cp", str(folder), "Demo"]


@dataclass(frozen=True)
class Program:
    """Of C and Go it has one benchmark, of others several, of which arguments name one."""

    command: list[str]
    language: str

    @property
    def named(self) -> bool:
        return self.language not in ("c", "go")


_MAKERS = {"c": _c, "rust": _rust, "go": _go, "javascript": _javascript, "java": _java}


@pytest.fixture(scope="module", params=list(_MAKERS))
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Program:
    folder = tmp_path_factory.mktemp(request.param)
    return Program(_MAKERS[request.param](folder), request.param)


@pytest.fixture
def start() -> Iterator[Start]:
    with starting() as begin:
        yield begin


def seconds(line: str, check: str = " (4950|0x1356)") -> float:
    match = re.fullmatch(r"(\d+\.\d{9})" + check + r"\n", line)
    assert match, line
    return float(match[1])


def test_turns_are_answered_in_order(program: Program, start: Start) -> None:
    turns = start(*program.command)
    turns.grant("1000000\n" + "1\n" * 1000)
    assert turns.line() == "ready 1\n"
    assert seconds(turns.line()) > 10 * seconds(turns.line())
    for _ in range(999):
        seconds(turns.line())
    assert turns.finish() == 0
    assert turns.line() == ""


def test_a_grant_in_pieces(program: Program, start: Start) -> None:
    turns = start(*program.command)
    assert turns.line() == "ready 1\n"
    for piece in ("1", "0", "0\n10\n"):
        turns.grant(piece)
    seconds(turns.line())
    seconds(turns.line())
    assert turns.finish() == 0


@pytest.mark.parametrize(
    "grant",
    [
        *("0\n", "\n", "-1\n", "+1\n", " 1\n", "1 \n", "1\r\n"),
        *("0x10\n", "1e3\n", f"{2**64 + 5}\n"),
    ],
)
def test_a_malformed_grant(program: Program, start: Start, grant: str) -> None:
    turns = start(*program.command)
    turns.grant(grant)
    assert turns.line() == "ready 1\n"
    assert turns.line() == "error malformed grant\n"
    assert turns.process.wait(timeout=60) == 2


def test_a_grant_before_a_malformed_one_is_answered(program: Program, start: Start) -> None:
    turns = start(*program.command)
    turns.grant("1\nx\n")
    assert turns.line() == "ready 1\n"
    seconds(turns.line())
    assert turns.line() == "error malformed grant\n"


def test_a_grant_cut_short(program: Program, start: Start) -> None:
    turns = start(*program.command)
    assert turns.line() == "ready 1\n"
    turns.grant("12")
    assert turns.finish() == 2
    assert turns.line() == "error malformed grant\n"


def test_a_workload_that_fails(program: Program, start: Start) -> None:
    turns = start(*program.command, "bad")
    turns.grant("1\n")
    lines = [line for line in iter(turns.line, "") if line != "ready 1\n"]
    assert len(lines) == 1
    assert re.match(r"error .*it broke", lines[0])
    assert turns.process.wait(timeout=60) not in (0, 2)


def test_a_benchmark_by_name(program: Program, start: Start) -> None:
    if not program.named:
        pytest.skip("its program has one benchmark")
    turns = start(*program.command, "other")
    turns.grant("10\n")
    assert turns.line() == "ready 1\n"
    seconds(turns.line(), "( 1)?")
    assert turns.finish() == 0


def test_a_benchmark_that_is_lacking(program: Program, start: Start) -> None:
    if program.language == "c":
        pytest.skip("whyfast_turn.h has one benchmark")
    turns = start(*program.command, "none")
    assert turns.line() == "lacks has no such thing\n"
    assert turns.process.wait(timeout=60) == 0


@pytest.mark.parametrize("value", ["", "3", "3,", "3,x", "3,-4", "-3,4", "3, 4", "3,4,5"])
def test_a_malformed_variable(program: Program, value: str) -> None:
    done = subprocess.run(
        program.command,
        env={**os.environ, "WHYFAST_TURN": value},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert "WHYFAST_TURN is malformed" in done.stderr


def test_by_hand(program: Program) -> None:
    words = ["sum"] if program.named else []
    env = {k: v for k, v in os.environ.items() if k != "WHYFAST_TURN"}
    done = subprocess.run(
        [*program.command, *words], env=env, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0
    assert re.fullmatch(
        r"(sum: )?\d+\.\d ns per loop \(fastest of 7 values of \d+ loops\), check (4950|0x1356)\n",
        done.stdout,
    )


def test_benchmarks_of_testing_take_turns(tmp_path: Path, start: Start) -> None:
    _run(_go_module(tmp_path), "test", "-c", "-o", "program", ".", cwd=tmp_path)
    program = [str(tmp_path / "program")]
    turns = start(*program, "-test.bench=^BenchmarkCount$")
    turns.grant("10000000\n10\n")
    assert turns.line() == "ready 1\n"
    assert seconds(turns.line(), "") > 100 * seconds(turns.line(), "")
    assert turns.finish() == 0
    skipped = start(*program, "-test.bench=Other")
    skipped.grant("10\n")
    assert [skipped.line(), skipped.line()] == ["ready 1\n", "error the benchmark is skipped\n"]
    assert "lacks no benchmark" in start(*program, "-test.bench=Nothing").line()
    _run(*program, "-test.bench=Count", "-test.benchtime=10x", cwd=tmp_path)
