"""A study file, read and parsed, that can say where a key stands."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whyfast.formats.source import read_bytes
from whyfast.model.errors import StudyError, UserError
from whyfast.study.locate import first_duplicate, nearest_line
from whyfast.study.wording import Key, dotted

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
    r"(?<![\w-])(?:(?:[\w-]++|\"[^\"\n]*+\"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}",
    re.ASCII,
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
