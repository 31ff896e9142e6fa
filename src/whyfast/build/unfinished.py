"""Builds that were ended before their time: the next build of the same goes on where they stopped.

Steps are ended by SIGKILL, so what was just being written may be cut short. It is removed, and
where the steps then fail, the build is made anew.
"""

from __future__ import annotations

import json
import os
import re
import time
from dataclasses import dataclass, field
from pathlib import Path

from whyfast.build.recipe import Recipe, hash_files
from whyfast.store.files import write_whole

_MARK = "unfinished.json"

#: Seconds before the end within which a file was written that may be cut short: compilers, linkers
#: and generators write what they make within one.
_FRESH = 5.0

#: How objects, programs and libraries, archives of objects, and gcc's compiled headers begin.
COMPILED = (b"\x7fELF", b"!<arch>", b"!<thin>", b"gpch")

#: Endings of sources that are made. What build tools write for themselves, they look after.
_SOURCE = re.compile(r"\.([chy]|cc|hh|[chit]pp|[chi]xx|inl?|inc|def|gen|s|asm|tmp)$", re.IGNORECASE)


@dataclass(frozen=True)
class Begun:
    """A step by its number, from 1; ``since`` the epoch it runs, and the ``seconds`` before it."""

    step: int = 1
    seconds: float = 0.0
    since: float = field(default_factory=time.time)


def leave(folder: Path, begun: Begun) -> None:
    """Note in the build's folder that this step was ended just now."""
    write_whole(folder / _MARK, json.dumps([begun.step, begun.seconds, begun.since]))


def take_up(recipe: Recipe, folder: Path) -> Begun | None:
    """The step to go on with there, once; None where no build was ended, or where its steps have
    changed the source."""
    mark, work = folder / _MARK, folder / "work"
    try:
        step, seconds, since = json.loads(mark.read_text())
        fresh = max(float(since), mark.stat().st_mtime - _FRESH)
        mark.unlink()
        given = {f: f.stat() for f in (work / "src" / name for name in recipe.source.files)}
        if hash_files(work / "src", recipe.source.files).digest != recipe.source.digest:
            return None
        for file, was in given.items():  # when the steps have read it shows
            os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))
        for path in work.rglob("*"):
            if path.is_symlink() or not path.is_file() or path in given:
                continue
            if path.stat().st_mtime >= fresh and _cut_short(path):
                path.unlink()
        return Begun(int(step), float(seconds))
    except (OSError, ValueError, TypeError):
        return None


def _cut_short(path: Path) -> bool:
    """Whether it may be, by what it is."""
    with path.open("rb") as file:
        begin = file.read(8)
    return not begin or begin.startswith(COMPILED) or bool(_SOURCE.search(path.name))
