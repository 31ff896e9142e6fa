"""The first study of a project, for ``whyfast new``: what its files suggest is fetched and built
once before it is written, and the built program names its benchmarks.

A project that does not build still gets its file, with the reason: people can mend a step, which
whyfast cannot.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from whyfast.build.revisions import lacking_submodules
from whyfast.investigate.building import build
from whyfast.investigate.context import RunContext
from whyfast.investigate.counting import scratch_folder
from whyfast.investigate.services import Observer, Services, Silent
from whyfast.measure.harnesses import HARNESSES, benchmark_names
from whyfast.measure.invocation import InvocationFailed, completed, running
from whyfast.model.build import Build, BuildFailure
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.study import Source, Study
from whyfast.store.builds import BuildStore
from whyfast.store.home import Home
from whyfast.study.find import ROOT_FILE
from whyfast.study.load import load_study
from whyfast.study.project import (
    MOST,
    WHOLE,
    Commands,
    Project,
    benchmark_key,
    literal,
    some,
    sources,
)
from whyfast.study.skeleton import check_file

#: What a line of a failing program has that says why.
_TROUBLE = re.compile(r"panic|error|fatal|cannot|No such file", re.IGNORECASE)

#: What Python says of a module that is not there.
_LACKS = re.compile(r"No module named '?([\w.]+)")

#: Seconds that a download, a program that lists its benchmarks, and one that is tried may take.
_FETCH, _LIST, _TRY = 600.0, 120.0, 10.0


_NO_BENCHMARK = "it has no benchmark that runs; add [benchmarks.NAME] with a command"


@dataclass(frozen=True)
class FirstStudy:
    """``text`` is that of the file. ``failure`` says why the project does not build or what else
    must be changed in the file before it can be used; empty when nothing must. ``beside`` are
    further files by name, ``notes`` what was chosen and left out, in words. ``builds``: whether it
    does."""

    text: str
    failure: str = ""
    beside: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    builds: bool = True


def first_that_builds(
    folder: Path,
    kinds: Iterable[tuple[str, Project]],
    home: Home,
    observer: Observer,
    services: Services,
) -> tuple[str, FirstStudy]:
    """The study of the first kind of project as which the folder builds, and that kind; else of the
    first."""
    tried: list[tuple[str, FirstStudy]] = []
    for kind, project in kinds:
        if tried:
            observer.note(f"it does not build as a {tried[-1][0]} project: {tried[-1][1].failure}")
        study = first_study(folder, project, home, observer, services)
        if study.builds:
            return kind, study
        tried.append((kind, study))
    return tried[0]


def first_study(
    folder: Path, project: Project, home: Home, observer: Observer, services: Services
) -> FirstStudy:
    """The study of the project in ``folder``, by the first of its ways that builds.

    Nothing is raised for a project that does not build.
    """
    if project.fetch and (reason := _fetched(folder, project.fetch, observer)):
        return FirstStudy(check_file(_noted(project, reason)), reason, builds=False)
    failures: list[str] = []
    for way in _ways(project):
        way, outcome = _built(folder, way, home, observer, services)
        if isinstance(outcome, Build):
            way = _with_benchmarks(folder, way, outcome, observer)
            failure = way.incomplete
            if not way.benchmarks:
                failure = "; ".join([_NO_BENCHMARK, *way.comments[:1]])
                way = replace(way, benchmarks=way.candidates or WHOLE)
            return FirstStudy(check_file(way), failure, way.beside, way.comments)
        failures.append(outcome)
    reason = failures[0]
    if absent := lacking_submodules(folder):
        paths = ", ".join(absent[:3])
        reason = f"submodules are not checked out: {paths}; git submodule update --init; {reason}"
    text = check_file(
        _noted(project.as_linked or project, f"It does not build: {_portable(reason)}")
    )
    return FirstStudy(text, reason, builds=False)


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
) -> tuple[Project, Build | str]:
    """The build of the project's files as they are, or why there is none; and the project without
    its step that links, where the program cannot be linked again by it."""
    heard = _Layouts(observer)
    context = _build_once(folder, project, home, heard, services)
    if isinstance(context, str):
        return project, context
    (outcome,) = context.builds
    bare = project.as_linked
    if bare is not None and not context.layouts:
        if isinstance(outcome, Build):
            comment = f"It is measured as linked, as it has no other layouts: {heard.reason}."
            bare = replace(bare, comments=(*bare.comments, comment))
        elif not _links(project, outcome.reason):
            return project, _because(outcome)
        return _built(folder, bare, home, observer, services)
    return project, outcome if isinstance(outcome, Build) else _because(outcome)


class _Layouts(Silent):
    """Passes steps and notes on, but keeps the reason why there are no other layouts."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self.reason = "it is the same"

    def phase(self, name: str) -> None:
        self._observer.phase(name)

    def step(self, text: str) -> None:
        self._observer.step(text)

    def note(self, text: str) -> None:
        if text.startswith("no other layouts"):
            self.reason = text.partition(": ")[2]
        else:
            self._observer.note(text)


