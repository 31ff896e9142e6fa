"""Which changed functions of Python a benchmark executes, by real runs of this interpreter."""

import os
import sys
from pathlib import Path

import pytest
from tests.golden_files import Hear, refusal

from whyfast.investigate.change_reach import python_reach
from whyfast.measure.count import CountingTask
from whyfast.measure.tools import Launcher, ToolRun
from whyfast.model.code import ChangeCoverage, CodeComparison, FunctionChange
from whyfast.model.errors import UserError
from whyfast.model.variant import Benchmark

PACKAGE = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"


def reach(
    folder: Path, script: str, changed: str, build: Path | None = None, before: str = ""
) -> ChangeCoverage:
    """``build`` is where it should run the package of ``folder``, None: there; ``before`` a line of
    a shell that then becomes Python."""
    source = folder / "src"
    source.mkdir()
    (source / "pkg.py").write_text(PACKAGE)
    (folder / "run.py").write_text(f"import os, threading\nimport pkg\n{script}\n")
    python = (sys.executable, str(folder / "run.py"))
    run = ToolRun(
        ("sh", "-c", f'{before}\nexec "$0" "$@"', *python) if before else python,
        Launcher(),
        {**os.environ, "PYTHONPATH": str(source)},
        20.0,
        scratch=folder,
    )
    code = CodeComparison(False, False, (FunctionChange(changed, "changed", (0, 0)),), traced=True)
    benchmark = Benchmark("b", "command", run.command)
    tasks, folders = [CountingTask("head", run)], {"head": build or folder}
    return python_reach(benchmark, tasks, folders, code, [source] if build else [])


@pytest.mark.parametrize(
    ("script", "executes"),
    [
        ("pkg.f()", ()),
        ("pkg.g()", ("pkg.g",)),
        ("os.system('true')", None),
        ("import subprocess; subprocess.call('true')", None),
        ("import platform; platform.processor(), platform.architecture()", ()),
        ("if not os.fork():\n    pkg.g()\n    os._exit(0)\nos.wait()", None),
        ("open(pkg.__file__).read()", None),
        ("raise SystemExit(1)", None),
        ("open(__file__).read()", ()),
        (
            "thread = threading.Thread(target=pkg.g)\nthread.start()\nthread.join()",
            ("pkg.g",) if sys.version_info >= (3, 12) else None,
        ),
    ],
    ids=[
        "not",
        "executes",
        "a shell",
        "another process",
        "what the machine is",
        "a fork",
        "reads itself",
        "fails",
        "reads another file",
        "a thread",
    ],
)
def test_none_is_executed_only_where_all_that_runs_was_seen(
    tmp_path: Path, script: str, executes: tuple[str, ...] | None
) -> None:
    assert reach(tmp_path, script, "pkg.g").executes == executes


def test_what_is_taken_from_a_checkout_is_no_comparison(tmp_path: Path, golden: Hear) -> None:
    build = tmp_path / "build"
    (build / "src").mkdir(parents=True)
    (build / "src/pkg.py").write_text(PACKAGE)
    (tmp_path / "checkout").mkdir()
    golden(refusal(UserError, lambda: reach(tmp_path / "checkout", "pkg.g()", "pkg.g", build)))


def test_a_destructor_may_run_after_all_that_is_seen(tmp_path: Path) -> None:
    assert reach(tmp_path, "", "pkg.C.__del__").executes is None


def test_processes_before_python_started_run_none_of_it(tmp_path: Path) -> None:
    busy = "sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'"
    assert reach(tmp_path, "pkg.f()", "pkg.g", before=busy).executes == ()


def test_the_base_runs_only_where_the_head_executes_what_has_changed(tmp_path: Path) -> None:
    sides = {side: tmp_path / side for side in ("base", "head")}
    tasks = []
    for side, folder in sides.items():
        source = folder / "src"
        source.mkdir(parents=True)
        (source / "pkg.py").write_text(PACKAGE)
        call = "pkg.f(), pkg.g()" if side == "base" else "pkg.f()"
        log = f"open({str(tmp_path / 'ran')!r}, 'a').write('{side} ')"
        (folder / "run.py").write_text(f"import pkg\n{call}\n{log}\n")
        environment = {**os.environ, "PYTHONPATH": str(source)}
        command = (sys.executable, str(folder / "run.py"))
        run = ToolRun(command, Launcher(), environment, 20.0, scratch=folder)
        tasks.append(CountingTask(side, run))
    benchmark = Benchmark("b", "command", tasks[0].run.command)
    changes = [FunctionChange(f"pkg.{name}", "changed", (0, 0)) for name in ("f", "g", "h")]

    def executes(*changed: FunctionChange) -> tuple[str, ...] | None:
        code = CodeComparison(False, False, changed, traced=True)
        return python_reach(benchmark, tasks, sides, code).executes

    assert executes(changes[2]) == ()
    assert (tmp_path / "ran").read_text() == "head "
    assert executes(*changes) == ("pkg.f", "pkg.g")
    assert (tmp_path / "ran").read_text() == "head head base "
