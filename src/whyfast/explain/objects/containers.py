"""Programs inside of other files: static archives, Debian packages, wheels.

One part is taken out: the one that was asked for as ``FILE:PART``, else the largest with machine
code. What a container says of itself is checked, and nothing is unpacked but that part.
"""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from whyfast.explain.objects.elf import damaged, read_blob
from whyfast.explain.objects.zstd import Damaged, NoReader, unpacked
from whyfast.model.errors import UserError

_AR, _AR_HEADER = b"!<arch>\n", 60
#: Where a Debian package has its files, inside of an ar archive.
_DATA = "data.tar"
#: The first bytes of programs and objects that can be read.
_CODE = (b"\x7fELF", b"MZ", b"\x64\x86", b"\x64\xaa", b"\xcf\xfa\xed\xfe")
#: Names that are listed where a part is not there.
_NAMED = 5


@dataclass(frozen=True)
class Part:
    """A file in a container; ``read`` gives its bytes."""

    name: str
    size: int
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
    code = sorted((p for p in parts if p.read()[:4].startswith(_CODE)), key=lambda p: -p.size)
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
    written = folder / f"{len(list(folder.iterdir()))}-{Path(part.name).name}"
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
        if header[58:] != b"`\n" or not size_text.strip().isdigit():
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
        if name.startswith("#1/") and name[3:].isdigit():
            long = int(name[3:])
            name = blob[start : start + long].rstrip(b"\0").decode("utf-8", "replace")
            start, size = start + long, max(size - long, 0)
        elif name.startswith("/") and name[1:].isdigit():
            name = names[int(name[1:]) :].split(b"\n", 1)[0].decode("utf-8", "replace")
        yield Part(name.rstrip("/"), size, lambda s=start, n=size: blob[s : s + n])  # type: ignore[misc]


def _tarred(path: Path, data: Part) -> Iterator[Part]:
    """The plain files of a package."""
    blob = _unzstd(path, data.read()) if data.name.endswith(".zst") else data.read()
    try:
        with tarfile.open(fileobj=io.BytesIO(blob)) as tar:
            for member in tar:
                file = tar.extractfile(member) if member.isfile() else None
                if file is not None:
                    content = file.read()
                    yield Part(member.name.removeprefix("./"), member.size, lambda c=content: c)  # type: ignore[misc]
    except (tarfile.TarError, EOFError, OSError) as error:
        damaged(path, str(error), "package")


def _unzstd(path: Path, blob: bytes) -> bytes:
    try:
        return unpacked(blob)
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
            for info in archive.infolist():
                if not info.is_dir() and info.file_size:
                    content = archive.read(info)
                    yield Part(info.filename, info.file_size, lambda c=content: c)  # type: ignore[misc]
    except (zipfile.BadZipFile, OSError, RuntimeError, EOFError, ValueError) as error:
        damaged(path, str(error), "zip")
