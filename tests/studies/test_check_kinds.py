"""Every kind of project: a small one by the real tool, `whyfast new`, and checks of changes."""

import platform
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.studies.searches import without_account

from whyfast.cli.main import main
from whyfast.investigate.check_run import Request, run_check
from whyfast.investigate.services import Silent
from whyfast.model.code import Check
from whyfast.model.result import Result
from whyfast.report.sections.check import check_sentences
from whyfast.store.home import Home

C_MAIN = """\
#include <stdio.h>
int work(int n);
int main(void)
{
    printf("%d\\n", work(200000));
    return 0;
}
"""
C_WORK = """\
int work(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += i * 3 ^ sum;
    return sum;
}
"""
RUST = """\
#[inline(never)]
fn work(n: u32) -> u32 {
    let mut sum = 0u32;
    for i in 0..n { sum = sum.wrapping_add(i.wrapping_mul(3)) ^ sum; }
    sum
}
fn main() { println!("{}", work(200000)); }
"""
GO = """\
package main

//go:noinline
func work(n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		sum += i*3 ^ sum
	}
	return sum
}

func main() { println(work(200000)) }
"""
GO_TEST = """\
package main

import "testing"

func BenchmarkWork(b *testing.B) {
	for i := 0; i < b.N; i++ {
		work(100)
	}
}
"""
GOOGLE = """\
#include <benchmark/benchmark.h>
__attribute__((noinline)) int work(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += i * 3 ^ sum;
    return sum;
}
static void BM_work(benchmark::State &state)
{
    for (auto _ : state)
        benchmark::DoNotOptimize(work(1000));
}
BENCHMARK(BM_work);
"""
CRITERION = """\
use criterion::{criterion_group, criterion_main, Criterion};
fn all(c: &mut Criterion) { c.bench_function("work", |b| b.iter(|| prog::work(1000))); }
criterion_group!(benches, all);
criterion_main!(benches);
"""
PYTHON = """\
def work(n):
    total = 0
    for i in range(n):
        total += i * 3 ^ total
    return total

SUM = work(2000)
"""


@dataclass(frozen=True)
class Kind:
    """The files of a project, the tools that it needs, the file to change, and how: ``(old, new)``
    of a change that does nothing and of one that does. ``executes`` is the changed function that
    its benchmark is seen to execute, where that is looked at."""

    files: dict[str, str]
    tools: tuple[str, ...]
    change: str
    harmless: tuple[str, str]
    harmful: tuple[str, str]
    header: str = ""
    executes: str = ""


_C = ("int sum = 0;", "int sum = 0; /* from nothing */"), ("i * 3", "i * 5")
KINDS = {
    "c": Kind({"main.c": C_MAIN, "work.c": C_WORK}, ("cc",), "work.c", *_C),
    "make": Kind(
        {
            "main.c": C_MAIN,
            "work.c": C_WORK,
            "Makefile": "PROG = prog\nall: $(PROG)\n"
            "$(PROG): main.o work.o\n\t$(CC) $(CFLAGS) -o $@ main.o work.o\n",
        },
        ("make", "cc"),
        "work.c",
        *_C,
    ),
    "cmake": Kind(
        {
            "main.c": C_MAIN,
            "work.c": C_WORK,
            "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(x C)\n"
            "add_executable(prog main.c work.c)\n",
        },
        ("cmake", "make", "cc"),
        "work.c",
        *_C,
    ),
    "meson": Kind(
        {
            "main.c": C_MAIN,
            "work.c": C_WORK,
            "meson.build": "project('x', 'c')\nexecutable('prog', 'main.c', 'work.c')\n",
        },
        ("meson", "ninja", "cc"),
        "work.c",
        *_C,
    ),
    "cargo": Kind(
        {
            "Cargo.toml": '[package]\nname = "prog"\nversion = "0.1.0"\nedition = "2021"\n',
            "Cargo.lock": 'version = 3\n\n[[package]]\nname = "prog"\nversion = "0.1.0"\n',
            "src/main.rs": RUST,
        },
        ("cargo",),
        "src/main.rs",
        ("let mut sum = 0u32;", "let mut sum = 0u32; // from nothing"),
        ("wrapping_mul(3)", "wrapping_mul(5)"),
    ),
    "go": Kind(
        {"go.mod": "module example.org/prog\n\ngo 1.20\n", "main.go": GO},
        ("go",),
        "main.go",
        ("sum := 0", "sum := 0 // from nothing"),
        ("i*3", "i*5"),
    ),
    "go test": Kind(
        {"go.mod": "module example.org/prog\n\ngo 1.20\n", "main.go": GO, "x_test.go": GO_TEST},
        ("go",),
        "main.go",
        ("sum := 0", "sum := 0 // from nothing"),
        ("i*3", "i*5"),
        executes="example.org/prog.work",
    ),
    "google benchmark": Kind(
        {
            "timed.cc": GOOGLE,
            "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(x CXX)\n"
            "find_package(benchmark REQUIRED)\nadd_executable(timed timed.cc)\n"
            "target_link_libraries(timed PRIVATE benchmark::benchmark_main)\n",
        },
        ("cmake", "make", "c++"),
        "timed.cc",
        *_C,
        header="benchmark/benchmark.h",
        executes="work(int)",
    ),
    "criterion": Kind(
        {
            "Cargo.toml": '[package]\nname = "prog"\nversion = "0.1.0"\nedition = "2021"\n'
            '[dev-dependencies]\ncriterion = { version = "0.5", default-features = false }\n'
            '[[bench]]\nname = "all"\nharness = false\n',
            "src/lib.rs": RUST.replace("fn work", "pub fn work").partition("fn main")[0],
            "benches/all.rs": CRITERION,
        },
        ("cargo",),
        "src/lib.rs",
        ("let mut sum = 0u32;", "let mut sum = 0u32; // from nothing"),
        ("wrapping_mul(3)", "wrapping_mul(5)"),
        executes="prog::work",
    ),
    "python": Kind(
        {
            "pyproject.toml": '[project]\nname = "prog"\nversion = "0.1"\n',
            "src/prog/__init__.py": PYTHON,
        },
        ("python3",),
        "src/prog/__init__.py",
        ("total = 0", "total = 0  # from nothing"),
        ("i * 3", "i * 5"),
    ),
}


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=n", "-c", "user.email=e@e"]
    subprocess.run(["git", *who, "-C", str(folder), *words], check=True)


