"""What the program of a first study works on, for ``whyfast new``: commands that end well when they
are tried, on a copy of the project's files, as programs write and delete what they are given."""

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
from whyfast.measure.invocation import Clock, InvocationFailed, completed, running
from whyfast.model.build import Build
from whyfast.store.home import Home
from whyfast.study.documents import DOCUMENTS
from whyfast.study.project import (
    WHOLE,
    Commands,
    Project,
    benchmark_key,
    some_names,
    sources,
    text_of,
)
from whyfast.study.scripts import SCRIPTS, WRONG

#: What a line of a failing program has that says why.
TROUBLE = re.compile(r"panic|error|fatal|cannot|No such file", re.IGNORECASE)

#: What Python says of a module that is not there.
LACKS = re.compile(r"No module named '?([\w.]+)")

#: How the reason goes on then.
NOT_INSTALLED = "is not installed for the interpreter on PATH"

#: Seconds that a program which is tried may take, and all tries of a project together.
_TRY, _TRIED = 10.0, 60.0


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
    was no time for is in ``untried``, as the words behind the program."""

    made: Build
    observer: Observer
    limit: Limit
    left: float = _TRIED
    untried: list[str] = field(default_factory=list)

    def fails(
        self, folder: Path, words: Sequence[str], where: Path | None = None
    ) -> tuple[str, float]:
        """Why the command does not end well, empty when it does, and its CPU seconds; in the folder
        ``where``, by default an empty one, as programs write where they are."""
        name = " ".join(w.removeprefix("{source}/") for w in words[1:] if w != "{program}")
        left = self.limit.left(self.left)
        if left <= 0:
            self.left = left
            self.untried.append(name)
            return _NO_TIME, 0.0
        self.observer.step(f"trying {name or 'the program'}, {left:.0f} s left for that")
        began = self.limit.clock.monotonic()
        try:
            failed, cpu = _fails(folder, words, self.made, where, min(_TRY, left))
        finally:
            self.left = left - (self.limit.clock.monotonic() - began)
        if failed and not self.limit.left():  # it might have ended well with more time
            self.untried.append(name)
            return _NO_TIME, 0.0
        return failed, cpu

    def work(self, folder: Path, words: Sequence[str]) -> float:
        """CPU seconds of the command, 0 where it does not end well."""
        failed, cpu = self.fails(folder, words)
        return 0.0 if failed else cpu

    def comment(self) -> tuple[str, ...]:
        """One on what was not tried, if there is any."""
        if not self.untried:
            return ()
        names = some_names(list(dict.fromkeys(self.untried)), 3)
        return (f"Not tried, for want of time: {names}.",)


#: The reason of a command that is not tried.
_NO_TIME = "not tried"


def tried_ones(folder: Path, project: Project, tries: Tries, more: tuple[str, ...] = ()) -> Project:
    """The project with those of its candidates that end well with ``more`` words."""
    good: Commands = {}
    failed: dict[str, list[str]] = {}
    for name, words in project.candidates.items():
        if reason := tries.fails(folder, (*words, *more))[0]:
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
        comments = (*comments, f"Left out: {some_names(names, 3)}: {reason}.")
    if project.install and any(NOT_INSTALLED in reason for reason in failed):
        comments = (*comments, to_install(project))
    return replace(project, benchmarks=good, comments=comments)


def to_install(project: Project) -> str:
    """What to do about modules of Python that are not there."""
    return f"To have all that it needs, once: {project.install}; then: whyfast new"


#: Where a program's own files of work are likely to be, the best first, and what is none.
_WORK = (
    *("bench*/**/*", "perf*/**/*", "**/*bench*", "example*/*", "demo*/*", "sample*/*"),
    *("test*/*", "data/*"),
)
_NO_WORK = re.compile(
    r"\.(c|h|cc|cpp|cxx|hh|hpp|inc|in|am|m4|mk|o|a|so|py|pl|sh|bat|cmake|txt|md|rst|toml|ya?ml|rs|go|"
    r"html?|css|out|exp\w*|err|ref|log|json|xml|csv|svg|png|pdf|gz|xz|zip|in\d*)$|^[^.]*$|^\."
)
#: Documents, which a parser or converter reads.
_DOCUMENT = re.compile(
    r"^(?!CMake|requirements|meson_|licen[cs]e|copying|notice).*"
    r"\.(md|json|ya?ml|xml|html?|svg|csv|txt|css|ini?)$",
    re.IGNORECASE,
)
#: Candidates that are tried, and kept; CPU seconds from which on one is work.
_TRIES, _KEPT, _ENOUGH = 10, 4, 0.01
#: Of documents: tried, and how many times the CPU time of a run without one is work.
_DOCUMENTS, _MORE = 4, 1.5
#: CPU seconds that the start of a shell may take.
_START = 0.002
#: How many times the CPU time of another way to read documents makes one better.
_BETTER = 1.1


def with_work(folder: Path, project: Project, tries: Tries) -> Project:
    """A program that does little without arguments, with files of the project that it reads as its
    work: an interpreter has scripts in its folders of tests and benchmarks, a parser documents."""
    found = _working(folder, project, tries)
    return replace(found, comments=(*found.comments, *tries.comment()))


def _working(folder: Path, project: Project, tries: Tries) -> Project:
    reason, alone = tries.fails(folder, WHOLE["whole"])
    if not reason and alone >= _ENOUGH:
        return project
    if reason:  # programs of tests read files of the project
        inside = replace(project, folder="{source}")
        there, cpu = tries.fails(folder, WHOLE["whole"], folder)
        if not there and cpu >= _ENOUGH:
            return inside
    good: Commands = {}
    words: tuple[str, ...]
    candidates = [f for f in sources(folder, _WORK) if not _NO_WORK.search(f.name)]
    for file in list(dict.fromkeys(candidates))[:_TRIES]:
        name = str(file.relative_to(folder))
        words = ("{program}", "{source}/" + name)
        if tries.left < _TRIED / 2:  # the rest is for what is written
            tries.untried.append(name)
        elif tries.work(folder, words) >= _ENOUGH and len(good) < _KEPT:
            good[benchmark_key(name)] = words
    comments = (*project.comments, "These files of the project are what the program runs.")
    if not good and (scripts := _scripts(tries)):
        comment = "The project has no script that is work for the program: these are written."
        return replace(
            project,
            benchmarks={
                benchmark_key(n.rpartition(".")[0].removeprefix(OWN)): ("{program}", "{study}/" + n)
                for n in scripts
            },
            beside=scripts,
            comments=(*project.comments, comment),
        )
    alone = 0.0 if reason else alone
    waits = "still running" in reason  # for input, or for its end
    if not good and not waits and (document := _document(folder, alone, tries)):
        name, words, cpu = document
        good[benchmark_key(name)] = words
        comments = (
            *project.comments,
            f"The program reads a document of the project, in {1000 * cpu:.1f} ms: give it a "
            "larger one, or several.",
        )
    if good:
        return replace(project, benchmarks=good, comments=comments)
    if not waits and (written := _own_document(folder, alone, tries)):
        name, text, words = written
        comment = (
            f"The project has no document that is work for the program: {name} is written; put a "
            "real one in its place."
        )
        comments = (*project.comments, comment)
        return replace(
            project, benchmarks={"document": words}, beside={name: text}, comments=comments
        )
    what = f"fails without arguments ({reason})" if reason else "does little without arguments"
    return replace(
        project,
        idle=True,
        incomplete=f"its program {what}: add words to its command" if reason else "",
        comments=(
            *project.comments,
            f"The program {what}: add words to the command below that give it work.",
        ),
    )


#: How the names of scripts begin that are written.
OWN = "whyfast_bench_"


def _scripts(tries: Tries) -> dict[str, str]:
    """Scripts of a language that the program runs, by names of files; empty where it runs none."""
    for ending, texts in SCRIPTS.items():
        scripts = {f"{OWN}{name}.{ending}": text for name, text in texts.items()}
        with tempfile.TemporaryDirectory(prefix="whyfast-") as place:
            for name, text in {**scripts, f"wrong.{ending}": WRONG[ending]}.items():
                Path(place, name).write_text(text)

            def fails(name: str, place: str = place) -> bool:
                return bool(tries.fails(Path(place), ("{program}", "{source}/" + name))[0])

            if not fails(next(iter(scripts))) and fails(f"wrong.{ending}"):
                return {name: text for name, text in scripts.items() if not fails(name)}
    return {}


def _document(
    folder: Path, alone: float, tries: Tries
) -> tuple[str, tuple[str, ...], float] | None:
    """The document of the project that gives the program most to do, as an argument or as its
    input; the command and its CPU seconds. None where it takes as long without one."""
    files = [f for f in sources(folder, ("**/*",)) if _DOCUMENT.match(f.name)]
    kinds: dict[str, list[Path]] = {}
    for file in sorted(files, key=lambda f: f.stat().st_size, reverse=True):
        if not any(part.startswith(".") for part in file.relative_to(folder).parts):
            kinds.setdefault(file.suffix, []).append(file)
    best: tuple[str, tuple[str, ...], float] | None = None
    for file in [found[0] for found in kinds.values()][:_DOCUMENTS]:
        name = str(file.relative_to(folder))
        for words in _reading("{source}/" + name):
            least = max(_least(alone), _BETTER * best[2] if best else 0.0)
            # Again, as other work on this machine makes any run longer now and then.
            if tries.work(folder, words) > least and (cpu := tries.work(folder, words)) > least:
                best = name, words, cpu
    return best


def _reading(place: str) -> tuple[tuple[str, ...], ...]:
    """Ways to give the program a document; as an argument at last, since some programs delete the
    file of their argument."""
    return (("sh", "-c", 'exec "$0" < "$1"', "{program}", place), ("{program}", place))


def _least(alone: float) -> float:
    """From how many CPU seconds on a document is work: a shell starts in front of it, too."""
    return max(_MORE * alone, alone + _START)


#: What a format is called whose files end otherwise.
_CALLED = {"md": "markdown"}


def _own_document(
    folder: Path, alone: float, tries: Tries
) -> tuple[str, str, tuple[str, ...]] | None:
    """A document to be written that the program reads: its name, its text and the command. First
    of the kind that the project is named after, or its README names most often."""
    readme = "".join(map(text_of, sources(folder, ("README*",)))).lower()
    told = {e: len(re.findall(rf"\b{_CALLED.get(e, e)}\b", readme)) for e in DOCUMENTS}
    least = _least(alone) + _START
    kinds = sorted(DOCUMENTS, key=lambda e: (e not in folder.name.lower(), -told[e]))
    with tempfile.TemporaryDirectory(prefix="whyfast-") as place:
        for ending in kinds:
            name, text = f"{OWN}document.{ending}", DOCUMENTS[ending]()
            Path(place, name).write_text(text)
            for words in _reading("{study}/" + name):
                failed, cpu = tries.fails(Path(place), words)
                if "still running" in failed:
                    return None
                if not failed and cpu > least and tries.work(Path(place), words) > least:
                    return name, text, words
    return None


def _fails(
    folder: Path, words: Sequence[str], made: Build, where: Path | None, seconds: float
) -> tuple[str, float]:
    command = tuple(w.format(program=made.program, source=folder, study=folder) for w in words)
    beside = {p.parent for w in command if (p := Path(w)).is_relative_to(folder) and p.is_file()}
    before = [sorted(os.listdir(place)) for place in beside]
    with tempfile.TemporaryDirectory(prefix="whyfast-") as empty:
        try:
            with running(
                ("env", "-C", str(where or empty), *command), env=dict(os.environ)
            ) as child:
                usage = completed(child, command, seconds)
        except InvocationFailed as error:
            if lacks := LACKS.search(error.output):
                return f"module {lacks[1].partition('.')[0]} {NOT_INSTALLED}", 0.0
            lines = [line for line in error.output.splitlines() if TROUBLE.search(line)]
            return "; ".join([str(error), *lines[-1:]]), 0.0
    if [sorted(os.listdir(place)) for place in beside if place.is_dir()] != before:
        return "it makes or deletes files beside the one that it is given", 0.0
    return "", usage.user + usage.system
