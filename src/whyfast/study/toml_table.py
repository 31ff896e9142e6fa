"""A study file, read and parsed, that can say where a key stands; its tables hand out
checked values."""

from __future__ import annotations

import contextlib
import difflib
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from whyfast.formats.input import read_bytes
from whyfast.model.errors import StudyError, UserError
from whyfast.study.notation import NAME_HINT, is_name, kind, listed, quoted

#: Where a value stands in a study file: names of keys, and indices of list entries.
Key = tuple[str | int, ...]

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def dotted(key: Key) -> str:
    """The key as a user would write it: ``variant.clang19.cflags``, ``axes.exclude[0].compiler``.
    Indices count from 0."""
    out = ""
    for part in key:
        if isinstance(part, int):
            out += f"[{part}]"
        else:
            name = part if _BARE.fullmatch(part) else quoted(part)
            out += f".{name}" if out else name
    return out


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


# Lines of keys. tomllib gives values without places, so the text is read once more when an error is
# reported. Where it is not TOML the reading stops; what came before is known.

#: Most parts of a key, with indices of lists: each costs time for everything inside it.
_DEEPEST = 100

_GAP = re.compile(r"(?:[ \t\r\n,]|#[^\n]*)*")
_STRING = (
    r'"""(?:[^\\]|\\.)*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
)
_PART = re.compile(rf"(?s:{_STRING})|{_BARE.pattern}")
_KEY = rf"(?s:[ \t]*(?:{_PART.pattern})[ \t]*(?:\.[ \t]*(?:{_PART.pattern})[ \t]*)*+)"
_HEADER = re.compile(rf"(\[\[?)({_KEY})\]\]?")
_PAIR = re.compile(rf"({_KEY})=[ \t]*")
_SCALAR = re.compile(rf"(?s:{_STRING})|[^,\]}}#\n]+")


def _given(text: str) -> Iterator[tuple[Key, int, Key]]:
    """Each key that a header, a pair or an entry of a list gives, in the order of the text: the
    key, its offset, and the table or list around it."""
    table: Key = ()
    entries: dict[Key, int] = {}  # last indices of arrays of tables
    around: list[tuple[Key, int | None]] = []  # open values; of a list with the next index
    at = 0
    while (gap := _GAP.match(text, at)) and (start := gap.end()) < len(text):
        if around and text[start] in "]}":
            around.pop()
            at = start + 1
            continue
        if not around and (header := _HEADER.match(text, start)):
            table, at = (), header.end()
            if len(names := _parts(header[2])) > _DEEPEST:
                return
            for name in names:
                table = (*table, entries[table], name) if table in entries else (*table, name)
            if header[1] == "[[":
                index = entries[table] = entries.get(table, -1) + 1
                if index == 0:
                    yield table, start, table[:-1]
                table = (*table, index)
            yield table, start, table[:-1]
            continue
        outer, index_next = around[-1] if around else (table, None)
        if index_next is not None:
            key, at = (*outer, index_next), start
            around[-1] = outer, index_next + 1
        elif pair := _PAIR.match(text, start):
            key, at = outer + _parts(pair[1]), pair.end()
        else:
            return
        if len(key) > _DEEPEST:
            return
        yield key, start, outer
        if text[at : at + 1] in ("[", "{"):
            around.append((key, 0 if text[at] == "[" else None))
            at += 1
        elif scalar := _SCALAR.match(text, at):
            at = scalar.end()
        else:
            return


def _parts(key: str) -> tuple[str, ...]:
    return tuple(_unquoted(part[0]) for part in _PART.finditer(key))


def line_of(text: str, key: Key) -> int | None:
    """The line, from 1, on which the key is given; None when it is not in the text. A table's line
    is that of its header, or else of the first key inside it. An ``int`` in the key is the index of
    a list entry or of an ``[[array.of.tables]]`` entry."""
    inside = None
    for given, start, _ in _given(text):
        if given == key:
            return _line(text, start)
        if inside is None and given[: len(key)] == key:
            inside = _line(text, start)
    return inside


def nearest_line(text: str, key: Key) -> int | None:
    """The line of the key, or of the innermost table around it that is in the text."""
    lines = (line_of(text, key[:end]) for end in range(len(key), 0, -1))
    return next((line for line in lines if line is not None), None)


