"""One program's machine code and data, ready to be compared with another's up to addresses."""

from __future__ import annotations

import io
import re
import struct
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from elftools.dwarf.callframe import FDE
from elftools.elf.elffile import ELFFile
from iced_x86 import Decoder, Mnemonic, OpKind
from iced_x86 import Instruction as IcedInstruction

from whyfast.explain.functions import Program, base_name
from whyfast.explain.objects import Function, Region
from whyfast.explain.objects.elf import ElfFile, open_elf, symbols_of
from whyfast.explain.objects.go_types import GO_DATA, GO_TABLES, go_program
from whyfast.explain.program import load
from whyfast.model.errors import UserError

#: Sections that serve the loader, debuggers and unwinding alone. What they say of code moves with
#: it, and is compared by what it leads to.
APART = (
    ".eh_frame",
    ".note",
    ".dynsym",
    ".dynstr",
    ".gnu",
    ".hash",
    ".rel",
    ".comment",
    ".dynamic",
)
#: Sections of which only what code refers to counts; of all others every byte does.
REFERRED = (".rodata", ".data", ".lrodata", ".ldata", ".got", ".plt", ".bss", ".lbss")

_RELA, _WORD = struct.Struct("<QQq"), struct.Struct("<Q")
#: Names that compilers make up anew for each way of cutting a program into pieces.
_MADE_UP = re.compile(r"\.llvm\.\d+$|(?<=^anon\.)[0-9a-f]+\.\d+(\.llvm\.\d+)?$|(?<=\.\.stmp_)\d+$")
#: The numbers of functions without a name in one of Go, by their order in it.
_CLOSURE = re.compile(r"(?<=\.func)\d+(\.\d+)*(?!\w)")
#: What names of Rust have of the crate's version and options: its number, a hash at the end.
_OF_CRATE = re.compile(r"(?<=C)s[0-9A-Za-z]*_(?=\d)|17h[0-9a-f]{16}E(?=(\.\d+)?$)")
#: Numbers behind the names of a function's own constants, which the compiler deals out anew when
#: another function gets or loses some; and the sections of constants, compared by content.
_NUMBER = re.compile(r"\.\d+$")
_CONSTANT = (".rodata", ".data.rel.ro", ".lrodata")
#: Bytes of a variable from which on a number is likelier to be by chance one of its addresses.
_BUFFER = 1 << 16
#: What functions do about exceptions (Itanium C++ ABI, Exception Handling Tables).
EXCEPTIONS = ".gcc_except_table"
#: A bit of an encoding: from the place itself (Linux Standard Base, Core, DWARF Extensions).
_RELATIVE = 0x10
#: What stands between functions; the last is a nop of two bytes.
_NOTHING = ("nop", "int3", "xchg ax,ax")
_PADDING = frozenset({Mnemonic.NOP, Mnemonic.INT3})
_BRANCHES = frozenset({OpKind.NEAR_BRANCH16, OpKind.NEAR_BRANCH32, OpKind.NEAR_BRANCH64})


class Field(NamedTuple):
    """A number inside an instruction that could be an address: the instruction's address, where in
    the function the number begins and how many bytes it has. ``value`` is what it means;
    ``surely``: it is an address in any case."""

    of: int
    start: int
    size: int
    value: int
    surely: bool


class PlainCode(NamedTuple):
    """The bytes of a function, those of its ``fields`` set to 0; padding behind it left out."""

    plain: bytes
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Named:
    """Data that a symbol names."""

    name: str
    start: int
    size: int


#: A function by what stays the same when it moves: its name, and which of those so called it is.
Key = tuple[str, int]


