"""Mach-O: programs, libraries and objects of Apple's systems, also several in one file.

Structures and numbers are those of Apple's ``mach-o/loader.h``, ``fat.h`` and ``nlist.h``.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lief

from whyfast.explain.objects.contents import Contents
from whyfast.explain.objects.elf import SUPPORTED, Architecture, damaged, read_blob
from whyfast.explain.objects.image import OBJECT_BASE, Image, Region
from whyfast.explain.objects.labels import Label, functions_of
from whyfast.explain.objects.lief_files import content, number, parse, reading, text
from whyfast.explain.objects.macho_fat import choose
from whyfast.explain.objects.macho_relocate import apply_fixups, link, name_slots
from whyfast.explain.objects.macho_symbols import labels_of, read_symbols
from whyfast.explain.objects.padding import without_padding
from whyfast.model.errors import UserError

_KIND = "Mach-O"
_CPUS: dict[int, Architecture] = {0x0100_0007: "x86-64", 0x0100_000C: "aarch64"}
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
    found_for = _check(path, part)
    with reading(path, _KIND):
        fat = parse(lief.MachO.parse, part, path, _KIND)
        found = fat.at(0)
        if found is None:
            damaged(path, "its headers contradict themselves", _KIND)
        shift = OBJECT_BASE if number(found.header.file_type) == _OBJECT else 0
        sections = list(found.sections)
        image = _image(path, part, found, sections, shift)
        symbols = read_symbols(path, found, part)
        name_slots(found, sections, image, shift)
        if shift:
            link(path, part, sections, symbols, image, found_for, shift)
        else:
            apply_fixups(found, image)
        starts = [shift + found.imagebase + s for s in _starts(found)]
        labels = list(labels_of(path, symbols, sections, image, shift))
        named = {label.address for label in labels}
        nameless = list(_made_up(image, [s for s in starts if s not in named]))
        labels += nameless
        functions = tuple(without_padding(functions_of(labels), image, found_for, exact=()))
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
    return Contents(found_for, image, functions, tuple(notes))


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
        damaged(path, "it ends inside the header", _KIND)
    cpu, _, kind, count, size = struct.unpack_from("<IIIII", blob, 4)
    if cpu not in _CPUS:
        raise UserError(f"this is a Mach-O file for the machine {cpu:#x}; {SUPPORTED}", where=path)
    if kind not in _FILE_TYPES:
        kinds = {10: "holds debug information without code; explain the program that it belongs to"}
        raise UserError(
            kinds.get(kind, f"this is a Mach-O file of type {kind}; {SUPPORTED}"), where=path
        )
    if 32 + size > len(blob) or 8 * count > size:
        damaged(path, "its load commands end behind the file's end", _KIND)
    return _CPUS[cpu]


def _image(path: Path, blob: bytes, found: Any, sections: list[Any], shift: int) -> Image:
    """``bases`` by the numbers of the sections, which begin at 1."""
    bases: dict[int, int] = {}
    regions = []
    for i, section in enumerate(sections, 1):
        flags = number(section.flags)
        if flags & _DEBUG or text(section.segment_name) == "__DWARF":
            continue
        start, kind = shift + section.virtual_address, number(section.type)
        if start + section.size > 1 << 64:
            damaged(path, f"section {text(section.name)} lies outside the address space", _KIND)
        bases[i] = start
        if kind in _ZEROES or not section.size:
            continue
        data = content(section, section.offset, section.size, blob, path, _KIND)
        runs = bool(flags & _CODE)
        plain = kind == _REGULAR and not runs and text(section.name) not in _UNWINDING
        regions.append(Region(text(section.name), start, bytearray(data), runs, plain))
    free = max((r.end for r in regions), default=shift)
    return Image(regions, bases, free, data=_data_in_code(found, shift))


_UNWINDING = ("__eh_frame", "__unwind_info", "__compact_unwind", "__gcc_except_tab")


def _data_in_code(found: Any, shift: int) -> Iterator[tuple[int, int]]:
    """The file has them by offset: in a program from its start, in an object from the address of
    its first section."""
    if not found.has_data_in_code:
        return
    for entry in found.data_in_code.entries:
        start = entry.offset + (shift if shift else found.imagebase)
        yield start, start + entry.length


def _starts(found: Any) -> Iterator[int]:
    """Offsets of functions from the image's base."""
    if found.has_function_starts:
        yield from found.function_starts.functions


def _made_up(image: Image, starts: list[int]) -> Iterator[Label]:
    for start in starts:
        region = image.region(start)
        if region is not None and region.executable:
            yield Label(f"sub_{start:x}", start, start, region.name, region.end, rank=3)
