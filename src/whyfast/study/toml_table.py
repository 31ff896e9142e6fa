"""A table of a study file that hands out checked values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from whyfast.model.errors import StudyError
from whyfast.study.notation import kind, quoted
from whyfast.study.toml_document import Key, TomlDocument, listed, nearest, suggestion

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
NAME_HINT = "use letters, digits and . _ + -"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
T = TypeVar("T")


def is_name(text: str) -> bool:
    """Whether the text will do as a name: as part of a file name and on a command line."""
    return _NAME.fullmatch(text) is not None


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
        """A list of strings, empty when it is not given.

        ``empty`` allows empty strings in it; ``words`` says that each is meant to be one word.
        """
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
