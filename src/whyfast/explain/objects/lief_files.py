"""Reading files with LIEF: quietly, and damage is an error."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import lief

from whyfast.explain.objects.elf import damaged
from whyfast.model.errors import UserError


@contextmanager
def reading(path: Path, kind: str) -> Iterator[None]:
    """What goes wrong inside is the damage of a file of that kind, said in one UserError."""
    lief.logging.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # numbers without a name, in the library
            yield
    except UserError:
        raise
    except Exception as error:  # the library reports damage by many unrelated exceptions
        damaged(path, f"{error or type(error).__name__}", kind)


def parse(parser: Callable[..., Any], blob: bytes, path: Path, kind: str, *more: Any) -> Any:
    """What the library's ``parser`` makes of the bytes; UserError when it makes nothing."""
    found = parser(blob, *more)
    if found is None:
        damaged(path, "its headers contradict themselves", kind)
    return found


def number(value: Any) -> int:
    """The number behind the library's enumerations, which are numbers when it knows no name."""
    return int(getattr(value, "value", value))


def content(section: Any, offset: int, size: int, blob: bytes, path: Path, kind: str) -> bytes:
    """``size`` bytes of a section; UserError when they would lie outside the file."""
    if offset + size > len(blob):
        damaged(path, f"section {text(section.name)} ends behind the file's end", kind)
    return blob[offset : offset + size]


def text(name: Any) -> str:
    """A name of the library's, which gives those that are no UTF-8 as bytes."""
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)
