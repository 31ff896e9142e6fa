"""Which changed functions a benchmark enters, seen by traps."""

import platform
import shutil
import subprocess
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from whyfast.investigate import check_measuring, trapped
from whyfast.investigate.services import Services, Silent
from whyfast.investigate.trapped import first_runs_reach, functions_entered
from whyfast.measure.count import CountingTask
from whyfast.measure.tools import CannotCount, Launcher, ToolRun
from whyfast.model.code import CodeComparison, FunctionChange
from whyfast.model.variant import Benchmark, Variant

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64" or shutil.which("gcc") is None, reason="needs gcc on x86-64"
)

SOURCE = """\
int puts(const char *);
__attribute__((noinline)) int hot(int n) { return n * 7; }
__attribute__((noinline)) int cold(int n) { return n * 9; }
int main(int n, char **v) {
    puts("{\\"context\\": {}, \\"benchmarks\\": [{\\"name\\": \\"one\\", \\"iterations\\": 1,"
         "\\"real_time\\": 1, \\"cpu_time\\": 1, \\"time_unit\\": \\"ns\\"}]}");
    return n > 100 ? cold(n) : hot(n) == 1;
}
"""

#: ``hot`` runs in a child of a child, where there is a second word.
CHILDREN = """\
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) void cold(void) { write(2, "?", 1); }
__attribute__((noinline)) void *thread(void *p) { usleep(9); return p; }
__attribute__((noinline)) void hot(void) { usleep(1); }
__attribute__((noinline)) void child(int n) {
    if (n > 2 && !fork()) { hot(); _exit(0); }
    wait(0);
}
int main(int n, char **v) {
    pthread_t t[4];
    for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, thread, 0);
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    if (!fork()) { child(n); _exit(0); }
    wait(0);
    return n > 100 ? cold(), 1 : 0;
}
"""


def changed(*names: str, traced: bool = True) -> CodeComparison:
    functions = tuple(FunctionChange(n, "changed", (10, 12), True) for n in names)
    return CodeComparison(False, False, functions, (), traced=traced)


@pytest.mark.parametrize(
    ("runner", "code", "entered"),
    [
        ("google-benchmark", changed("cold"), ()),
        ("google-benchmark", changed("hot"), ("hot",)),
        ("google-benchmark", changed("cold", "hot"), ("hot",)),
        # What has no name gets no trap.
        ("google-benchmark", changed("cold", "none"), None),
        ("google-benchmark", changed("cold", traced=False), ()),
        ("command", changed("cold"), ()),
        ("command", changed("cold", "hot", "main"), ("main", "hot")),
    ],
)
def test_a_run_enters_changed_functions(
    tmp_path: Path, runner: str, code: CodeComparison, entered: tuple[str, ...] | None
) -> None:
    (tmp_path / "p.c").write_text(SOURCE)
    subprocess.run(["gcc", "-O1", "-o", "p", "p.c"], cwd=tmp_path, check=True)
    program = tmp_path / "p"
    run = ToolRun((str(program),), Launcher(), {}, 20.0)
    benchmark = Benchmark("one", cast(Any, runner), ("{program}",))
    tasks = [CountingTask(side, run) for side in ("base", "head")]
    programs = dict.fromkeys(("base", "head"), program)
    assert functions_entered(benchmark, tasks, programs, Path("p"), code) == entered
    assert sorted(f.name for f in tmp_path.iterdir()) == ["p", "p.c"]
    # As that of a macro, which the compiler loads, and then one that the program names.
    shutil.copy(program, tmp_path / "libother.so")
    assert functions_entered(benchmark, tasks, programs, Path("p"), code) == entered
    program.write_bytes(program.read_bytes() + b"libother.so.1")
    assert functions_entered(benchmark, tasks, programs, Path("p"), code) == (entered or None)


