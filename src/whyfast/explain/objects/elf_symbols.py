"""The symbol tables of an ELF file, and the functions that they name."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from whyfast.explain.objects.elf import Architecture, ElfFile, Section, damaged, open_elf
from whyfast.explain.objects.image import Function, Image, Label, functions_of
from whyfast.model.errors import UserError

_ENTRY = struct.Struct("<IBBHQQ")
_TYPE_SECTION, _TYPE_FILE = 3, 4
_FUNCTION_TYPES = (2, 10)  # STT_FUNC, STT_GNU_IFUNC
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
    """All symbols of one table, in its order, so that relocations can index them.

    Raises UserError when the table is damaged.
    """
    data = elf.content(table)
    if table.link >= len(elf.sections):
        damaged(elf.path, f"{table.name} has no string table")
    strings = elf.content(elf.sections[table.link])
    indices = _extended_indices(elf, table)
    symbols: list[Symbol] = []
    file = ""
    whole = len(data) - len(data) % _ENTRY.size
    for i, entry in enumerate(_ENTRY.iter_unpack(data[:whole])):
        name_at, info, _other, index, value, size = entry
        end = strings.find(b"\0", name_at)
        name = strings[name_at : end if end >= 0 else None].decode("utf-8", "replace")
        if index == _EXTENDED and i < len(indices):
            index = indices[i]
        kind, binding = info & 0xF, info >> 4
        if kind == _TYPE_FILE:
            file = name
        section = index if index != _UNDEFINED and index < len(elf.sections) else None
        if kind == _TYPE_SECTION and not name and section is not None:
            name = elf.sections[section].name
        absolute = index == 0xFFF1
        symbols.append(
            Symbol(
                name,
                value,
                size,
                kind,
                binding,
                section,
                absolute,
                file if binding == _LOCAL else "",
            )
        )
    return symbols


def _extended_indices(elf: ElfFile, table: Section) -> tuple[int, ...]:
    for section in elf.of_type("SHT_SYMTAB_SHNDX"):
        if section.link == table.index:
            data = elf.content(section)
            return struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4])
    return ()


def list_functions(elf: ElfFile, bases: Mapping[int, int]) -> tuple[tuple[Function, ...], str]:
    """The functions by address, and a note when they are not all the file's functions.

    ``bases`` maps the index of each section to where it lies in the image. Raises UserError when
    nothing in the file names a function: it is stripped, or holds no machine code.
    """
    note = ""
    for kind in ("SHT_SYMTAB", "SHT_DYNSYM"):
        symbols = [s for table in elf.of_type(kind) for s in read_symbols(elf, table)]
        functions = tuple(functions_of(_labels(elf, symbols, bases)))
        if functions:
            if kind == "SHT_DYNSYM":
                note = (
                    f"stripped: only the {len(functions)} functions that it exports have names, "
                    "all others are invisible, and cold parts look like other functions"
                )
            return functions, note
    raise UserError(_why_no_functions(elf), where=elf.path)


def list_objects(elf: ElfFile, bases: Mapping[int, int]) -> tuple[tuple[int, int], ...] | None:
    """Where the data lies that symbols name: (first address, the one behind it), by address.

    None in a stripped file, which keeps no names of data that only one source file knows.
    """
    tables = elf.of_type("SHT_SYMTAB")
    if not tables:
        return None
    found = set()
    for symbol in (s for table in tables for s in read_symbols(elf, table)):
        if symbol.type != _OBJECT_TYPE or symbol.section is None or not symbol.size:
            continue
        if symbol.section in bases:
            start = symbol.value + (bases[symbol.section] if elf.relocatable else 0)
            found.add((start, start + symbol.size))
    return tuple(sorted(found))


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
        if symbol.type not in _FUNCTION_TYPES or symbol.section is None or not symbol.name:
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


# ---- What a program's file holds, whichever format it has.


@dataclass(frozen=True)
class Contents:
    """``functions`` by address; ``notes`` say what was not visible. ``objects`` are the extents of
    named data, by address; None where the file does not tell."""

    architecture: Architecture
    image: Image
    functions: tuple[Function, ...]
    notes: tuple[str, ...] = ()
    objects: tuple[tuple[int, int], ...] | None = None


# ---- The file that holds the symbols and lines of a stripped program, found by the program's
# build id,
# or by the name and checksum that the program has of it.

#: Where distributions install debug files, by build id.
GLOBAL = Path("/usr/lib/debug")
FOLDERS = (GLOBAL / ".build-id",)
_GNU_BUILD_ID = 3


def build_id(elf: ElfFile) -> str:
    """In hex; empty where the linker made none."""
    for section in elf.of_type("SHT_NOTE"):
        data, at = elf.content(section), 0
        while at + 12 <= len(data):
            name, size, kind = (
                int.from_bytes(data[at + n : at + n + 4], "little") for n in (0, 4, 8)
            )
            start = at + 12 + -(-name // 4) * 4
            if kind == _GNU_BUILD_ID and data[at + 12 : at + 12 + name] == b"GNU\0":
                return data[start : start + size].hex()
            at = start + -(-size // 4) * 4
    return ""


def debug_file(elf: ElfFile, folders: Sequence[Path] = ()) -> ElfFile | None:
    """The debug file of a program: by its build id in ``folders``, where distributions install
    them, or in ``.build-id`` or under its name and ``.debug`` beside it; or the one that its
    ``.gnu_debuglink`` names. None where there is none of this very build, by build id or checksum.
    """
    own, link = build_id(elf), debug_link(elf)
    beside = elf.path.parent
    places: list[Path] = []
    if own:
        roots = (*(f / ".build-id" for f in folders), *folders, *FOLDERS, beside / ".build-id")
        places += [root / own[:2] / f"{own[2:]}.debug" for root in roots]
        places += [beside / f"{elf.path.name}.debug", beside / ".debug" / f"{elf.path.name}.debug"]
    for place in places:
        found = _opened(place)
        if found is not None and build_id(found) == own:
            return _with_types(elf, found)
    if link is not None:
        name, checksum = link
        rooted = GLOBAL / str(beside.resolve()).lstrip("/")
        for folder in (*folders, beside, beside / ".debug", rooted):
            found = _opened(folder / name)
            if found is not None and zlib.crc32(found.blob) == checksum:
                return _with_types(elf, found)
    return None


def debug_link(elf: ElfFile) -> tuple[str, int] | None:
    """The name of the debug file and the checksum that ``.gnu_debuglink`` has of it."""
    for section in elf.sections:
        if section.name == ".gnu_debuglink":
            name, _, _ = (data := elf.content(section)).partition(b"\0")
            checksum = data[-4:]
            plain = name.decode("utf-8", "replace")
            # A name with a folder in it would lead anywhere.
            if plain and len(checksum) == 4 and "/" not in plain:
                return plain, int.from_bytes(checksum, "little")
    return None


def with_lines(path: Path, folders: Sequence[Path] = ()) -> Path:
    """The file that has a program's source lines: itself, or else its debug file, if there is one;
    else itself."""
    try:
        elf = open_elf(path)
        if any(s.name in (".debug_line", ".zdebug_line") for s in elf.sections):
            return path
        found = debug_file(elf, folders)
    except UserError:
        return path
    return found.path if found is not None else path


def _opened(place: Path) -> ElfFile | None:
    try:
        return open_elf(place) if place.is_file() else None
    except (UserError, OSError):
        return None


def _with_types(elf: ElfFile, found: ElfFile) -> ElfFile:
    """It has the code's sections without their bytes, where the program has them."""
    return replace(found, sections=tuple(_as_in(elf, s) for s in found.sections))


def _as_in(program: ElfFile, section: Section) -> Section:
    """A section of a debug file with the type that the program's own has, in the same place."""
    own = program.sections[section.index] if section.index < len(program.sections) else None
    if section.type != "SHT_NOBITS" or own is None or own.name != section.name:
        return section
    return replace(section, type=own.type)
