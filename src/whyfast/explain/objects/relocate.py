"""Applying relocations, so that code and tables hold addresses as they would when running.

A relocatable object is linked against itself in memory: then a direct call has a target, and a
jump table entries, by the same rules as in a finished program.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator

from whyfast.explain.objects.elf import ElfFile, Section, Symbol, read_symbols
from whyfast.explain.objects.image import Image, damaged

# ---- AArch64 instruction words with another immediate, as linkers write them.

_MASK32 = 0xFFFF_FFFF


def rewrite(image: Image, place: int, change: Callable[[int], int]) -> None:
    """Put another instruction in the place of one; nothing happens outside the image."""
    old = image.read(place, 4)
    if len(old) == 4:
        image.put(place, 4, change(int.from_bytes(old, "little")))


def with_branch(word: int, bits: int, shift: int, distance: int) -> int:
    """A branch by ``distance`` bytes; its immediate has ``bits``, the lowest at ``shift``."""
    mask = (1 << bits) - 1
    return (word & ~(mask << shift) | (distance >> 2 & mask) << shift) & _MASK32


def with_adr(word: int, distance: int) -> int:
    """``adr`` by bytes, or ``adrp`` by pages of 4096 bytes."""
    return (word & ~0x60FF_FFE0 | (distance & 3) << 29 | (distance >> 2 & 0x7FFFF) << 5) & _MASK32


def with_low_bits(word: int, address: int) -> int:
    """``add``, or a load or store, with the place in its page of what it adds or accesses."""
    low = (address & 0xFFF) >> _scale(word)
    return (word & ~0x3FFC00 | low << 10) & _MASK32


def adr_immediate(word: int) -> int:
    """What the immediate of ``adr`` or ``adrp`` holds, signed."""
    value = word >> 29 & 3 | (word >> 5 & 0x7FFFF) << 2
    return value - (1 << 21) if value >> 20 else value


def low_bits_immediate(word: int) -> int:
    """What the immediate of ``add``, a load or a store holds, in bytes."""
    return (word >> 10 & 0xFFF) << _scale(word)


def branch_immediate(word: int, bits: int, shift: int) -> int:
    """What the immediate of a branch holds, in bytes, signed."""
    value = word >> shift & (1 << bits) - 1
    return (value - (1 << bits) if value >> bits - 1 else value) * 4


def _scale(word: int) -> int:
    """Loads and stores count in units of what they access."""
    if word & 0x3B00_0000 != 0x3900_0000:
        return 0
    return 4 if word & 0x0480_0000 == 0x0480_0000 else word >> 30


_RELA = struct.Struct("<QIIq")  # offset, type, symbol (the two halves of r_info), addend

# Dynamic relocations, per architecture: the loader writes base + addend; a symbol's address;
# the result of calling a resolver.
_RELATIVE = {"x86-64": 8, "aarch64": 1027}
_ABSOLUTE = {"x86-64": 1, "aarch64": 257}
_SLOT = {"x86-64": (6, 7), "aarch64": (1025, 1026)}
_RESOLVED = {"x86-64": 37, "aarch64": 1032}

# Relocations of objects: 8- and 4-byte values, absolute or relative to the place.
_WORDS = {
    "x86-64": {1: (8, False), 24: (8, True), 2: (4, True), 4: (4, True), 10: (4, False)}
    | {11: (4, False)},
    "aarch64": {257: (8, False), 260: (8, True), 258: (4, False), 261: (4, True), 314: (4, True)},
}
# AArch64 branch relocations: width of the immediate and its lowest bit; all count in 4 bytes.
_BRANCHES = {279: (14, 5), 280: (19, 5), 282: (26, 0), 283: (26, 0)}
_ADR, _ADD = (274, 275, 276), 277


def apply_relocations(elf: ElfFile, image: Image) -> None:
    """Patch the image. Raises UserError when a relocation table is damaged."""
    tables: dict[int, list[Symbol]] = {}
    for section in elf.of_type("SHT_RELA"):
        if elf.relocatable:
            if section.info not in image.bases:
                continue  # debug information
        elif not section.loaded:
            continue  # kept by the linker for tools (--emit-relocs); already applied
        if section.link not in tables:
            in_file = section.link and section.link < len(elf.sections)
            table = elf.sections[section.link] if in_file else None
            tables[section.link] = read_symbols(elf, table) if table else []
        if elf.relocatable:
            _link(elf, image, section, tables[section.link])
        else:
            _load(elf, image, section, tables[section.link])


def _entries(elf: ElfFile, section: Section) -> Iterator[tuple[int, int, int, int]]:
    data = elf.content(section)
    yield from _RELA.iter_unpack(data[: len(data) // _RELA.size * _RELA.size])


def _symbol(elf: ElfFile, section: Section, symbols: list[Symbol], index: int) -> Symbol:
    if index >= len(symbols):
        damaged(elf.path, f"{section.name} names symbol {index} of {len(symbols)}")
    return symbols[index]


def _load(elf: ElfFile, image: Image, section: Section, symbols: list[Symbol]) -> None:
    """What the dynamic loader would do, at base address 0."""
    arch = elf.architecture
    for offset, kind, index, addend in _entries(elf, section):
        if kind in (_RELATIVE[arch], _RESOLVED[arch]):
            image.put(offset, 8, addend)
        elif kind in (_ABSOLUTE[arch], *_SLOT[arch]):
            symbol = _symbol(elf, section, symbols, index)
            if kind in _SLOT[arch]:
                image.slots[offset] = symbol.name
            if symbol.section is not None:
                image.put(offset, 8, symbol.value + addend)


def _link(elf: ElfFile, image: Image, section: Section, symbols: list[Symbol]) -> None:
    """What the static linker would do; kinds that move neither code nor tables are left out."""
    addresses: dict[int, int] = {}
    base = image.bases[section.info]
    words = _WORDS[elf.architecture]
    for offset, kind, index, addend in _entries(elf, section):
        symbol = _symbol(elf, section, symbols, index)
        if index not in addresses:
            addresses[index] = _address(image, symbol)
        target, place = addresses[index] + addend, base + offset
        if kind in words:
            width, relative = words[kind]
            image.put(place, width, target - place if relative else target)
        elif elf.architecture == "aarch64":
            _patch_aarch64(image, kind, place, target)


def _address(image: Image, symbol: Symbol) -> int:
    if symbol.section is not None:
        return image.bases.get(symbol.section, 0) + symbol.value
    if symbol.absolute or not symbol.name:
        return symbol.value
    return image.external(symbol.name)


def _patch_aarch64(image: Image, kind: int, place: int, target: int) -> None:
    if kind in _BRANCHES:
        rewrite(image, place, lambda word: with_branch(word, *_BRANCHES[kind], target - place))
    elif kind in _ADR:
        distance = target - place if kind == _ADR[0] else (target >> 12) - (place >> 12)
        rewrite(image, place, lambda word: with_adr(word, distance))
    elif kind == _ADD:
        rewrite(image, place, lambda word: with_low_bits(word, target))
