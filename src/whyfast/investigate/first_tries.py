"""Commands of a freshly built program that are tried, each once, for ``whyfast new``: on a copy of
the project's files, as programs write and delete what they are given, and within a limit."""

from __future__ import annotations

import math
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from whyfast.build.recipe import scan_source
from whyfast.investigate.counting import scratch_folder
from whyfast.investigate.services import Observer
from whyfast.measure.accounts import scheduled
from whyfast.measure.invocation import Clock, InvocationFailed, completed, running
from whyfast.measure.process import Child
from whyfast.model.build import Build
from whyfast.store.home import Home
from whyfast.study.project import Commands, Project, some_names

#: What a line of a failing program has that says why.
TROUBLE = re.compile(r"panic|error|fatal|cannot|No such file", re.IGNORECASE)

#: What Python says of a module that is not there, or of which no installer knows; and of a part of
#: a package that is.
_LACKS = re.compile(r"(?:No module named '?|No package metadata was found for )(\w+)(?!\.?\w)")
_LACKS_PART = re.compile(r"No module named '?(\w+)\.([\w.]*\w)")

#: What pytest says of a marker, a fixture or an option that a plugin of it brings.
_PLUGIN = re.compile(
    r"('\w+') not found in `markers`|fixture ('\w+') not found|"
    r"unrecognized arguments: (--[\w-]+)[^\n]*\s+inifile:"
)

#: How the reason goes on then.
NOT_INSTALLED = "is not installed for the interpreter on PATH"

#: How a comment begins on benchmarks that fail.
LEFT_OUT = "Left out: "

#: How it goes on where a part of a package is not there.
_COMPILED = "compile it in a step of [build], or install another version of the package"

#: Seconds that a program which is tried may take, and all tries of a project together; that one may
#: take to say how it is used.
_TRY, TRIED, _SAYS = 10.0, 60.0, 2.0

#: CPU seconds from which on a run is work.
ENOUGH = 0.01

#: CPU seconds from which on a program may be one that ends by a clock. Under Valgrind such a one
#: takes less than so many times as long, beside the seconds to start.
_BY_A_CLOCK, _SLOWER, _START_UP = 1.0, 1.5, 1.0


@contextmanager
def copied(folder: Path, home: Home) -> Iterator[Path]:
    """A copy of the project's files, without version control: a compressor replaces the file that
    it is given, and tests leave others behind."""
    with scratch_folder(home) as scratch:
        place = scratch / folder.resolve().name
        place.mkdir()
        for name in scan_source(folder).files:
            target = place / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(folder / name, target)
        yield place


@dataclass(frozen=True)
class Limit:
    """The end of the whole command, ``seconds`` from its start, on that clock."""

    clock: Clock
    seconds: float
    end: float

    def left(self, most: float = math.inf) -> float:
        """Seconds until then, and ``most`` at most; 0 when it is over."""
        return max(0.0, min(most, self.end - self.clock.monotonic()))


@dataclass
class Tries:
    """Commands of a built program that are run once each, for ``left`` seconds in all; what there
    was no time for is in ``untried``, as the words behind the program. The last ``took`` so many
    seconds. After one that was ``late``, and ended, others have half of the time, then a quarter:
    some programs wait whatever they are given."""

    made: Build
    observer: Observer
    limit: Limit
    left: float = TRIED
    untried: list[str] = field(default_factory=list)
    took: float = 0.0
    late: int = 0

    def fails(
        self,
        folder: Path,
        words: Sequence[str],
        where: Path | None = None,
        seconds: float | None = None,
    ) -> tuple[str, float]:
        """Why the command does not end well, empty when it does, and its CPU seconds; in the folder
        ``where``, by default an empty one, as programs write where they are."""
        behind = words[words.index("{program}") + 1 :] if "{program}" in words else words[1:]
        name = " ".join(w.removeprefix("{source}/").removeprefix("{study}/") for w in behind)
        left = self.limit.left(self.left)
        if left <= 0:
            self.left = left
            self.untried.append(name)
            return _NO_TIME, 0.0
        self.observer.step(f"trying {name or 'the program'}, {left:.0f} s left for that")
        began = self.limit.clock.monotonic()
        try:
            most = min(seconds or _TRY / (1, 2, 4)[min(self.late, 2)], left)
            failed, cpu = _fails(folder, words, self.made, where, most)
            self.late += seconds is None and "still running" in failed
        finally:
            self.took = self.limit.clock.monotonic() - began
            self.left = left - self.took
        if failed and not self.limit.left():  # it might have ended well with more time
            self.untried.append(name)
            return _NO_TIME, 0.0
        return failed, cpu

    def work(self, folder: Path, words: Sequence[str], where: Path | None = None) -> float:
        """CPU seconds of the command, 0 where it does not end well."""
        failed, cpu = self.fails(folder, words, where)
        return 0.0 if failed else cpu

    def by_a_clock(self, folder: Path, words: Sequence[str], cpu: float) -> bool:
        """Whether the command, tried just now with ``cpu`` seconds, ends when some time is over and
        not when something is done: it takes hardly longer under Valgrind, where work takes three
        to five times as long."""
        took, valgrind = self.took, shutil.which("valgrind")
        if valgrind is None or cpu < _BY_A_CLOCK:
            return False
        tool = (valgrind, "--tool=none", "-q", "--trace-children=yes")
        failed, slowed = self.fails(folder, (*tool, *words), seconds=_SLOWER * took + _START_UP)
        return not failed and slowed < _SLOWER * cpu + _START_UP

    def says(self, folder: Path, words: Sequence[str]) -> str:
        """The end of what the command prints, even when it fails."""
        with tempfile.TemporaryDirectory(prefix="whyfast-") as empty:
            command = ("env", "-C", empty, *_filled(folder, words, self.made))
            try:
                with running(command, env=dict(os.environ)) as child:
                    completed(child, command, min(_SAYS, self.limit.left()), ignore_failure=True)
                    return child.output_tail()
            except InvocationFailed as error:
                return error.output

    def comment(self) -> tuple[str, ...]:
        """One on what was not tried, if there is any."""
        if not self.untried:
            return ()
        names = some_names(list(dict.fromkeys(self.untried)), 3)
        return (f"Not tried, for want of time: {names}.",)


