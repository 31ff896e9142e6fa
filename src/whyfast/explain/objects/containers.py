"""Programs inside of other files: static archives, Debian packages, wheels.

One part is taken out: the one that was asked for as ``FILE:PART``, else the largest with machine
code. What a container says of itself is checked, and nothing is unpacked but that part: others are
looked at for their first bytes. What is in a container in a container stays there.
"""

from __future__ import annotations

import io
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from whyfast.build.unpack import open_tar
from whyfast.explain.objects.elf import damaged, read_blob
from whyfast.explain.objects.zstd import Damaged, NoReader, TooLarge, unpacked
from whyfast.model.errors import UserError

_AR, _AR_HEADER = b"!<arch>\n", 60
#: Where a Debian package has its files, inside of an ar archive.
_DATA = "data.tar"
#: The first bytes of programs and objects that can be read.
_CODE = (b"\x7fELF", b"MZ", b"\x64\x86", b"\x64\xaa", b"\xcf\xfa\xed\xfe")
#: Bytes that one part may have, and all files of a Debian package: more than those of a browser
#: with its debug information.
MOST_BYTES = 4_000_000_000
#: Files in one container.
MOST_PARTS = 200_000
#: What damaged archives raise.
_DAMAGE = (
    *(tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError),
    *(OSError, EOFError, RuntimeError, ValueError),
)
_FIRST, _AT_ONCE = 4, 1 << 20
#: Names that are listed where a part is not there.
_NAMED = 5


@dataclass(frozen=True)
class Part:
    """A file in a container, with its first bytes; ``read`` gives all of them, and raises UserError
    where they are damaged."""

    name: str
    size: int
    first: bytes
    read: Callable[[], bytes]


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
    written.write_bytes(part.read())
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
    with path.open("rb") as file:
        magic = file.read(8)
    if magic == _AR:
        parts = list(_members(path, read_blob(path)))
        data = next((p for p in parts if p.name.startswith(_DATA)), None)
        if data is not None and any(p.name == "debian-binary" for p in parts):
            return list(_tarred(path, data))
        return parts
    if magic[:4] == b"PK\x03\x04":
        return list(_zipped(path))
    return None


def _members(path: Path, blob: bytes) -> Iterator[Part]:
    """The members of an ar archive, with the long names of GNU and of BSD."""
    at, names = len(_AR), b""
    while at + _AR_HEADER <= len(blob):
        header = blob[at : at + _AR_HEADER]
        name, size_text = header[:16].decode("latin-1").rstrip(), header[48:58].decode("latin-1")
        if header[58:] != b"`\n" or not size_text.strip().isdecimal():
            damaged(path, "a header of it is none", "ar")
        start, size = at + _AR_HEADER, int(size_text)
        if start + size > len(blob):
            damaged(path, "it ends inside a member", "ar")
        at = start + size + size % 2
        if name == "//":
            names = blob[start : start + size]
            continue
        if name in ("/", "/SYM64/") or name.startswith("__.SYMDEF"):
            continue
        if name.startswith("#1/") and name[3:].isdecimal():
            long = int(name[3:])
            name = blob[start : start + long].rstrip(b"\0").decode("utf-8", "replace")
            start, size = start + long, max(size - long, 0)
        elif name.startswith("/") and name[1:].isdecimal():
            name = names[int(name[1:]) :].split(b"\n", 1)[0].decode("utf-8", "replace")
        first = blob[start : start + _FIRST]
        yield Part(name.rstrip("/"), size, first, partial(_slice, blob, start, size))


def _slice(blob: bytes, start: int, size: int) -> bytes:
    return blob[start : start + size]


def _tarred(path: Path, data: Part) -> Iterator[Part]:
    """The plain files of a package."""
    compressed, total = data.read(), 0
    if data.name.endswith(".zst"):
        compressed = _unzstd(path, compressed)
    try:
        with open_tar(io.BytesIO(compressed)) as tar:
            for count, member in enumerate(tar):
                total += member.size
                _check_number(path, count)
                if total > MOST_BYTES:
                    most = f"{MOST_BYTES / 1e9:g} GB"
                    raise UserError(f"would unpack to over {most}", where=path)
                file = tar.extractfile(member) if member.isfile() else None
                if file is not None:
                    name = member.name.removeprefix("./")
                    read = partial(_untarred, path, compressed, count)
                    yield Part(name, member.size, file.read(_FIRST), read)
    except _DAMAGE as error:
        damaged(path, str(error), "package")


def _untarred(path: Path, compressed: bytes, number: int) -> bytes:
    try:
        with open_tar(io.BytesIO(compressed)) as tar:
            file = tar.extractfile(next(islice(tar, number, None)))
            chunks = iter(lambda: file.read(_AT_ONCE) if file is not None else b"", b"")
            return b"".join(chunks)
    except _DAMAGE as error:
        damaged(path, str(error), "package")


def _unzstd(path: Path, blob: bytes) -> bytes:
    try:
        return unpacked(blob, MOST_BYTES)
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


def _zipped(path: Path) -> Iterator[Part]:
    try:
        with zipfile.ZipFile(path) as archive:
            for count, info in enumerate(archive.infolist()):
                _check_number(path, count)
                if not info.is_dir() and info.file_size:
                    with archive.open(info) as file:
                        first = file.read(_FIRST)
                    read = partial(_unzipped, path, info.header_offset)
                    yield Part(info.filename, info.file_size, first, read)
    except _DAMAGE as error:
        damaged(path, str(error), "zip")


def _unzipped(path: Path, offset: int) -> bytes:
    try:
        with zipfile.ZipFile(path) as archive:
            infos = archive.infolist()
            return archive.read(next(i for i in infos if i.header_offset == offset))
    except _DAMAGE as error:
        damaged(path, str(error), "zip")


def _check_number(path: Path, count: int) -> None:
    if count >= MOST_PARTS:
        raise UserError(f"holds more than {MOST_PARTS:,} files", where=path)
