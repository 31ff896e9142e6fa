"""Numbers of source lines, in machine code as ``assert`` has them and in data as panics of Rust do:
where lines are added above, they differ and do no other work."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from functools import cached_property
from operator import itemgetter

from iced_x86 import Decoder, Mnemonic, OpKind

from whyfast.explain.normal_code import Side
from whyfast.explain.objects import Function
from whyfast.explain.objects.debug_info import with_lines
from whyfast.explain.source_lines import FunctionLines

#: Lines over which a macro may reach: its number is that of its last one.
_MACRO = 20
#: Bytes of a ``core::panic::Location``: address and length of a file's name, line and column; and
#: of the name, at most.
LOCATION, _LONGEST_PATH = 24, 4096

#: Where in a function 32 bits begin that an instruction puts into a register: its address, and the
#: number.
_Numbers = Mapping[int, tuple[int, int]]


class MovedLines:
    """Two programs, whose source lines are read where functions differ."""

    def __init__(self, a: Side, b: Side) -> None:
        self._a, self._b = a, b

    @cached_property
    def _lines(self) -> tuple[FunctionLines, FunctionLines]:
        programs = (s.program for s in (self._a, self._b))
        before, after = (FunctionLines(with_lines(p.path, p.debug)) for p in programs)
        return before, after

    def between(self, f: Function, g: Function) -> set[int]:
        """Where such numbers begin in two functions, those that differ."""
        here, there = _numbers(self._a, f), _numbers(self._b, g)
        differ = {at for at in here.keys() & there.keys() if here[at][1] != there[at][1]}
        if not differ:
            return set()
        before = _behind(self._lines[0], f, {at: here[at] for at in differ})
        after = _behind(self._lines[1], g, {at: there[at] for at in differ})
        return {at for at in before if before[at] == after.get(at)}


def without(code: bytes, lines: Iterable[int]) -> bytes:
    """The code without the numbers that begin there."""
    plain = bytearray(code)
    for at in lines:
        plain[at : at + 4] = bytes(4)
    return bytes(plain)


def _numbers(side: Side, function: Function) -> _Numbers:
    begin = function.address
    decoder = Decoder(64, side.image.read(begin, function.size), ip=begin)
    return {
        insn.ip - begin + decoder.get_constant_offsets(insn).immediate_offset: (
            insn.ip,
            insn.immediate(1),
        )
        for insn in decoder
        if insn.mnemonic == Mnemonic.MOV and insn.op_kind(1) == OpKind.IMMEDIATE32
    }


def _behind(source: FunctionLines, function: Function, numbers: _Numbers) -> dict[int, int]:
    """Of the numbers those that can be the number of their instruction's source line, as
    ``__LINE__`` is, and by how much they exceed that."""
    lines = sorted(source.of(((function.address, function.end),)).items())
    behind = {}
    for place, (at, number) in numbers.items():
        i = bisect_right(lines, at, key=itemgetter(0)) - 1
        if i >= 0 and 0 <= (more := number - int(lines[i][1].rpartition(":")[2])) <= _MACRO:
            behind[place] = more
    return behind


def file_of_rust(side: Side, place: int) -> bytes:
    """The file that a ``core::panic::Location`` there names; empty for anything else."""
    at, size = side.words.get(place), int.from_bytes(side.image.read(place + 8, 8), "little")
    name = side.image.read(at, size) if at and size < _LONGEST_PATH else b""
    return name if name.endswith(b".rs") else b""


def is_line_of_rust(a: Side, here: int, b: Side, there: int) -> bool:
    """Whether line and column of such a place lie there, of one file."""
    files = file_of_rust(a, here - 16), file_of_rust(b, there - 16)
    return files[0] == files[1] != b""