class Side:
    """One of two programs, built in ``folder``. UserError for what is no ELF file with symbols for
    x86-64."""

    def __init__(self, path: Path, folder: Path | None = None) -> None:
        self._folder = folder
        program = load(path)
        named = tuple(f for f in program.functions if not f.unnamed)
        if not named:
            raise UserError("stripped: no symbol names a function", where=path)
        self.program: Program = replace(program, functions=named)
        self.elf: ElfFile = open_elf(path)
        self.image = self.program.image
        self.go = go_program(self.elf, self.image)
        self.apart = APART + GO_TABLES if self.go else APART
        self.referred = REFERRED + GO_DATA if self.go else REFERRED
        # Where a program can be loaded anywhere, and in code of Go, which asks for addresses by
        # their distance, no other number is an address.
        self.numbers_mean_places = self.elf.fixed and self.go is None
        self.keys: dict[int, Key] = {}
        self.functions: dict[Key, Function] = {}
        seen: Counter[str] = Counter()
        for function in self.program.functions:
            name = self._lasting(function.name)
            stem = base_name(name)
            if self.go is None and _NUMBER.fullmatch(name[len(stem) :]):
                name = stem  # of several units' functions of one name, numbered by LLVM
            key = (name, seen[name])
            seen[name] += 1
            self.keys[function.address] = key
            self.functions[key] = function

    def _lasting(self, name: str) -> str:
        """The name without what compilers number anew."""
        return (_CLOSURE if self.go else _MADE_UP).sub("", name)

    @cached_property
    def header(self) -> tuple[int, tuple[tuple[str, str], ...], bool]:
        """Where the program begins, the libraries it asks for, and whether it is one itself."""
        wanted = []
        for kind, text in self.elf.dynamic():
            if kind.endswith("path") and self._folder is not None:
                # The linker notes where the build's own libraries lie; they are compared.
                text = text.replace(str(self._folder), "")
            wanted.append((kind, text))
        library = all(s.name != ".interp" for s in self.elf.sections)
        return self.elf.entry, tuple(wanted), library

    @cached_property
    def exceptions(self) -> dict[int, tuple[bytes, tuple[int, ...]]]:
        """What a function does about exceptions, by its address: the table without the types that
        it catches, and where these are described (0: all). Empty where that is not known."""
        section = next((s for s in self.elf.sections if s.name == EXCEPTIONS), None)
        if section is None:
            return {}
        try:
            dwarf = ELFFile(io.BytesIO(self.elf.blob)).get_dwarf_info(relocate_dwarf_sections=False)
            records = [r for r in dwarf.EH_CFI_entries() if isinstance(r, FDE)]
            begins = {r.header.initial_location: r.lsda_pointer or 0 for r in records}
            ends = dict(pairwise(sorted({*begins.values(), section.address + section.size})))
            return {f: self._caught(begin, ends[begin]) for f, begin in begins.items() if begin}
        except Exception:  # the library reports damage by a dozen unrelated exceptions
            return {}

    def _caught(self, begin: int, end: int) -> tuple[bytes, tuple[int, ...]]:
        table = self.image.read(begin, end - begin)
        size, types = types_caught(table)
        words = [int.from_bytes(table[at : at + 4], "little", signed=True) for at in types]
        starts = [begin + at if table[1] & _RELATIVE else 0 for at in types]
        places = (word and start + word for start, word in zip(starts, words, strict=True))
        return table[:size].rstrip(b"\0"), tuple(places)

    @cached_property
    def exported(self) -> tuple[str, ...]:
        """The functions that others can ask the loader for."""
        symbols = symbols_of(self.elf, "SHT_DYNSYM")
        return tuple(sorted({s.name for s in symbols if s.section is not None and s.name}))

    @cached_property
    def named(self) -> tuple[list[int], list[Named]]:
        """Data with names, by address; of several at one address the largest."""
        largest: dict[int, Named] = {}
        for s in symbols_of(self.elf):
            if s.type not in (0, 1) or s.section is None or not s.name or not s.size:
                continue
            name = self._lasting(s.name)
            if name.startswith(("_R", "_ZN")):
                name = _OF_CRATE.sub("", name)
            place = self.section_at(s.value)
            if place is not None and place[1].startswith(_CONSTANT):
                name = _NUMBER.sub("", name)
            rivals = (largest.get(s.value), Named(name, s.value, s.size))
            largest[s.value] = max(filter(None, rivals), key=lambda n: (n.size, n.name))
        ordered = [largest[at] for at in sorted(largest)]
        return [n.start for n in ordered], ordered

    def named_at(self, address: int) -> Named | None:
        """The named data that an address lies in."""
        starts, ordered = self.named
        i = bisect_right(starts, address) - 1
        return ordered[i] if i >= 0 and address < ordered[i].start + ordered[i].size else None

    def place(self, address: int) -> tuple[Key, int] | None:
        """The function that an address lies in, and how far."""
        function = self.program.function_at(address)
        if function is None:
            return None
        return self.keys[function.address], address - function.address

    @cached_property
    def sections(self) -> list[tuple[int, int, str]]:
        """What is loaded, by address, what has no bytes in the file among it."""
        return sorted(
            (s.address, s.address + s.size, s.name)
            for s in self.elf.sections
            if s.loaded and s.size and not s.flags & 0x400  # what each thread has lies nowhere
        )

    def section_at(self, address: int) -> tuple[int, str] | None:
        """How far inside which section; None outside of all."""
        i = bisect_right(self.sections, (address, 1 << 65, "")) - 1
        if i < 0 or address >= self.sections[i][1]:
            return None
        return address - self.sections[i][0], self.sections[i][2]

    def code(self, function: Function) -> PlainCode:
        """A function's code up to addresses."""
        return self._codes[function.address]

    @cached_property
    def _codes(self) -> dict[int, PlainCode]:
        return {f.address: self._decode(f) for f in self.program.functions}

    def _decode(self, function: Function) -> PlainCode:
        begin = function.address
        code = bytearray(self.image.read(begin, function.size))
        decoder = Decoder(64, bytes(code), ip=begin)
        fields: list[Field] = []
        end, all_numbers = 0, self.numbers_mean_places
        for insn in decoder:
            if insn.op0_kind in _BRANCHES or insn.is_ip_rel_memory_operand:
                fields += _sure_fields(decoder, insn, begin)
            if all_numbers and insn.len > 4:
                fields += _number_fields(decoder, insn, begin)
            if insn.mnemonic not in _PADDING:
                end = insn.next_ip - begin
        for field in fields:
            code[field.start : field.start + field.size] = bytes(field.size)
        # What a symbol without a size reaches over up to the next function is no part of it.
        return PlainCode(bytes(code[:end]), tuple(f for f in fields if f.start < end))

    def references(self, function: Function) -> list[int]:
        """Every address that its instructions could mean."""
        return [f.value for f in self.code(function).fields]

    @cached_property
    def words(self) -> dict[int, int]:
        """Where in the data a word lies that is an address of the program, and the address."""
        lowest = min((start for start, _, _ in self.sections), default=0)
        highest = max((end for _, end, _ in self.sections), default=0)
        return {
            place: value
            for place, value in self._possible()
            if lowest <= value < highest
            and value
            and self.section_at(value)
            and not self._number_of_go(value)
        }

    def _number_of_go(self, value: int) -> bool:
        """Whether a word in data of Go only looks like an address: its data leads to where
        functions begin and into variables, but hardly into a buffer of megabytes."""
        if self.go is None:
            return False
        if (function := self.program.function_at(value)) is not None:
            return function.address != value
        named = self.named_at(value) if self.image.region(value) is None else None
        return named is not None and named.start != value and named.size > _BUFFER

    def _possible(self) -> Iterator[tuple[int, int]]:
        """Where in the data an address could be, and the word there: all that the loader writes
        where it says so, as in a program that can be loaded anywhere; else every word."""
        if not self.elf.fixed and not self.elf.of_type("SHT_RELR"):
            for section in self.elf.of_type("SHT_RELA"):
                content = self.elf.content(section) if section.loaded else b""
                whole = len(content) - len(content) % _RELA.size
                for offset, _, _ in _RELA.iter_unpack(content[:whole]):
                    yield offset, int.from_bytes(self.image.read(offset, 8), "little")
            return
        for region in self.data_regions():
            # No pointers, but for those that the linker of Go sets, to what has a name.
            without = self.go is not None and region.name.startswith(GO_DATA)
            first = region.start + -region.start % 8
            data = bytes(region.data[first - region.start :])
            for i, (word,) in enumerate(_WORD.iter_unpack(data[: len(data) // 8 * 8])):
                if not without or ((named := self.named_at(word)) and named.start == word):
                    yield first + 8 * i, word

    @cached_property
    def _places(self) -> list[int]:
        return sorted({*self.words, *self.image.slots})

    def places_between(self, start: int, end: int) -> list[int]:
        """Where from ``start`` up to before ``end`` words lie that are addresses."""
        return self._places[bisect_left(self._places, start) : bisect_left(self._places, end)]

    def data_regions(self) -> list[Region]:
        """Data that the program itself can use."""
        return [
            r for r in self.image.regions if not r.executable and not r.name.startswith(self.apart)
        ]

    @cached_property
    def edges(self) -> list[int]:
        """Where in the data something begins: all that code or data refers to, and names."""
        edges = {n.start for n in self.named[1]} | {n.start + n.size for n in self.named[1]}
        edges |= set(self.words.values())
        for function in self.program.functions:
            edges.update(self.references(function))
        edges |= {x for start, end, _ in self.sections for x in (start, end)}
        return sorted(edges)

    def end_of(self, address: int) -> int:
        """Where the data that begins at ``address`` ends at the latest."""
        named = self.named_at(address)
        if named is not None:
            return named.start + named.size
        i = bisect_right(self.edges, address)
        return self.edges[i] if i < len(self.edges) else address

    def between(self) -> list[bytes]:
        """Code that belongs to no function, padding and the stubs of the linker left out."""
        gaps = []
        for region in self.image.regions:
            if not region.executable or region.name.startswith(".plt"):
                continue
            at = region.start
            inside = [f for f in self.program.functions if region.start <= f.address < region.end]
            for start, end in [*((f.address, f.end) for f in inside), (region.end, region.end)]:
                gap = self.image.read(at, start - at) if start > at else b""
                if gap.strip(b"\0\x90\xcc") and not _is_padding(gap):
                    gaps.append(gap)
                at = max(at, end)
        return gaps


def reached(side: Side) -> set[Key]:
    """The functions that something that runs can get to. From where the program begins, what it
    gives to the loader, and every function whose address lies in data, along every address that a
    reached function's code means or that a table of distances holds which it refers to."""
    if side.go:
        return set(side.functions)  # its linker has left out all that nothing gets to
    entry, _, _ = side.header
    todo: list[int] = [entry, *side.words.values()]
    exported, starting = set(side.exported), (".init", ".fini")
    for f in side.functions.values():
        if f.section in starting or exported & set(f.names):
            todo.append(f.address)
    found: set[Key] = set()
    while todo:
        place = side.place(todo.pop())
        if place is None or place[0] in found:
            continue
        found.add(place[0])
        for address in side.references(side.functions[place[0]]):
            todo.append(address)
            todo += _table(side, address)
    return found


def _table(side: Side, address: int) -> Iterator[int]:
    """Where a table of distances at ``address`` leads, if it is one."""
    region = side.image.region(address)
    if region is None or region.executable:
        return
    data = side.image.read(address, side.end_of(address) - address)
    for i in range(0, len(data) - 3, 4):
        word = int.from_bytes(data[i : i + 4], "little", signed=True)
        if word and side.place(address + word):
            yield address + word


def types_caught(table: bytes) -> tuple[int, list[int]]:
    """How many bytes of a function's table of exceptions say what happens where, and where behind
    them the types stand that this catches, four bytes each; all bytes and none in another encoding.
    IndexError for a damaged table."""
    if table[0] != 0xFF or table[1] & 0x0F not in (0x03, 0x0B):  # handlers elsewhere; no types
        return len(table), []
    base, at = _number(table, 2)
    base += at
    if table[at] != 1:
        return len(table), []
    size, at = _number(table, at + 1)
    actions, most = at + size, 0
    end = actions
    while at < actions:
        for _ in range(4):  # where it begins, its length, the handler, and the first action
            action, at = _number(table, at)
        place, seen = actions + action - 1, set[int]()
        while action and place not in seen:
            seen.add(place)
            kind, behind = _number(table, place, signed=True)
            if kind < 0:  # a list of types that may be thrown
                return len(table), []
            action, following = _number(table, behind, signed=True)
            most, end, place = max(most, kind), max(end, following), behind + action
    return end, [base - 4 * n for n in range(most, 0, -1)]


def _number(table: bytes, at: int, *, signed: bool = False) -> tuple[int, int]:
    """A number in LEB128 (DWARF 5, 7.6), and what lies behind."""
    value = shift = 0
    while True:
        byte = table[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value - (1 << shift if signed and byte & 0x40 else 0), at


def _is_padding(code: bytes) -> bool:
    return all(str(i).startswith(_NOTHING) for i in Decoder(64, code))


def _sure_fields(decoder: Decoder, insn: IcedInstruction, begin: int) -> Iterator[Field]:
    """Where a jump or call leads, or the address that lies at a distance from the instruction."""
    places, at = decoder.get_constant_offsets(insn), insn.ip - begin
    if insn.op0_kind in _BRANCHES:
        start, size = at + places.immediate_offset, places.immediate_size
        yield Field(insn.ip, start, size, insn.near_branch_target, True)
    else:
        start, size = at + places.displacement_offset, places.displacement_size
        yield Field(insn.ip, start, size, insn.ip_rel_memory_address, True)


def _number_fields(decoder: Decoder, insn: IcedInstruction, begin: int) -> Iterator[Field]:
    """Numbers that are wide enough for an address of a program that lies where it says."""
    if insn.op0_kind in _BRANCHES:
        return
    places, at = decoder.get_constant_offsets(insn), insn.ip - begin
    if places.displacement_size >= 4 and not insn.is_ip_rel_memory_operand:
        start, size = at + places.displacement_offset, places.displacement_size
        yield Field(insn.ip, start, size, insn.memory_displacement, False)
    if places.immediate_size >= 4:
        kinds = [insn.op_kind(i) for i in range(insn.op_count)]
        for i, kind in enumerate(kinds):
            if OpKind.IMMEDIATE8 <= kind <= OpKind.IMMEDIATE32TO64:
                start, size = at + places.immediate_offset, places.immediate_size
                yield Field(insn.ip, start, size, insn.immediate(i), False)