def first_duplicate(text: str) -> tuple[Key, int, int] | None:
    """The first key that is given twice, with both lines."""
    offsets: dict[Key, int] = {}
    dotted: dict[Key, int] = {}  # a of a.b = value
    for key, start, table in _given(text):
        for end in range(len(table) + 1, len(key)):
            if key[:end] in offsets:  # a = 1, a.b = 2
                return key[:end], _line(text, offsets[key[:end]]), _line(text, start)
            dotted.setdefault(key[:end], start)
        if (before := offsets.get(key, dotted.get(key))) is not None:
            return key, _line(text, before), _line(text, start)
        offsets[key] = start
    return None


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _unquoted(name: str) -> str:
    if name[0] not in "\"'":
        return name
    with contextlib.suppress(ValueError):
        return str(tomllib.loads(f"key = {name}")["key"])
    return name


# Study files.

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


@dataclass(frozen=True)
class TomlDocument:
    """The text of a study file and the values in it. ``base`` is the file that it includes:
    ``data`` has the values of both, ``own_data`` those of this one."""

    file: Path
    text: str
    data: dict[str, Any]
    own_data: dict[str, Any] | None = None
    base: TomlDocument | None = None

    def error(self, key: Key, message: str, hint: str | None = None) -> StudyError:
        """A mistake at the key, or at the table around it when the key is missing."""
        place = self._place(key)
        line = nearest_line(place.text, key)
        return StudyError(message, file=place.file, line=line, key=dotted(key) or None, hint=hint)

    def _place(self, key: Key) -> TomlDocument:
        """The file in which the key, or the innermost table around it, stands."""
        if self.base is None or self.own_data is None:
            return self
        deeper = _depth(self.base.data, key) > _depth(self.own_data, key)
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
    """The values of a TOML text; ValueError, which is what tomllib raises, for any other text. The
    time of tomllib grows with the square of the parts of a dotted key, so no key has many."""
    if match := _LONG_KEY.search(text):
        column = match.start() - text.rfind("\n", 0, match.start())
        place = f"line {_line(text, match.start())}, column {column}"
        raise tomllib.TOMLDecodeError(f"a key has more than 100 parts (at {place})")
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


def _syntax_error(file: Path, text: str, message: str) -> StudyError:
    place = _PLACE.search(message)
    what = _PLACE.sub("", message)
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
        hints.append("write strings in quotes")
    twice = first_duplicate(text)
    # The scanner is more patient than tomllib and may have found a duplicate below the first error.
    if twice is not None and line is not None and twice[2] <= line:
        key, first, second = twice
        hint = f"first on line {first}"
        return StudyError("duplicate key", file=file, line=second, key=dotted(key), hint=hint)
    return StudyError(
        f"not valid TOML: {what}", file=file, line=line, key=None, hint=", ".join(hints) or None
    )


# A table of the document.

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
T = TypeVar("T")


