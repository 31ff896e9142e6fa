"""Benchmarks that end well with traps in what has changed."""

import platform
import shutil
import subprocess
from pathlib import Path
from typing import Any, cast

import pytest

from whyfast.investigate.change_reach import runs_without
from whyfast.measure.count import CountingTask
from whyfast.measure.process import SystemLauncher, ToolRun
from whyfast.model.code import CodeComparison, FunctionChange
from whyfast.model.variant import Benchmark

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64" or shutil.which("gcc") is None, reason="needs gcc on x86-64"
)

SOURCE = """\
__attribute__((noinline)) int hot(int n) { return n * 7; }
__attribute__((noinline)) int cold(int n) { return n * 9; }
int main(int n, char **v) { return n > 100 ? cold(n) : hot(n) == 1; }
"""


def changed(*names: str, traced: bool = True) -> CodeComparison:
    functions = tuple(FunctionChange(n, "changed", (10, 12), True) for n in names)
    return CodeComparison(False, False, functions, (), traced=traced)


@pytest.mark.parametrize(
    ("runner", "code", "without"),
    [
        ("google-benchmark", changed("cold"), True),
        ("google-benchmark", changed("hot"), False),
        ("google-benchmark", changed("cold", "hot"), False),
        # What has no name cannot be trapped, and a command may have children that die unseen.
        ("google-benchmark", changed("cold", "none"), False),
        ("google-benchmark", changed("cold", traced=False), False),
        ("command", changed("cold"), False),
    ],
)
def test_it_ends_well_only_without_what_has_changed(
    tmp_path: Path, runner: str, code: CodeComparison, without: bool
) -> None:
    (tmp_path / "p.c").write_text(SOURCE)
    subprocess.run(["gcc", "-O1", "-o", "p", "p.c"], cwd=tmp_path, check=True)
    program = tmp_path / "p"
    run = ToolRun((str(program),), SystemLauncher(), {}, 20.0)
    benchmark = Benchmark("one", cast(Any, runner), ("{program}",))
    tasks = [CountingTask(side, run) for side in ("base", "head")]
    programs = dict.fromkeys(("base", "head"), program)
    assert runs_without(benchmark, tasks, programs, Path("p"), code) == without
    assert sorted(f.name for f in tmp_path.iterdir()) == ["p", "p.c"]
