"""On which line of a TOML text a key stands.

tomllib gives values without places. This scanner walks the text once more, only when an error is to
be reported. It does not judge: where the text is not TOML it stops, and knows what came before.
"""

from __future__ import annotations

import contextlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field

from whyfast.study.wording import Key

#: Parts of a key, with the places in lists.
_DEEPEST = 100

_SPACE = re.compile(r"[ \t]*")
_GAP = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'",
    re.DOTALL,
)
_SCALAR = re.compile(r"[^,\]}#\n]+")


def line_of(text: str, key: Key) -> int | None:
    """The line, from 1, on which the key is given; None when it is not in the text.

    A table's line is that of its header, or else of the first key inside it. An ``int`` in the key
    is the index of a list entry or of an ``[[array.of.tables]]`` entry.
    """
    scan = _scan(text)
    offset = scan.given.get(key, scan.implied.get(key))
    return None if offset is None else _line(text, offset)


def nearest_line(text: str, key: Key) -> int | None:
    """The line of the key, or of the innermost table around it that is in the text."""
    for end in range(len(key), 0, -1):
        line = line_of(text, key[:end])
        if line is not None:
            return line
    return None


def first_duplicate(text: str) -> tuple[Key, int, int] | None:
    """The first key that is given twice, with both lines."""
    twice = _scan(text).twice
    if twice is None:
        return None
    key, first, second = twice
    return key, _line(text, first), _line(text, second)


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


class _NotToml(Exception):
    """The text stops being TOML here."""


def _scan(text: str) -> _Scan:
    scan = _Scan(text)
    with contextlib.suppress(_NotToml, RecursionError):
        scan.document()
    return scan


@dataclass
class _Scan:
    text: str
    at: int = 0
    given: dict[Key, int] = field(default_factory=dict)
    implied: dict[Key, int] = field(default_factory=dict)
    entries: dict[Key, int] = field(default_factory=dict)  # of arrays of tables
    values: dict[Key, int] = field(default_factory=dict)  # given by key = value
    dotted: dict[Key, int] = field(default_factory=dict)  # a of a.b = value
    twice: tuple[Key, int, int] | None = None

    def document(self) -> None:
        table: Key = ()
        self.skip(_GAP)
        while self.at < len(self.text):
            start = self.at
            if self.text.startswith("[[", self.at):
                self.at += 2
                table = self.entry(self.inside((), self.key()), start)
                self.expect("]]")
            elif self.text.startswith("[", self.at):
                self.at += 1
                table = self.inside((), self.key())
                self.give(table, start)
                self.expect("]")
            else:
                self.pair(table)
            self.skip(_GAP)

    def pair(self, table: Key) -> None:
        start = self.at
        key = table + self.key()
        self.expect("=")
        for end in range(len(table) + 1, len(key)):
            self.clash(key[:end], self.values, start)  # a = 1, a.b = 2
            self.dotted.setdefault(key[:end], start)
        self.clash(key, self.dotted, start)  # a.b = 2, a = 1
        self.values[key] = start
        self.give(key, start)
        self.value(key)

    def value(self, key: Key) -> None:
        if len(key) > _DEEPEST:  # each level costs time for all that is in it
            raise _NotToml
        self.skip(_SPACE)
        if self.text.startswith("[", self.at):
            self.array(key)
        elif self.text.startswith("{", self.at):
            self.inline_table(key)
        elif self.text[self.at : self.at + 1] in ('"', "'"):
            self.match(_STRING)
        else:
            self.match(_SCALAR)

    def array(self, key: Key) -> None:
        self.expect("[")
        index = 0
        self.skip(_GAP)
        while not self.text.startswith("]", self.at):
            self.give((*key, index), self.at)
            self.value((*key, index))
            index += 1
            self.comma("]")
        self.expect("]")

    def inline_table(self, key: Key) -> None:
        self.expect("{")
        self.skip(_GAP)
        while not self.text.startswith("}", self.at):
            self.pair(key)
            self.comma("}")
        self.expect("}")

    def comma(self, closing: str) -> None:
        self.skip(_GAP)
        if not self.text.startswith(closing, self.at):
            self.expect(",")
            self.skip(_GAP)

    def key(self) -> tuple[str, ...]:
        parts: list[str] = []
        while True:
            if len(parts) > _DEEPEST:
                raise _NotToml
            self.skip(_SPACE)
            if self.text[self.at : self.at + 1] in ('"', "'"):
                parts.append(_unquoted(self.match(_STRING)))
            else:
                parts.append(self.match(_BARE))
            self.skip(_SPACE)
            if not self.text.startswith(".", self.at):
                return tuple(parts)
            self.at += 1

    def inside(self, table: Key, names: tuple[str, ...]) -> Key:
        """The names as a key; an array of tables means its last entry, if more follows."""
        key = table
        for i, name in enumerate(names):
            key = (*key, name)
            if key in self.entries and i < len(names) - 1:
                key = (*key, self.entries[key])
        return key

    def entry(self, array: Key, start: int) -> Key:
        index = self.entries.get(array, -1) + 1
        self.entries[array] = index
        if index == 0:
            self.give(array, start)
        self.give((*array, index), start)
        return (*array, index)

    def give(self, key: Key, start: int) -> None:
        self.clash(key, self.given, start)
        self.given.setdefault(key, start)
        for end in range(len(key) - 1, 0, -1):
            if key[:end] in self.implied:
                break  # with all above it
            self.implied[key[:end]] = start

    def clash(self, key: Key, before: Mapping[Key, int], start: int) -> None:
        if self.twice is None and key in before:
            self.twice = (key, before[key], start)

    def expect(self, token: str) -> None:
        self.skip(_SPACE)
        if not self.text.startswith(token, self.at):
            raise _NotToml
        self.at += len(token)

    def match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        if found is None:
            raise _NotToml
        self.at = found.end()
        return found[0]

    def skip(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self.text, self.at)
        if found is not None:
            self.at = found.end()


def _unquoted(raw: str) -> str:
    if "\\" not in raw:
        return raw[1:-1]
    try:
        return str(tomllib.loads(f"key = {raw}")["key"])
    except ValueError as error:
        raise _NotToml from error
