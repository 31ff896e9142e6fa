"""COFF objects: what compilers for Windows make of one source file.

A format's numbers are those of Microsoft, "PE Format".
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lief

from whyfast.explain.objects.coff_relocate import link
from whyfast.explain.objects.contents import Contents
from whyfast.explain.objects.elf import SUPPORTED, Architecture, damaged, read_blob
from whyfast.explain.objects.image import OBJECT_BASE, Image, Region
from whyfast.explain.objects.labels import Label
from whyfast.explain.objects.lief_files import content, number, parse, reading, text
from whyfast.explain.objects.windows_functions import windows_functions
from whyfast.model.errors import UserError

MACHINES: dict[int, Architecture] = {0x8664: "x86-64", 0xAA64: "aarch64"}
_OTHER_MACHINES = {0x14C: "I386", 0x1C4: "ARMNT", 0xA641: "ARM64EC", 0xA64E: "ARM64X"}

#: Section flags: code, initialised and uninitialised data; not kept by the linker.
CODE, DATA, ZEROES = 0x20, 0x40, 0x80
EXECUTE = 0x2000_0000
_DROPPED = 0x200 | 0x800 | 0x200_0000
_GAP = 64

_KIND = "COFF"
_BIG_OBJECT = bytes.fromhex("c7a1bad1eebaa94baf20faf66aa4dcb8")
_EXTERNAL, _STATIC = 2, 3
_FUNCTION = 2
_HEADER, _BIG_HEADER = 20, 56


def read_coff(path: Path) -> Contents:
    """The object, linked against itself. UserError when it cannot be read."""
    blob = read_blob(path)
    architecture = _check(path, blob)
    with reading(path, _KIND):
        found = parse(lief.COFF.parse, blob, path, _KIND)
        sections = list(found.sections)
        image = _image(path, blob, sections)
        link(found, sections, image, architecture)
        labels = list(_labels(path, found, sections, image))
        functions, _ = windows_functions(image, architecture, labels)
    if not functions:
        code = any(r.executable for r in image.regions)
        raise UserError(
            "its symbol table names no function" if code else "holds no code", where=path
        )
    return Contents(architecture, image, functions)


def _check(path: Path, blob: bytes) -> Architecture:
    """What can be told from the header; counts that the file has no room for are damage."""
    if len(blob) < _HEADER:
        damaged(path, "it ends inside the header", _KIND)
    if blob.startswith(b"\0\0\xff\xff"):
        version, machine = struct.unpack_from("<HH", blob, 4)
        if version == 0:
            raise UserError(
                f"this is the stub of a library (.lib) without code; {SUPPORTED}", where=path
            )
        if len(blob) < _BIG_HEADER or blob[12:28] != _BIG_OBJECT:
            raise UserError(
                "holds the compiler's intermediate code (/GL), no machine code; explain the "
                "linked program",
                where=path,
            )
        sections, table, symbols = struct.unpack_from("<III", blob, 44)
        header, entry = _BIG_HEADER, 20
    else:
        machine, sections, _, table, symbols = struct.unpack_from("<HHIII", blob)
        header, entry = _HEADER, 18
        header += struct.unpack_from("<H", blob, 16)[0]
    if machine not in MACHINES:
        name = _OTHER_MACHINES.get(machine, f"{machine:#x}")
        raise UserError(f"this is a COFF file for the machine {name}; {SUPPORTED}", where=path)
    if header + 40 * sections > len(blob):
        damaged(path, "its section headers end behind the file's end", _KIND)
    if table + entry * symbols > len(blob):
        damaged(path, "its symbol table ends behind the file's end", _KIND)
    return MACHINES[machine]


def _image(path: Path, blob: bytes, sections: list[Any]) -> Image:
    """The sections one behind the other; ``bases`` by their numbers, which begin at 1."""
    bases: dict[int, int] = {}
    regions = []
    cursor = OBJECT_BASE
    for i, section in enumerate(sections, 1):
        flags = number(section.characteristics)
        if not flags & (CODE | DATA | ZEROES) or flags & _DROPPED:
            continue
        align = 1 << max((flags >> 20 & 0xF) - 1, 0)
        bases[i] = cursor = -(-cursor // align) * align
        size = section.sizeof_raw_data
        name = text(section.name)
        if not flags & ZEROES:
            data = content(section, section.pointerto_raw_data, size, blob, path, _KIND)
            if data:
                runs = bool(flags & EXECUTE)
                regions.append(
                    Region(name, cursor, bytearray(data), runs, not runs and _plain(name))
                )
        cursor += size + _GAP
    if cursor > 1 << 31:
        damaged(path, "its sections are larger than an object can be", _KIND)
    return Image(regions, bases, cursor, base=0)


def _plain(name: str) -> bool:
    """Whether a section holds the program's own data."""
    return name.split("$")[0] not in (".pdata", ".xdata", ".drectve", ".debug")


def _labels(path: Path, found: Any, sections: list[Any], image: Image) -> Iterator[Label]:
    ends = {region.start: region for region in image.regions if region.executable}
    for symbol in found.symbols:
        region = ends.get(image.bases.get(symbol.section_idx, -1))
        kind = number(symbol.storage_class)
        if region is None or kind not in (_EXTERNAL, _STATIC):
            continue
        function = number(symbol.complex_type) == _FUNCTION
        # Assembly seldom says that a global symbol is a function.
        if not function and kind != _EXTERNAL:
            continue
        name, address = text(symbol.name), region.start + symbol.value
        if name and address < region.end:
            yield Label(
                name,
                address,
                symbol.value,
                region.name,
                region.end,
                rank=0 if kind == _EXTERNAL else 2,
                file="" if kind == _EXTERNAL else path.name,
            )
