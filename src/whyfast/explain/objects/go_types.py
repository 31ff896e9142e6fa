"""What the linker of Go puts into a program beside code and data: tables of lines, types and
packages, which move with every change of the source.

A type's description refers to names, types and methods by their distances from where types or code
begin. Here it is taken apart, so that two programs' descriptions can be compared by what they mean.
The layouts are those of Go's package internal/abi."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from whyfast.explain.objects import Image
from whyfast.explain.objects.elf import ElfFile, symbols_of

#: Sections for the runtime alone: where lines and functions lie, how the program was built. They
#: begin so.
GO_TABLES = (".gopclntab", ".typelink", ".itablink", ".gosymtab", ".go.")
#: What the program of a package's tests lists of them, for a function of the library ``testing``.
GO_TESTS = ("main.tests", "main.examples", "main.fuzzTargets"), ("testing.MainStart", 0)
#: Variables that hold no pointers. As with ``.data``, what code refers to counts.
GO_DATA = (".noptrdata", ".noptrbss")

_TYPE = struct.Struct("<QQIBBBBQQii")
_UNCOMMON = struct.Struct("<iHHI4x")
_METHOD = struct.Struct("<iiii")
_ARRAY, _CHAN, _FUNC, _INTERFACE, _MAP, _POINTER, _SLICE, _STRUCT = (17, 18, 19, 20, 21, 22, 23, 25)
_KINDS = range(1, 27)
#: Bytes of a description before what its kind's methods add, where it is more than a type has.
_SIZES = {_ARRAY: 72, _CHAN: 64, _FUNC: 56, _INTERFACE: 80, _POINTER: 56, _SLICE: 56, _STRUCT: 80}
#: How far into a description code reads: its beginning, its hash, flags and kind.
_ASKED = (0, 16, 20, 23)
#: Of a map before Go 1.24 and after.
_OLD_MAP, _NEW_MAP = 88, 112
#: Flags of a type: it has methods; the mask of its pointers is made when running.
_HAS_METHODS, _NO_MASK = 1, 16
#: In the byte of the kind, of older versions: not a mask of pointers but a program for one.
_MASK_PROGRAM = 64
#: Flags of a name: one of a tag follows.
_TAGGED, _NAME_FLAGS = 2, 15
#: Fields, methods and arguments that a type may have. What claims more is none.
_MOST = 20_000


@dataclass
class GoType:
    """What a description says: plain numbers, names, and addresses of types and functions;
    ``methods`` are those of its methods, 0 where the linker left one out as nobody can ask for it
    by its description."""

    plain: list[bytes] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    methods: list[int] = field(default_factory=list)


class GoProgram:
    """The types of a program that the compiler of Go made."""

    def __init__(self, image: Image, types: int, end: int, text: int) -> None:
        self._image, self._types, self._end, self._text = image, types, end, text
        self._known: dict[int, GoType | None] = {}

    def type_of(self, address: int) -> int:
        """Where the description begins that code refers to by one of its first numbers; 0 where it
        is none."""
        return next((a for d in _ASKED if self.type_at(a := address - d) is not None), 0)

    def type_at(self, address: int) -> GoType | None:
        """The type whose description begins there; None where none does."""
        if not self._types <= address < self._end:
            return None
        if address not in self._known:
            self._known[address] = self._parsed(address)
        return self._known[address]

    def _parsed(self, at: int) -> GoType | None:
        head = self._image.read(at, _TYPE.size)
        if at % 8 or len(head) < _TYPE.size:
            return None
        size, pointers, number, flags, align, inner, kind, equal, mask, name, _ = _TYPE.unpack(head)
        text = self._name(self._types + name) if name > 0 else ""
        aligned = align in (1, 2, 4, 8, 16) and inner in (1, 2, 4, 8, 16)
        if not text or not aligned or not number or (kind & 31) not in _KINDS or pointers > size:
            return None
        found = GoType([head[:24]], [text], [equal])
        if kind & _MASK_PROGRAM:
            length = self._number(mask, 4)
            found.plain.append(self._image.read(mask, 4 + min(length, _MOST)))
        elif not flags & _NO_MASK and pointers <= 64 * _MOST:
            found.plain.append(self._image.read(mask, -(-pointers // 64)))
        try:
            end = self._of_kind(at, kind & 31, flags, found)
            if flags & _HAS_METHODS:
                self._methods(end, found)
        except ValueError:
            return None
        return found

    def _of_kind(self, at: int, kind: int, flags: int, found: GoType) -> int:
        """Adds what its kind says; where the description goes on."""
        end, more = at + _SIZES.get(kind, _TYPE.size), at + _TYPE.size
        if kind in (_ARRAY, _CHAN, _POINTER, _SLICE):
            found.places += self._types_at(more, 2 if kind == _ARRAY else 1)
            if kind in (_ARRAY, _CHAN):
                found.plain.append(self._image.read(end - 8, 8))
        elif kind == _MAP:
            group = self._number(more + 16, 8)
            new = self._number(group, 8) == self._number(more + 32, 8) > 0
            end = at + (_NEW_MAP if new else _OLD_MAP)
            found.places += [*self._types_at(more, 3), self._number(more + 24, 8)]
            found.plain.append(self._image.read(more + 32, end - more - 32))
        elif kind == _FUNC:
            counts = self._image.read(more, 4)
            found.plain.append(counts)
            taken, given = struct.unpack("<HH", counts)
            listed = end + (_UNCOMMON.size if flags & _HAS_METHODS else 0)
            found.places += self._types_at(listed, taken + (given & 0x7FFF))
        elif kind in (_INTERFACE, _STRUCT):
            package, first, count = (self._number(more + 8 * i, 8) for i in range(3))
            if count > _MOST:
                raise ValueError("no type has so many fields")
            found.names.append(self._name(package) if package else "")
            found.plain.append(count.to_bytes(8, "little"))
            for i in range(count):
                if kind == _STRUCT:
                    found.names.append(self._name(self._number(first + 24 * i, 8)))
                    found.places += self._types_at(first + 24 * i + 8, 1)
                    found.plain.append(self._image.read(first + 24 * i + 16, 8))
                else:
                    name, of = struct.unpack("<ii", self._image.read(first + 8 * i, 8))
                    found.names.append(self._name(self._types + name))
                    found.places.append(self._types + of)
        return end

    def _methods(self, at: int, found: GoType) -> None:
        head = self._image.read(at, _UNCOMMON.size)
        if len(head) < _UNCOMMON.size:
            raise ValueError("it ends before its methods")
        package, count, exported, offset = _UNCOMMON.unpack(head)
        found.names.append(self._name(self._types + package) if package else "")
        found.plain.append(struct.pack("<HH", count, exported))
        table = self._image.read(at + offset, count * _METHOD.size)
        for name, of, by_interface, plainly in _METHOD.iter_unpack(table):
            found.names.append(self._name(self._types + name))
            found.methods.append(self._types + of if of > 0 else 0)
            found.methods += [self._text + at if at > 0 else 0 for at in (by_interface, plainly)]

    def _types_at(self, at: int, count: int) -> Iterator[int]:
        for i in range(count):
            address = self._number(at + 8 * i, 8)
            if not self._types <= address < self._end:
                raise ValueError("it refers to what is no type")
            yield address

    def _number(self, at: int, size: int) -> int:
        return int.from_bytes(self._image.read(at, size), "little")

    def _name(self, at: int) -> str:
        """A name with its tag and what its flags say; empty for what is none."""
        flags = self._number(at, 1)
        if flags > _NAME_FLAGS:
            return ""
        text, at = self._text_at(at + 1)
        tag = self._text_at(at)[0] if flags & _TAGGED else ""
        return f"{flags}:{text}:{tag}" if text and text.isprintable() else ""

    def _text_at(self, at: int) -> tuple[str, int]:
        """A text behind its length, which is in groups of seven bits; and where it ends."""
        length = shift = 0
        for byte in self._image.read(at, 3):
            at += 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        return self._image.read(at, length).decode("utf-8", "replace"), at + length


def go_program(elf: ElfFile, image: Image) -> GoProgram | None:
    """None for a program of another compiler."""
    if not elf.named(".go.buildinfo"):
        return None
    wanted = {"runtime.types", "runtime.etypes", "runtime.text"}
    places = {s.name: s.value for s in symbols_of(elf) if s.name in wanted}
    if len(places) < len(wanted):
        return None
    return GoProgram(image, *(places[f"runtime.{n}"] for n in ("types", "etypes", "text")))
