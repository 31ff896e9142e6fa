"""ELF files: sections, the image of what is loaded, symbols, and the functions that they name.

A relocatable object is linked against itself in memory: then a direct call has a target, and a
jump table entries, by the same rules as in a finished program."""

from __future__ import annotations

import io
import struct
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from elftools.elf.elffile import ELFFile

from whyfast.explain.objects import (
    MOST_BYTES,
    OBJECT_BASE,
    SUPPORTED,
    Architecture,
    Function,
    Image,
    Label,
    Patch,
    Region,
    damaged,
    functions_of,
    relocate,
    string_at,
)
from whyfast.formats.input import read_bytes
from whyfast.model.errors import UserError

_MACHINES: dict[str, Architecture] = {"EM_X86_64": "x86-64", "EM_AARCH64": "aarch64"}
_SECTION_HEADER_SIZE = 64
_HEADER = ("type", "flags", "addr", "offset", "size", "link", "info", "addralign")

# First bytes of what people hand over instead, and what to call it.
_OTHER_FORMATS = (
    (b"!<arch>\n", "an archive (.a); extract its members and name those"),
    (b"!<thin>\n", "a thin archive (.a); name its members"),
    (b"BC\xc0\xde", "LLVM bitcode, as made by -flto or -emit-llvm; it holds no machine code"),
    (b"\xde\xc0\x17\x0b", "LLVM bitcode; it holds no machine code"),
    (b"\0asm", "a WebAssembly module"),
    (b"#!", "a script"),
)


@dataclass(frozen=True)
class Section:
    """One section header; ``address``, ``offset`` and ``size`` in bytes."""

    index: int
    name: str
    type: str
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int

    @property
    def loaded(self) -> bool:
        """Whether the section is part of the program in memory (SHF_ALLOC)."""
        return bool(self.flags & 0x2)

    @property
    def executable(self) -> bool:
        """Whether it holds code (SHF_EXECINSTR)."""
        return bool(self.flags & 0x4)


