"""Unpacking an archive that may be hostile: a tarball of sources, a build from another host.

Python's own filters for this (``tarfile.data_filter``) are missing from 3.11.2, and other versions
have had holes in them, so that the checks are made here, in the same way everywhere: names and
links that lead out of the folder and files of a special kind are refused before anything is
written, and once more all links at the end, when every one of them is there.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import shutil
import tarfile
import zlib
from pathlib import Path
from typing import IO, cast

from whyfast.model.errors import UserError
from whyfast.store.disk import lacking

#: What damaged archives raise; a bad block of bzip2 is an OSError without a number.
_DAMAGE = (tarfile.TarError, EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile, ValueError)
#: Bytes that one header may have. A path has 4096 at most, and extended attributes 65,536.
_HEADER = 1 << 20
#: Folders within each other: more of them exhaust the stack of Python before 3.13 when deleted.
_DEEPEST = 200


def unpack(archive: Path, to: Path) -> Path:
    """Unpack a tar archive (plain, gzip, bzip2 or xz) into the new folder ``to``; files keep their
    dates.

    Returns the folder with the files: the archive's only folder where everything is in one, else
    ``to`` itself. UserError for what is no archive or tries to leave the folder.
    """
    to.mkdir(parents=True)
    links: list[Path] = []
    try:
        with archive.open("rb") as file, open_tar(file) as tar:
            for member in tar:
                # Python before 3.11.14 reads the same header for ever after a negative size.
                if member.size < 0:
                    raise _refused(archive, member.name, f"a file of {member.size} bytes")
                if short := lacking(to, member.size + 1_000_000):
                    raise UserError(f"no room to unpack it: {short}", where=archive)
                _extract(tar, member, archive, to)
                if member.issym():
                    links.append(to / member.name)
    except (*_DAMAGE, OverflowError) as error:
        raise UserError(f"cannot be unpacked: {error}", where=archive) from error
    except OSError as error:
        if error.errno is not None:  # of this disk
            raise
        raise UserError(f"cannot be unpacked: {error}", where=archive) from error
    for link in links:
        if not _inside(link, to):
            raise _refused(archive, str(link.relative_to(to)), "a link that leads outside")
    entries = list(to.iterdir())
    if len(entries) == 1 and entries[0].is_dir() and not entries[0].is_symlink():
        return entries[0]
    return to


def open_tar(file: IO[bytes]) -> tarfile.TarFile:
    """An archive to read, plain or compressed, whose headers are of bounded size."""
    first = file.read(8)
    file.seek(0)
    inner: object = file
    if first.startswith((b"\xfd7zX", b"]\0\0\x80")):
        inner = lzma.LZMAFile(file)  # noqa: SIM115 (the archive has it)
    elif first.startswith(b"\x1f\x8b"):
        inner = gzip.GzipFile(fileobj=file)
    elif first.startswith(b"BZh"):
        inner = bz2.BZ2File(file)
    return tarfile.open(fileobj=cast(IO[bytes], _Bounded(cast(IO[bytes], inner))), mode="r:")


class _Bounded:
    """A decompressed archive, for tarfile: that asks for as many bytes at once as a header in it
    says that the header has, and these need not be compressed to many."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek, self.tell = file.seek, file.tell

    def read(self, size: int) -> bytes:
        if not 0 <= size <= _HEADER:
            raise tarfile.ReadError(f"a header of it has {size:,} bytes")
        return self._file.read(size)


def _extract(tar: tarfile.TarFile, member: tarfile.TarInfo, archive: Path, to: Path) -> None:
    name = Path(member.name)
    if name.is_absolute() or ".." in name.parts:
        raise _refused(archive, member.name, "a name that leads outside")
    if len(name.parts) > _DEEPEST:
        raise _refused(archive, member.name[:80], f"a name of over {_DEEPEST} folders")
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
        # Python would compile again every module whose date is not the one it has noted.
        os.utime(target, (member.mtime, member.mtime))
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
        shutil.copy2(other, target)
    else:
        raise _refused(archive, member.name, "neither a file nor a folder nor a link")


def _inside(path: Path, folder: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _refused(archive: Path, name: str, what: str) -> UserError:
    return UserError(f"refused to unpack it, for {name!r} in it is {what}", where=archive)
