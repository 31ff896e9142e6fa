"""What a project's program is given to do, tried within a limit; real processes, a clock that is
told how long they take."""

import math
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from whyfast.investigate import first_tries
from whyfast.investigate.first_tries import Limit, Tries, tried_ones
from whyfast.investigate.services import Silent
from whyfast.measure.accounts import Scheduled
from whyfast.measure.invocation import Clock
from whyfast.measure.process import Child
from whyfast.model.build import Build
from whyfast.study.project import Project


def test_all_tries_together_have_a_limit(tmp_path: Path) -> None:
    """Each takes 11 s: after six nothing is left of the 60 s."""
    assert tried(tmp_path, math.inf) == (6, 1)


def test_the_limit_of_the_command_ends_them(tmp_path: Path) -> None:
    assert tried(tmp_path, 30.0) == (3, 4)


def tried(folder: Path, seconds: float) -> tuple[int, int]:
    """How many end well and how many are named as not tried, by a clock that runs with them."""
    moment = 0.0

    def passed(*given: object) -> tuple[str, float]:
        nonlocal moment
        moment += 11
        return "", 0.0

    clock = cast(Clock, SimpleNamespace(monotonic=lambda: moment))
    tries = Tries(cast(Build, SimpleNamespace()), Silent(), Limit(clock, seconds, seconds))
    words = {f"name{n}": ("{program}", f"name{n}") for n in range(7)}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(first_tries, "_fails", passed)
        found = tried_ones(folder, Project("gcc", (), "app", candidates=words), tries)
    assert tries.untried[0] in " ".join(found.comments)
    return len(found.benchmarks), len(tries.untried)


@pytest.mark.parametrize(("folder", "found"), [("{source}", True), ("", False)])
def test_tests_are_tried_in_the_folder_whose_files_they_read(
    tmp_path: Path, folder: str, found: bool
) -> None:
    (tmp_path / "data").write_text("")
    limit = Limit(cast(Clock, SimpleNamespace(monotonic=lambda: 0.0)), 9.0, 9.0)
    tries = Tries(cast(Build, SimpleNamespace(program="cat")), Silent(), limit)
    runs = {"tests": ("{program}", "data")}
    project = Project("gcc", (), "app", candidates=runs, folder=folder)
    assert bool(tried_ones(tmp_path, project, tries).benchmarks) == found


@pytest.mark.parametrize(
    ("module", "why"), [("none_such", "is not installed"), ("json.none_such", "has no none_such")]
)
def test_a_part_that_is_not_compiled_is_no_module_to_install(
    tmp_path: Path, module: str, why: str
) -> None:
    limit = Limit(cast(Clock, SimpleNamespace(monotonic=lambda: 0.0)), 9.0, 9.0)
    made = cast(Build, SimpleNamespace(program=sys.executable))
    tries = Tries(made, Silent(), limit)
    assert why in tries.fails(tmp_path, ("{program}", "-c", f"import {module}"))[0]


@pytest.mark.parametrize(
    ("options", "test", "brings"),
    [
        ("--strict-markers", "@pytest.mark.none_such\ndef test_it(): pass", "'none_such'"),
        ("", "def test_it(none_such): pass", "'none_such'"),
        ("--none-such=4", "def test_it(): pass", "--none-such"),
    ],
)
def test_a_plugin_of_pytest_that_is_not_there_is_one_to_install(
    tmp_path: Path, options: str, test: str, brings: str
) -> None:
    (tmp_path / "pytest.ini").write_text(f"[pytest]\naddopts = {options}\n")
    (tmp_path / "test_x.py").write_text(f"import pytest\n{test}\n")
    limit = Limit(cast(Clock, SimpleNamespace(monotonic=lambda: 0.0)), 9.0, 9.0)
    tries = Tries(cast(Build, SimpleNamespace(program=sys.executable)), Silent(), limit)
    words = ("{program}", "-m", "pytest", "-q", "{source}/test_x.py")
    project = Project("python3", (), "p", install="pip install it", candidates={"x": words})
    left_out, advice = tried_ones(tmp_path, project, tries).comments
    assert brings in left_out
    assert "pip install it" in advice


def test_a_program_that_says_how_it_is_used_is_called_by_its_name(tmp_path: Path) -> None:
    program = tmp_path / "app"
    program.write_text('#!/bin/sh\necho "Usage: $0 FILE"\nexit 1\n')
    program.chmod(0o755)
    limit = Limit(cast(Clock, SimpleNamespace(monotonic=lambda: 0.0)), 9.0, 9.0)
    tries = Tries(cast(Build, SimpleNamespace(program=program)), Silent(), limit)
    assert tries.fails(tmp_path, ("{program}",))[0] == "exit code 1; Usage: app FILE"


@pytest.mark.parametrize(("waited", "given"), [(0.0, 10.0), (4.0, 14.0), (99.0, 30.0)])
def test_waiting_for_a_cpu_is_no_time_of_the_program(
    monkeypatch: pytest.MonkeyPatch, waited: float, given: float
) -> None:
    waits = list[float]()
    child = SimpleNamespace(pid=1, wait=waits.append)
    monkeypatch.setattr(first_tries, "scheduled", lambda file: Scheduled(5.0, waited))
    first_tries._await(cast(Child, child), 10.0)
    assert sum(waits) == given
