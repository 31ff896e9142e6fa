"""The members of an ar archive: static libraries and Debian packages, with GNU's and BSD's names.
``debian.arfile`` does not read long names, and a hostile size sends it round for ever."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import BinaryIO

MAGIC = b"!<arch>\n"
_HEADER = 60
#: Bytes of one name, and of all of GNU's table of long names, that are read.
_LONGEST, _TABLE = 4096, 1 << 26
#: Tables of symbols, which linkers read.
_INDEXES = ("/", "/SYM64/")


class DamagedArchive(ValueError):
    """The archive contradicts itself; the message says where."""


def read_members(file: BinaryIO) -> Iterator[tuple[str, int, int]]:
    """(name, start, size) of each member but the indexes. Raises DamagedArchive."""
    end, at, table = file.seek(0, os.SEEK_END), len(MAGIC), b""

    def read(start: int, size: int) -> bytes:
        file.seek(start)
        return file.read(size)

    while at + _HEADER <= end:
        header = read(at, _HEADER)
        name, length = header[:16].decode("latin-1").rstrip(), header[48:58].decode("latin-1")
        if header[58:] != b"`\n" or not length.strip().isdecimal():
            raise DamagedArchive("invalid member header")
        start, size = at + _HEADER, int(length)
        if start + size > end:
            raise DamagedArchive("it ends inside a member")
        at = start + size + size % 2
        if name == "//":
            table = read(start, min(size, _TABLE))
            continue
        if name in _INDEXES or name.startswith("__.SYMDEF"):
            continue
        if name.startswith("#1/") and name[3:].isdecimal():
            long = min(int(name[3:]), size)
            name = read(start, min(long, _LONGEST)).rstrip(b"\0").decode("utf-8", "replace")
            start, size = start + long, size - long
        elif name.startswith("/") and name[1:].isdecimal():
            first = int(name[1:])
            name = table[first : first + _LONGEST].split(b"\n", 1)[0].decode("utf-8", "replace")
        yield name.rstrip("/"), start, size
