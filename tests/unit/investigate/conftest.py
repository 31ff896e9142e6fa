"""A change in a real repository, checked in an outside that builds and measures nothing real."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from tests.studies.commit_study import Repository
from tests.unit.investigate.doubles import Watcher, World, own, ratios

from whyfast.investigate import check_run, first_tries
from whyfast.investigate.check_run import Request, run_check
from whyfast.investigate.measuring import Measurer
from whyfast.measure import invocation
from whyfast.measure.process import Child, Usage
from whyfast.model.code import ChangeCoverage, Check, CodeComparison, FunctionChange
from whyfast.model.result import Result
from whyfast.store.home import Home

STUDY = """\
[study]
title = "Did this change make it slower?"
baseline = "release"

[build]
steps = ["cp {source}/main.c {program}"]
program = "vm"

[variant.release]
toolchain = "path:cc"

[benchmarks.one]
runner = "command"
command = ["{program}", "1"]

[benchmarks.two]
runner = "command"
command = ["{program}", "2"]

[measure]
turns = 2
"""
HOT = FunctionChange("hot", "changed", (10, 12), True, ("peek",), (), ("-a", "+b"))
TRACED = CodeComparison(False, False, (HOT,), (), traced=True)


@dataclass
class Bench:
    """One commit on main, with a study, and a change of its source that is not committed."""

    folder: Path
    world: World
    study: str = STUDY
    watcher: Watcher = field(default_factory=Watcher)

    def __post_init__(self) -> None:
        self.repository = Repository(self.folder / "repo")
        self.repo = self.repository.folder
        self.git = self.repository.git
        self.write("whyfast.toml", self.study)
        self.write("main.c", "before")
        self.repository.commit("first")
        self.write("main.c", "after")

    def write(self, name: str, text: str) -> None:
        (self.repo / name).parent.mkdir(parents=True, exist_ok=True)
        (self.repo / name).write_text(text)

    def change_study(self, old: str, new: str) -> None:
        self.write("whyfast.toml", self.study.replace(old, new))

    def takes(self, times: Mapping[str, float]) -> None:
        """Each side, ``base`` and ``head``, from now on."""
        self.world.script = ratios(times)

    def run(
        self,
        range: str = "",
        elsewhere: Measurer | None = None,
        *,
        repo: Path | None = None,
        budget: float | None = 300.0,
        **services: Any,
    ) -> Result:
        return run_check(
            Request(repo or self.repo, range, budget=budget),
            own(self.folder),
            self.watcher,
            services=self.world.services(cpus=(0,), **services),
            elsewhere=elsewhere,
        )


def found(result: Result) -> Check:
    """What the check found beside its verdicts."""
    assert result.found.check is not None
    return result.found.check


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """The change is 10 % slower."""
    return Bench(tmp_path, World(script=ratios({"base": 1.0, "head": 1.1})))


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> None:
    """One function has changed, and only the benchmark ``one`` executes it."""
    reaches = (
        ChangeCoverage("one", ("hot",), "", (100.0, 103.0)),
        ChangeCoverage("two", (), "", (100.0, 100.0)),
    )
    monkeypatch.setattr(check_run, "same_builds", lambda *sides: TRACED)
    monkeypatch.setattr(check_run, "reached_by", lambda *given: reaches)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "cache", tmp_path / "data")


@pytest.fixture
def starts_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """CPU time up to 30 ms is that of a process that starts on a busy machine; all work of the
    programs here takes longer."""

    def completed(child: Child, command: tuple[str, ...], seconds: float, **more: Any) -> Usage:
        usage = invocation.completed(child, command, seconds, **more)
        works = usage.user + usage.system > 0.03
        return usage if works else replace(usage, user=0.0, system=0.0)

    monkeypatch.setattr(first_tries, "completed", completed)
