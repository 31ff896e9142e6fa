"""The members of a static library, as ``ar`` writes them.

The format: the line ``!<arch>``, then for each member a header of 60 bytes of text and the content,
padded to an even length. Names of 16 bytes and more stand in the member ``//``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

_MAGIC = b"!<arch>\n"
_HEADER = 60
_INDEXES = (b"/", b"/SYM64/")


def members(path: Path) -> Iterator[tuple[str, bytes]]:
    """Name and content of each member, in order, the index left out.

    Nothing for a file that is no archive, for a thin one (whose members are files of their own),
    and from the place on at which it is damaged. OSError when it cannot be read.
    """
    data = path.read_bytes()
    if not data.startswith(_MAGIC):
        return
    names = b""
    at = len(_MAGIC)
    while at + _HEADER <= len(data):
        header = data[at : at + _HEADER]
        length = header[48:58].strip()
        if header[58:60] != b"`\n" or not length.isdigit():
            return
        start = at + _HEADER
        content = data[start : start + int(length)]
        raw = header[:16].rstrip()
        if raw == b"//":
            names = content
        elif raw not in _INDEXES:
            yield _name(raw, names), content
        at = start + int(length) + int(length) % 2


def _name(raw: bytes, names: bytes) -> str:
    """``name.o/``, or ``/N``: the name at byte N of the table of long ones."""
    if raw[:1] == b"/" and raw[1:].isdigit():
        raw = names[int(raw[1:]) :].split(b"\n", 1)[0]
    return raw.removesuffix(b"/").decode("utf-8", "replace")
