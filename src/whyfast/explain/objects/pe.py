"""PE: programs and libraries of Windows.

Names come from the symbol table (MinGW), from the PDB beside the file (MSVC, lld) and from the
exports; extents from ``.pdata``.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lief

from whyfast.explain.objects.coff import CODE, EXECUTE, MACHINES
from whyfast.explain.objects.contents import Contents
from whyfast.explain.objects.elf import SUPPORTED, Architecture, damaged, read_blob
from whyfast.explain.objects.image import Image, Region
from whyfast.explain.objects.labels import Label
from whyfast.explain.objects.lief_files import content, number, parse, reading, text
from whyfast.explain.objects.pdb import find_pdb
from whyfast.explain.objects.windows_functions import windows_functions
from whyfast.model.errors import UserError

_KIND = "PE"
_OTHER_MACHINES = {0x14C: "I386", 0x1C4: "ARMNT", 0xA641: "ARM64EC", 0xA64E: "ARM64X"}
_EXTERNAL, _STATIC, _FUNCTION = 2, 3, 2
_NOT_PLAIN = (".pdata", ".xdata", ".reloc", ".rsrc", ".idata", ".edata", ".eh_fram", ".buildid")


def read_pe(path: Path) -> Contents:
    """The program as it lies in memory at its preferred address. UserError when it cannot be
    read, or nothing in it tells where functions are."""
    blob = read_blob(path)
    architecture = _check(path, blob)
    with reading(path, _KIND):
        config = lief.PE.ParserConfig()
        config.parse_signature = config.parse_rsrc = config.parse_reloc = False
        config.parse_exceptions = config.parse_arm64x_binary = False
        found = parse(lief.PE.parse, blob, path, _KIND, config)
        sections = list(found.sections)
        image = _image(path, blob, found, sections)
        for library in found.imports:
            for entry in library.entries:
                name = text(entry.name) if entry.name else f"{text(library.name)}#{entry.ordinal}"
                image.slots[found.imagebase + entry.iat_address] = name
        starts = [found.imagebase + s.virtual_address for s in sections]
        exported = list(_exports(found, image))
        labels = [*exported, *_symbols(found, starts, image)]
        table = len(found.symbols) > 0
        pdb = find_pdb(path, found)
        for symbol in pdb.symbols:
            if 0 < symbol.section <= len(starts):
                address = starts[symbol.section - 1] + symbol.offset
                label = _label(
                    image, symbol.name, address, symbol.size, symbol.local, symbol.module
                )
                labels += [label] if label else []
        functions, nameless = windows_functions(image, architecture, labels)
    if not functions:
        raise UserError(
            "stripped: neither a symbol table nor exports nor .pdata tell where functions are; "
            f"{pdb.why_not}",
            where=path,
        )
    notes = []
    if not pdb.symbols and not table:
        known = "what it exports has a name" if exported else "no function has a name"
        notes.append(
            f"{f'only {known}' if exported else known}: {pdb.why_not}; {nameless} functions are "
            "known from .pdata alone and called sub_ADDRESS, and those that need no stack are "
            "not seen"
        )
    elif nameless:
        notes.append(f"{nameless} of {len(functions)} functions have no name: called sub_ADDRESS")
    return Contents(architecture, image, functions, tuple(notes))


def _check(path: Path, blob: bytes) -> Architecture:
    at = int.from_bytes(blob[0x3C:0x40], "little")
    if len(blob) < 0x40 or at + 24 > len(blob):
        damaged(path, "it ends inside the header", _KIND)
    if blob[at : at + 4] != b"PE\0\0":
        raise UserError(f"this is a DOS program; {SUPPORTED}", where=path)
    machine, sections = struct.unpack_from("<HH", blob, at + 4)
    (optional,), magic = struct.unpack_from("<H", blob, at + 20), blob[at + 24 : at + 26]
    if machine not in MACHINES:
        name = _OTHER_MACHINES.get(machine, f"{machine:#x}")
        raise UserError(f"this is a PE file for the machine {name}; {SUPPORTED}", where=path)
    if magic != b"\x0b\x02" or at + 24 + optional + 40 * sections > len(blob):
        damaged(path, "its section headers are not where the PE header says", _KIND)
    return MACHINES[machine]


def _image(path: Path, blob: bytes, found: Any, sections: list[Any]) -> Image:
    base = int(found.imagebase)
    regions = []
    bases: dict[int, int] = {}
    for i, section in enumerate(sections, 1):
        flags = number(section.characteristics)
        start = base + section.virtual_address
        size = min(section.sizeof_raw_data, section.virtual_size or section.sizeof_raw_data)
        name = text(section.name)
        if start + section.virtual_size > 1 << 64:
            damaged(path, f"section {name} lies outside the address space", _KIND)
        bases[i] = start
        if section.pointerto_raw_data == 0 or size == 0:
            continue
        data = content(section, section.pointerto_raw_data, size, blob, path, _KIND)
        runs = bool(flags & EXECUTE)
        plain = not runs and not flags & CODE and not name.startswith(_NOT_PLAIN)
        regions.append(Region(name, start, bytearray(data), runs, plain))
    free = max((r.end for r in regions), default=base)
    return Image(regions, bases, free, base=base)


def _label(
    image: Image, name: str, address: int, size: int = 0, local: bool = False, file: str = ""
) -> Label | None:
    region = image.region(address)
    if region is None or not region.executable or not name:
        return None
    rank = 2 if local else 0
    size = min(size, region.end - address)
    return Label(name, address, address, region.name, region.end, size, rank, file if local else "")


def _exports(found: Any, image: Image) -> Iterator[Label]:
    if not found.has_exports:
        return
    for entry in found.get_export().entries:
        label = _label(image, text(entry.name), found.imagebase + entry.address)
        if label and not entry.is_forwarded:
            yield label


def _symbols(found: Any, starts: list[int], image: Image) -> Iterator[Label]:
    """MinGW's linkers keep the symbols of the objects."""
    file = ""
    for symbol in found.symbols:
        kind, index = number(symbol.storage_class), symbol.section_idx
        if symbol.is_file_record:
            file = text(symbol.name)
        if kind not in (_EXTERNAL, _STATIC) or number(symbol.complex_type) != _FUNCTION:
            continue
        if 0 < index <= len(starts):
            address = starts[index - 1] + symbol.value
            label = _label(image, text(symbol.name), address, 0, kind == _STATIC, file)
            if label:
                yield label
