"""What builds leave in their folders, from which another goes on: the same build, where it was
ended before its time, or one of another source (:mod:`whyfast.build.incremental`).

Beside the folder lies a record of the source's files, of what each step that ran did not read of
them, and of what was compiled. While steps run it is empty: what a build was that nobody has
ended in order, nobody knows. Steps are ended by SIGKILL, so what was just being written may be cut
short and is removed; where steps fail that went on, the build is made anew.
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from whyfast.build.compiled import Compiles
from whyfast.build.reading import Unread, as_record, forget_again, recorded, unread
from whyfast.build.recipe import SourceTree, forget_reading
from whyfast.store.files import sha256_of, write_whole

_RECORD = "source.json"

#: Seconds before the end within which a file was written that may be cut short: compilers, linkers
#: and generators write what they make within one.
_FRESH = 5.0

#: How objects, programs and libraries, archives of objects, and gcc's compiled headers begin.
_COMPILED = (b"\x7fELF", b"!<arch>", b"!<thin>", b"gpch")

#: Endings of sources that are made. What build tools write for themselves, they look after.
_SOURCE = re.compile(r"\.([chy]|cc|hh|[chit]pp|[chi]xx|inl?|inc|def|gen|s|asm|tmp)$", re.IGNORECASE)


@dataclass
class Left:
    """The ``files`` of the source by name, and the ``flags``, which no tool of the build could see
    to be others; ``steps``: what each step that ran did not read, while ``noted`` says whether this
    file system notes reading. Before ``first``, counted from 0, no step need run again; where it
    was ended, ``begun`` is the epoch since when what was written may be cut short, else 0.
    ``compiles`` are all that were noted, ``owed`` how many of a file have yet to be made again.
    ``seconds``: of the build in the empty folder."""

    files: dict[str, str]
    flags: list[list[str]] = field(default_factory=list)
    steps: list[Unread] = field(default_factory=list)
    noted: bool = False
    first: int = 0
    begun: float = 0.0
    compiles: Compiles = field(default_factory=Compiles)
    owed: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0

    def unread(self) -> Unread:
        """What no step read."""
        files = frozenset.intersection(*(step.files for step in self.steps))
        return Unread(files, frozenset.intersection(*(step.folders for step in self.steps)))

    def has_run(self, source: Path) -> None:
        """Note what the next step, which has just run, read of the ``source``. What it read before
        and not again, as it has not changed, it still depends on."""
        found = unread(source, self.files) if self.noted else Unread()
        if self.first < len(self.steps):
            last = self.steps[self.first]
            found = Unread(found.files & last.files, found.folders & last.folders)
        self.steps[self.first : self.first + 1] = [found]
        self.first += 1
        forget_again(source, self.files)

    def was_ended(self, since: float) -> None:
        """Note that the last step, which ran ``since``, was ended just now."""
        self.first -= 1
        self.begun = max(since, time.time() - _FRESH)

    def write(self, folder: Path) -> None:
        """For :meth:`read`."""
        facts = {**vars(self), "steps": [as_record(step) for step in self.steps]}
        facts["compiles"] = vars(self.compiles)
        write_whole(folder / _RECORD, json.dumps(facts))

    @staticmethod
    def read(folder: Path) -> Left | None:
        """None where nobody knows what lies there."""
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
            facts = json.loads((folder / _RECORD).read_text())
            facts["steps"] = [recorded(step) for step in facts["steps"]]
            return Left(**{**facts, "compiles": Compiles(**facts["compiles"])})
        return None


def forget_record(folder: Path) -> None:
    """Until its steps have run, or were ended, nobody knows what the folder holds. OSError."""
    (folder / _RECORD).write_text("")


def copy_source(source: SourceTree, to: Path) -> bool:
    """Into the empty folder ``to``, all files with one date: what is newer than what must not
    decide a build. Whether this file system notes reading. OSError, also where a file has just
    changed."""
    for name in source.files:
        _copy(source, name, to)
    noted = forget_reading(to, [*source.files])
    forget_again(to, source.files)
    return noted


def update_source(source: SourceTree, to: Path, before: Iterable[str], names: set[str]) -> None:
    """Make the files of ``to``, which were called as ``before``, those of the source, of which
    those ``names`` are others; what else is there stays. Equal files keep their date, others get
    one later than that of all that was made. OSError."""
    for name in set(before) - source.files.keys():
        _make_way(to, to / name)
    for name in sorted(names & source.files.keys()):
        _make_way(to, to / name)
        _copy(source, name, to)


def spoilt(source: Path, files: Mapping[str, str]) -> list[str]:
    """Those of the ``files`` that steps have changed or removed since they were copied there."""
    return [n for n, was in files.items() if not (source / n).is_file() or _hash(source / n) != was]


def forget_made(work: Path, files: Iterable[str], cut_since: float = 0.0) -> None:
    """Remove every file that a compiler or linker made, none of the source's ``files``; or else
    what may be cut short since that epoch, by what it is. OSError."""
    given = {work / "src" / name for name in files}
    for path in list(work.rglob("*")):
        if path in given or not path.is_file() or path.is_symlink():
            continue
        with path.open("rb") as file:
            begin = file.read(8)
        compiled = begin.startswith(_COMPILED)
        short = compiled or not begin or _SOURCE.search(path.name)
        if (short and path.stat().st_mtime >= cut_since) if cut_since else compiled:
            path.unlink()


def _copy(source: SourceTree, name: str, to: Path) -> None:
    (to / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source.folder / name, to / name)
    if _hash(to / name) != source.files[name]:
        raise OSError(f"{source.folder} changed while the build started; run it again")


def _hash(path: Path) -> str:
    """As :func:`whyfast.build.recipe.scan_source` has it."""
    return ("x" if path.stat().st_mode & 0o100 else "-") + sha256_of(path)


def _make_way(root: Path, target: Path) -> None:
    """Remove what lies where a file is to be, or one of its folders: from above, as below a link
    that a step has made lie files of others."""
    for parent in reversed(target.relative_to(root).parents):
        if (root / parent).is_symlink() or (root / parent).is_file():
            (root / parent).unlink()
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    elif target.is_symlink() or target.exists():
        target.unlink()
