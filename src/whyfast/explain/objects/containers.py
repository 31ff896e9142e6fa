"""Programs inside of other files: static archives, packages of Debian and conda, wheels, tars.

One part is taken out: the one that was asked for as ``FILE:PART``, which may be a glob, else the
largest with machine code. What a container says of itself is checked, and nothing is unpacked but
that part: others are looked at for their first bytes. What is in a container in a container stays
there."""

from __future__ import annotations

import importlib
import lzma
import re
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from whyfast.build.pieces import MAGIC, DamagedArchive, read_members
from whyfast.build.source import open_tar
from whyfast.explain.objects import MOST_BYTES, damaged
from whyfast.formats.input import opened
from whyfast.model.errors import UserError
from whyfast.study.notation import listed

#: What can unpack zstd; the first that is installed is taken. Python has a module from 3.14 on; for
#: older ones there are wheels, and the last is a command.
READERS = ("compression.zstd", "zstandard", "pyzstd", "zstd")

#: Bytes of the command's error message that are kept.
_MESSAGE = 1000
_AT_ONCE = 1 << 20


class NoReader(Exception):
    """No module or command on this machine unpacks zstd."""


class Damaged(Exception):
    """The packed data is damaged; the message says how."""


class TooLarge(Exception):
    """It would unpack to more bytes than allowed."""


def unpack(packed: IO[bytes], to: IO[bytes], most: int) -> None:
    """Write the bytes of one or more frames to a file, at most ``most`` of them. Raises NoReader,
    Damaged or TooLarge."""
    for name in READERS[:-1]:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        return _by_module(module, packed, to, most)
    program = shutil.which(READERS[-1])
    if program is None:
        raise NoReader
    return _by_command(program, packed, to, most)


def _by_module(module: Any, packed: IO[bytes], to: IO[bytes], most: int) -> None:
    try:
        if hasattr(module, "ZstdFile"):
            file = module.ZstdFile(packed)
        else:  # the wheel `zstandard`
            file = module.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
        with file as reader:
            _copy(reader, to, most)
    except TooLarge:
        raise
    except Exception as error:  # each module has an exception of its own
        raise Damaged(str(error)) from None


def _by_command(program: str, packed: IO[bytes], to: IO[bytes], most: int) -> None:
    with tempfile.TemporaryFile() as complaint:
        started = subprocess.Popen(
            [program, "-d", "-q", "-c"], stdin=packed, stdout=subprocess.PIPE, stderr=complaint
        )
        with started:
            assert started.stdout is not None
            try:
                _copy(started.stdout, to, most)
            except TooLarge:
                started.kill()
                raise
        complaint.seek(0)
        message = complaint.read(_MESSAGE).decode(errors="replace").strip()
    if started.returncode:
        raise Damaged(message or "zstd failed")


def _copy(packed: Any, to: IO[bytes], most: int) -> None:
    while piece := packed.read(_AT_ONCE):
        most -= len(piece)
        if most < 0:
            raise TooLarge
        to.write(piece)


#: Where a Debian package has its files, inside of an ar archive.
_DATA = "data.tar"
#: The first bytes of programs and objects that can be read.
_CODE = (b"\x7fELF", b"MZ", b"\x64\x86", b"\x64\xaa", b"\xcf\xfa\xed\xfe")
_MOST = f"at most {MOST_BYTES / 1e9:g} GB"
#: Files in one container.
MOST_PARTS = 200_000
#: What damaged archives raise.
_DAMAGE = (
    *(tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError),
    *(OSError, EOFError, RuntimeError, ValueError, OverflowError),
)
_FIRST = 4
#: The first bytes of compressed files, which are taken to be archives of tar.
_COMPRESSED = (b"\x1f\x8b", b"\xfd7zXZ", b"BZh", _ZSTD := b"\x28\xb5\x2f\xfd")
_CONDA = re.compile(r"pkg-.*\.tar\.")
_DEBUG = re.compile(r"\.build-id/(?P<first>[0-9a-f]{2})/(?P<rest>[0-9a-f]+\.debug)$")
#: Names that are listed where a part is missing.
_NAMED = 5


