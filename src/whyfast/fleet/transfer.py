"""Folders as single files with a digest, so that they can be sent in pieces and checked."""

from __future__ import annotations

import hashlib
import os
import tarfile
import time
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from whyfast.build.recipe import packages_here
from whyfast.build.source import unpack
from whyfast.fleet import messages
from whyfast.fleet.cluster import unfit
from whyfast.investigate.context import RunContext
from whyfast.model.codec import Malformed
from whyfast.model.errors import UserError
from whyfast.model.study import Study
from whyfast.store import files
from whyfast.store.home import Home
from whyfast.study.notation import names_in

_T = TypeVar("_T")

#: Bytes of an archive that go with one task.
CHUNK = 4_000_000


@dataclass(frozen=True)
class Archive:
    """A packed folder: the ``file``, its ``sha256`` and ``size`` in bytes."""

    file: Path
    sha256: str
    size: int

    def chunk(self, offset: int) -> bytes:
        """The bytes from there on, at most :data:`CHUNK`."""
        with self.file.open("rb") as file:
            file.seek(offset)
            return file.read(CHUNK)


def pack(folder: Path, into: Path, leave: frozenset[str] = frozenset()) -> Archive:
    """Pack ``folder`` without its top-level entries in ``leave`` into an archive in the folder
    ``into``; equal folders give equal archives. Links out of the folder become files. Raises
    OSError."""
    names = [path.relative_to(folder) for path in sorted(folder.rglob("*"))]
    wanted = [str(name) for name in names if name.parts[0] not in leave]
    return pack_files(folder, wanted, into, follow=False)


def pack_files(folder: Path, names: Iterable[str], into: Path, *, follow: bool = True) -> Archive:
    """Pack these files of ``folder``; ``follow``: links as their targets. Raises OSError."""
    into.mkdir(parents=True, exist_ok=True)
    file = into / f"{hashlib.sha256(str(folder).encode()).hexdigest()[:16]}.tar"
    partial = file.with_suffix(".partial")
    with tarfile.open(partial, "w", format=tarfile.PAX_FORMAT, dereference=follow) as tar:
        for name in names:
            path = folder / name
            if path.is_socket() or path.is_fifo():
                continue
            real = Path(os.path.realpath(path))
            outward = path.is_symlink() and not real.is_relative_to(os.path.realpath(folder))
            if outward and not real.is_file():
                continue
            member = tar.gettarinfo(real if outward else path, name)
            if member.issym():
                member.linkname = os.path.relpath(real, os.path.realpath(path.parent))
            member.uid = member.gid = 0
            member.uname = member.gname = ""
            # The date of a folder changes with files in it that are not sent.
            member.mtime = 0 if member.isdir() else int(member.mtime)
            if member.isreg():
                with path.open("rb") as opened:
                    tar.addfile(member, opened)
            else:
                tar.addfile(member)
    partial.replace(file)
    return Archive(file, files.sha256_of(file), file.stat().st_size)


def missing(archive: Archive, there: int) -> Iterator[tuple[int, bytes]]:
    """(offset, bytes) of all chunks after the first ``there`` bytes."""
    offset = max(0, min(there, archive.size))
    while offset < archive.size:
        piece = archive.chunk(offset)
        if not piece:  # it has changed meanwhile, which the receiver detects
            return
        yield offset, piece
        offset += len(piece)


# A worker keeps received archives below ``cache/fleet`` of its home: ``arriving/SHA256`` (partial,
# ``.tar`` once whole), ``builds/DIGEST`` and ``trees/SHA256`` (unpacked; a ``.parcel`` file
# beside each names its archive and size). The date of a file is the number of its last use, from
# ``sequence``, and no time, as the clock may be set back.


class NotReceived(Exception):
    """Why an archive cannot be received."""


