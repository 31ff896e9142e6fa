"""Mach-O: programs, libraries and objects of Apple's systems, also several in one file.

Structures and numbers are those of Apple's ``mach-o/loader.h``, ``fat.h`` and ``nlist.h``."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import lief

from whyfast.explain.objects import (
    OBJECT_BASE,
    SUPPORTED,
    Architecture,
    Contents,
    Image,
    Label,
    Patch,
    Region,
    code_label,
    relocate,
)
from whyfast.explain.objects.lief_files import (
    LiefFile,
    functions_without_padding,
    nameless,
    number,
    text,
)
from whyfast.model.errors import UserError

_CPUS: dict[int, Architecture] = {0x0100_0007: "x86-64", 0x0100_000C: "aarch64"}
_PREFERRED: tuple[Architecture, ...] = ("aarch64", "x86-64")
_MOST = 32  # a class file of Java, which begins alike, has its version in that place


def choose(file: LiefFile, architecture: Architecture | None) -> tuple[LiefFile, list[str]]:
    """(the part for that processor, or AArch64's where none is named; notes which one it is). A
    file that is not universal is its own only part. UserError when there is no such part."""
    blob, universal = file.blob, replace(file, kind="universal Mach-O")
    wide = blob.startswith(b"\xca\xfe\xba\xbf")
    if not wide and not blob.startswith(b"\xca\xfe\xba\xbe"):
        return file, []
    count = int.from_bytes(blob[4:8], "big")
    if count > _MOST:
        raise UserError(f"this is a Java class, or damaged; {SUPPORTED}", where=file.path)
    entry = struct.Struct(">IIQQII" if wide else ">IIIII")
    if 8 + count * entry.size > len(blob):
        universal.damaged("it ends inside the header")
    parts: dict[str, bytes] = {}
    for i in range(count):
        cpu, _, offset, size, *_ = entry.unpack_from(blob, 8 + i * entry.size)
        universal.check_end(offset + size, f"part {i + 1} ends")
        parts.setdefault(_CPUS.get(cpu, f"{cpu:#x}"), blob[offset : offset + size])
    wanted = (architecture,) if architecture else _PREFERRED
    chosen = next((name for name in wanted if name in parts), None)
    has = " and ".join(parts) or "nothing"
    if chosen is None:
        raise UserError(
            f"holds {has}, and nothing for {' or '.join(wanted)}; {SUPPORTED}", where=file.path
        )
    others = " and ".join(name for name in parts if name != chosen)
    more = f"; it also holds {others} (--arch)" if others else ""
    part = replace(file, blob=parts[chosen])
    return part, [f"universal: this is its {chosen} part{more}"]


_DEBUGGING, _TYPE, _EXTERNAL = 0xE0, 0x0E, 0x01
_ABSOLUTE, _IN_SECTION = 0x02, 0x0E
_ALTERNATIVE_ENTRY, _WEAK = 0x0200, 0x0080
# Labels of assemblers, at the start of sections and in the middle of functions.
_PRIVATE = re.compile(r"ltmp\d+|[Ll]\d*_?tmp\d+|L\S*|l_\.\S*")


def _symbols(file: LiefFile, binary: Any) -> list[Any]:
    """All entries, in the table's order, those for debuggers too, as relocations count them.
    UserError for a damaged table."""
    command = binary.symbol_command
    if command is None:
        return []
    file.check_end(command.symbol_offset + 16 * command.numberof_symbols, "its symbol table ends")
    file.check_end(command.strings_offset + command.strings_size, "its symbol table ends")
    symbols = [s for s in binary.symbols if s.origin == lief.MachO.Symbol.ORIGIN.SYMTAB]
    if len(symbols) != command.numberof_symbols:
        file.damaged("its symbol table cannot be read")
    return symbols


def _section_of(symbol: Any) -> int | None:
    """The number of its section, from 1; None when it is undefined, absolute or for debuggers."""
    inside = symbol.raw_type & (_TYPE | _DEBUGGING) == _IN_SECTION
    return int(symbol.numberof_sections) if inside else None


def _name(symbol: Any) -> str:
    """The name in C: every symbol of it has one underscore in front."""
    return text(symbol.name).removeprefix("_")


def _labels(path: Path, symbols: Sequence[Any], image: Image, shift: int) -> Iterator[Label]:
    """The symbols that name code. ``shift`` is where an object's addresses begin in the image."""
    for symbol in symbols:
        address, base = symbol.value + shift, image.bases.get(_section_of(symbol) or 0)
        region = image.region(address)
        if region is None or region.start != base or symbol.description & _ALTERNATIVE_ENTRY:
            continue
        if not _PRIVATE.fullmatch(text(symbol.name)):
            rank, file = 2, path.name
            if symbol.raw_type & _EXTERNAL:
                rank, file = 1 if symbol.description & _WEAK else 0, ""
            yield from code_label(
                image, _name(symbol), address, value=symbol.value, rank=rank, file=file
            )


# An object's sections keep their distances, so that what its assembler has resolved stays right.

_RELOCATION = struct.Struct("<iI")

_UNSIGNED = 0  # on both
_SUBTRACTOR = {"x86-64": 5, "aarch64": 1}
_RELATIVE = (1, 2, 6, 7, 8)  # x86-64: SIGNED, BRANCH, SIGNED_1, _2, _4
_PATCHES = {2: Patch("branch", 26, 0), 3: Patch("adrp"), 4: Patch("low")}  # AArch64
_ADDEND = 10  # AArch64: of the next one

_POINTERS, _LAZY_POINTERS, _STUBS = 6, 7, 8


def _name_slots(binary: Any, sections: Sequence[Any], image: Image, shift: int) -> None:
    """Stubs and pointers that the dynamic loader fills, named by the indirect symbol table."""
    command = binary.dynamic_symbol_command
    if command is None:
        return
    names = [_name(s) for s in command.indirect_symbols]
    if len(names) != command.nb_indirect_symbols:
        return
    for section in sections:
        kind = number(section.type)
        width = section.reserved2 if kind == _STUBS else 8
        if kind not in (_POINTERS, _LAZY_POINTERS, _STUBS) or width <= 0:
            continue
        first, count = section.reserved1, section.size // width
        for i, name in enumerate(names[first : first + count]):
            at = shift + section.virtual_address + i * width
            (image.externals if kind == _STUBS else image.slots)[at] = name


def _apply_fixups(binary: Any, image: Image) -> None:
    """Chained fixups hide a program's own addresses in links of chains; older files have them
    plainly."""
    if not binary.has_dyld_chained_fixups:
        return
    for fixup in binary.relocations:
        target = getattr(fixup, "target", None)
        if isinstance(target, int):
            image.put(fixup.address, 8, target)


def _link(
    file: LiefFile,
    sections: Sequence[Any],
    symbols: Sequence[Any],
    image: Image,
    shift: int,
    architecture: Architecture,
) -> None:
    """What the static linker would do with an object. UserError when it is damaged."""
    for i, section in enumerate(sections, 1):
        if i not in image.bases:
            continue
        start, count = section.relocation_offset, section.numberof_relocations
        if start + count * _RELOCATION.size > len(file.blob):
            file.damaged(f"relocations of {text(section.name)} lie outside the file")
        table = file.blob[start : start + count * _RELOCATION.size]
        addend, less = 0, None
        for where, info in _RELOCATION.iter_unpack(table):
            if where < 0:  # scattered: only 32-bit files have such
                continue
            place, index, kind = image.bases[i] + where, info & 0xFF_FFFF, info >> 28
            word = Patch("word", 1 << (info >> 25 & 3))
            if architecture == "aarch64" and kind == _ADDEND:
                addend = index - (1 << 24) if index >> 23 else index
                continue
            if not info >> 27 & 1:  # by section: the place holds an address of the object
                if kind == _UNSIGNED:
                    distance = shift - less if less is not None else shift
                    relocate(image, word, place, distance, inside=True)
            elif index >= len(symbols):
                file.damaged(f"a relocation names symbol {index} of {len(symbols)}")
            else:
                target = _address(image, symbols[index], shift)
                if kind == _SUBTRACTOR[architecture]:
                    less = target
                    continue
                if kind == _UNSIGNED:
                    relocate(image, word, place, target - (less or 0), inside=True)
                elif architecture == "x86-64" and kind in _RELATIVE:
                    relocate(image, word._replace(at=4), place, target, inside=True)
                elif architecture == "aarch64" and kind in _PATCHES:
                    relocate(image, _PATCHES[kind], place, target + addend)
            addend, less = 0, None


def _address(image: Image, symbol: Any, shift: int) -> int:
    if _section_of(symbol) is not None:
        return int(symbol.value + shift)
    if symbol.raw_type & _TYPE == _ABSOLUTE or not symbol.name:
        return int(symbol.value)
    return image.external(_name(symbol))


_OBJECT = 1
#: Kinds of file that hold code: object, program, shared library, bundle.
_FILE_TYPES = (_OBJECT, 2, 6, 8)
_DEBUG_FILE = 10

_ZEROES = (0x1, 0xC, 0x12)  # S_ZEROFILL, S_GB_ZEROFILL, S_THREAD_LOCAL_ZEROFILL
_REGULAR = 0x0
_CODE = 0x8000_0000 | 0x400  # pure and some instructions
_DEBUG = 0x0200_0000

#: How 32-bit and big-endian files begin.
_OTHERS = (b"\xce\xfa\xed\xfe", b"\xfe\xed\xfa\xcf", b"\xfe\xed\xfa\xce")


def read_macho(path: Path, architecture: Architecture | None = None) -> Contents:
    """The program; of a universal file the part for ``architecture``. UserError when there is
    none, or it cannot be read."""
    file, notes = choose(LiefFile.read(path, "Mach-O"), architecture)
    part_architecture = _check(file)
    with file.reading():
        binary = file.parse(lief.MachO.parse).at(0)
        if binary is None:
            file.damaged("its headers contradict themselves")
        shift = OBJECT_BASE if number(binary.header.file_type) == _OBJECT else 0
        sections = list(binary.sections)
        image = _image(file, binary, sections, shift)
        symbols = _symbols(file, binary)
        _name_slots(binary, sections, image, shift)
        if shift:
            _link(file, sections, symbols, image, shift, part_architecture)
        else:
            _apply_fixups(binary, image)
        starts = binary.function_starts.functions if binary.has_function_starts else ()
        labels = list(_labels(path, symbols, image, shift))
        known = dict.fromkeys((shift + binary.imagebase + s for s in starts), 0)
        made_up = nameless(image, known, labels)
        functions = functions_without_padding([*labels, *made_up], image, part_architecture)
    if not functions:
        code = any(r.executable for r in image.regions)
        raise UserError(
            "stripped: no symbol names a function; build it without -s and do not strip it"
            if code
            else "holds no code",
            where=path,
        )
    if made_up:
        notes.append(
            f"{'partly ' if len(made_up) < len(functions) else ''}stripped: {len(made_up)} of "
            f"{len(functions)} functions have no symbol and are called sub_ADDRESS, where the "
            "table of function starts has them"
        )
    return Contents(part_architecture, image, functions, tuple(notes))


def _check(file: LiefFile) -> Architecture:
    blob = file.blob
    if not blob.startswith((b"\xcf\xfa\xed\xfe", *_OTHERS)):
        archive = blob.startswith(b"!<arch>\n")
        what = (
            "an archive (.a); extract its members and name those" if archive else "no Mach-O file"
        )
        message = f"the part for that processor is {what}; {SUPPORTED}"
        raise UserError(message, where=file.path)
    if blob.startswith(_OTHERS):
        bits = "32-bit" if 0xCE in (blob[0], blob[3]) else "big-endian"
        raise UserError(f"this is a {bits} Mach-O file; {SUPPORTED}", where=file.path)
    if len(blob) < 32:
        file.damaged("it ends inside the header")
    cpu, _, kind, count, size = struct.unpack_from("<IIIII", blob, 4)
    if cpu not in _CPUS:
        message = f"this is a Mach-O file for the machine {cpu:#x}; {SUPPORTED}"
        raise UserError(message, where=file.path)
    if kind not in _FILE_TYPES:
        message = f"this is a Mach-O file of type {kind}; {SUPPORTED}"
        if kind == _DEBUG_FILE:
            message = "holds debug information without code; explain the program that it belongs to"
        raise UserError(message, where=file.path)
    if 32 + size > len(blob) or 8 * count > size:
        file.damaged("its load commands end behind the file's end")
    return _CPUS[cpu]


def _image(file: LiefFile, binary: Any, sections: list[Any], shift: int) -> Image:
    """``bases`` by the numbers of the sections, which begin at 1."""
    bases: dict[int, int] = {}
    regions: list[Region] = []
    for i, section in enumerate(sections, 1):
        flags, kind = number(section.flags), number(section.type)
        if flags & _DEBUG or text(section.segment_name) == "__DWARF":
            continue
        bases[i] = start = shift + section.virtual_address
        file.check_space(section, start, section.size)
        if kind not in _ZEROES and section.size:
            plain = kind == _REGULAR and text(section.name) not in _UNWINDING
            code = bool(flags & _CODE)
            regions += file.region(section, start, section.size, code=code, plain=plain)
    free = max((r.end for r in regions), default=shift)
    return Image(regions, bases, free, data=_data_in_code(binary, shift))


_UNWINDING = ("__eh_frame", "__unwind_info", "__compact_unwind", "__gcc_except_tab")


def _data_in_code(binary: Any, shift: int) -> Iterator[tuple[int, int]]:
    """The file has them by offset: in a program from its start, in an object from the address of
    its first section."""
    for entry in binary.data_in_code.entries if binary.has_data_in_code else ():
        start = entry.offset + (shift or binary.imagebase)
        yield start, start + entry.length
