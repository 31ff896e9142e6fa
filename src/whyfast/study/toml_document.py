"""A study file, read and parsed, that can say where a key stands."""

from __future__ import annotations

import contextlib
import datetime
import difflib
import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from whyfast.formats.input import read_bytes
from whyfast.model.errors import StudyError, UserError

# ---- How errors spell keys, names and kinds of values, and what was probably meant.

#: Where a value stands in a study file: names of keys, and indices of list entries.
Key = tuple[str | int, ...]

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_LONGEST = 60


def dotted(key: Key) -> str:
    """The key as a user would write it: ``variant.clang19.cflags``, ``axes.exclude[0].compiler``.

    Indices count from 0.
    """
    out = ""
    for part in key:
        if isinstance(part, int):
            out += f"[{part}]"
        else:
            name = part if _BARE.fullmatch(part) else quoted(part)
            out += f".{name}" if out else name
    return out


def quoted(text: str) -> str:
    """The text in quotes, shortened, with control characters made visible."""
    short = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return json.dumps(short, ensure_ascii=False)


def listed(names: Iterable[str]) -> str:
    """``a, b, c``: all of the names, unless they are very many."""
    every = list(names)
    shown = ", ".join(every[:12])
    return f"{shown} and {len(every) - 12} more" if len(every) > 12 else shown


def kind(value: object) -> str:
    """What a TOML value is, in a user's words."""
    if isinstance(value, str):
        return "a string"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return "a date or time"
    return f"a {type(value).__name__}"


def nearest(name: str, valid: Iterable[str]) -> str | None:
    """The valid name most like ``name``, or None when none is like it; case does not count."""
    by_folded = {v.casefold(): v for v in valid}
    close = difflib.get_close_matches(name.casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[close[0]] if close else None


def suggestion(name: str, valid: Iterable[str]) -> str | None:
    """A hint for an error: the nearest valid name, else all of them, else None."""
    names = list(valid)
    near = nearest(name, names)
    if near is not None:
        return f"did you mean {quoted(near)}?"
    if not names:
        return None
    return f"valid: {listed(names)}"


# ---- On which line of a TOML text a key stands.
#
# tomllib gives values without places. This scanner walks the text once more, only when an error is
# to
# be reported. It does not judge: where the text is not TOML it stops, and knows what came before.

#: Parts of a key, with the places in lists.
_DEEPEST = 100

_SPACE = re.compile(r"[ \t]*")
_GAP = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
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


_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


@dataclass(frozen=True)
class TomlDocument:
    """The text of a study file and the values in it.

    ``base`` is the file that it includes: ``data`` has the values of both, ``own`` those that stand
    in this one.
    """

    file: Path
    text: str
    data: dict[str, Any]
    own: dict[str, Any] | None = None
    base: TomlDocument | None = None

    def error(self, key: Key, message: str, hint: str | None = None) -> StudyError:
        """A mistake at the key, or at the table around it when the key is missing."""
        place = self._place(key)
        line = nearest_line(place.text, key)
        return StudyError(message, file=place.file, line=line, key=dotted(key) or None, hint=hint)

    def _place(self, key: Key) -> TomlDocument:
        """The file in which the key, or the innermost table around it, stands."""
        if self.base is None or self.own is None:
            return self
        deeper = _depth(self.base.data, key) > _depth(self.own, key)
        return self.base._place(key) if deeper else self


def _depth(data: Any, key: Key) -> int:
    """How many parts of the key lead to something in the data."""
    for depth, part in enumerate(key):
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            return depth
    return len(key)


#: A hundred parts of a key with dots between them. It never goes back, and begins at most once for
#: each part.
_LONG_KEY = re.compile(
    r"(?<![\w-])(?:(?:[\w-]++|\"[^\"\n]*+\"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}", re.ASCII
)

#: Bytes of a study file that are read: a hundred times the largest that comes with whyfast.
LARGEST = 4_000_000


def read_document(file: Path) -> TomlDocument:
    """The parsed file; StudyError when it cannot be read or is not TOML."""
    text = _read(file)
    try:
        data = parse_toml(text)
    except ValueError as error:
        raise _syntax_error(file, text, str(error)) from None
    return TomlDocument(file, text, data)


def parse_toml(text: str) -> dict[str, Any]:
    """The values of a TOML text; ValueError, which is what tomllib raises, for what is none.

    The time of tomllib grows with the square of the parts of a dotted key, so no key has many.
    """
    if found := _LONG_KEY.search(text):
        line = text.count("\n", 0, found.start()) + 1
        column = found.start() - text.rfind("\n", 0, found.start())
        said = f"a key has more than 100 parts (at line {line}, column {column})"
        raise tomllib.TOMLDecodeError(said)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise tomllib.TOMLDecodeError("Values are nested too deeply") from None


def _read(file: Path) -> str:
    try:
        raw = read_bytes(file, LARGEST)
    except UserError as error:
        raise StudyError(error.message, file=file, line=None, key=None) from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise StudyError(
            "not UTF-8", file=file, line=line, key=None, hint="save the file in UTF-8"
        ) from None


def _syntax_error(file: Path, text: str, said: str) -> StudyError:
    place = _PLACE.search(said)
    what = _PLACE.sub("", said)
    what = what[:1].lower() + what[1:]
    hints = []
    line = None
    if place and place[1]:
        line = int(place[1])
        hints.append(f"column {place[2]}")
    elif place:
        line = text.rstrip().count("\n") + 1
        hints.append("the file ends too early")
    if what == "invalid value":
        hints.append("a string stands in quotes")
    twice = first_duplicate(text)
    # The scanner is more patient than tomllib and may have found a duplicate below the first error.
    if twice is not None and line is not None and twice[2] <= line:
        key, first, second = twice
        hint = f"first on line {first}"
        return StudyError("is given twice", file=file, line=second, key=dotted(key), hint=hint)
    said = f"not valid TOML: {what}"
    return StudyError(said, file=file, line=line, key=None, hint=", ".join(hints) or None)