@pytest.mark.parametrize(
    ("words", "entered"),
    [
        (("sh", "-c", '"$0" 1 & "$0" 1 2; wait', "{program}"), ("child", "thread", "hot")),
        (("sh", "-c", "{program} 1 | cat"), ("child", "thread")),
        (("sh", "-c", "exit 3", "{program}"), None),
        (("true", "{program}"), None),
    ],
)
def test_children_and_threads_are_seen(
    tmp_path: Path, words: tuple[str, ...], entered: tuple[str, ...] | None
) -> None:
    (tmp_path / "p.c").write_text(CHILDREN)
    subprocess.run(["gcc", "-O1", "-pthread", "-o", "p", "p.c"], cwd=tmp_path, check=True)
    program = tmp_path / "p"
    command = tuple(w.format(program=program) for w in words)
    tasks = [CountingTask("head", ToolRun(command, Launcher(), {}, 20.0))]
    benchmark = Benchmark("one", "command", words)
    code = changed("hot", "child", "thread", "cold")
    found = functions_entered(benchmark, tasks, {"head": program}, Path("p"), code)
    assert found == entered if entered is None else {*(found or ())} == {*entered}


def test_a_build_without_the_benchmark_says_nothing_of_it(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(SOURCE.replace("    puts(", "    (void)("))
    subprocess.run(["gcc", "-O1", "-o", "p", "p.c"], cwd=tmp_path, check=True)
    program = tmp_path / "p"
    task = CountingTask("head", ToolRun((str(program),), Launcher(), {}, 20.0))
    benchmark = Benchmark("one", "google-benchmark", ("{program}",))
    with pytest.raises(CannotCount, match="no benchmark"):
        functions_entered(benchmark, [task], {"head": program}, Path("p"), changed("cold"))


@pytest.mark.parametrize("traced", [True, False])
def test_those_that_execute_changed_functions_are_known_where_other_things_changed_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, traced: bool
) -> None:
    (tmp_path / "p.c").write_text(SOURCE)
    subprocess.run(["gcc", "-O1", "-o", "p", "p.c"], cwd=tmp_path, check=True)
    program = tmp_path / "p"
    run = ToolRun((str(program),), Launcher(), {}, 20.0)
    tasks = [CountingTask("head", run)]
    counter = SimpleNamespace(tasks=lambda benchmark: tasks)
    monkeypatch.setattr(trapped, "BuildCounter", lambda *given: counter)
    monkeypatch.setattr(trapped, "scratch_folder", lambda home: nullcontext(tmp_path))
    context = SimpleNamespace(
        usable=[SimpleNamespace(program=program, variant="head")],
        question=SimpleNamespace(build=SimpleNamespace(program="p")),
        services=Services(),
        observer=Silent(),
        home=None,
    )
    benchmark = Benchmark("one", "google-benchmark", ("{program}",))
    for name, found in (("hot", ["one"]), ("cold", [])):
        code = changed(name, traced=traced)
        assert first_runs_reach(cast(Any, context), [benchmark], code, 20.0) == found


@dataclass(frozen=True)
class _Question:
    in_python = False
    benchmarks: tuple[Benchmark, ...]
    variants: tuple[Variant, ...]


@dataclass(frozen=True)
class _Context:
    question: _Question


@pytest.mark.parametrize(
    ("count", "reached", "kept"),
    [
        (12, [], [*range(12)]),
        (30, [], [*range(12)]),
        (30, [7, 29], [7, 29]),
        (30, [*range(10, 30)], [*range(10, 22)]),
    ],
)
def test_of_many_benchmarks_those_that_execute_the_change_are_measured(
    monkeypatch: pytest.MonkeyPatch, count: int, reached: list[int], kept: list[int]
) -> None:
    monkeypatch.setattr(
        check_measuring, "first_runs_reach", lambda *given: [f"b{i}" for i in reached]
    )
    benchmarks = tuple(Benchmark(f"b{i}", "go", ("{program}",)) for i in range(count))
    context = cast(Any, _Context(_Question(benchmarks, (Variant("head", "path:go"),))))
    left, notes = check_measuring.chosen(context, changed("hot"), 9.0)
    assert [b.name for b in left.question.benchmarks] == [f"b{i}" for i in kept]
    assert len(notes) == (count > 12)
