"""Folders as single files with a digest, so that they can be sent in pieces and checked."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

#: Bytes of a parcel that go with one task.
CHUNK = 4_000_000


@dataclass(frozen=True)
class Parcel:
    """A packed folder: the ``file``, its ``sha256`` and ``size`` in bytes."""

    file: Path
    sha256: str
    size: int

    def chunk(self, offset: int) -> bytes:
        """The bytes from there on, at most :data:`CHUNK`."""
        with self.file.open("rb") as file:
            file.seek(offset)
            return file.read(CHUNK)


def pack(folder: Path, into: Path, leave: frozenset[str] = frozenset()) -> Parcel:
    """All that is in ``folder``, but for what is named in ``leave`` directly in it; equal folders
    give equal parcels. A link that leads out of the folder goes as the file that it leads to.
    ``into`` is the folder that the parcel is put in. Raises OSError."""
    names = [path.relative_to(folder) for path in sorted(folder.rglob("*"))]
    wanted = [str(name) for name in names if name.parts[0] not in leave]
    return _pack(folder, wanted, into, follow=False)


def pack_files(folder: Path, names: Iterable[str], into: Path) -> Parcel:
    """Those files of ``folder`` alone, links as what they lead to. Raises OSError."""
    return _pack(folder, sorted(names), into, follow=True)


def _pack(folder: Path, names: Iterable[str], into: Path, *, follow: bool) -> Parcel:
    into.mkdir(parents=True, exist_ok=True)
    called = hashlib.sha256(str(folder).encode()).hexdigest()[:16]
    file = into / f"{called}.tar"
    partial = file.with_suffix(".partial")
    with tarfile.open(partial, "w", format=tarfile.PAX_FORMAT, dereference=follow) as tar:
        for name in names:
            path = folder / name
            if path.is_socket() or path.is_fifo():
                continue
            real = Path(os.path.realpath(path))
            outside = path.is_symlink() and not real.is_relative_to(os.path.realpath(folder))
            if outside and not real.is_file():
                continue
            member = tar.gettarinfo(real if outside else path, name)
            if member.issym():
                member.linkname = os.path.relpath(real, os.path.realpath(path.parent))
            member.uid = member.gid = 0
            member.uname = member.gname = ""
            # The date of a folder tells when a file in it was made last, also one that is not sent.
            member.mtime = 0 if member.isdir() else int(member.mtime)
            if member.isreg():
                with path.open("rb") as opened:
                    tar.addfile(member, opened)
            else:
                tar.addfile(member)
    partial.replace(file)
    with file.open("rb") as opened:
        sha256 = hashlib.file_digest(opened, "sha256").hexdigest()
    return Parcel(file, sha256, file.stat().st_size)


def missing(parcel: Parcel, there: int) -> Iterator[tuple[int, bytes]]:
    """(offset, bytes) of all chunks behind the first ``there`` bytes."""
    offset = max(0, min(there, parcel.size))
    while offset < parcel.size:
        found = parcel.chunk(offset)
        if not found:  # it was changed meanwhile, which the receiver finds
            return
        yield offset, found
        offset += len(found)


def discard(parcel: Parcel) -> None:
    """Delete the file."""
    with contextlib.suppress(OSError):
        parcel.file.unlink()
