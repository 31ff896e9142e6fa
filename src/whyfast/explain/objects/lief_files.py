"""Reading files with LIEF: quietly, damage is an error, and what formats without sizes share."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

import lief

from whyfast.explain.disassembly import Disassembler, disassembler_for
from whyfast.explain.objects import (
    MOST_BYTES,
    Architecture,
    Function,
    Image,
    Label,
    Region,
    code_label,
    damaged,
    functions_of,
)
from whyfast.formats.input import read_bytes
from whyfast.model.errors import UserError


@dataclass(frozen=True)
class LiefFile:
    """A file of the format ``kind``, or the part ``blob`` of one."""

    path: Path
    kind: str
    blob: bytes

    @classmethod
    def read(cls, path: Path, kind: str) -> LiefFile:
        """The whole of a file; UserError when it cannot be read."""
        return cls(path, kind, read_bytes(path, MOST_BYTES))

    def damaged(self, problem: str) -> NoReturn:
        """Raise the UserError for a structure that contradicts itself."""
        damaged(self.path, problem, self.kind)

    def check_end(self, end: int, part: str) -> None:
        """UserError for a part of the file that would reach behind the file's end."""
        if end > len(self.blob):
            self.damaged(f"{part} behind the file's end")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Any error inside is the damage of the file, in one UserError."""
        lief.logging.disable()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # numbers without a name, in the library
                yield
        except UserError:
            raise
        except Exception as error:  # the library reports damage by many unrelated exceptions
            self.damaged(f"{error or type(error).__name__}")

    def parse(self, parser: Callable[..., Any], *more: Any) -> Any:
        """The library's view of the bytes; UserError where it has none."""
        binary = parser(self.blob, *more)
        if binary is None:
            self.damaged("its headers contradict themselves")
        return binary

    def check_space(self, section: Any, start: int, size: int) -> None:
        """UserError for a section that does not lie in 64 bits of addresses."""
        if start + size > 1 << 64:
            self.damaged(f"section {text(section.name)} lies outside the address space")

    def region(
        self, section: Any, start: int, size: int, *, code: bool, plain: bool
    ) -> Iterator[Region]:
        """The first ``size`` bytes of a section as they lie in memory; none of an empty one.
        ``plain``: it holds the program's own data, unless it is code. UserError when the bytes
        would lie outside the file."""
        self.check_end(section.offset + size, f"section {text(section.name)} ends")
        data = bytearray(self.blob[section.offset : section.offset + size])
        if data:
            yield Region(text(section.name), start, data, code, plain and not code)


def number(value: Any) -> int:
    """The number behind the library's enumerations, which are numbers when it knows no name."""
    return int(getattr(value, "value", value))


def text(name: Any) -> str:
    """A name of the library's, which gives those that are no UTF-8 as bytes."""
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)


def nameless(image: Image, sizes: Mapping[int, int], labels: Iterable[Label]) -> list[Label]:
    """Labels called sub_ADDRESS of the functions without one; ``sizes``, 0 where unknown, are by
    the addresses at which functions begin."""
    named = {label.address for label in labels}
    return [
        label
        for start, size in sizes.items()
        if start not in named
        for label in code_label(image, f"sub_{start:x}", start, size=size, rank=3)
    ]


# What stands between functions: int3, the no-operations that Intel's manual recommends for each
# length, with prefixes, and zeros, which some linkers leave.
_BETWEEN: dict[Architecture, bytes] = {
    "x86-64": rb"\x66*\x90|\xcc|\0{1,2}"
    rb"|\x66*\x2e?\x0f\x1f(?:\x00|\x40\x00|\x44\x00\x00|\x80\0{4}|\x84\0{5})",
    "aarch64": rb"\x1f\x20\x03\xd5|\0{4}",
}
_PADDING = {name: re.compile(p, re.DOTALL) for name, p in _BETWEEN.items()}
_ENDING = {name: re.compile(rb"(?:" + p + rb")\Z", re.DOTALL) for name, p in _BETWEEN.items()}
_LONGEST = 16  # bytes that one such instruction takes at most


def functions_without_padding(
    labels: Iterable[Label], image: Image, architecture: Architecture, exact: Iterable[int] = ()
) -> tuple[Function, ...]:
    """The functions of the labels, cut where only padding and data follow; those that begin at an
    address of ``exact`` have sizes from the file and stay."""
    known, engine = set(exact), disassembler_for(architecture)
    return tuple(
        f if f.address in known else _without_padding(f, image, architecture, engine)
        for f in functions_of(labels)
    )


def _without_padding(
    function: Function, image: Image, architecture: Architecture, engine: Disassembler
) -> Function:
    end = function.end
    data = image.data_within(function.address, end)
    while True:
        start = data[-1][1] if data else function.address
        code = image.read(start, end - start)
        end -= _padding(code, start, engine, architecture)
        if end > start or not data:
            return replace(function, size=max(end - function.address, 1))
        end = data.pop()[0]


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
