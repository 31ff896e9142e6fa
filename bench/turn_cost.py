"""What a turn costs in each language: from grant to answer, beside what the program timed.

    python -m bench.turn_cost [--turns 2000]

A program of each language that the machine has a toolchain for serves turns of one loop of next to
nothing. The table has the median of what lies around the work in a turn, its 95th percentile, and
the seconds from the start of the process to its first turn, warm-up included.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from whyfast.measure.invocation import LaunchArguments
from whyfast.measure.process import usable_cpus
from whyfast.measure.turns import TurnRunner

INCLUDE = Path(__file__).resolve().parents[1] / "src/whyfast/turns/include"

_C = """#include "whyfast_turn.h"
static uint64_t run(void *state, uint64_t loops)
{ volatile uint64_t n = 0; (void)state; for (uint64_t i = 0; i < loops; i++) n += 1; return 1; }
int main(void) { return whyfast_turns(run, 0); }
"""
_PYTHON = """from whyfast_turn import take_turns
def run(loops):
    for _ in range(loops):
        pass
take_turns(run)
"""
_RUST = """mod whyfast_turn;
fn main() { whyfast_turn::bench("x", || 1); }
"""
_GO = """package main
import "demo/whyfastturn"
var n uint64
func main() {
	whyfastturn.Take(func(loops uint64) string { for range loops { n++ }; return "" })
}
"""
_GO_TEST = """package main
import ("testing"; "demo/whyfastturn")
func BenchmarkX(b *testing.B) { for i := 0; i < b.N; i++ { n++ } }
func TestMain(m *testing.M) { whyfastturn.Main(m, BenchmarkX) }
"""
_JAVASCRIPT = """import { bench } from "./whyfast_turn.mjs";
await bench("x", () => 1);
"""
_JAVA = """public final class Demo {
    public static void main(String[] args) { new WhyfastTurn(args).bench("x", () -> 1); }
}
"""


def _needs(*tools: str) -> None:
    if missing := [tool for tool in tools if shutil.which(tool) is None]:
        raise FileNotFoundError(f"{', '.join(missing)} is not installed")


def _run(folder: Path, *words: object) -> None:
    env = {**os.environ, "GOFLAGS": "-mod=mod", "GOPROXY": "off"}
    subprocess.run([str(w) for w in words], cwd=folder, env=env, check=True)


def _c(folder: Path) -> tuple[str, ...]:
    _needs("gcc")
    (folder / "main.c").write_text(_C)
    _run(folder, "gcc", "-O2", f"-I{INCLUDE}", "main.c", "-o", "program")
    return (str(folder / "program"),)


def _python(folder: Path) -> tuple[str, ...]:
    (folder / "main.py").write_text(_PYTHON)
    shutil.copy(INCLUDE / "whyfast_turn.py", folder)
    return (sys.executable, "-S", str(folder / "main.py"))


def _rust(folder: Path) -> tuple[str, ...]:
    _needs("rustc")
    (folder / "main.rs").write_text(_RUST)
    shutil.copy(INCLUDE / "whyfast_turn.rs", folder)
    _run(folder, "rustc", "-O", "--edition", "2021", "main.rs", "-o", "program")
    return (str(folder / "program"),)


def _module(folder: Path) -> None:
    _needs("go")
    (folder / "go.mod").write_text("module demo\n\ngo 1.22\n")
    (folder / "main.go").write_text(_GO)
    (folder / "main_test.go").write_text(_GO_TEST)
    shutil.copytree(INCLUDE / "whyfastturn", folder / "whyfastturn")


def _go(folder: Path) -> tuple[str, ...]:
    _module(folder)
    _run(folder, "go", "build", "-o", "program", ".")
    return (str(folder / "program"),)


def _go_test(folder: Path) -> tuple[str, ...]:
    _module(folder)
    _run(folder, "go", "test", "-c", "-o", "program", ".")
    return (str(folder / "program"), "-test.bench=X")


def _javascript(folder: Path) -> tuple[str, ...]:
    _needs("node")
    (folder / "main.mjs").write_text(_JAVASCRIPT)
    shutil.copy(INCLUDE / "whyfast_turn.mjs", folder)
    return ("node", str(folder / "main.mjs"))


def _java(folder: Path) -> tuple[str, ...]:
    _needs("javac", "java")
    (folder / "Demo.java").write_text(_JAVA)
    shutil.copy(INCLUDE / "WhyfastTurn.java", folder)
    _run(folder, "javac", "-d", ".", "Demo.java", "WhyfastTurn.java")
    return ("java", "-cp", str(folder), "Demo")


PROGRAMS: dict[str, Callable[[Path], tuple[str, ...]]] = {
    "C": _c,
    "Rust": _rust,
    "Go": _go,
    "Go, testing.B": _go_test,
    "Python": _python,
    "JavaScript (Node.js)": _javascript,
    "Java": _java,
}


def cost(command: tuple[str, ...], turns: int) -> tuple[float, float, float]:
    """(median, 95th percentile, seconds to the first turn); of a turn beside the work, seconds."""
    arguments = LaunchArguments({"x": command}, dict(os.environ), 60.0)
    began = time.perf_counter()
    program = TurnRunner(arguments).enter("x", cpu=usable_cpus()[0], pad=0)
    started = time.perf_counter() - began
    beside = []
    try:
        for _ in range(turns):
            granted = time.perf_counter()
            sample = program.turn(1)
            beside.append(time.perf_counter() - granted - sample.seconds)
    finally:
        program.close()
    return statistics.median(beside), statistics.quantiles(beside, n=20)[-1], started


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=2000)
    args = parser.parse_args()
    print("| language | a turn costs | 95th percentile | start |\n| --- | ---: | ---: | ---: |")
    for name, make in PROGRAMS.items():
        with tempfile.TemporaryDirectory() as folder:
            try:
                command = make(Path(folder))
            except FileNotFoundError as error:
                print(f"{name}: {error}", file=sys.stderr)
                continue
            middle, most, start = cost(command, args.turns)
        cells = f"{middle * 1e6:.0f} µs | {most * 1e6:.0f} µs | {start * 1e3:.0f} ms"
        print(f"| {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
