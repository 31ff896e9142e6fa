"""Reading files with LIEF: quietly, and damage is an error."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import lief

from whyfast.explain.disassembly import disassembler_for
from whyfast.explain.disassembly.instruction import Disassembler
from whyfast.explain.objects.image import Architecture, Function, Image, damaged
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
    binary = parser(blob, *more)
    if binary is None:
        damaged(path, "its headers contradict themselves", kind)
    return binary


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


# ---- Where functions end that have no size: before the padding up to the next one.

# int3, the no-operations that Intel's manual recommends for each length, with prefixes, and zeros,
# which some linkers leave.
_X86 = (
    rb"\x66*\x90|\xcc|\0{1,2}|\x66*\x2e?\x0f\x1f(?:\x00|\x40\x00|\x44\x00\x00|\x80\0{4}|\x84\0{5})"
)
_PADDING = {
    "x86-64": re.compile(_X86, re.DOTALL),
    "aarch64": re.compile(rb"\x1f\x20\x03\xd5|\0{4}", re.DOTALL),
}
_ENDING = {
    "x86-64": re.compile(rb"(?:" + _X86 + rb")\Z", re.DOTALL),
    "aarch64": re.compile(rb"(?:\x1f\x20\x03\xd5|\0{4})\Z", re.DOTALL),
}
_LONGEST = 16  # bytes that one such instruction takes at most


def without_padding(
    functions: Iterable[Function], image: Image, architecture: Architecture, exact: Iterable[int]
) -> Iterator[Function]:
    """The functions, cut where only padding and data follow; those that begin at an address of
    ``exact`` have sizes from the file and stay."""
    known = set(exact)
    engine = disassembler_for(architecture)
    for function in functions:
        if function.address in known:
            yield function
            continue
        end = function.end
        data = image.data_within(function.address, end)
        while True:
            start = data[-1][1] if data else function.address
            code = image.read(start, end - start)
            end -= _padding(code, start, engine, architecture)
            if end > start or not data:
                break
            end = data.pop()[0]
        yield replace(function, size=max(end - function.address, 1))


def _padding(code: bytes, start: int, engine: Disassembler, architecture: Architecture) -> int:
    """How many bytes at the end of ``code``, which lies at ``start``, are padding."""
    if not _ENDING[architecture].search(code, max(0, len(code) - _LONGEST)):
        return 0
    end = len(code)
    # Decoded, since an ordinary instruction may end in the same bytes.
    for instruction in reversed(list(engine.decode(code, start))):
        at = instruction.address - start
        if not _PADDING[architecture].fullmatch(code, at, at + instruction.size):
            break
        end = at
    return len(code) - end