@dataclass(frozen=True)
class TomlTable:
    """One table: each reader raises StudyError for a value of a wrong form."""

    document: TomlDocument
    key: Key
    data: dict[str, Any]

    def __contains__(self, name: str) -> bool:
        return name in self.data

    def error(self, at: Key, message: str, hint: str | None = None) -> StudyError:
        """A mistake at a key inside this table; ``()`` is the table itself."""
        return self.document.error(self.key + at, message, hint)

    def check_keys(self, *valid: str, old: tuple[str, ...] = ()) -> None:
        """Refuse keys that are not among the valid ones, nor old names of these."""
        for name in self.data:
            if name not in valid and name not in old:
                raise self.error((name,), "unknown key", suggestion(name, valid))

    def require(self, name: str, example: str) -> None:
        """Refuse a table that lacks the key; ``example`` is a line that would be right."""
        if name not in self.data:
            raise self.error((name,), "is missing", f"write {example}")

    def table(self, name: str) -> TomlTable:
        """The table of that name, empty when it is not given."""
        return self._as_table((name,), self.data.get(name, {}))

    def tables(self) -> Iterator[tuple[str, TomlTable]]:
        """Everything in this table, each a table with a name of its own."""
        for name, value in self.data.items():
            yield name, self._as_table((name,), value)

    def entries(self, name: str) -> tuple[TomlTable, ...]:
        """A list of tables; empty when it is not given."""
        value = self.data.get(name, [])
        if not isinstance(value, list):
            hint = f"write {name} = [{{ … }}]"
            raise self.error((name,), f"must be a list of tables, not {kind(value)}", hint)
        return tuple(self._as_table((name, i), entry) for i, entry in enumerate(value))

    def _as_table(self, at: Key, value: object) -> TomlTable:
        if not isinstance(value, dict):
            raise self.error(at, f"must be a table, not {kind(value)}")
        return TomlTable(self.document, self.key + at, value)

    def string(self, name: str, default: str = "") -> str:
        """A string with something in it, or the default when it is not given."""
        if name not in self.data:
            return default
        return self._as_string((name,), self.data[name])

    def sentence(self, name: str) -> str:
        """A string on one line, however it was wrapped in the file."""
        return " ".join(self.string(name).split())

    def _as_string(self, at: Key, value: object, *, empty: bool = False) -> str:
        if not isinstance(value, str):
            hint = "put it in quotes" if kind(value) == "a number" else None
            raise self.error(at, f"must be a string, not {kind(value)}", hint)
        if not empty and not value.strip():
            raise self.error(at, "is empty")
        if "\0" in value:
            raise self.error(at, "contains a NUL character")
        return value

    def strings(self, name: str, *, empty: bool = False, words: bool = True) -> tuple[str, ...]:
        """A list of strings, empty when it is not given. ``empty`` allows empty strings in it;
        ``words`` says that each is meant to be one word."""
        value = self.data.get(name, [])
        if not isinstance(value, list):
            hint = None
            if isinstance(value, str):
                strings = value.split() if words else [value]
                hint = f"write [{', '.join(map(quoted, strings))}]"
            raise self.error((name,), f"must be a list of strings, not {kind(value)}", hint)
        return tuple(
            self._as_string((name, i), entry, empty=empty) for i, entry in enumerate(value)
        )

    def one_or_more(self, name: str) -> tuple[tuple[str, Key], ...]:
        """One string or a list of different ones, each with its key."""
        value = self.data.get(name, [])
        if isinstance(value, str):
            return ((self._as_string((name,), value), (*self.key, name)),)
        if not isinstance(value, list):
            raise self.error((name,), f"must be a string or a list of strings, not {kind(value)}")
        names = self.strings(name)
        for i, text in enumerate(names):
            if text in names[:i]:
                raise self.error((name, i), f"{quoted(text)} is in the list twice")
        return tuple((text, (*self.key, name, i)) for i, text in enumerate(names))

    def flag(self, name: str) -> bool:
        """true or false; false when it is not given."""
        value = self.data.get(name, False)
        if not isinstance(value, bool):
            raise self.error((name,), f"must be true or false, not {kind(value)}")
        return value

    def choice(self, name: str, valid: tuple[str, ...], default: str) -> str:
        """One of the valid words."""
        value = self.string(name, default)
        self.check_choice((name,), value, valid)
        return value

    def check_known(self, at: Key, kind: str, name: str, known: Iterable[str]) -> None:
        """Refuse the name of a thing that there is not."""
        names = list(known)
        if name not in names:
            raise self.error(at, f"no {kind} {quoted(name)}", suggestion(name, names))

    def check_choice(self, at: Key, value: str, valid: tuple[str, ...]) -> None:
        """Refuse a word that is not among the valid ones."""
        if value not in valid:
            near = nearest(value, valid)
            hint = f"did you mean {quoted(near)}?" if near else None
            raise self.error(at, f"must be one of {listed(valid)}, not {quoted(value)}", hint)

    def converted(
        self, name: str, convert: Callable[[object], float], example: str, default: T
    ) -> float | T:
        """A value through a function that raises ValueError for a bad one; ``default`` when it is
        not given."""
        if name not in self.data:
            return default
        try:
            return convert(self.data[name])
        except ValueError as error:
            raise self.error((name,), str(error), f"write {example}") from None

    def variables(self, name: str) -> dict[str, str]:
        """Environment variables; empty when they are not given."""
        inner = self.table(name)
        for variable in inner.data:
            if not _VARIABLE.fullmatch(variable):
                message = "is not the name of an environment variable"
                raise inner.error((variable,), message, "write letters, digits and _")
        return {
            variable: inner._as_string((variable,), value, empty=True)
            for variable, value in inner.data.items()
        }

    def check_name(self, what: str) -> None:
        """Refuse a table whose own name is not a valid one."""
        name = str(self.key[-1])
        if not is_name(name):
            raise self.error((), f"{quoted(name)} cannot be the name of {what}", NAME_HINT)
