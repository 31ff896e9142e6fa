"""Programs inside of other files: static archives, Debian packages, wheels.

One part is taken out: the one that was asked for as ``FILE:PART``, else the largest with machine
code. What a container says of itself is checked, and nothing is unpacked but that part: others are
looked at for their first bytes. What is in a container in a container stays there.
"""

from __future__ import annotations

import importlib
import lzma
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from whyfast.build.source import open_tar
from whyfast.explain.objects.image import MOST_BYTES, damaged
from whyfast.formats.input import opened
from whyfast.model.errors import UserError

# ---- What zstd packed, by whatever on this machine can unpack it.
#
# Python has a module for it from 3.14 on; older ones may have a wheel, and the system a command.

#: What can unpack, the first that is there is taken; the last is a command.
READERS = ("compression.zstd", "zstandard", "pyzstd", "zstd")

#: So much of what the command complains of is kept.
_SAID = 1000
_AT_ONCE = 1 << 20


class NoReader(Exception):
    """Nothing on this machine unpacks zstd."""


class Damaged(Exception):
    """What should be unpacked is damaged; the message says how."""


class TooLarge(Exception):
    """It would unpack to more than is wanted."""


def unpack(packed: IO[bytes], to: IO[bytes], most: int) -> None:
    """Write the bytes of one or more frames to a file, at most ``most`` of them.

    Raises NoReader, Damaged or TooLarge.
    """
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
        said = complaint.read(_SAID).decode(errors="replace").strip()
    if started.returncode:
        raise Damaged(said or "zstd failed")


def _copy(packed: Any, to: IO[bytes], most: int) -> None:
    while piece := packed.read(_AT_ONCE):
        most -= len(piece)
        if most < 0:
            raise TooLarge
        to.write(piece)


_AR, _AR_HEADER = b"!<arch>\n", 60
#: Where a Debian package has its files, inside of an ar archive.
_DATA = "data.tar"
#: The first bytes of programs and objects that can be read.
_CODE = (b"\x7fELF", b"MZ", b"\x64\x86", b"\x64\xaa", b"\xcf\xfa\xed\xfe")
#: Files in one container.
MOST_PARTS = 200_000
#: What damaged archives raise.
_DAMAGE = (
    *(tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError),
    *(OSError, EOFError, RuntimeError, ValueError),
)
_FIRST, _CONTAINERS_AT_ONCE = 4, 1 << 20
#: Bytes of one name in an ar archive, and of all, that are read.
_LONGEST, _NAMES = 4096, 1 << 26
#: Names that are listed where a part is not there.
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
    """``path`` is what to read; ``name`` what it is called, and ``note`` which part it is of what;
    both empty for a file that is no container."""

    path: Path
    name: str = ""
    note: str = ""


def taken_out(given: Path, folder: Path) -> TakenOut:
    """The program that is meant, written into ``folder`` where it lies in a container.

    Raises UserError for a damaged container, one without machine code, and a part that it has not.
    """
    path, wanted = _split(given)
    parts = _parts(path)
    if parts is None:
        return TakenOut(given)
    code = sorted((p for p in parts if p.first.startswith(_CODE)), key=lambda p: -p.size)
    if not code:
        raise UserError("holds no file with machine code", where=path)
    fitting = [p for p in code if not wanted or p.name == wanted or p.name.endswith(f"/{wanted}")]
    if not fitting:
        some = ", ".join(p.name for p in code[:_NAMED])
        more = f" and {len(code) - _NAMED} more" if len(code) > _NAMED else ""
        raise UserError(
            f"has no part {wanted!r} with machine code; it has {some}{more}", where=path
        )
    part = fitting[0]
    if part.size > MOST_BYTES:
        most = f"{MOST_BYTES / 1e9:g} GB"
        raise UserError(f"{part.name} would have {part.size:,} bytes, over {most}", where=path)
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
    """The files in a container; None for what is none."""
    if not path.is_file():
        return None
    with opened(path) as file:
        magic = file.read(8)
        if magic == _AR:
            parts = list(_members(path, file))
    if magic == _AR:
        data = next((p for p in parts if p.name.startswith(_DATA)), None)
        if data is not None and any(p.name == "debian-binary" for p in parts):
            return list(_tarred(path, data))
        return parts
    if magic[:4] == b"PK\x03\x04":
        return list(_zipped(path))
    return None


