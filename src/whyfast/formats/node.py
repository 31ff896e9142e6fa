"""A JSON document from elsewhere, read with the place of every value at hand for errors."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from whyfast.formats.times import WANTED, plausible
from whyfast.model.errors import UserError

_LONGEST = 40


class Node:
    """A value of a JSON document, its file, and its place in it such as ``runs[2].values[0]``.

    Every accessor raises one UserError, naming file and place, when the value is of another kind.
    """

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
        """Raise the UserError that says what is wrong here."""
        raise UserError(f"{self.key}: {message}" if self.key else message, where=self.where)

    def has(self, name: str) -> bool:
        """Whether this is an object with that key."""
        return isinstance(self._value, dict) and name in self._value

    def get(self, name: str) -> Node | None:
        """The value under ``name``, None when it is missing or null."""
        self._expect(dict, "an object")
        found = self._value.get(name)
        return None if found is None else self._child(name, found)

    def need(self, name: str) -> Node:
        """The value under ``name``; UserError when it is missing."""
        found = self.get(name)
        if found is None:
            self.fail(f"{clean(name)} is missing")
        return found

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
            self.fail("a string that is not empty is wanted")
        return clean(self._value)

    def number(self) -> float:
        """A finite number."""
        if isinstance(self._value, bool) or not isinstance(self._value, int | float):
            self.fail(f"a number is wanted, not {_named(self._value)}")
        try:
            number = float(self._value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            self.fail("a finite number is wanted")
        return number

    def time(self, scale: float = 1.0) -> float:
        """A time above 0; returned in seconds when ``scale`` is the file's unit in seconds."""
        number = self.number() * scale
        if not plausible(number):
            self.fail(f"{WANTED}, not {number / scale:.6g}")
        return number

    def _child(self, name: str, value: Any) -> Node:
        name = clean(name)
        return Node(value, self.where, f"{self.key}.{name}" if self.key else name)

    def _expect(self, kind: type, words: str) -> None:
        if not isinstance(self._value, kind):
            self.fail(f"{words} is wanted, not {_named(self._value)}")


def parse_json(text: str, where: str) -> Node:
    """The document in ``text``. UserError for what is not JSON, for NaN and Infinity, for a key
    that an object has twice, and for nesting beyond what the parser takes."""
    try:
        value = json.loads(text, parse_constant=_refuse, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        message = f"is not whole JSON: {error.msg} (column {error.colno})"
        raise UserError(message, where=f"{where}:{error.lineno}") from None
    except ValueError as error:  # NaN, a key twice, or an integer of thousands of digits
        raise UserError(f"is not sound JSON: {error}", where=where) from None
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
    found: dict[str, str | float] = {}
    for name, entry in node.entries():
        value = entry.value
        if isinstance(value, bool) or value is None:
            found[clean(name)] = json.dumps(value)
        elif isinstance(value, str):
            found[clean(name)] = clean(value)
        elif isinstance(value, int | float):
            found[clean(name)] = entry.number()
    return found


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _once(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                short = clean(name[:_LONGEST])
                raise ValueError(f"the key {short!r} stands twice in one object")
            seen.add(name)
    return made


def _named(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, int | float):
        return "a number"
    if value is None:
        return "null"
    return "a list" if isinstance(value, list) else "an object"
