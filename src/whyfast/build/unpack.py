"""Unpacking an archive that may be hostile.

Python's own filters for this (``tarfile.data_filter``) are missing from some versions that whyfast
runs on, so that the checks are made here, in the same way everywhere: names and links that lead out
of the folder and files of a special kind are refused before anything is written, and once more all
links at the end, when every one of them is there.
"""

from __future__ import annotations

import lzma
import os
import shutil
import tarfile
import zlib
from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.store.disk import lacking


def unpack(archive: Path, to: Path) -> Path:
    """Unpack a tar archive (plain, gzip, bzip2 or xz) into the new folder ``to``.

    Returns the folder with the files: the archive's only folder where everything is in one, else
    ``to`` itself. UserError for what is no archive or tries to leave the folder.
    """
    to.mkdir(parents=True)
    try:
        with tarfile.open(archive) as tar:
            for member in tar:
                if short := lacking(to, member.size + 1_000_000):
                    raise UserError(f"no room to unpack it: {short}", where=archive)
                _extract(tar, member, to)
    except (tarfile.TarError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise UserError(f"cannot be unpacked: {error}", where=archive) from error
    for link in (p for p in to.rglob("*") if p.is_symlink()):
        if not _inside(link, to):
            raise _refused(archive, str(link.relative_to(to)), "a link that leads outside")
    entries = list(to.iterdir())
    if len(entries) == 1 and entries[0].is_dir() and not entries[0].is_symlink():
        return entries[0]
    return to


def _extract(tar: tarfile.TarFile, member: tarfile.TarInfo, to: Path) -> None:
    archive = Path(str(tar.name))
    name = Path(member.name)
    if name.is_absolute() or ".." in name.parts:
        raise _refused(archive, member.name, "a name that leads outside")
    target = to / name
    # Through a link that was unpacked before, a harmless name may lead elsewhere.
    if not _inside(target.parent, to) or (target.is_symlink() and not member.issym()):
        raise _refused(archive, member.name, "a name that leads through a link")
    if member.isdir():
        target.mkdir(parents=True, exist_ok=True)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_symlink() or target.is_file():
        target.unlink()
    if member.isreg():
        content = tar.extractfile(member)
        assert content is not None
        with content, target.open("xb") as out:
            shutil.copyfileobj(content, out)
        target.chmod(0o755 if member.mode & 0o100 else 0o644)
    elif member.issym():
        if os.path.isabs(member.linkname) or not _inside(target.parent / member.linkname, to):
            raise _refused(archive, member.name, "a link that leads outside")
        target.symlink_to(member.linkname)
    elif member.islnk():
        other = to / member.linkname
        if os.path.isabs(member.linkname) or ".." in other.parts or not _inside(other, to):
            raise _refused(archive, member.name, "a link that leads outside")
        if not other.is_file() or other.is_symlink():
            raise _refused(archive, member.name, "a hard link to what is not a file in it")
        shutil.copy(other, target)
    else:
        raise _refused(archive, member.name, "neither a file nor a folder nor a link")


def _inside(path: Path, folder: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _refused(archive: Path, name: str, what: str) -> UserError:
    return UserError(f"refused to unpack it, for {name!r} in it is {what}", where=archive)
