"""Checks of a program of machine code whose work is in files beside it, as of an interpreter."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.studies.searches import without_account
from tests.studies.test_check_kinds import git

from whyfast.investigate.check_run import Request, run_check
from whyfast.investigate.services import Silent
from whyfast.model.code import Check
from whyfast.store.home import Home

#: Runs the script beside it, and prints its data.
MAIN = """\
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char place[4096];
    strcpy(place, argv[0]);
    strcat(dirname(place), "/lib/main.py");
    execl("PYTHON", "python3", place, (char *)0);
    return 1;
}
"""
STUDY = """\
[study]
title = "x"
baseline = "release"
[build]
steps = ["cc -o {program} {source}/main.c"]
program = "src/prog"
[variant.release]
toolchain = "path:cc"
[benchmarks.whole]
runner = "command"
command = ["{program}"]
"""
FILES = {
    "main.c": MAIN.replace("PYTHON", sys.executable),
    "whyfast.toml": STUDY,
    "lib/main.py": "import used\nused.work(9)\nopen(__file__[:-7] + 'data.txt').read()\n",
    "lib/used.py": "def work(n):\n    return n + 1\n\ndef idle():\n    return 1\n",
    "lib/spare.py": "def spare():\n    return 1\n",
    "lib/data.txt": "1\n",
    "tests/spare.py": "X = 1\n",
}


@pytest.fixture
def change(own_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Check]:
    """Answers a check of the project with that text in place of another in its files."""
    project = tmp_path / "project"
    for file, text in FILES.items():
        (project / file).parent.mkdir(parents=True, exist_ok=True)
        (project / file).write_text(text)
    git(tmp_path, "init", "-q", "-b", "main", str(project))
    git(project, "add", "-A")
    git(project, "commit", "-qm", "all")
    monkeypatch.chdir(project)

    def answer(old: str, new: str, *names: str, budget: float = 1.0) -> Check:
        for name, text in FILES.items():
            changed = text.replace(old, new) if name in names else text
            (project / name).write_text(changed)
        request = Request(project, budget=budget)
        result = run_check(request, own_home, Silent(), services=without_account())
        assert result.found.check is not None
        return result.found.check

    return answer


def test_what_differs_beside_a_program_counts_where_a_benchmark_opens_it(
    change: Callable[..., Check],
) -> None:
    # Nobody opens these; of tests nobody expects it.
    check = change("1", "2", "lib/spare.py", "tests/spare.py")
    assert check.code.same
    assert check.not_linked == ("lib/spare.py",)
    check = change("return n + 1", "return n + 2", "lib/used.py")
    assert [f.name for f in check.code.functions] == ["used.work"]
    # Not executed, so that nothing is measured.
    check = change("return 1", "return 2", "lib/used.py", budget=9.0)
    assert [f.name for f in check.code.functions] == ["used.idle"]
    assert [(r.executes, r.why) for r in check.reaches] == [((), "")]
    check = change("1", "2", "lib/data.txt")
    assert not check.code.same
    assert any("lib/data.txt" in reason for reason in check.code.reasons)
