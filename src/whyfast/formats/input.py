"""Reading files of other tools in one way: bounded bytes, text and JSON with the place of every
value; :class:`Format` is a format."""

from __future__ import annotations

import contextlib
import json
import math
import os
import stat
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from gzip import BadGzipFile, GzipFile
from pathlib import Path
from statistics import median
from typing import Any, BinaryIO, NoReturn

from whyfast.model.errors import UserError
from whyfast.model.sample import MetadataValue, Recording, Series

#: Smallest and largest value taken from a file: far beyond any time in seconds, or size in bytes.
SMALLEST, LARGEST = 1e-18, 1e18

WANTED = "expected a time above 0"


def plausible(value: float) -> bool:
    """Whether ``value`` is positive and of a size that occurs; False for NaN."""
    return SMALLEST <= value <= LARGEST


def seconds(text: str, scale: float, where: str) -> float:
    """The time that a text holds, in seconds when ``scale`` is its unit in seconds. UserError."""
    try:
        value = float(text) * scale
    except ValueError:
        raise UserError(f"not a time: {text[:40]}", where=where) from None
    if not plausible(value):
        raise UserError(f"{WANTED}, not {text[:40]}", where=where)
    return value


def epoch_seconds(text: str) -> float | None:
    """Seconds since the epoch of an ISO 8601 date and time; None for other text. Without a time
    zone it is taken as UTC, so that distances within a machine are right and the moment itself is
    off by the zone."""
    try:
        moment = datetime.fromisoformat(text.strip())
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.timestamp()
    except (ValueError, OverflowError):
        return None


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
        # A file of the kernel has more than its size says, as has one that grows meanwhile.
        if os.fstat(file.fileno()).st_size > limit or len(data := file.read(limit + 1)) > limit:
            raise UserError(f"has more than {limit / 1e6:.4g} MB", where=path)
        return data


def read_text(path: Path, limit: int = LIMIT) -> str:
    """The text of a plain or gzip-compressed file, told apart by content. Reading stops at
    ``limit`` bytes, so neither a huge file nor a small one that unpacks to a huge one fills the
    memory. UserError for these, for what cannot be read, is cut short, or is no text."""
    with opened(path) as file:
        compressed = file.read(len(_GZIP)) == _GZIP
        file.seek(0)
        try:
            plain = GzipFile(fileobj=file, mode="rb") if compressed else file
            data = plain.read(limit + 1)
        except EOFError:
            raise UserError("the compressed file is cut short", where=path) from None
        except (BadGzipFile, zlib.error) as error:
            raise UserError(f"the compressed file is damaged: {error}", where=path) from None
    if len(data) > limit:
        raise UserError(
            f"holds more than {limit / 1e6:.4g} MB of text, more than any benchmark result needs",
            where=path,
        )
    if not data.strip():
        raise UserError("is empty", where=path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"is not text (byte {error.start} is not UTF-8)", where=path) from None


_LONGEST, _LONGEST_NAME = 40, 60