@dataclass(frozen=True)
class Part:
    """A file in a container, with its first bytes; ``copy`` writes all of them to a file in pieces,
    and raises UserError where they are damaged."""

    name: str
    size: int
    first: bytes
    copy: Callable[[IO[bytes]], None]


@dataclass(frozen=True)
class TakenOut:
    """``path`` is the file to read; ``name`` its name, ``note`` which part of the container it is:
    both empty for a file that is no container."""

    path: Path
    name: str = ""
    note: str = ""


def taken_out(given: Path, folder: Path) -> TakenOut:
    """The program to read, written into ``folder`` where it lies in a container. Raises UserError
    for a damaged container, one without machine code, and a missing part."""
    path, wanted = _split(given)
    parts = _parts(path)
    if parts is None:
        return TakenOut(given)
    code = sorted((p for p in parts if p.first.startswith(_CODE)), key=lambda p: -p.size)
    if not code:
        raise UserError("no file with machine code inside", where=path)
    matches = [
        p
        for p in code
        if not wanted or wanted in (p.name, Path(p.name).name) or p.name.endswith(f"/{wanted}")
    ] or [p for p in code if fnmatchcase(Path(p.name).name, wanted)]
    if not matches:
        available = listed((p.name for p in code), _NAMED)
        raise UserError(f"no part with machine code: {wanted}; available: {available}", where=path)
    part = matches[0]
    if part.size > MOST_BYTES:
        raise UserError(f"part too large: {part.name}, {part.size:,} bytes; {_MOST}", where=path)
    # The name is the container's word: nothing of it leads elsewhere or is too long for a file.
    name = re.sub(r"[^\w.+-]", "_", Path(part.name).name)[-80:]
    written = folder / f"{len(list(folder.iterdir()))}-{name}"
    with written.open("wb") as out:
        part.copy(out)
    others = len(code) - 1
    note = f"{path.name}: {part.name}"
    if others and not wanted:
        note += (
            f", the largest of {len(code)} files with machine code; {path.name}:PART takes another"
        )
    return TakenOut(written, f"{path.name}:{Path(part.name).name}", note)


def _split(given: Path) -> tuple[Path, str]:
    """The container and the part that is asked for."""
    text = str(given)
    if given.exists() or ":" not in text:
        return given, ""
    path, _, part = text.rpartition(":")
    return (Path(path), part) if Path(path).is_file() else (given, "")


def _parts(path: Path) -> list[Part] | None:
    """The files in a container; None for any other file."""
    if not path.is_file():
        return None
    with opened(path) as file:
        magic = file.read(8)
        if magic == MAGIC:
            parts = list(_members(path, file))
    if magic == MAGIC:
        data = next((p for p in parts if p.name.startswith(_DATA)), None)
        if data is not None and any(p.name == "debian-binary" for p in parts):
            return list(_tarred(path, data))
        return parts
    if magic[:4] == b"PK\x03\x04":
        parts = list(_zipped(path))
        # A conda package has its files in a compressed tar in the zip.
        data = next((p for p in parts if path.suffix == ".conda" and _CONDA.match(p.name)), None)
        return parts if data is None else list(_tarred(path, data))
    if magic.startswith(_COMPRESSED) or path.suffix == ".tar":
        size = path.stat().st_size
        whole = Part(path.name, size, magic[:_FIRST], partial(_copy_range, path, 0, size))
        return list(_tarred(path, whole))
    return None


def debug_files(package: Path, folder: Path) -> None:
    """Write the files of a package with debug symbols into ``folder``, as debuggers look for them:
    ``.build-id/ab/cdef.debug``. UserError for a damaged package."""
    for part in _parts(package) or ():
        match = _DEBUG.search(part.name)
        if match and part.size <= MOST_BYTES:
            to = folder / ".build-id" / match["first"] / match["rest"]
            to.parent.mkdir(parents=True, exist_ok=True)
            with to.open("wb") as out:
                part.copy(out)