class ReceivedArchives:
    """The archives of one worker's home."""

    def __init__(self, own: Home) -> None:
        self.home = replace(own, cache=own.cache / "fleet")

    def lacking(self, places: Sequence[messages.Place]) -> dict[str, int]:
        """The missing archives of those places, each with the number of bytes that are here."""
        return {
            place.archive: there.stat().st_size if there.exists() else 0
            for place in places
            for there in (self._arriving(place.archive),)
            if not self.is_placed(place) and not self.whole(place.archive).is_file()
        }

    def add(self, sha256: str, offset: int, size: int, data: bytes) -> None:
        """Write the bytes of an archive from ``offset`` on; check its digest after the last.
        NotReceived for another digest, or without room on the disk. Raises OSError."""
        file = self._arriving(sha256)
        file.parent.mkdir(parents=True, exist_ok=True)
        if offset == 0 and (short := files.lacking(file.parent, 3 * size)):
            raise NotReceived(f"no room: {short}")
        with files.exclusive(files.lock_of(file)):
            with file.open("r+b" if file.exists() else "w+b") as opened:
                opened.seek(offset)
                opened.truncate()
                opened.write(data)
                opened.flush()
                os.fsync(opened.fileno())
            self._mark_used(file)
            if offset + len(data) < size:
                return
            if files.sha256_of(file) != sha256:
                file.unlink()
                raise NotReceived(f"archive {sha256[:12]} arrived with other bytes than were sent")
            file.rename(self.whole(sha256))

    def place(self, place: messages.Place) -> Path:
        """The folder of the unpacked archive. NotReceived when it is not here. Raises OSError."""
        folder = self.folder(place)
        label = folder.with_name(f"{folder.name}.parcel")
        folder.parent.mkdir(parents=True, exist_ok=True)
        with files.exclusive(files.lock_of(folder)):
            if folder.is_dir() and self.is_placed(place):
                return folder
            file = self.whole(place.archive)
            if not file.is_file():
                raise NotReceived(f"archive {place.archive[:12]} is not here")
            label.unlink(missing_ok=True)  # first: an interrupt must not leave a wrong label
            try:
                with files.replacing(folder) as work:
                    unpack(file, work / "made")
            except UserError as error:
                raise NotReceived(f"archive {place.archive[:12]}: {error.message}") from error
            files.write_whole(label, f"{place.archive} {file.stat().st_size}")
            self._mark_used(label)
            file.unlink()
        return folder

    def folder(self, place: messages.Place) -> Path:
        """Where the archive is unpacked."""
        if place.role == "build":
            return self.home.builds / _plain(place.name)
        return self.home.cache / "trees" / _plain(place.archive)

    def is_placed(self, place: messages.Place) -> bool:
        """Whether that archive is unpacked there; marks it as used now."""
        folder = self.folder(place)
        label = folder.with_name(f"{folder.name}.parcel")
        try:
            there = label.read_text().split()[:1] == [place.archive]
            if there:
                self._mark_used(label)
        except OSError:
            return False
        return there

    def _mark_used(self, file: Path) -> None:
        # Times as dates are smaller than the first number.
        number = files.next_number(self.home.cache / "sequence", round(time.time()) + 1)
        os.utime(file, (number, number))

    def trim(self, most: int, keep: Collection[messages.Place]) -> int:
        """Remove the least recently used archives until ``most`` bytes are left, but none of
        ``keep``; returns the freed bytes. The caller makes sure that nobody runs programs here.
        Raises OSError."""
        kept = {self.folder(place) for place in keep} | {self.whole(p.archive) for p in keep}
        kept |= {self._arriving(p.archive) for p in keep}
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
        """(number of the last use, path, bytes) of every removable folder and file."""
        for label in [
            *self.home.builds.glob("*.parcel"),
            *(self.home.cache / "trees").glob("*.parcel"),
        ]:
            _, _, size = label.read_text().partition(" ")
            folder = label.with_suffix("")
            yield label.stat().st_mtime, folder, int(size) if size.isdigit() else files.used(folder)
        for file in (self.home.cache / "arriving").glob("*"):
            if file.suffix != ".lock":
                state = file.stat()
                yield state.st_mtime, file, state.st_size

    def _remove(self, path: Path) -> None:
        with files.exclusive(files.lock_of(path)):
            if path.is_file():
                path.unlink()
            else:
                path.with_name(f"{path.name}.parcel").unlink(missing_ok=True)  # first
                files.discard(path)
            files.lock_of(path).unlink(missing_ok=True)

    def _arriving(self, sha256: str) -> Path:
        return self.home.cache / "arriving" / _plain(sha256)

    def whole(self, sha256: str) -> Path:
        """The file of the whole archive, until it is unpacked."""
        return self.home.cache / "arriving" / f"{_plain(sha256)}.tar"


def _plain(digest: str) -> str:
    """The digest; NotReceived for anything else, such as a path."""
    if not digest or not all(c in "0123456789abcdef" for c in digest):
        raise NotReceived(f"not a digest: {digest[:80]!r}")
    return digest


#: Files in a build's folder that change with every use and that no program reads.
NOT_SENT = frozenset({"used", "log.txt", "tmp"})


@dataclass(frozen=True)
class Shipment:
    """A prepared message, and its archives by digest."""

    message: messages.Prepare
    archives: Mapping[str, Archive]


class HostOut(Exception):
    """Why a host is left out."""


#: The tasks of a host, one after the other, with attached bytes.
HostTasks = Generator[tuple[messages.Task, bytes], messages.Answer, None]