#: The reason of a command after which files are not as before; of one that is not tried.
CHANGES = "it makes, changes or deletes the file that it is given or others beside it"
_NO_TIME = "not tried"


def tried_ones(folder: Path, project: Project, tries: Tries, more: tuple[str, ...] = ()) -> Project:
    """The project with those of its candidates that end well with ``more`` words."""
    good: Commands = {}
    failed: dict[str, list[str]] = {}
    # Tests read files of the project.
    where = Path(project.folder.format(source=folder)) if project.folder else None
    for name, words in project.candidates.items():
        if reason := tries.fails(folder, (*words, *more), where)[0]:
            failed.setdefault(reason, []).append(name)
        else:
            good[name] = words
    comments = project.comments
    if untried := failed.pop(_NO_TIME, []):
        comments = (
            *comments,
            f"Not tried, for want of time: {some_names(untried, 3)}.",
        )
    for reason, names in failed.items():
        comments = (*comments, f"{LEFT_OUT}{some_names(names, 3)}: {reason}.")
    if project.install and any(NOT_INSTALLED in reason for reason in failed):
        comments = (*comments, to_install(project))
    return replace(project, benchmarks=good, comments=comments)


def lacking(output: str) -> str:
    """What is not installed for Python, by what a program said; empty where it said nothing so."""
    if module := _LACKS.search(output):
        return f"module {module[1]} {NOT_INSTALLED}"
    if plugin := _PLUGIN.search(output):
        brings = "".join(filter(None, plugin.groups()))
        return f"the plugin of pytest that brings {brings} {NOT_INSTALLED}"
    return ""


def to_install(project: Project) -> str:
    """What to do about modules of Python that are not there."""
    return f"To have all that it needs, once: {project.install}; then: whyfast new"


def _filled(folder: Path, words: Sequence[str], made: Build) -> tuple[str, ...]:
    """The command with what stands for its placeholders."""
    return tuple(w.format(program=made.program, source=folder, study=folder) for w in words)


def _fails(
    folder: Path, words: Sequence[str], made: Build, where: Path | None, seconds: float
) -> tuple[str, float]:
    command = _filled(folder, words, made)
    given = {p for w in command if (p := Path(w)).is_relative_to(folder)}
    beside = {p.parent for p in given if p.is_file()}
    beside |= {Path(inner) for p in given if p.is_dir() for inner, *_ in os.walk(p)}
    before = [_listing(place) for place in beside]
    with tempfile.TemporaryDirectory(prefix="whyfast-") as empty:
        try:
            with running(
                ("env", "-C", str(where or empty), *command), env=dict(os.environ)
            ) as child:
                _await(child, seconds)
                usage = completed(child, command, 0.0, late=f"still running after {seconds:g} s")
        except InvocationFailed as error:
            # A program calls itself as it was started, in a folder that only this machine has.
            said = error.output.replace(f"{os.path.dirname(made.program)}/", "")
            if lacks := lacking(said):
                return lacks, 0.0
            if part := _LACKS_PART.search(said):
                return f"{part[1]} has no {part[2]}: {_COMPILED}", 0.0
            printed = said.splitlines()
            lines = [line for line in printed if TROUBLE.search(line)]
            lines = lines or [line for line in printed if "usage" in line.lower()]
            return "; ".join([str(error), *lines[-1:]]), 0.0
    if [_listing(place) for place in beside if place.is_dir()] != before:
        return CHANGES, 0.0
    return "", usage.user + usage.system


def _await(child: Child, seconds: float) -> None:
    """Waits so many seconds for its end, without those for which it was ready and waited for a CPU:
    as much is done on a busy machine as on a quiet one. Three times as many at most."""
    given, more = 0.0, seconds
    while more > 0 and child.wait(more) is None:
        have = scheduled(f"/proc/{child.pid}/schedstat")
        more = min(have.waited, 2 * seconds) - given if have else 0.0
        given += more


def _listing(place: Path) -> list[tuple[str, int]]:
    """The files there, and when each was last changed."""
    return sorted((entry.name, entry.stat().st_mtime_ns) for entry in os.scandir(place))