def _links(project: Project, reason: str) -> bool:
    """Whether it was the step that links which failed."""
    return any(
        mark in project.link and mark in reason for mark in ("rm -f ", "-ldflags=", "save-temps")
    )


_LOG = "; its log is "


def _because(failure: BuildFailure) -> str:
    return f"{failure.reason}{_LOG}{failure.log}" if failure.log else failure.reason


def _portable(reason: str) -> str:
    """Without the place of the log, for a file that others read, too."""
    return reason.partition(_LOG)[0]


def _build_once(
    folder: Path, project: Project, home: Home, observer: Observer, services: Services
) -> RunContext[Study] | str:
    with scratch_folder(home) as scratch:
        file = scratch / ROOT_FILE
        # A study needs a benchmark; those of the program are known after the build.
        whole = project
        if not project.benchmarks:
            whole = replace(project, benchmarks=WHOLE, runner="command")
        file.write_text(check_file(whole), encoding="utf-8")
        try:
            study = replace(load_study(file), source=Source("path", str(folder), folder))
            # One layout shows whether there are any.
            measure = replace(study.measure, layouts=1 if project.link else 0)
            study = replace(study, measure=measure, control=False)
            with BuildStore(home.builds).in_use():
                return build(RunContext(study, home, observer, services))
        except (UserError, CannotBuildHere) as error:
            return str(error)


def _with_benchmarks(folder: Path, project: Project, made: Build, observer: Observer) -> Project:
    """The project with the benchmarks that its program lists, or that end well when tried; those
    of ``instead`` where there are none."""
    way: Project | None = project
    found, reasons = project, tuple[str, ...]()
    while way is not None:
        found = way
        if way.candidates:
            found = _tried(folder, way, made, observer)
        elif not way.benchmarks:
            found = _listed(folder, way, made, observer)
        elif way.benchmarks == WHOLE and not way.incomplete:
            found = _with_work(folder, way, made, observer)
        if found.benchmarks or way.instead is None:
            break
        reasons = (*reasons, *(c for c in found.comments if c not in way.comments))
        way = way.instead
    return replace(found, comments=(*reasons, *found.comments))


