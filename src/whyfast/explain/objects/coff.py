"""COFF objects, which compilers for Windows write, and the functions of all Windows files.

Numbers are those of Microsoft, "PE Format", "x64 exception handling" and "ARM64 exception
handling": the unwind tables of section ``.pdata`` tell where functions begin and end."""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import lief

from whyfast.explain.objects import (
    OBJECT_BASE,
    SUPPORTED,
    Architecture,
    Contents,
    Function,
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

_CHAINED = 0x4  # UNW_FLAG_CHAININFO
_LONGEST_CHAIN = 32


class Extent(NamedTuple):
    """Code from ``start`` to before ``end``; a part of the function that begins at ``root``."""

    start: int
    end: int
    root: int


def read_extents(image: Image, architecture: Architecture) -> list[Extent]:
    """The extents by address; none for code that needs no unwinding (leaf functions). Entries
    outside the code, as in a damaged file, are left out."""
    read = _x86 if architecture == "x86-64" else _aarch64
    extents = set()
    for table in image.regions:
        if table.name.split("$")[0] == ".pdata":
            for extent in read(image, bytes(table.data)):
                region = image.region(extent.start)
                if region and region.executable and extent.start < extent.end <= region.end:
                    extents.add(extent)
    return sorted(extents)


def _x86(image: Image, table: bytes) -> Iterator[Extent]:
    base = image.base or 0
    for start, end, unwind in struct.iter_unpack("<III", table[: len(table) // 12 * 12]):
        yield Extent(base + start, base + end, _root(image, base, start, unwind))


def _root(image: Image, base: int, start: int, unwind: int) -> int:
    """Parts of a function name the part before them."""
    for _ in range(_LONGEST_CHAIN):
        head = image.read(base + unwind, 4)
        if len(head) < 4 or not head[0] >> 3 & _CHAINED:
            break
        parent = image.read(base + unwind + 4 + 2 * (head[2] + head[2] % 2), 12)
        if len(parent) < 12:
            break
        start, _, unwind = struct.unpack("<III", parent)
    return base + start


def _aarch64(image: Image, table: bytes) -> Iterator[Extent]:
    base = image.base or 0
    for start, unwind in struct.iter_unpack("<II", table[: len(table) // 8 * 8]):
        if unwind & 3:
            length = unwind >> 2 & 0x7FF
        else:
            length = int.from_bytes(image.read(base + unwind, 4), "little") & 0x3FFFF
        yield Extent(base + start, base + start + 4 * length, base + start)


def windows_functions(
    image: Image, architecture: Architecture, labels: Iterable[Label]
) -> tuple[tuple[Function, ...], int]:
    """(the functions by address, how many of them no label names). A label without size takes the
    extent in ``.pdata`` that begins there, and what follows it of the same function. Parts that lie
    elsewhere are called NAME.cold, a function without a name sub_ADDRESS."""
    extents = read_extents(image, architecture)
    whole = {e.start: e.end for e in extents if e.root == e.start}  # in order: the longest stays
    parts: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for extent in (e for e in extents if e.root != e.start):
        if whole.get(extent.root) == extent.start:
            whole[extent.root] = extent.end
        else:
            parts[extent.root].append((extent.start, extent.end))
    known = [
        replace(label, size=whole[label.address] - label.address)
        if not label.size and label.address in whole
        else label
        for label in labels
    ]
    names = {label.address: label for label in sorted(known, key=lambda label: -label.rank)}
    made_up = nameless(image, {s: end - s for s, end in whole.items()}, known)
    known += made_up
    for root, pieces in parts.items():
        name = names[root].name if root in names else f"sub_{root:x}"
        for i, (start, end) in enumerate(pieces):
            if start not in names:
                known += code_label(image, f"{name}.cold.{i}", start, size=end - start, rank=3)
    exact = {label.address for label in known if label.size}
    return functions_without_padding(known, image, architecture, exact), len(made_up)


# Relocations, whose addends are in the code. Addresses relative to the image are absolute here, as
# an object's image begins at 0.
_PATCHES: dict[Architecture, dict[int, Patch]] = {
    "x86-64": {
        1: Patch("word", 8),
        2: Patch("word", 4),
        3: Patch("word", 4),
        **{4 + n: Patch("word", 4, 4 + n) for n in range(6)},
    },
    "aarch64": {
        1: Patch("word", 4),
        2: Patch("word", 4),
        14: Patch("word", 8),
        17: Patch("word", 4, 4),
        3: Patch("branch", 26, 0),
        15: Patch("branch", 19, 5),
        16: Patch("branch", 14, 5),
        4: Patch("adrp"),
        5: Patch("adr"),
        6: Patch("low"),
        7: Patch("low"),
    },
}
_IMPORT = "__imp_"
#: What stands for the start of the image.
_BASE = "__ImageBase"


def _link(sections: list[Any], image: Image, architecture: Architecture) -> None:
    """Patch the image by the relocations of the sections that are in it, as the linker would."""
    for i, section in enumerate(sections, 1):
        for entry in section.relocations if i in image.bases else ():
            patch = _PATCHES[architecture].get(number(entry.type) & 0xFFFF)
            if entry.symbol is not None:
                target = _address(image, entry.symbol)
                if patch is not None:
                    relocate(image, patch, image.bases[i] + entry.address, target, inside=True)


def _address(image: Image, symbol: Any) -> int:
    index = symbol.section_idx
    if index > 0:
        return int(image.bases.get(index, 0) + symbol.value)
    name = text(symbol.name)
    if index < 0 or not name:
        return int(symbol.value)
    if name == _BASE:
        return 0
    address = image.external(name)
    if name.startswith(_IMPORT):
        image.slots[address] = name.removeprefix(_IMPORT)
    return address


_MACHINES: dict[int, Architecture] = {0x8664: "x86-64", 0xAA64: "aarch64"}
_OTHER_MACHINES = {0x14C: "I386", 0x1C4: "ARMNT", 0xA641: "ARM64EC", 0xA64E: "ARM64X"}

#: Section flags: code, initialised and uninitialised data; not kept by the linker.
CODE, DATA, ZEROES = 0x20, 0x40, 0x80
EXECUTE = 0x2000_0000
_DROPPED = 0x200 | 0x800 | 0x200_0000
_GAP = 64
#: Sections that do not hold the program's own data.
_NOT_PLAIN = (".pdata", ".xdata", ".drectve", ".debug")

_BIG_OBJECT = bytes.fromhex("c7a1bad1eebaa94baf20faf66aa4dcb8")
_EXTERNAL, _STATIC = 2, 3
_FUNCTION = 2
_HEADER, _BIG_HEADER = 20, 56


def architecture_of(file: LiefFile, machine: int) -> Architecture:
    """The architecture of a machine number; UserError for one that cannot be read."""
    if machine not in _MACHINES:
        name = _OTHER_MACHINES.get(machine, f"{machine:#x}")
        message = f"this is a {file.kind} file for the machine {name}; {SUPPORTED}"
        raise UserError(message, where=file.path)
    return _MACHINES[machine]


def read_coff(path: Path) -> Contents:
    """The object, linked against itself. UserError when it cannot be read."""
    file = LiefFile.read(path, "COFF")
    architecture = _check(file)
    with file.reading():
        binary = file.parse(lief.COFF.parse)
        sections = list(binary.sections)
        image = _image(file, sections)
        _link(sections, image, architecture)
        functions, _ = windows_functions(image, architecture, list(_labels(path, binary, image)))
    if not functions:
        code = any(r.executable for r in image.regions)
        raise UserError(
            "its symbol table names no function" if code else "holds no code", where=path
        )
    return Contents(architecture, image, functions)


def _check(file: LiefFile) -> Architecture:
    """What can be told from the header; counts that the file has no room for are damage."""
    blob = file.blob
    if len(blob) < _HEADER:
        file.damaged("it ends inside the header")
    if blob.startswith(b"\0\0\xff\xff"):
        version, machine = struct.unpack_from("<HH", blob, 4)
        if version == 0:
            raise UserError(
                f"this is the stub of a library (.lib) without code; {SUPPORTED}", where=file.path
            )
        if len(blob) < _BIG_HEADER or blob[12:28] != _BIG_OBJECT:
            raise UserError(
                "holds the compiler's intermediate code (/GL), no machine code; explain the "
                "linked program",
                where=file.path,
            )
        sections, table, symbols = struct.unpack_from("<III", blob, 44)
        header, entry = _BIG_HEADER, 20
    else:
        machine, sections, _, table, symbols = struct.unpack_from("<HHIII", blob)
        header, entry = _HEADER, 18
        header += struct.unpack_from("<H", blob, 16)[0]
    architecture = architecture_of(file, machine)
    file.check_end(header + 40 * sections, "its section headers end")
    file.check_end(table + entry * symbols, "its symbol table ends")
    return architecture


def _image(file: LiefFile, sections: list[Any]) -> Image:
    """The sections one behind the other; ``bases`` by their numbers, which begin at 1."""
    bases: dict[int, int] = {}
    regions: list[Region] = []
    cursor = OBJECT_BASE
    for i, section in enumerate(sections, 1):
        flags = number(section.characteristics)
        if not flags & (CODE | DATA | ZEROES) or flags & _DROPPED:
            continue
        align = 1 << max((flags >> 20 & 0xF) - 1, 0)
        bases[i] = cursor = -(-cursor // align) * align
        if not flags & ZEROES:
            code = bool(flags & EXECUTE)
            plain = text(section.name).split("$")[0] not in _NOT_PLAIN
            regions += file.region(section, cursor, section.size, code=code, plain=plain)
        cursor += section.size + _GAP
    if cursor > 1 << 31:
        file.damaged("its sections are larger than an object can be")
    return Image(regions, bases, cursor, base=0)


def _labels(path: Path, binary: Any, image: Image) -> Iterator[Label]:
    ends = {region.start: region for region in image.regions if region.executable}
    for symbol in binary.symbols:
        region = ends.get(image.bases.get(symbol.section_idx, -1))
        kind = number(symbol.storage_class)
        external = kind == _EXTERNAL
        # Assembly seldom says that a global symbol is a function.
        function = external or (kind == _STATIC and number(symbol.complex_type) == _FUNCTION)
        if region is not None and function and region.start + symbol.value < region.end:
            yield from code_label(
                image,
                text(symbol.name),
                region.start + symbol.value,
                value=symbol.value,
                rank=0 if external else 2,
                file="" if external else path.name,
            )
