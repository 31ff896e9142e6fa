"""COFF objects, which compilers for Windows write, and the functions of all Windows files.

Numbers are those of Microsoft, "PE Format", "x64 exception handling" and "ARM64 exception
handling": the unwind tables of section ``.pdata`` tell where functions begin and end.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import lief

from whyfast.explain.objects.image import (
    OBJECT_BASE,
    SUPPORTED,
    Architecture,
    Contents,
    Function,
    Image,
    Label,
    Region,
    code_label,
    damaged,
    functions_of,
    read_blob,
)
from whyfast.explain.objects.lief_files import (
    content,
    number,
    parse,
    reading,
    text,
    without_padding,
)
from whyfast.explain.objects.relocate import (
    adr_immediate,
    branch_immediate,
    low_bits_immediate,
    rewrite,
    with_adr,
    with_branch,
    with_low_bits,
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
    """The extents by address; none for code that needs no unwinding (leaf functions).

    Entries outside the code, as in a damaged file, are left out.
    """
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
    """(the functions by address, how many of them no label names).

    A label without size takes the extent in ``.pdata`` that begins there, and what follows it of
    the same function. Parts that lie elsewhere are called NAME.cold, a function without a name
    sub_ADDRESS.
    """
    extents = read_extents(image, architecture)
    whole: dict[int, int] = {}  # start of a function → end
    parts: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for extent in extents:
        if extent.root == extent.start:
            whole[extent.start] = max(extent.end, whole.get(extent.start, 0))
    for extent in extents:
        if extent.root == extent.start:
            continue
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
    nameless = [start for start in whole if start not in names]
    for start in nameless:
        known += code_label(image, f"sub_{start:x}", start, size=whole[start] - start, rank=3)
    for root, pieces in parts.items():
        name = names[root].name if root in names else f"sub_{root:x}"
        for i, (start, end) in enumerate(pieces):
            if start not in names:
                known += code_label(image, f"{name}.cold.{i}", start, size=end - start, rank=3)
    exact = {label.address for label in known if label.size}
    functions = without_padding(functions_of(known), image, architecture, exact)
    return tuple(functions), len(nameless)


# ---- Applying the relocations of COFF objects, as the linker would; addends are in the code.

# Width, and from where a relative value counts (bytes behind the place); None: absolute. Addresses
# relative to the image are absolute here, as an object's image begins at 0.
_WORDS: dict[str, dict[int, tuple[int, int | None]]] = {
    "x86-64": {1: (8, None), 2: (4, None), 3: (4, None), **{4 + n: (4, 4 + n) for n in range(6)}},
    "aarch64": {1: (4, None), 2: (4, None), 14: (8, None), 17: (4, 4)},
}
_BRANCHES = {3: (26, 0), 15: (19, 5), 16: (14, 5)}
_PAGE, _ADR, _ADD, _ACCESS = 4, 5, 6, 7
_IMPORT = "__imp_"
#: What stands for the start of the image.
_BASE = "__ImageBase"


def link(sections: list[Any], image: Image, architecture: Architecture) -> None:
    """Patch the image by the relocations of the sections that are in it."""
    for i, section in enumerate(sections, 1):
        if i not in image.bases:
            continue
        for entry in section.relocations:
            symbol = entry.symbol
            if symbol is not None:
                kind, place = number(entry.type) & 0xFFFF, image.bases[i] + entry.address
                _patch(image, architecture, kind, place, _address(image, symbol))


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


def _patch(image: Image, architecture: Architecture, kind: int, place: int, target: int) -> None:
    words = _WORDS[architecture]
    if kind in words:
        width, behind = words[kind]
        old = image.read(place, width)
        if len(old) == width:
            value = target + int.from_bytes(old, "little", signed=True)
            if behind is not None:
                value -= place + behind
            image.put(place, width, value)
    elif architecture == "aarch64":
        rewrite(image, place, lambda word: _instruction(word, kind, place, target))


def _instruction(word: int, kind: int, place: int, target: int) -> int:
    if kind in _BRANCHES:
        bits, shift = _BRANCHES[kind]
        distance = target + branch_immediate(word, bits, shift) - place
        return with_branch(word, bits, shift, distance)
    if kind == _PAGE:
        page = target + adr_immediate(word) >> 12
        return with_adr(word, page - (place >> 12))
    if kind == _ADR:
        return with_adr(word, target + adr_immediate(word) - place)
    if kind in (_ADD, _ACCESS):
        return with_low_bits(word, target + low_bits_immediate(word))
    return word


_MACHINES: dict[int, Architecture] = {0x8664: "x86-64", 0xAA64: "aarch64"}
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


def architecture_of(path: Path, kind: str, machine: int) -> Architecture:
    """The architecture of a machine number; UserError for one that cannot be read."""
    if machine not in _MACHINES:
        name = _OTHER_MACHINES.get(machine, f"{machine:#x}")
        raise UserError(f"this is a {kind} file for the machine {name}; {SUPPORTED}", where=path)
    return _MACHINES[machine]


def read_coff(path: Path) -> Contents:
    """The object, linked against itself. UserError when it cannot be read."""
    blob = read_blob(path)
    architecture = _check(path, blob)
    with reading(path, _KIND):
        binary = parse(lief.COFF.parse, blob, path, _KIND)
        sections = list(binary.sections)
        image = _image(path, blob, sections)
        link(sections, image, architecture)
        labels = list(_labels(path, binary, image))
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
    architecture = architecture_of(path, _KIND, machine)
    if header + 40 * sections > len(blob):
        damaged(path, "its section headers end behind the file's end", _KIND)
    if table + entry * symbols > len(blob):
        damaged(path, "its symbol table ends behind the file's end", _KIND)
    return architecture


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