class Node:
    """A value of a JSON document, its file, and its place in it such as ``runs[2].values[0]``.
    Every accessor raises one UserError, naming file and place, when the value is of another
    kind."""

    __slots__ = ("_value", "key", "where")

    def __init__(self, value: Any, where: str, key: str = "") -> None:
        self._value = value
        self.where = where
        self.key = key

    @property
    def value(self) -> Any:
        """The plain value: dict, list, str, int, float, bool or None."""
        return self._value

    def fail(self, message: str) -> NoReturn:
        """Raise the UserError about this value."""
        raise UserError(f"{self.key}: {message}" if self.key else message, where=self.where)

    def has(self, name: str) -> bool:
        """Whether this is an object with that key."""
        return isinstance(self._value, dict) and name in self._value

    def get(self, name: str) -> Node | None:
        """The value under ``name``, None when it is missing or null."""
        self._expect(dict, "an object")
        value = self._value.get(name)
        return None if value is None else self._child(name, value)

    def need(self, name: str) -> Node:
        """The value under ``name``; UserError when it is missing."""
        node = self.get(name)
        if node is None:
            self.fail(f"{clean(name)} is missing")
        return node

    def find(self, *names: str) -> Node | None:
        """The value under ``names``, one within the other; None where one is missing or null."""
        node: Node | None = self
        for name in names:
            node = None if node is None else node.get(name)
        return node

    def entries(self) -> Iterator[tuple[str, Node]]:
        """The keys of an object with their values."""
        self._expect(dict, "an object")
        for name, value in self._value.items():
            yield name, self._child(name, value)

    def items(self) -> Iterator[Node]:
        """The items of a list."""
        self._expect(list, "a list")
        for i, value in enumerate(self._value):
            yield Node(value, self.where, f"{self.key}[{i}]")

    def text(self) -> str:
        """A string that is not empty, fit to be printed and written."""
        self._expect(str, "a string")
        if not self._value.strip():
            self.fail("expected a string that is not empty")
        return clean(self._value)

    def number(self) -> float:
        """A finite number."""
        if isinstance(self._value, bool) or not isinstance(self._value, int | float):
            self.fail(f"expected a number, not {_named(self._value)}")
        try:
            number = float(self._value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            self.fail("expected a finite number")
        return number

    def time(self, scale: float = 1.0) -> float:
        """A time above 0; returned in seconds when ``scale`` is the file's unit in seconds."""
        number = self.number() * scale
        if not plausible(number):
            self.fail(f"{WANTED}, not {number / scale:.6g}")
        return number

    def amount(self) -> float:
        """A number of 0 or more: of bytes, say."""
        number = self.number()
        if not 0 <= number <= LARGEST:
            self.fail(f"expected a number of 0 or more, not {number:.6g}")
        return number

    def _child(self, name: str, value: Any) -> Node:
        name = clean(name)
        return Node(value, self.where, f"{self.key}.{name}" if self.key else name)

    def _expect(self, kind: type, words: str) -> None:
        if not isinstance(self._value, kind):
            self.fail(f"expected {words}, not {_named(self._value)}")


def parse_json(text: str, where: str, *, numbered: bool = True) -> Node:
    """The document in ``text``; errors name the line if ``numbered``. UserError for text that is
    not JSON, for NaN and Infinity, for a key that an object has twice, and for nesting beyond what
    the parser takes."""
    try:
        value = json.loads(text, parse_constant=_refuse, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        message = f"is invalid JSON: {error.msg} (column {error.colno})"
        place = f"{where}:{error.lineno}" if numbered else where
        raise UserError(message, where=place) from None
    except ValueError as error:  # NaN, a key twice, or an integer of thousands of digits
        raise UserError(f"is invalid JSON: {error}", where=where) from None
    except RecursionError:
        raise UserError("is nested too deeply to be a result", where=where) from None
    return Node(value, where)


def clean(text: str) -> str:
    """``text`` without lone surrogates, which no file can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def plain_metadata(node: Node | None) -> dict[str, str | float]:
    """The entries of an object that are text or finite numbers; others say nothing comparable."""
    if node is None:
        return {}
    metadata: dict[str, str | float] = {}
    for name, entry in node.entries():
        value = entry.value
        if isinstance(value, bool) or value is None:
            metadata[clean(name)] = json.dumps(value)
        elif isinstance(value, str):
            metadata[clean(name)] = clean(value)
        elif isinstance(value, int | float):
            metadata[clean(name)] = entry.number()
    return metadata


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"not a number: {name}")


def _once(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
    if len(entries := dict(pairs)) != len(pairs):
        name = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"duplicate key: {clean(name[:_LONGEST])}")
    return entries


def _named(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    names = {str: "a string", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return names.get(type(value), "null")


_MOST = 8  # different texts of one key that are kept


class Facts:
    """Collects key and value pairs; a key that had several values keeps them all."""

    def __init__(self) -> None:
        self._texts: dict[str, dict[str, None]] = {}
        self._loads: dict[str, list[float]] = {}

    def add(self, key: str, value: str | float) -> None:
        """Note a fact. Of loads, which change from moment to moment, the median is kept."""
        if isinstance(value, str):
            texts = self._texts.setdefault(key, {})
            if len(texts) < _MOST:
                texts[value] = None
        elif key.startswith("load_avg"):
            self._loads.setdefault(key, []).append(value)
        else:
            self.add(key, f"{value:.12g}")

    def settled(self) -> dict[str, MetadataValue]:
        """Each key with its value, or with the tuple of its values."""
        facts: dict[str, MetadataValue] = {}
        for key, texts in self._texts.items():
            facts[key] = next(iter(texts)) if len(texts) == 1 else tuple(texts)
        return {**facts, **{key: median(loads) for key, loads in self._loads.items()}}


@dataclass(frozen=True)
class Given:
    """What is to be read: a folder (``text`` is None), or a file's text, ``document`` its JSON.
    ``name``: what the recording will be called; ``where`` stands before error messages; ``chosen``:
    columns and values, see :func:`whyfast.formats.load.split_choice`."""

    path: Path
    name: str
    text: str | None = None
    document: Node | None = None
    chosen: tuple[tuple[str, str], ...] = ()

    @property
    def where(self) -> str:
        return str(self.path)

    @property
    def root(self) -> Node:
        """The JSON document, of a format that claimed one."""
        assert self.document is not None
        return self.document

    def has(self, *names: str) -> bool:
        """Whether it is a JSON object with all of these keys."""
        return self.document is not None and all(map(self.document.has, names))


@dataclass(frozen=True)
class Format:
    """``claims`` decides by content whether a file is of this format; ``read`` reads it
    then, or raises a UserError. ``name`` is the tool's."""

    name: str
    claims: Callable[[Given], bool]
    read: Callable[[Given], Recording]


@dataclass
class Collected:
    """The series of a file so far, by name, and what was left out, in words."""

    series: dict[str, Series] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    def add(self, place: Node, series: Series, *, what: str = "benchmark") -> None:
        """Take a series that stands at that place; UserError where another has its name."""
        if series.benchmark in self.series:
            place.fail(f"duplicate {what}: {series.benchmark[:_LONGEST_NAME]}")
        self.series[series.benchmark] = series

    def recording(
        self,
        given: Given,
        tool: str,
        within: Node,
        metadata: Mapping[str, MetadataValue] | None = None,
        started: float | None = None,
        none: str = "no benchmark with a time",
    ) -> Recording:
        """All of it; UserError with the words ``none`` about ``within`` where it has no series."""
        if not self.series:
            within.fail(none)
        left_out = tuple(dict.fromkeys(self.left_out))
        facts = dict(metadata or {})
        return Recording(
            given.name, given.where, tool, self.series, facts, started, started, left_out
        )
