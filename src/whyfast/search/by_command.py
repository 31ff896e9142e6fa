"""A search over commits by a command of the user's own, without a study."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from whyfast.investigate.events import Observer
from whyfast.investigate.outside import Outside
from whyfast.model.errors import UserError
from whyfast.search.axes.candidate import AxisCandidate
from whyfast.search.axes.commits import changed_files, commits, leads, merged_branch, uncommitted
from whyfast.search.follow import Ways, follow
from whyfast.search.keep import search_key
from whyfast.search.run import SearchResult, begun, run_search
from whyfast.search.script_subject import ScriptSubject
from whyfast.search.state import Task
from whyfast.search.step_evidence import StepEvidence, compared
from whyfast.store.home import Home


@dataclass(frozen=True)
class CommandSearch:
    """``command`` runs in the checkout of a commit, ``build`` (a line of shell) once before.
    ``margin`` is relative, ``blocks`` the most to take. ``prints_number``: the command prints what
    counts. ``program``: what is built, in the checkout, to compare its code in the end; empty for
    the command's first word, where that is a file there. ``everything``: further steps too.
    ``either``: which end is the faster is not known, so checkouts stay where the bad one is."""

    command: tuple[str, ...]
    build: str
    repository: Path
    good: str
    bad: str
    margin: float = 0.01
    blocks: int | None = None
    fresh: bool = False
    prints_number: bool = False
    program: str = ""
    everything: bool = False
    either: bool = False


def search_by_command(
    search: CommandSearch, home: Home, observer: Observer, outside: Outside
) -> SearchResult:
    """Since which commit the command is slower, or faster. UserError for ends that cannot be."""
    place = str(search.repository.resolve())
    common = (place, search.command, search.build, search.margin, search.prints_number)
    folder = home.cache / "checkouts" / search_key(*common)
    found = commits(search.repository, search.good, search.bad)
    backwards = leads(search.repository, found[-1].name, found[0].name)
    if said := uncommitted(search.repository, found[0 if backwards else -1]):
        observer.note(said)
    subjects = []

    def one(candidates: Sequence[AxisCandidate], backwards: bool) -> SearchResult:
        key = search_key([c.name for c in candidates], *common)
        file = home.data / "searches" / f"{key}.json"
        if search.fresh:
            file.unlink(missing_ok=True)
        subject = ScriptSubject(
            search.repository,
            candidates,
            search.command,
            search.build,
            folder,
            outside,
            zlib.crc32(key.encode()),
            prints_number=search.prints_number,
        )
        subjects.append(subject)
        task = Task(len(candidates) - 1, search.margin, budget=search.blocks)
        observer.phase("search")
        blank = begun("commits", candidates, task, backwards=backwards)
        result = run_search(subject, blank, file, home, observer)
        return replace(result, evidence=_evidence(search, subject, result))

    def inside(merge: AxisCandidate) -> Sequence[AxisCandidate] | None:
        return merged_branch(search.repository, merge)

    try:
        result = follow(one(found, backwards), Ways(one, inside, search.everything))
    except UserError:
        for subject in subjects:
            subject.close(logs=True)  # the message may name one
        raise
    for subject in subjects if not (search.either and result.answer.word == "swapped") else ():
        subject.close()  # an interrupted search keeps its checkouts
    return result


def _evidence(
    search: CommandSearch, subject: ScriptSubject, result: SearchResult
) -> StepEvidence | None:
    """What differs between culprit and parent, where there is a program to look at."""
    where = result.answer.where
    if result.answer.word != "culprit" or where is None:
        return None
    pair = result.sides(where)
    program = Path(search.program or search.command[0])
    for number in pair:
        subject.build(number)  # a search that was gone on with may have only its numbers
    missing = not all((subject.place(n) / program).is_file() for n in pair)
    if program.is_absolute() or missing:
        if search.program:
            raise UserError("is not in the checkout once it is built", where=search.program)
        return None
    parent, culprit = ((subject.place(n), program) for n in pair)
    files = changed_files(search.repository, *(subject.candidates[n] for n in pair))
    return compared(parent, culprit, files)