@pytest.fixture
def check(own_home: Home) -> Callable[[], Result]:
    """Run a check in the current folder with a short budget."""

    def run() -> Result:
        request = Request(Path.cwd(), budget=1.0)
        return run_check(request, own_home, Silent(), services=without_account())

    return run


#: This brings what it needs from the registry, and compiles it.
FETCHED = "criterion"
#: A simulation of Go's runtime and its testing package takes half a minute.
LONG = (FETCHED, "go test")
#: Without the change that does nothing: by the same compiler or build system, from the folder of
#: the sources or from one beside it, as ``c`` and ``cmake``.
AS_C = ("make", "meson", "google benchmark")


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.long] if n in LONG else []) for n in KINDS]
)
def test_new_writes_what_builds_and_check_tells_changes_apart(
    name: str, check: Callable[[], Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = KINDS[name]
    for tool in kind.tools:
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    if kind.header and not Path("/usr/include", kind.header).is_file():
        pytest.skip(f"{kind.header} is not installed")
    project = tmp_path / "project"
    for file, text in kind.files.items():
        (project / file).parent.mkdir(parents=True, exist_ok=True)
        (project / file).write_text(text)
    git(tmp_path, "init", "-q", "-b", "main", str(project))
    monkeypatch.chdir(project)
    if name == FETCHED:
        subprocess.run(["cargo", "fetch", "--quiet"], check=True)
    assert main(["new"]) == 0
    assert (project / "whyfast.toml").is_file()
    git(project, "add", "-A")
    git(project, "commit", "-qm", "all")

    source = project / kind.change
    old, new = kind.harmless
    source.write_text(source.read_text().replace(old, new))
    if name not in AS_C:
        result = check()
        assert _checked(result).code.same, check_sentences(result)
        assert not result.judged.verdicts

    old, new = kind.harmful
    source.write_text(source.read_text().replace(old, new))
    result = check()
    code = _checked(result).code
    assert not code.same
    # On a machine that is busy, a second may not hold one block.
    late = any("No time was left" in said for said in check_sentences(result))
    assert result.judged.verdicts or result.recorded.blocks or late
    if name == FETCHED:
        assert [b.runner for b in result.question.benchmarks] == ["criterion"]
    if kind.executes:
        (reach,) = _checked(result).reaches
        assert reach.executes == (kind.executes,) or "still running" in reach.why
    if kind.change.endswith(".c") and platform.machine() == "x86_64":
        assert [f.name for f in code.functions] == ["work"]
        assert code.reasons == ()


def _checked(result: Result) -> Check:
    assert result.found.check is not None
    return result.found.check