def _members(path: Path, file: BinaryIO) -> Iterator[Part]:
    try:
        for count, (name, start, size) in enumerate(read_members(file)):
            _check_number(path, count)
            file.seek(start)
            first = file.read(min(_FIRST, size))
            yield Part(name, size, first, partial(_copy_range, path, start, size))
    except DamagedArchive as error:
        damaged(path, str(error), "ar")


def _copy_range(path: Path, start: int, size: int, to: IO[bytes]) -> None:
    with opened(path) as file:
        file.seek(start)
        while size and (piece := file.read(min(size, _AT_ONCE))):
            to.write(piece)
            size -= len(piece)


def _tarred(path: Path, data: Part) -> Iterator[Part]:
    """The plain files of a package."""
    packed, total = cast("IO[bytes]", tempfile.TemporaryFile()), 0  # noqa: SIM115 (parts read it)
    data.copy(packed)
    if data.first == _ZSTD:
        packed = _unzstd(path, packed)
    try:
        packed.seek(0)
        with open_tar(packed) as tar:
            for count, member in enumerate(tar):
                total += member.size
                _check_number(path, count)
                if total > MOST_BYTES:
                    raise UserError(f"too large when unpacked; {_MOST}", where=path)
                file = tar.extractfile(member) if member.isfile() else None
                if file is not None:
                    name = member.name.removeprefix("./")
                    copy = partial(_untarred, path, packed, count)
                    yield Part(name, member.size, file.read(_FIRST), copy)
    except _DAMAGE as error:
        damaged(path, str(error), "package")


def _untarred(path: Path, packed: IO[bytes], number: int, to: IO[bytes]) -> None:
    try:
        packed.seek(0)
        with open_tar(packed) as tar:
            file = tar.extractfile(next(islice(tar, number, None)))
            if file is not None:
                shutil.copyfileobj(file, to, _AT_ONCE)
    except _DAMAGE as error:
        damaged(path, str(error), "package")


def _unzstd(path: Path, packed: IO[bytes]) -> IO[bytes]:
    plain = cast("IO[bytes]", tempfile.TemporaryFile())  # noqa: SIM115 (parts read it)
    packed.seek(0)
    try:
        unpack(packed, plain, MOST_BYTES)
    except TooLarge:
        raise UserError(f"too large when unpacked; {_MOST}", where=path) from None
    except Damaged as error:
        damaged(path, str(error), "zstd")
    except NoReader:
        raise UserError(
            "compressed with zstd, and no reader of zstd is installed; install the command zstd or "
            "the Python package zstandard, use Python 3.14, or unpack it with `dpkg-deb -x`",
            where=path,
        ) from None
    return plain


def _zipped(path: Path) -> Iterator[Part]:
    try:
        with zipfile.ZipFile(path) as archive:
            for count, info in enumerate(archive.infolist()):
                _check_number(path, count)
                if info.filename and not info.is_dir() and info.file_size:
                    with archive.open(info) as file:
                        first = file.read(_FIRST)
                    copy = partial(_unzipped, path, info.header_offset)
                    yield Part(info.filename, info.file_size, first, copy)
    except _DAMAGE as error:
        damaged(path, str(error), "zip")


def _unzipped(path: Path, offset: int, to: IO[bytes]) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            info = next(i for i in archive.infolist() if i.header_offset == offset)
            with archive.open(info) as file:
                shutil.copyfileobj(file, to, _AT_ONCE)
    except _DAMAGE as error:
        damaged(path, str(error), "zip")


def _check_number(path: Path, count: int) -> None:
    if count >= MOST_PARTS:
        raise UserError(f"too many files inside; at most {MOST_PARTS:,}", where=path)