def _members(path: Path, file: BinaryIO) -> Iterator[Part]:
    """The members of an ar archive, with the long names of GNU and of BSD."""
    end, at, count, names = file.seek(0, os.SEEK_END), len(_AR), 0, b""
    while at + _AR_HEADER <= end:
        header = _at(file, at, _AR_HEADER)
        name, size_text = header[:16].decode("latin-1").rstrip(), header[48:58].decode("latin-1")
        if header[58:] != b"`\n" or not size_text.strip().isdecimal():
            damaged(path, "a header of it is none", "ar")
        start, size = at + _AR_HEADER, int(size_text)
        if start + size > end:
            damaged(path, "it ends inside a member", "ar")
        at = start + size + size % 2
        if name == "//":
            names = _at(file, start, min(size, _NAMES))
            continue
        if name in ("/", "/SYM64/") or name.startswith("__.SYMDEF"):
            continue
        if name.startswith("#1/") and name[3:].isdecimal():
            long = min(int(name[3:]), size)
            name = _at(file, start, min(long, _LONGEST)).rstrip(b"\0").decode("utf-8", "replace")
            start, size = start + long, size - long
        elif name.startswith("/") and name[1:].isdecimal():
            first = int(name[1:])
            name = names[first : first + _LONGEST].split(b"\n", 1)[0].decode("utf-8", "replace")
        first_bytes = _at(file, start, min(_FIRST, size))
        _check_number(path, count)
        count += 1
        yield Part(name.rstrip("/"), size, first_bytes, partial(_copy_range, path, start, size))


def _at(file: BinaryIO, start: int, size: int) -> bytes:
    file.seek(start)
    return file.read(size)


def _copy_range(path: Path, start: int, size: int, to: IO[bytes]) -> None:
    with opened(path) as file:
        file.seek(start)
        while size and (piece := file.read(min(size, _CONTAINERS_AT_ONCE))):
            to.write(piece)
            size -= len(piece)


def _tarred(path: Path, data: Part) -> Iterator[Part]:
    """The plain files of a package."""
    packed, total = cast("IO[bytes]", tempfile.TemporaryFile()), 0  # noqa: SIM115 (parts read it)
    data.copy(packed)
    if data.name.endswith(".zst"):
        packed = _unzstd(path, packed)
    try:
        packed.seek(0)
        with open_tar(packed) as tar:
            for count, member in enumerate(tar):
                total += member.size
                _check_number(path, count)
                if total > MOST_BYTES:
                    most = f"{MOST_BYTES / 1e9:g} GB"
                    raise UserError(f"would unpack to over {most}", where=path)
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
                shutil.copyfileobj(file, to, _CONTAINERS_AT_ONCE)
    except _DAMAGE as error:
        damaged(path, str(error), "package")


def _unzstd(path: Path, packed: IO[bytes]) -> IO[bytes]:
    plain = cast("IO[bytes]", tempfile.TemporaryFile())  # noqa: SIM115 (parts read it)
    packed.seek(0)
    try:
        unpack(packed, plain, MOST_BYTES)
    except TooLarge:
        raise UserError(f"would unpack to over {MOST_BYTES / 1e9:g} GB", where=path) from None
    except Damaged as error:
        damaged(path, str(error), "zstd")
    except NoReader:
        raise UserError(
            "is compressed with zstd, which nothing here can read: install the command zstd or the "
            "Python package zstandard, use Python 3.14, or unpack it with `dpkg-deb -x`",
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
                shutil.copyfileobj(file, to, _CONTAINERS_AT_ONCE)
    except _DAMAGE as error:
        damaged(path, str(error), "zip")


def _check_number(path: Path, count: int) -> None:
    if count >= MOST_PARTS:
        raise UserError(f"holds more than {MOST_PARTS:,} files", where=path)
