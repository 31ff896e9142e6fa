"""Which files of a source the steps of a build read, by the dates that the file system keeps: a
source that differs in others only is built by what was built before."""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from whyfast.build.recipe import BASE_ENVIRONMENT, Recipe, not_run
from whyfast.model.build import is_layout
from whyfast.store.builds import BuildStore, StoredBuild
from whyfast.store.files import sha256_of, write_whole

_DATE = int(BASE_ENVIRONMENT["SOURCE_DATE_EPOCH"])

#: Files for people: no step looks whether one is there.
_DOCUMENTS = {".md", ".rst", ".adoc", ".txt"}


@dataclass(frozen=True)
class Unread:
    """Names of ``files`` of a source that no step read, and of its ``folders`` whose list of files
    none read; ``.`` is the source itself."""

    files: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()

    def misses(self, changed: Iterable[str], come_or_gone: Iterable[str], all_: set[str]) -> bool:
        """Whether none of the steps can tell: the ``changed`` files were not read, and those that
        have ``come_or_gone`` are documents, or in a folder of which they read nothing, where
        nobody has looked what there is. ``all_`` are the names that the source had."""
        read = {str(PurePosixPath(name).parent) for name in all_ - self.files}
        folders = {str(p) for name in all_ for p in PurePosixPath(name).parents}

        def unnoticed(name: str) -> bool:
            path = PurePosixPath(name)
            there = next(str(p) for p in path.parents if str(p) in folders or str(p) == ".")
            apart = path.suffix in _DOCUMENTS or there not in read
            return apart and there in self.folders

        return set(changed) <= self.files and all(map(unnoticed, come_or_gone))


def forget_again(folder: Path, names: Iterable[str]) -> None:
    """The same for the dates of reading alone, and for folders."""
    for path in (*_there(folder, names).values(), *_folders(folder, names).values()):
        status = path.stat()
        if status.st_atime != _DATE:
            os.utime(path, ns=(_DATE * 10**9, status.st_mtime_ns))


def unread(folder: Path, names: Iterable[str]) -> Unread:
    """Those that nobody has read since. An empty file is none of them: who looks at its size need
    not read it."""
    files = {n: p.stat() for n, p in _there(folder, names).items()}
    return Unread(
        frozenset(n for n, file in files.items() if file.st_atime == _DATE and file.st_size),
        frozenset(n for n, p in _folders(folder, names).items() if p.stat().st_atime == _DATE),
    )


def _there(folder: Path, names: Iterable[str]) -> dict[str, Path]:
    return {n: folder / n for n in names if (folder / n).is_file()}


def _folders(folder: Path, names: Iterable[str]) -> dict[str, Path]:
    found = {str(p) for name in names for p in PurePosixPath(name).parents} | {"."}
    return {n: folder / n for n in sorted(found) if (folder / n).is_dir()}


def recorded(record: Mapping[str, Any]) -> Unread:
    """As a record of a build has it, which has nothing of it where reading is not noted."""
    return Unread(frozenset(record.get("unread", ())), frozenset(record.get("unlisted", ())))


def as_record(found: Unread) -> dict[str, Any]:
    """For the record of a build."""
    return {"unread": sorted(found.files), "unlisted": sorted(found.folders)}


def differing(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[set[str], set[str]]:
    """The names of files with other contents, and of those that only one side has."""
    both = before.keys() & after.keys()
    return {n for n in both if before[n] != after[n]}, {*before, *after} - both


def built_alike(recipe: Recipe, store: BuildStore) -> StoredBuild | None:
    """A stored build of a source of which the steps read nothing that differs: they would do the
    same here. Where a program could read what differs when it runs, it is a copy of that build with
    this source's files in it."""
    for build in store.all():
        record = build.provenance
        inputs = dict(record["inputs"])
        if inputs.get("incremental") == "checked":
            del inputs["incremental"]
        if {**inputs, "source": recipe.source.digest} != recipe.inputs or "unread" not in record:
            continue
        files = record["source"]["files"]
        changed, come_or_gone = differing(files, recipe.source.files)
        if not recorded(record).misses(changed, come_or_gone, {*files}) or spoilt_since(
            record["program"], build
        ):
            continue
        if all(map(not_run, changed | come_or_gone)):
            return store.find(build.digest)
        if _can_move(build):
            return _copied(build, changed | come_or_gone, recipe, store)
    return None


def spoilt_since(inner: str, stored: StoredBuild) -> str:
    """What became of the stored program since it was made, in words; empty when nothing did."""
    program = stored.folder / "work" / inner
    if not program.is_file():
        return "its program is missing in the build cache"
    try:
        actual = sha256_of(program)
    except OSError as error:
        return f"its program in the build cache cannot be read ({error.strerror})"
    if actual != stored.provenance.get("program_sha256"):
        return "its program in the build cache was changed since it was built"
    return ""


def _can_move(build: StoredBuild) -> bool:
    """Whether it is a program of machine code that with its libraries does not name its folder: it
    would look there for what it reads."""
    work = build.folder / "work"
    program = work / build.provenance["program"]
    files = [program, *(f for f in work.rglob("*.so*") if f.is_file() and not is_layout(f.name))]
    moves = program.read_bytes().startswith(b"\x7fELF") and not program.is_symlink()
    return moves and not any(os.fsencode(build.folder) in loaded_part(file) for file in files)


def loaded_part(program: Path) -> bytes:
    """What of a program or library is there when it runs, which debug information is not; of
    another file all."""
    text = program.read_bytes()
    with suppress(ELFError):
        segments = ELFFile(io.BytesIO(text)).iter_segments("PT_LOAD")
        return b"".join(segment.data() for segment in segments)
    return text


def _copied(
    build: StoredBuild, names: Iterable[str], recipe: Recipe, store: BuildStore
) -> StoredBuild | None:
    folder = store.folder(recipe.digest)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(
        build.folder / "work",
        folder / "work",
        symlinks=True,
        ignore=lambda place, files: [f for f in files if is_layout(f)],
    )
    for name in names:
        target = folder / "work" / "src" / name
        # What Python has kept of the other file has its date, and perhaps its size.
        for kept in target.parent.glob(f"__pycache__/{target.stem}.*"):
            kept.unlink()
        target.unlink(missing_ok=True)
        if name in recipe.source.files:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(recipe.source.folder / name, target)
            os.utime(target, (_DATE, _DATE))
    shutil.copy(build.folder / "log.txt", folder / "log.txt")
    record = {
        **build.provenance,
        "digest": recipe.digest,
        "inputs": recipe.inputs,
        "variant": recipe.variant,
        "source": {
            "folder": recipe.source.folder.name,
            "digest": recipe.source.digest,
            "files": recipe.source.files,
        },
    }
    record["unread"] = [n for n in record["unread"] if n in recipe.source.files]
    write_whole(folder / "provenance.json", json.dumps(record, indent=1))
    return store.find(recipe.digest)
