"""Applying the relocations of COFF objects, as the linker would; addends are in the code."""

from __future__ import annotations

from typing import Any

from whyfast.explain.objects.aarch64_patch import (
    adr_immediate,
    branch_immediate,
    low_bits_immediate,
    rewrite,
    with_adr,
    with_branch,
    with_low_bits,
)
from whyfast.explain.objects.elf import Architecture
from whyfast.explain.objects.image import Image
from whyfast.explain.objects.lief_files import number, text

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


def link(found: Any, sections: list[Any], image: Image, architecture: Architecture) -> None:
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
