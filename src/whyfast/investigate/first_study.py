"""The first study of a project, for ``whyfast new``: what its files suggest is fetched and built
once before it is written, and the built program names its benchmarks.

A project that does not build still gets its file, with the reason: people can mend a step, which
whyfast cannot.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from whyfast.investigate.building import build
from whyfast.investigate.context import RunContext
from whyfast.investigate.counting import scratch_folder
from whyfast.investigate.services import Observer, Services
from whyfast.measure.harnesses import HARNESSES, benchmark_names
from whyfast.measure.invocation import InvocationFailed
from whyfast.model.build import Build, BuildFailure
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.study import Source
from whyfast.store.builds import BuildStore
from whyfast.store.home import Home
from whyfast.study.find import ROOT_FILE
from whyfast.study.load import load_study
from whyfast.study.project import MOST, WHOLE, Commands, Project, benchmark_key, literal, some
from whyfast.study.skeleton import check_file

#: What a line of a failing program has that says why.
_TROUBLE = re.compile(r"panic|error|fatal|cannot|No such file", re.IGNORECASE)

#: Seconds that a download, and a program that lists its benchmarks, may take.
_FETCH, _LIST = 600.0, 120.0


_NO_BENCHMARK = "its program lists no benchmark; add [benchmarks.NAME] with a command"


@dataclass(frozen=True)
class FirstStudy:
    """``text`` is that of the file. ``failure`` says why the project does not build or what else
    must be changed in the file before it can be used; empty when nothing must."""

    text: str
    failure: str = ""


def first_study(
    folder: Path, project: Project, home: Home, observer: Observer, services: Services
) -> FirstStudy:
    """The study of the project in ``folder``, by the first of its ways that builds.

    Nothing is raised for a project that does not build.
    """
    if project.fetch and (reason := _fetched(folder, project.fetch, observer)):
        return FirstStudy(check_file(_noted(project, reason)), reason)
    failures: list[str] = []
    for way in _ways(project):
        outcome = _built(folder, way, home, observer, services)
        if isinstance(outcome, Build):
            way = _with_benchmarks(folder, way, outcome, observer)
            return FirstStudy(check_file(way), "" if way.benchmarks else _NO_BENCHMARK)
        failures.append(outcome)
    reason = failures[0]
    return FirstStudy(check_file(_noted(project, f"It does not build: {reason}")), reason)


def _ways(project: Project) -> Iterator[Project]:
    way: Project | None = project
    while way is not None:
        yield way
        way = way.otherwise


def _noted(project: Project, reason: str) -> Project:
    return replace(project, comments=(*project.comments, *reason.splitlines()[:3]))


def _fetched(folder: Path, words: tuple[str, ...], observer: Observer) -> str:
    """Runs the command, whose network builds do not have; why it failed, empty when it did not."""
    command = " ".join(words)
    observer.step(f"fetching what the project needs: {command}")
    try:
        subprocess.run(
            words,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_FETCH,
            check=True,
        )
    except FileNotFoundError:
        return f"{words[0]} is not installed; install it, then: {command}"
    except subprocess.TimeoutExpired:
        return f"`{command}` did not end within {_FETCH:.0f} s; run it by hand, then: whyfast check"
    except subprocess.CalledProcessError as error:
        lines = (error.stderr.strip() or error.stdout.strip() or "no message").splitlines()
        reason = next((line for line in lines if _TROUBLE.search(line)), lines[-1])
        return f"`{command}` failed: {reason}"
    return ""


def _built(
    folder: Path, project: Project, home: Home, observer: Observer, services: Services
) -> Build | str:
    """The build of the project's files as they are, or why there is none."""
    with scratch_folder(home) as scratch:
        file = scratch / ROOT_FILE
        # A study needs a benchmark; those of the program are known after the build.
        whole = project if project.benchmarks else replace(project, benchmarks=WHOLE)
        file.write_text(check_file(whole), encoding="utf-8")
        try:
            study = replace(load_study(file), source=Source("path", str(folder), folder))
            with BuildStore(home.builds).in_use():
                work = build(RunContext(study, home, observer, services))
        except (UserError, CannotBuildHere) as error:
            return str(error)
    (outcome,) = work.builds
    if isinstance(outcome, BuildFailure):
        return f"{outcome.reason}; its log is {outcome.log}" if outcome.log else outcome.reason
    return outcome


def _with_benchmarks(folder: Path, project: Project, made: Build, observer: Observer) -> Project:
    """The project with the benchmarks that its program lists, where it can list them."""
    if project.benchmarks:
        return project
    observer.step("listing its benchmarks")
    harness = HARNESSES[project.runner]
    try:
        names = benchmark_names(harness, made.program, folder, _LIST)
    except InvocationFailed as error:
        lines = [line for line in error.output.splitlines() if _TROUBLE.search(line)]
        reason = "; ".join([str(error), *lines[:1]])
        observer.note(f"{project.runner} benchmarks cannot be listed: {reason}")
        return project
    commands: Commands = {
        benchmark_key(name.removeprefix("Benchmark")): (
            "{program}",
            harness.only(literal(name)),
            *project.options,
        )
        for name in names
    }
    left_out = [*commands][MOST:]
    comments = project.comments
    if left_out:
        comments = (
            *comments,
            f"{len(commands)} benchmarks, of which the first {MOST} are here; left out: "
            f"{', '.join(left_out)}.",
        )
    return replace(project, benchmarks=some(commands), comments=comments)
