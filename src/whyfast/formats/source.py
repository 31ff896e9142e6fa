"""The one way in which a file that a user names is opened: regular files only, so many bytes."""

from __future__ import annotations

import contextlib
import os
import stat
import zlib
from collections.abc import Iterator
from gzip import BadGzipFile, GzipFile
from pathlib import Path
from typing import BinaryIO

from whyfast.model.errors import UserError

#: The most bytes of text that are read from one file, after decompression. A full run of
#: pyperformance has about 1 MB; parsed, a hostile file can take thirty times its text.
LIMIT = 32_000_000

_GZIP = b"\x1f\x8b"


@contextlib.contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A regular file for reading. UserError for a folder, a pipe or a device, and where opening or
    reading fails."""
    try:
        # Without waiting, or a named pipe would hold everything up.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise UserError("is not a file", where=path)
            yield file
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror or error}", where=path) from None
    except ValueError:  # a NUL in the name
        raise UserError("is not the name of a file", where=repr(str(path))) from None


def read_bytes(path: Path, limit: int) -> bytes:
    """All of a regular file. UserError where it has more than ``limit`` bytes."""
    with opened(path) as file:
        if len(data := file.read(limit + 1)) > limit:
            raise UserError(f"has more than {limit / 1e6:.4g} MB", where=path)
        return data


def read_text(path: Path, limit: int = LIMIT) -> str:
    """The text of a plain or gzip-compressed file, told apart by content.

    Reading stops at ``limit`` bytes, so neither a huge file nor a small one that unpacks to a huge
    one fills the memory. UserError for these, for what cannot be read, is cut short, or is no text.
    """
    with opened(path) as file:
        data = _within(file, limit, path)
    if not data.strip():
        raise UserError("is empty", where=path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"is not text (byte {error.start} is not UTF-8)", where=path) from None


def _within(file: BinaryIO, limit: int, path: Path) -> bytes:
    compressed = file.read(len(_GZIP)) == _GZIP
    file.seek(0)
    if not compressed:
        return _limited(file.read(limit + 1), limit, path)
    try:
        with GzipFile(fileobj=file, mode="rb") as unpacked:
            return _limited(unpacked.read(limit + 1), limit, path)
    except EOFError:
        raise UserError("the compressed file is cut short", where=path) from None
    except (BadGzipFile, zlib.error) as error:
        raise UserError(f"the compressed file is damaged: {error}", where=path) from None


def _limited(data: bytes, limit: int, path: Path) -> bytes:
    if len(data) > limit:
        raise UserError(
            f"holds more than {limit / 1e6:.4g} MB of text, which no result of a benchmark needs",
            where=path,
        )
    return data
