"""A search over commits by a command of the user's own, without a study."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path

from whyfast.investigate.events import Observer
from whyfast.investigate.outside import Outside
from whyfast.search.axes.commits import commits
from whyfast.search.keep import search_key
from whyfast.search.run import SearchResult, begun, run_search
from whyfast.search.script_subject import ScriptSubject
from whyfast.search.state import Task
from whyfast.store.home import Home


@dataclass(frozen=True)
class CommandSearch:
    """``command`` runs in the checkout of a commit, ``build`` (a line of shell) once before.
    ``margin`` is relative, ``blocks`` the most to take."""

    command: tuple[str, ...]
    build: str
    repository: Path
    good: str
    bad: str
    margin: float = 0.01
    blocks: int | None = None
    fresh: bool = False


def search_by_command(
    search: CommandSearch, home: Home, observer: Observer, outside: Outside
) -> SearchResult:
    """Since which commit the command is slower. UserError for ends that cannot be."""
    found = commits(search.repository, search.good, search.bad)
    names = [c.name for c in found]
    place = str(search.repository.resolve())
    key = search_key(place, names, search.command, search.build, search.margin)
    file = home.data / "searches" / f"{key}.json"
    if search.fresh:
        file.unlink(missing_ok=True)
    subject = ScriptSubject(
        search.repository,
        found,
        search.command,
        search.build,
        home.cache / "checkouts" / key,
        outside,
        zlib.crc32(key.encode()),
    )
    task = Task(len(found) - 1, search.margin, budget=search.blocks)
    observer.phase("search")
    result = run_search(subject, begun("commits", found, task), file, home, observer)
    subject.close()  # an interrupted search keeps its checkouts
    return result
