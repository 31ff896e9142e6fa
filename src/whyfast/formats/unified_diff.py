"""Which lines a patch touches, from ``git diff -U0``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_ESCAPED = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True)
class Hunk:
    """One changed place. ``first`` is its first line in the new file; with ``count`` 0 lines were
    only removed, after line ``first``. ``text`` are the removed and added lines."""

    first: int
    count: int
    text: tuple[str, ...]


@dataclass(frozen=True)
class FileChange:
    """A changed file: its path in the new revision (the old one's when it was deleted)."""

    path: str
    deleted: bool
    hunks: tuple[Hunk, ...]


def parse_diff(text: str) -> list[FileChange]:
    """The changed files in the order of the diff; binary files and mode changes have no hunks."""
    return list(_files(text.split("\n")))


def _files(lines: list[str]) -> Iterator[FileChange]:
    path, deleted = "", False
    hunks: list[Hunk] = []
    i = 0
    while i < len(lines):
        line = lines[i]
        i += 1
        if line.startswith("diff --git "):
            if path:
                yield FileChange(path, deleted, tuple(hunks))
            path, deleted, hunks = _from_header(line), False, []
        elif line.startswith("--- ") and line != "--- /dev/null":
            path = _name(line[4:])
        elif line.startswith("+++ "):
            deleted = line == "+++ /dev/null"
            path = path if deleted else _name(line[4:])
        elif match := _HUNK.match(line):
            removed, first, added = int(match[2] or 1), int(match[3]), int(match[4] or 1)
            body: list[str] = []
            # The header says how many lines follow: one of them may look like a header itself.
            while i < len(lines) and len(body) < removed + added:
                if not lines[i].startswith("\\"):
                    body.append(lines[i][1:])
                i += 1
            hunks.append(Hunk(first, added, tuple(body)))
    if path:
        yield FileChange(path, deleted, tuple(hunks))


def _from_header(line: str) -> str:
    """The path in ``diff --git a/x b/x``, for changes that have no other line with it."""
    rest = line.removeprefix("diff --git ")
    half = rest[len(rest) // 2 + 1 :]
    return _name(half)


def _name(text: str) -> str:
    text = text.rstrip("\t")
    if len(text) > 1 and text[0] == text[-1] == '"':  # git quotes unusual bytes as C does
        text = _ESCAPED.sub(_unescaped, text[1:-1].encode()).decode("utf-8", "replace")
    return text[2:] if text.startswith(("a/", "b/")) else text


def _unescaped(escaped: re.Match[bytes]) -> bytes:
    code = escaped[1]
    if code.isdigit():
        return bytes([int(code, 8) & 255])
    return b"\a\b\t\n\v\f\r"[i : i + 1] if (i := b"abtnvfr".find(code)) >= 0 else code