def _listed(folder: Path, project: Project, made: Build, observer: Observer) -> Project:
    observer.step("listing its benchmarks")
    harness = HARNESSES[project.runner]
    try:
        names = benchmark_names(harness, made.program, folder, _LIST, project.files)
    except InvocationFailed as error:
        lines = [line for line in error.output.splitlines() if _TROUBLE.search(line)]
        reason = "; ".join([str(error), *lines[-1:]])
        comment = f"{project.runner} benchmarks cannot be listed: {reason}"
        return replace(project, comments=(*project.comments, comment))
    # Of Python the program is the interpreter, whose words for pytest come first.
    before = harness.list[:2] if project.files else ()
    commands: Commands = {
        benchmark_key(name.removeprefix("Benchmark")): (
            "{program}",
            *before,
            harness.only(name if project.files else literal(name)),
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


def _tried(folder: Path, project: Project, made: Build, observer: Observer) -> Project:
    """The project with those of its candidates that end well."""
    good: Commands = {}
    failed: dict[str, list[str]] = {}
    for name, words in project.candidates.items():
        if reason := _fails(folder, words, made, observer)[0]:
            failed.setdefault(reason, []).append(name)
        else:
            good[name] = words
    comments = project.comments
    for reason, names in failed.items():
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        comments = (*comments, f"Left out: {', '.join(names[:3])}{more}: {reason}.")
    return replace(project, benchmarks=good, comments=comments)


#: Where a program's own files of work are likely to be, the best first, and what is none.
_WORK = ("bench*/**/*", "perf*/**/*", "**/*bench*", "examples/*", "tests/*", "test/*")
_NO_WORK = re.compile(
    r"\.(c|h|cc|cpp|cxx|hh|hpp|inc|in|am|m4|mk|o|a|so|py|pl|sh|bat|cmake|txt|md|rst|toml|ya?ml|rs|go|"
    r"html?|css|out|exp\w*|err|ref|log|json|xml|csv|svg|png|pdf|gz|xz|zip|in\d*)$|^[^.]*$|^\."
)
#: Documents, which a parser or converter reads.
_DOCUMENT = re.compile(r"\.(md|json|ya?ml|xml|html?|svg|csv|txt|css|in)$")
#: Candidates that are tried, and kept; CPU seconds from which on one is work.
_TRIES, _KEPT, _ENOUGH = 10, 4, 0.01
#: Of documents: tried, and how many times the CPU time of a run without one is work.
_DOCUMENTS, _MORE = 4, 1.5


def _with_work(folder: Path, project: Project, made: Build, observer: Observer) -> Project:
    """A program that does little without arguments, with files of the project that it reads as its
    work: an interpreter has scripts in its folders of tests and benchmarks, a parser documents."""
    reason, alone = _fails(folder, WHOLE["whole"], made, observer)
    if not reason and alone >= _ENOUGH:
        return project
    good: Commands = {}
    words: tuple[str, ...]
    candidates = [f for f in sources(folder, _WORK) if not _NO_WORK.search(f.name)]
    for file in list(dict.fromkeys(candidates))[:_TRIES]:
        name = str(file.relative_to(folder))
        words = ("{program}", "{source}/" + name)
        failed, cpu = _fails(folder, words, made, observer)
        if not failed and cpu >= _ENOUGH and len(good) < _KEPT:
            good[benchmark_key(name)] = words
    comments = (*project.comments, "These files of the project are what the program runs.")
    if not good and (document := _document(folder, 0.0 if reason else alone, made, observer)):
        name, words, cpu = document
        good[benchmark_key(name)] = words
        comments = (
            *project.comments,
            f"The program reads a document of the project, in {1000 * cpu:.1f} ms: give it a "
            "larger one, or several.",
        )
    if good:
        return replace(project, benchmarks=good, comments=comments)
    what = f"fails without arguments ({reason})" if reason else "does little without arguments"
    return replace(
        project,
        comments=(
            *project.comments,
            f"The program {what}: add words to the command below that give it work.",
        ),
    )


def _document(
    folder: Path, alone: float, made: Build, observer: Observer
) -> tuple[str, tuple[str, ...], float] | None:
    """The document of the project that gives the program most to do, as an argument or as its
    input; the command and its CPU seconds. None where it takes as long without one."""
    files = [f for f in sources(folder, ("**/*",)) if _DOCUMENT.search(f.name)]
    kinds: dict[str, list[Path]] = {}
    for file in sorted(files, key=lambda f: f.stat().st_size, reverse=True):
        if not any(part.startswith(".") for part in file.relative_to(folder).parts):
            kinds.setdefault(file.suffix, []).append(file)
    best: tuple[str, tuple[str, ...], float] | None = None
    for file in [found[0] for found in kinds.values()][:_DOCUMENTS]:
        name = str(file.relative_to(folder))
        place = "{source}/" + name
        for words in (("{program}", place), ("sh", "-c", 'exec "$0" < "$1"', "{program}", place)):
            failed, cpu = _fails(folder, words, made, observer)
            if not failed and cpu > max(_MORE * alone, best[2] if best else 0.0):
                best = name, words, cpu
    return best


def _fails(
    folder: Path, words: Sequence[str], made: Build, observer: Observer
) -> tuple[str, float]:
    """Why the command does not end well, empty when it does, and its CPU seconds; in an empty
    folder, as programs write where they are."""
    observer.step(f"trying {' '.join(words[1:]) or 'the program'}")
    command = tuple(w.format(program=made.program, source=folder, study=folder) for w in words)
    with tempfile.TemporaryDirectory(prefix="whyfast-") as empty:
        try:
            with running(("env", "-C", empty, *command), env=dict(os.environ)) as child:
                usage = completed(child, command, _TRY)
        except InvocationFailed as error:
            if lacks := _LACKS.search(error.output):
                return f"the interpreter on PATH lacks the module {lacks[1]}; install it there", 0.0
            lines = [line for line in error.output.splitlines() if _TROUBLE.search(line)]
            return "; ".join([str(error), *lines[-1:]]), 0.0
    return "", usage.user + usage.system
