"""Folders as single files with a digest, so that they can be sent in pieces and checked."""

from __future__ import annotations

import contextlib
import hashlib
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
    """All that is in ``folder``, but for files named in ``leave`` directly in it; equal folders
    give equal parcels. ``into`` is the folder that the parcel is put in. Raises OSError."""
    names = [str(path.relative_to(folder)) for path in sorted(folder.rglob("*"))]
    return _pack(folder, [name for name in names if name not in leave], into, follow=False)


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
            member = tar.gettarinfo(path, name)
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


def unpack(file: Path, into: Path) -> None:
    """The inverse, into an empty folder. Nothing is written beside it. OSError, TarError."""
    with tarfile.open(file, "r") as tar:
        # Python before 3.11.4 has no filters.
        safe = {"filter": "tar"} if hasattr(tarfile, "tar_filter") else {}
        tar.extractall(into, **safe)  # type: ignore[arg-type]


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