@dataclass(frozen=True)
class ElfFile:
    """A file that is known to be a supported ELF file, with its sections in file order."""

    path: Path
    architecture: Architecture
    relocatable: bool
    sections: tuple[Section, ...]
    blob: bytes = field(repr=False)
    _symbols: dict[int, list[Symbol]] = field(default_factory=dict, repr=False, compare=False)

    def content(self, section: Section) -> bytes:
        """The section's bytes; empty for one that has none in the file (``.bss``). Raises UserError
        when they would lie outside the file."""
        if section.type in ("SHT_NOBITS", "SHT_NULL"):
            return b""
        if section.offset + section.size > len(self.blob):
            name = section.name or section.index
            damaged(self.path, f"section {name} ends behind the file's end")
        return self.blob[section.offset : section.offset + section.size]

    def of_type(self, *types: str) -> list[Section]:
        """The sections of these types, e.g. ``SHT_SYMTAB``."""
        return [s for s in self.sections if s.type in types]

    def named(self, name: str) -> bytes:
        """The bytes of the first section of that name; empty without one."""
        return next((self.content(s) for s in self.sections if s.name == name), b"")

    @property
    def entry(self) -> int:
        """The address at which the program starts."""
        return int.from_bytes(self.blob[24:32], "little")

    @property
    def fixed(self) -> bool:
        """Whether it is loaded where its addresses say (ET_EXEC)."""
        return int.from_bytes(self.blob[16:18], "little") == 2

    def dynamic(self) -> Iterator[tuple[str, str]]:
        """The names that it gives to the loader: (needed, soname, rpath or runpath; the text)."""
        for section in self.of_type("SHT_DYNAMIC"):
            table = self.content(section)
            linked = section.link < len(self.sections)
            strings = self.content(self.sections[section.link]) if linked else b""
            for tag, value in struct.iter_unpack("<QQ", table[: len(table) // 16 * 16]):
                if tag == 0:
                    break
                if tag in _DYNAMIC:
                    yield _DYNAMIC[tag], string_at(strings, value)


_DYNAMIC = {1: "needed", 14: "soname", 15: "rpath", 29: "runpath"}


def open_elf(path: Path) -> ElfFile:
    """Read an ELF file's header and sections. Raises UserError when the file cannot be read, is of
    another format, class or architecture, or is damaged."""
    blob = read_bytes(path, MOST_BYTES)
    if not blob.startswith(b"\x7fELF"):
        what = next((text for magic, text in _OTHER_FORMATS if blob.startswith(magic)), None)
        raise UserError(
            f"{f'this is {what}' if what else 'not a program or object file'}; {SUPPORTED}",
            where=path,
        )
    if len(blob) < 64:
        damaged(path, "it ends inside the header")
    if blob[4] != 2 or blob[5] != 1:
        bits = {1: "32-bit", 2: "64-bit"}.get(blob[4], "unknown class")
        order = {1: "little-endian", 2: "big-endian"}.get(blob[5], "unknown byte order")
        raise UserError(f"this is a {bits}, {order} ELF file; {SUPPORTED}", where=path)
    try:
        return _parse(path, blob)
    except UserError:
        raise
    except Exception as error:  # the library reports damage by a dozen unrelated exceptions
        damaged(path, f"{error or type(error).__name__}")


def _parse(path: Path, blob: bytes) -> ElfFile:
    table = int.from_bytes(blob[40:48], "little")
    entry, count = (int.from_bytes(blob[at : at + 2], "little") for at in (58, 60))
    if table:
        # Checked before the library looks, which would read as many as a damaged header claims.
        if entry != _SECTION_HEADER_SIZE or table + entry > len(blob):
            damaged(path, "its section headers are not where the ELF header says")
        if count == 0:  # more than 65279 sections: the real number is in the first header
            count = int.from_bytes(blob[table + 32 : table + 40], "little")
        if table + count * entry > len(blob):
            damaged(path, "its section headers end behind the file's end")
    elf = ELFFile(io.BytesIO(blob))
    machine = str(elf["e_machine"])
    if machine not in _MACHINES:
        name = machine.removeprefix("EM_")
        raise UserError(f"this is an ELF file for the machine {name}; {SUPPORTED}", where=path)
    kind = str(elf["e_type"])
    if kind not in ("ET_REL", "ET_EXEC", "ET_DYN"):
        raise UserError(f"this is an ELF file of type {kind}; {SUPPORTED}", where=path)
    sections = []
    for i in range(elf.num_sections() if table else 0):
        section = elf.get_section(i)
        kind_of, *numbers = (section.header[f"sh_{name}"] for name in _HEADER)
        sections.append(Section(i, section.name, str(kind_of), *numbers))
    return ElfFile(path, _MACHINES[machine], kind == "ET_REL", tuple(sections), blob)


_GAP = 64


def elf_image(elf: ElfFile) -> Image:
    """The loaded sections, before relocation. UserError when they cannot lie where they say."""
    bases: dict[int, int] = {}
    regions: list[Region] = []
    cursor = OBJECT_BASE
    for section in elf.sections:
        if not section.loaded:
            continue
        base = section.address
        if elf.relocatable:
            align = min(max(section.align, 1), 0x1_0000)
            base = cursor = -(-cursor // align) * align
            cursor += section.size + _GAP
        if base + section.size > 1 << 64:
            damaged(elf.path, f"section {section.name} lies outside the address space")
        bases[section.index] = base
        data = bytearray(elf.content(section))
        if data:
            regions.append(
                Region(section.name, base, data, section.executable, _has_pointers(section))
            )
    return Image(regions, bases, cursor)


def _has_pointers(section: Section) -> bool:
    """Data proper; the GOT holds single addresses, not tables, and is left out."""
    return (
        section.type == "SHT_PROGBITS"
        and not section.executable
        and not section.name.startswith((".got", ".eh_frame", ".gcc_except_table", ".interp"))
    )


_ENTRY = struct.Struct("<IBBHQQ")
_TYPE_SECTION, _TYPE_FILE = 3, 4
FUNCTION_TYPES = (2, 10)  # STT_FUNC, STT_GNU_IFUNC
_OBJECT_TYPE = 1  # STT_OBJECT
_LOCAL, _GLOBAL, _WEAK = 0, 1, 2
_UNDEFINED, _EXTENDED = 0, 0xFFFF


class Symbol(NamedTuple):
    """A symbol as the file has it. ``section`` is None when it is undefined or absolute."""

    name: str
    value: int
    size: int
    type: int
    binding: int
    section: int | None
    absolute: bool
    file: str


def read_symbols(elf: ElfFile, table: Section) -> list[Symbol]:
    """All symbols of one table, in its order, so that relocations can index them. Raises UserError
    when the table is damaged."""
    symbols = elf._symbols.setdefault(table.index, [])
    if symbols:
        return symbols
    data = elf.content(table)
    if table.link >= len(elf.sections):
        damaged(elf.path, f"{table.name} has no string table")
    strings = elf.content(elf.sections[table.link])
    indices = _extended_indices(elf, table)
    file = ""
    whole = len(data) - len(data) % _ENTRY.size
    for i, entry in enumerate(_ENTRY.iter_unpack(data[:whole])):
        name_at, info, _other, index, value, size = entry
        name = string_at(strings, name_at)
        if index == _EXTENDED and i < len(indices):
            index = indices[i]
        kind, binding = info & 0xF, info >> 4
        if kind == _TYPE_FILE:
            file = name
        section = index if index != _UNDEFINED and index < len(elf.sections) else None
        if kind == _TYPE_SECTION and not name and section is not None:
            name = elf.sections[section].name
        source = file if binding == _LOCAL else ""
        symbols.append(Symbol(name, value, size, kind, binding, section, index == 0xFFF1, source))
    return symbols


def symbols_of(elf: ElfFile, *kinds: str) -> list[Symbol]:
    """Those of all tables of these types, by default of ``SHT_SYMTAB``. Raises UserError."""
    return [s for t in elf.of_type(*(kinds or ("SHT_SYMTAB",))) for s in read_symbols(elf, t)]


def _extended_indices(elf: ElfFile, table: Section) -> tuple[int, ...]:
    tables = (s for s in elf.of_type("SHT_SYMTAB_SHNDX") if s.link == table.index)
    data = next(map(elf.content, tables), b"")
    return struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4])


def list_functions(
    elf: ElfFile, bases: Mapping[int, int], unwound: Sequence[Function] = ()
) -> tuple[tuple[Function, ...], str]:
    """The functions by address, and a note when some have no name. ``bases`` maps the index of each
    section to where it lies in the image; ``unwound`` are the functions that the table for
    unwinding stacks has. A name reaches as far as its symbol's own size; one without a size ends
    where another symbol or function begins. Raises UserError when nothing in the file tells where a
    function is: it is stripped, or holds no machine code."""
    functions: list[Function] = []
    for kind in ("SHT_SYMTAB", "SHT_DYNSYM"):
        labels = _labels(elf, symbols_of(elf, kind), bases)
        functions = list(functions_of(labels, [f.address for f in unwound]))
        if functions:
            break
    starts = [f.address for f in functions]
    unnamed = [
        f
        for f in unwound
        if not (i := bisect_right(starts, f.address)) or functions[i - 1].end <= f.address
    ]
    if not functions and not unnamed:
        raise UserError(_why_no_functions(elf), where=elf.path)
    note = ""
    if unnamed and kind == "SHT_DYNSYM":
        names = f"only the {len(functions):,} functions that it exports have names"
        note = (
            f"stripped: {names if functions else 'no function has a name'}; {len(unnamed):,} "
            "others are known from .eh_frame and called by their addresses"
        )
    elif kind == "SHT_DYNSYM":
        note = (
            f"stripped: only the {len(functions):,} functions that it exports have names, and "
            "without .eh_frame all others are invisible"
        )
    return tuple(sorted([*functions, *unnamed], key=lambda f: f.address)), note


def list_objects(elf: ElfFile, bases: Mapping[int, int]) -> tuple[tuple[int, int, str], ...] | None:
    """Where the data lies that symbols name: (first address, the one behind it, name), by address.
    None in a stripped file, which keeps no names of data that only one source file knows."""
    if not elf.of_type("SHT_SYMTAB"):
        return None
    objects = []
    for symbol in symbols_of(elf):
        base = None if symbol.section is None else bases.get(symbol.section)
        if symbol.type == _OBJECT_TYPE and base is not None and symbol.size:
            start = symbol.value + (base if elf.relocatable else 0)
            objects.append((start, start + symbol.size, symbol.name))
    return tuple(sorted(objects, key=lambda extent: extent[0]))


def _why_no_functions(elf: ElfFile) -> str:
    code = [s for s in elf.sections if s.executable and s.size]
    if any(s.name.startswith(".gnu.lto_") for s in elf.sections):
        return "holds GCC's intermediate code (-flto), no machine code; explain the linked program"
    if code and all(s.type == "SHT_NOBITS" for s in code):
        return "holds debug information without code; explain the program that it belongs to"
    if elf.of_type("SHT_SYMTAB") and not code:
        return "holds no code"
    if elf.of_type("SHT_SYMTAB"):
        return "its symbol table names no function"
    return "stripped: no symbol names a function; build it without -s and do not strip it"


def _labels(elf: ElfFile, symbols: list[Symbol], bases: Mapping[int, int]) -> Iterator[Label]:
    for symbol in symbols:
        if symbol.type not in FUNCTION_TYPES or symbol.section is None or not symbol.name:
            continue
        section = elf.sections[symbol.section]
        if not section.executable or section.type == "SHT_NOBITS" or symbol.section not in bases:
            continue
        start = bases[symbol.section]
        address = symbol.value + (start if elf.relocatable else 0)
        if start <= address < start + section.size:
            yield Label(
                name=symbol.name,
                address=address,
                value=symbol.value,
                section=section.name,
                end=start + section.size,
                size=symbol.size,
                rank={_GLOBAL: 0, _WEAK: 1}.get(symbol.binding, 2),
                file=symbol.file,
            )


# Dynamic relocations, per architecture: the loader writes base + addend (an address, or that of a
# resolver, whose result it writes); a symbol's address; of these, that in a slot of the GOT.
_RELATIVE = {"x86-64": (8, 37), "aarch64": (1027, 1032)}
_ABSOLUTE = {"x86-64": (1, 6, 7), "aarch64": (257, 1025, 1026)}
_SLOT = {"x86-64": (6, 7), "aarch64": (1025, 1026)}

# Relocations of objects that move code or tables.
_PATCHES = {
    "x86-64": {
        **dict.fromkeys((2, 4), Patch("word", 4, 0)),
        **dict.fromkeys((10, 11), Patch("word", 4)),
        1: Patch("word", 8),
        24: Patch("word", 8, 0),
    },
    "aarch64": {
        **dict.fromkeys((261, 314), Patch("word", 4, 0)),
        257: Patch("word", 8),
        260: Patch("word", 8, 0),
        258: Patch("word", 4),
        279: Patch("branch", 14, 5),
        280: Patch("branch", 19, 5),
        **dict.fromkeys((282, 283), Patch("branch", 26, 0)),
        274: Patch("adr"),
        275: Patch("adrp"),
        276: Patch("adrp"),
        277: Patch("low"),
    },
}
_RELA = struct.Struct("<QIIq")  # offset, type, symbol (the two halves of r_info), addend


def apply_relocations(elf: ElfFile, image: Image) -> None:
    """Patch the image. Raises UserError when a relocation table is damaged."""
    tables: dict[int, list[Symbol]] = {}
    for section in elf.of_type("SHT_RELA"):
        # Others are debug information, or kept for tools (--emit-relocs) and already applied.
        if section.info not in image.bases if elf.relocatable else not section.loaded:
            continue
        if section.link not in tables:
            in_file = section.link and section.link < len(elf.sections)
            tables[section.link] = read_symbols(elf, elf.sections[section.link]) if in_file else []
        symbols, data = tables[section.link], elf.content(section)
        base = image.bases[section.info] if elf.relocatable else 0
        for offset, kind, index, addend in _RELA.iter_unpack(data[: len(data) // 24 * 24]):
            if not elf.relocatable and kind in _RELATIVE[elf.architecture]:
                image.put(offset, 8, addend)
            elif elf.relocatable or kind in _ABSOLUTE[elf.architecture]:
                if index >= len(symbols):
                    damaged(elf.path, f"{section.name} names symbol {index} of {len(symbols)}")
                apply = _link if elf.relocatable else _load
                apply(elf.architecture, image, kind, base + offset, symbols[index], addend)


def _load(
    architecture: Architecture, image: Image, kind: int, place: int, symbol: Symbol, addend: int
) -> None:
    """What the dynamic loader would do, at base address 0."""
    if kind in _SLOT[architecture]:
        image.slots[place] = symbol.name
    if symbol.section is not None:
        image.put(place, 8, symbol.value + addend)


def _link(
    architecture: Architecture, image: Image, kind: int, place: int, symbol: Symbol, addend: int
) -> None:
    """What the static linker would do."""
    if symbol.section is not None:
        address = image.bases.get(symbol.section, 0) + symbol.value
    elif symbol.absolute or not symbol.name:
        address = symbol.value
    else:
        address = image.external(symbol.name)
    if patch := _PATCHES[architecture].get(kind):
        relocate(image, patch, place, address + addend)