def next_task(
    tasks: HostTasks, data: object, building: bool = False
) -> tuple[messages.Task, bytes]:
    """The next task, after the unchecked answer ``data`` (None at the beginning). StopIteration at
    the end; HostOut for an unreadable answer and for a refusal, except while ``building``, where a
    refusal is a failed build."""
    try:
        if data is None:
            return next(tasks)
        answer = messages.read_answer(data)
        if isinstance(answer, messages.Refused) and not building:
            raise HostOut(answer.message)
        return tasks.send(answer)
    except Malformed as error:
        raise HostOut(f"unreadable answer: {error}") from error


def expect(answer: messages.Answer, kind: type[_T]) -> _T:
    """The answer, checked to be of that kind. Raises HostOut."""
    if not isinstance(answer, kind):
        raise HostOut(f"unexpected answer: {str(answer)[:200]}")
    return answer


def ask_facts(
    here: messages.HostFacts,
) -> Generator[tuple[messages.Task, bytes], messages.Answer, messages.HostFacts]:
    """Ask a host for its facts. HostOut where it cannot run builds of this machine (``here``)."""
    facts = expect((yield messages.AskFacts(), b""), messages.HostFacts)
    if why := unfit(facts, here):
        raise HostOut(why)
    return facts


def shipment(context: RunContext[Study]) -> Shipment:
    """What hosts need to measure the study, packed. UserError where hosts cannot; OSError."""
    study = context.question
    check_sendable(study)
    into = context.home.cache / "fleet" / "parcels"
    archives: dict[str, Archive] = {}
    places: list[messages.Place] = []
    for digest in dict.fromkeys(b.digest for b in context.usable):
        archive = pack(context.home.builds / digest, into, NOT_SENT)
        archives[archive.sha256] = archive
        places.append(messages.Place(archive.sha256, "build", digest))
    folders: dict[str, str] = {}
    for name, folder in _folders(context).items():
        archive = pack(folder, into)
        archives[archive.sha256] = archive
        folders[name] = archive.sha256
        places.append(messages.Place(archive.sha256, "tree", name))
    builds = context.home.builds
    original = {v.name: v.control_of or v.name for v in study.variants}
    roots = {t.digest for t in context.toolchains if t.root is not None}
    message = messages.Prepare(
        # Expectations were checked here.
        replace(study, variants=tuple(replace(v, expect={}) for v in study.variants)),
        context.toolchains,
        context.usable,
        {b.variant: str(b.program.relative_to(builds)) for b in context.usable},
        {
            name: tuple(str(p.relative_to(builds)) for p in context.layouts[name])
            for name in dict.fromkeys(original[b.variant] for b in context.usable)
            if name in context.layouts
        },
        folders,
        tuple(dict.fromkeys(places)),
        {
            b.variant: packages_here(study.build, study.variant(b.variant), context.home)
            for b in context.usable
            if b.provenance["toolchain"]["digest"] in roots
        },
    )
    return Shipment(message, archives)


def check_sendable(study: Study) -> None:
    """UserError for studies that are measured on one machine only."""
    place = study.folder / "study.toml"
    if study.in_vms:
        raise UserError("variants with kernels of their own run on one machine only", where=place)
    if any(v.python for v in study.measured):
        raise UserError("variants with a python of their own run on one machine only", where=place)


def deliver(sent: Shipment) -> Generator[tuple[messages.Task, bytes], messages.Answer, str]:
    """Send a host archives and run; returns the key of the run. Raises HostOut."""
    yield from deliver_archives(sent.message.places, sent.archives)
    answer = expect((yield sent.message, b""), messages.Accepted)
    if not answer.key:
        raise HostOut(f"unexpected answer: {answer}")
    return answer.key


def deliver_archives(
    places: tuple[messages.Place, ...], archives: Mapping[str, Archive]
) -> Generator[tuple[messages.Task, bytes], messages.Answer, None]:
    """Send a host the archives that it lacks. Raises HostOut."""
    lacking = expect((yield messages.Offer(places), b""), messages.Lacking)
    if not set(lacking.archives) <= set(archives):
        raise HostOut(f"unexpected answer: {str(lacking)[:200]}")
    for sha256, there in lacking.archives.items():
        archive = archives[sha256]
        for offset, data in missing(archive, there):
            expect((yield messages.Chunk(sha256, offset, archive.size), data), messages.Accepted)


def _folders(context: RunContext[Study]) -> dict[str, Path]:
    """The folders that commands name beside the program."""
    study = context.question
    named = {n for b in study.benchmarks for word in b.command for n in names_in(word)}
    folders = dict(context.packages)
    if "study" in named:
        folders["study"] = study.folder
    if "source" in named:
        folders["source"] = study.source.folder
    return folders
