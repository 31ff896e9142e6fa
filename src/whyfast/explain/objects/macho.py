"""Mach-O: programs, libraries and objects of Apple's systems, also several in one file.

Structures and numbers are those of Apple's ``mach-o/loader.h``, ``fat.h`` and ``nlist.h``.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import lief

from whyfast.explain.objects.image import (
    OBJECT_BASE,
    SUPPORTED,
    Architecture,
    Contents,
    Image,
    Label,
    Region,
    code_label,
    damaged,
    functions_of,
    read_blob,
    string_at,
)
from whyfast.explain.objects.lief_files import (
    content,
    number,
    parse,
    reading,
    text,
    without_padding,
)
from whyfast.explain.objects.relocate import rewrite, with_adr, with_branch, with_low_bits
from whyfast.model.errors import UserError

# ---- Universal files: the same program for several processors.

_KIND = "universal Mach-O"
_CPUS: dict[int, Architecture] = {0x0100_0007: "x86-64", 0x0100_000C: "aarch64"}
_PREFERRED: tuple[Architecture, ...] = ("aarch64", "x86-64")
_MOST = 32  # a class file of Java, which begins alike, has its version in that place


def choose(path: Path, blob: bytes, architecture: Architecture | None) -> tuple[bytes, list[str]]:
    """(the part for that processor, or AArch64's where none is named; notes which one it is).

    What is not universal is its own only part. UserError when there is no such part.
    """
    wide = blob.startswith(b"\xca\xfe\xba\xbf")
    if not wide and not blob.startswith(b"\xca\xfe\xba\xbe"):
        return blob, []
    count = int.from_bytes(blob[4:8], "big")
    if count > _MOST:
        raise UserError(f"this is a Java class, or damaged; {SUPPORTED}", where=path)
    entry = struct.Struct(">IIQQII" if wide else ">IIIII")
    if 8 + count * entry.size > len(blob):
        damaged(path, "it ends inside the header", _KIND)
    parts: dict[str, bytes] = {}
    for i in range(count):
        cpu, _, offset, size, *_ = entry.unpack_from(blob, 8 + i * entry.size)
        if offset + size > len(blob):
            damaged(path, f"part {i + 1} ends behind the file's end", _KIND)
        parts.setdefault(_CPUS.get(cpu, f"{cpu:#x}"), blob[offset : offset + size])
    wanted = (architecture,) if architecture else _PREFERRED
    chosen = next((name for name in wanted if name in parts), None)
    has = " and ".join(parts) or "nothing"
    if chosen is None:
        raise UserError(
            f"holds {has}, and nothing for {' or '.join(wanted)}; {SUPPORTED}", where=path
        )
    others = " and ".join(name for name in parts if name != chosen)
    more = f"; it also holds {others} (--arch)" if others else ""
    return parts[chosen], [f"universal: this is its {chosen} part{more}"]


# ---- The symbol table of a Mach-O file.

_ENTRY = struct.Struct("<IBBHQ")  # nlist_64
_DEBUGGING, _TYPE, _EXTERNAL = 0xE0, 0x0E, 0x01
_ABSOLUTE, _IN_SECTION = 0x02, 0x0E
_ALTERNATIVE_ENTRY, _WEAK = 0x0200, 0x0080
# Labels of assemblers, at the start of sections and in the middle of functions.
_PRIVATE = re.compile(r"ltmp\d+|[Ll]\d*_?tmp\d+|L\S*|l_\.\S*")


class MachSymbol(NamedTuple):
    """``section`` counts from 1; None when the symbol is undefined or absolute. Of an entry for
    debuggers only its place in the table matters, as relocations count them, too."""

    name: str
    value: int
    section: int | None
    absolute: bool
    external: bool
    weak: bool
    boundary: bool


def without_underscore(name: str) -> str:
    """The name in C: every symbol of it has one underscore in front."""
    return name.removeprefix("_")


def read_symbols(path: Path, binary: Any, blob: bytes) -> list[MachSymbol]:
    """All entries, in the table's order. UserError when they lie outside the file."""
    command = binary.symbol_command
    if command is None:
        return []
    start, count = command.symbol_offset, command.numberof_symbols
    first, size = command.strings_offset, command.strings_size
    if start + count * _ENTRY.size > len(blob) or first + size > len(blob):
        damaged(path, "its symbol table ends behind the file's end", "Mach-O")
    strings = blob[first : first + size]
    symbols = []
    for entry in _ENTRY.iter_unpack(blob[start : start + count * _ENTRY.size]):
        at, kind, section, description, value = entry
        place = kind & _TYPE
        inside = place == _IN_SECTION and not kind & _DEBUGGING
        symbols.append(
            MachSymbol(
                string_at(strings, at),
                value,
                section if inside else None,
                absolute=place == _ABSOLUTE,
                external=bool(kind & _EXTERNAL),
                weak=bool(description & _WEAK),
                boundary=inside and not description & _ALTERNATIVE_ENTRY,
            )
        )
    return symbols


def labels_of(
    path: Path, symbols: Sequence[MachSymbol], image: Image, shift: int
) -> Iterator[Label]:
    """The symbols that name code. ``shift`` is where an object's addresses begin in the image."""
    for symbol in symbols:
        if not symbol.boundary or not symbol.name or symbol.section not in image.bases:
            continue
        region = image.region(symbol.value + shift)
        if region is None or region.start != image.bases[symbol.section]:
            continue
        if not _PRIVATE.fullmatch(symbol.name):
            rank = (1 if symbol.weak else 0) if symbol.external else 2
            yield from code_label(
                image,
                without_underscore(symbol.name),
                symbol.value + shift,
                value=symbol.value,
                rank=rank,
                file=path.name if rank == 2 else "",
            )


# ---- Addresses in a Mach-O image: an object's relocations, and what the dynamic loader would do.
#
# An object's sections keep their distances, so that what its assembler has resolved stays right.

_RELOCATION = struct.Struct("<iI")
_SCATTERED = 0x8000_0000

_UNSIGNED = 0  # on both
_SUBTRACTOR = {"x86-64": 5, "aarch64": 1}
_RELATIVE = (1, 2, 6, 7, 8)  # x86-64: SIGNED, BRANCH, SIGNED_1, _2, _4
_BRANCH26, _PAGE21, _PAGEOFF12, _ADDEND = 2, 3, 4, 10

_POINTERS, _LAZY_POINTERS, _STUBS = 6, 7, 8


def name_slots(binary: Any, sections: Sequence[Any], image: Image, shift: int) -> None:
    """Stubs and pointers that the dynamic loader fills, named by the indirect symbol table."""
    command = binary.dynamic_symbol_command
    if command is None:
        return
    names = [without_underscore(text(s.name)) for s in command.indirect_symbols]
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


def apply_fixups(binary: Any, image: Image) -> None:
    """Chained fixups hide a program's own addresses in links of chains; older files have them
    plainly."""
    if not binary.has_dyld_chained_fixups:
        return
    for fixup in binary.relocations:
        target = getattr(fixup, "target", None)
        if isinstance(target, int):
            image.put(fixup.address, 8, target)


def link(
    path: Path,
    blob: bytes,
    sections: Sequence[Any],
    symbols: Sequence[MachSymbol],
    image: Image,
    architecture: Architecture,
    shift: int,
) -> None:
    """What the static linker would do with an object. UserError when it is damaged."""
    for i, section in enumerate(sections, 1):
        if i not in image.bases:
            continue
        start, count = section.relocation_offset, section.numberof_relocations
        if start + count * _RELOCATION.size > len(blob):
            damaged(path, f"relocations of {text(section.name)} lie outside the file", "Mach-O")
        addend, less = 0, None
        for where, info in _RELOCATION.iter_unpack(blob[start : start + count * _RELOCATION.size]):
            if where & _SCATTERED or where < 0:
                continue
            place, index, kind = image.bases[i] + where, info & 0xFF_FFFF, info >> 28
            width = 1 << (info >> 25 & 3)
            if architecture == "aarch64" and kind == _ADDEND:
                addend = index - (1 << 24) if index >> 23 else index
                continue
            if not info >> 27 & 1:  # by section: the place holds an address of the object
                if kind == _UNSIGNED:
                    distance = shift - less if less is not None else shift
                    _add(image, place, width, distance)
            elif index >= len(symbols):
                damaged(path, f"a relocation names symbol {index} of {len(symbols)}", "Mach-O")
            else:
                target = _address(image, symbols[index], shift)
                if kind == _SUBTRACTOR[architecture]:
                    less = target
                    continue
                if kind == _UNSIGNED:
                    _add(image, place, width, target - (less or 0))
                elif architecture == "aarch64":
                    _patch(image, kind, place, target + addend)
                elif kind in _RELATIVE:
                    _add(image, place, width, target - (place + 4))
            addend, less = 0, None


def _address(image: Image, symbol: MachSymbol, shift: int) -> int:
    if symbol.section is not None:
        return symbol.value + shift
    if symbol.absolute or not symbol.name:
        return symbol.value
    return image.external(without_underscore(symbol.name))


def _add(image: Image, place: int, width: int, what: int) -> None:
    old = image.read(place, width)
    if len(old) == width:
        image.put(place, width, int.from_bytes(old, "little") + what)


def _patch(image: Image, kind: int, place: int, target: int) -> None:
    if kind == _BRANCH26:
        rewrite(image, place, lambda word: with_branch(word, 26, 0, target - place))
    elif kind == _PAGE21:
        rewrite(image, place, lambda word: with_adr(word, (target >> 12) - (place >> 12)))
    elif kind == _PAGEOFF12:
        rewrite(image, place, lambda word: with_low_bits(word, target))


_MACHO_KIND = "Mach-O"
_OBJECT = 1
#: Kinds of file that hold code: object, program, shared library, bundle.
_FILE_TYPES = (_OBJECT, 2, 6, 8)

_ZEROES = (0x1, 0xC, 0x12)  # S_ZEROFILL, S_GB_ZEROFILL, S_THREAD_LOCAL_ZEROFILL
_REGULAR = 0x0
_CODE = 0x8000_0000 | 0x400  # pure and some instructions
_DEBUG = 0x0200_0000

#: How 32-bit and big-endian files begin.
_OTHERS = (b"\xce\xfa\xed\xfe", b"\xfe\xed\xfa\xcf", b"\xfe\xed\xfa\xce")


def read_macho(path: Path, architecture: Architecture | None = None) -> Contents:
    """The program; of a universal file the part for ``architecture``. UserError when there is
    none, or it cannot be read."""
    blob = read_blob(path)
    part, notes = choose(path, blob, architecture)
    part_architecture = _check(path, part)
    with reading(path, _MACHO_KIND):
        fat = parse(lief.MachO.parse, part, path, _MACHO_KIND)
        binary = fat.at(0)
        if binary is None:
            damaged(path, "its headers contradict themselves", _MACHO_KIND)
        shift = OBJECT_BASE if number(binary.header.file_type) == _OBJECT else 0
        sections = list(binary.sections)
        image = _image(path, part, binary, sections, shift)
        symbols = read_symbols(path, binary, part)
        name_slots(binary, sections, image, shift)
        if shift:
            link(path, part, sections, symbols, image, part_architecture, shift)
        else:
            apply_fixups(binary, image)
        starts = binary.function_starts.functions if binary.has_function_starts else ()
        labels = list(labels_of(path, symbols, image, shift))
        named = {label.address for label in labels}
        nameless = [
            label
            for start in (shift + binary.imagebase + s for s in starts)
            if start not in named
            for label in code_label(image, f"sub_{start:x}", start, rank=3)
        ]
        labels += nameless
        functions = tuple(without_padding(functions_of(labels), image, part_architecture, exact=()))
    if not functions:
        code = any(r.executable for r in image.regions)
        raise UserError(
            "stripped: no symbol names a function; build it without -s and do not strip it"
            if code
            else "holds no code",
            where=path,
        )
    if nameless:
        notes.append(
            f"{'partly ' if len(nameless) < len(functions) else ''}stripped: {len(nameless)} of "
            f"{len(functions)} functions have no symbol and are called sub_ADDRESS, where the "
            "table of function starts has them"
        )
    return Contents(part_architecture, image, functions, tuple(notes))


def _check(path: Path, blob: bytes) -> Architecture:
    if not blob.startswith((b"\xcf\xfa\xed\xfe", *_OTHERS)):
        archive = blob.startswith(b"!<arch>\n")
        what = (
            "an archive (.a); extract its members and name those" if archive else "no Mach-O file"
        )
        raise UserError(f"the part for that processor is {what}; {SUPPORTED}", where=path)
    if blob.startswith(_OTHERS):
        bits = "32-bit" if 0xCE in (blob[0], blob[3]) else "big-endian"
        raise UserError(f"this is a {bits} Mach-O file; {SUPPORTED}", where=path)
    if len(blob) < 32:
        damaged(path, "it ends inside the header", _MACHO_KIND)
    cpu, _, kind, count, size = struct.unpack_from("<IIIII", blob, 4)
    if cpu not in _CPUS:
        raise UserError(f"this is a Mach-O file for the machine {cpu:#x}; {SUPPORTED}", where=path)
    if kind not in _FILE_TYPES:
        kinds = {10: "holds debug information without code; explain the program that it belongs to"}
        raise UserError(
            kinds.get(kind, f"this is a Mach-O file of type {kind}; {SUPPORTED}"), where=path
        )
    if 32 + size > len(blob) or 8 * count > size:
        damaged(path, "its load commands end behind the file's end", _MACHO_KIND)
    return _CPUS[cpu]


def _image(path: Path, blob: bytes, binary: Any, sections: list[Any], shift: int) -> Image:
    """``bases`` by the numbers of the sections, which begin at 1."""
    bases: dict[int, int] = {}
    regions = []
    for i, section in enumerate(sections, 1):
        flags = number(section.flags)
        if flags & _DEBUG or text(section.segment_name) == "__DWARF":
            continue
        start, kind = shift + section.virtual_address, number(section.type)
        if start + section.size > 1 << 64:
            damaged(
                path, f"section {text(section.name)} lies outside the address space", _MACHO_KIND
            )
        bases[i] = start
        if kind in _ZEROES or not section.size:
            continue
        data = content(section, section.offset, section.size, blob, path, _MACHO_KIND)
        runs = bool(flags & _CODE)
        plain = kind == _REGULAR and not runs and text(section.name) not in _UNWINDING
        regions.append(Region(text(section.name), start, bytearray(data), runs, plain))
    free = max((r.end for r in regions), default=shift)
    return Image(regions, bases, free, data=_data_in_code(binary, shift))


_UNWINDING = ("__eh_frame", "__unwind_info", "__compact_unwind", "__gcc_except_tab")


def _data_in_code(binary: Any, shift: int) -> Iterator[tuple[int, int]]:
    """The file has them by offset: in a program from its start, in an object from the address of
    its first section."""
    if not binary.has_data_in_code:
        return
    for entry in binary.data_in_code.entries:
        start = entry.offset + (shift if shift else binary.imagebase)
        yield start, start + entry.length
