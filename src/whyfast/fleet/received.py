"""What a worker has been sent: parcels that arrive in pieces, and where they are unpacked.

Below ``cache/fleet`` of the worker's own home: ``arriving/SHA256`` (what there is of a parcel,
``.tar`` once whole), ``builds/DIGEST`` and ``trees/SHA256`` (unpacked; a file beside each,
``.parcel``, says from which, and its size). The date of a file is no time: it is the number of its
last use, from ``sequence``, as the clock may be set back.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from whyfast.build.unpack import unpack
from whyfast.fleet.messages import Place
from whyfast.model.errors import UserError
from whyfast.store.complete import discard, lock_of, replacing
from whyfast.store.digest import sha256_of
from whyfast.store.disk import lacking, used
from whyfast.store.home import Home
from whyfast.store.lock import exclusive, next_number, write_whole


class NotReceived(Exception):
    """A parcel cannot be taken in, and why."""


class ReceivedParcels:
    """The parcels of one worker's home."""

    def __init__(self, own: Home) -> None:
        self.home = replace(own, cache=own.cache / "fleet")

    def lacking(self, places: Sequence[Place]) -> dict[str, int]:
        """The parcels of those places that are not here, each with the bytes of it that are."""
        return {
            place.parcel: _size(self._arriving(place.parcel))
            for place in places
            if not self.is_placed(place) and not self.whole(place.parcel).is_file()
        }

    def add(self, sha256: str, offset: int, size: int, data: bytes) -> None:
        """Write the bytes of a parcel from there on; with the last, hold it against its digest.

        NotReceived when it is not what it is called, or the disk has no room. Raises OSError.
        """
        file = self._arriving(sha256)
        file.parent.mkdir(parents=True, exist_ok=True)
        if offset == 0 and (short := lacking(file.parent, 3 * size)):
            raise NotReceived(f"no room: {short}")
        with exclusive(lock_of(file)):
            with file.open("r+b" if file.exists() else "w+b") as opened:
                opened.seek(offset)
                opened.truncate()
                opened.write(data)
                opened.flush()
                os.fsync(opened.fileno())
            self._mark_used(file)
            if offset + len(data) < size:
                return
            if sha256_of(file) != sha256:
                file.unlink()
                raise NotReceived(f"parcel {sha256[:12]} came with other bytes than were sent")
            file.rename(self.whole(sha256))

    def place(self, place: Place) -> Path:
        """The folder with what is in the parcel, unpacked if it is not yet.

        NotReceived when it is not here. Raises OSError.
        """
        folder = self.folder(place)
        said = folder.with_name(f"{folder.name}.parcel")
        folder.parent.mkdir(parents=True, exist_ok=True)
        with exclusive(lock_of(folder)):
            if folder.is_dir() and self.is_placed(place):
                return folder
            file = self.whole(place.parcel)
            if not file.is_file():
                raise NotReceived(f"parcel {place.parcel[:12]} is not here")
            said.unlink(missing_ok=True)  # first, or an interrupt leaves it beside other contents
            try:
                with replacing(folder) as work:
                    unpack(file, work / "made")
            except UserError as error:
                raise NotReceived(f"parcel {place.parcel[:12]}: {error.message}") from error
            write_whole(said, f"{place.parcel} {file.stat().st_size}")
            self._mark_used(said)
            file.unlink()
        return folder

    def folder(self, place: Place) -> Path:
        """Where the parcel is unpacked."""
        if place.role == "build":
            return self.home.builds / _plain(place.name)
        return self.home.cache / "trees" / _plain(place.parcel)

    def is_placed(self, place: Place) -> bool:
        """Whether it is there, of that very parcel; it is marked as used now."""
        folder = self.folder(place)
        said = folder.with_name(f"{folder.name}.parcel")
        try:
            there = said.read_text().split()[:1] == [place.parcel]
            if there:
                self._mark_used(said)
        except OSError:
            return False
        return there

    def _mark_used(self, file: Path) -> None:
        # Dates that were times are smaller than the first number.
        number = next_number(self.home.cache / "sequence", round(time.time()) + 1)
        os.utime(file, (number, number))

    def trim(self, most: int, keep: Collection[Place]) -> int:
        """Remove what was used the longest ago until ``most`` bytes are left, but nothing of
        ``keep``; the bytes that it freed. The caller sees to it that nobody runs what is here.
        Raises OSError."""
        kept = {self.folder(place) for place in keep} | {self.whole(p.parcel) for p in keep}
        kept |= {self._arriving(p.parcel) for p in keep}
        there = sorted(self._entries())
        left = sum(size for _, _, size in there)
        freed = 0
        for _, path, size in there:
            if left - freed <= most:
                break
            if path not in kept:
                self._remove(path)
                freed += size
        return freed

    def _entries(self) -> Iterator[tuple[float, Path, int]]:
        """(number of the last use, folder or file, bytes) of all that can be removed."""
        for said in [
            *self.home.builds.glob("*.parcel"),
            *(self.home.cache / "trees").glob("*.parcel"),
        ]:
            _, _, size = said.read_text().partition(" ")
            folder = said.with_suffix("")
            yield said.stat().st_mtime, folder, int(size) if size.isdigit() else used(folder)
        for file in (self.home.cache / "arriving").glob("*"):
            if file.suffix != ".lock":
                state = file.stat()
                yield state.st_mtime, file, state.st_size

    def _remove(self, path: Path) -> None:
        with exclusive(lock_of(path)):
            if path.is_file():
                path.unlink()
            else:
                path.with_name(f"{path.name}.parcel").unlink(missing_ok=True)  # it is first to go
                discard(path)
            lock_of(path).unlink(missing_ok=True)

    def _arriving(self, sha256: str) -> Path:
        return self.home.cache / "arriving" / _plain(sha256)

    def whole(self, sha256: str) -> Path:
        """Where the parcel is once all of it is here, until it is unpacked."""
        return self.home.cache / "arriving" / f"{_plain(sha256)}.tar"


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def _plain(digest: str) -> str:
    """A digest, and no path to somewhere else."""
    if not digest or not all(c in "0123456789abcdef" for c in digest):
        raise NotReceived(f"{digest[:80]!r} is no digest")
    return digest
