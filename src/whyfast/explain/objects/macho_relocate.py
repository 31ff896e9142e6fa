"""Addresses in a Mach-O image: an object's relocations, and what the dynamic loader would do.

An object's sections keep their distances, so that what its assembler has resolved stays right.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from whyfast.explain.objects.aarch64_patch import rewrite, with_adr, with_branch, with_low_bits
from whyfast.explain.objects.elf import Architecture, damaged
from whyfast.explain.objects.image import Image
from whyfast.explain.objects.lief_files import number, text
from whyfast.explain.objects.macho_symbols import MachSymbol, without_underscore

_ENTRY = struct.Struct("<iI")
_SCATTERED = 0x8000_0000

_UNSIGNED = 0  # on both
_SUBTRACTOR = {"x86-64": 5, "aarch64": 1}
_RELATIVE = (1, 2, 6, 7, 8)  # x86-64: SIGNED, BRANCH, SIGNED_1, _2, _4
_BRANCH26, _PAGE21, _PAGEOFF12, _ADDEND = 2, 3, 4, 10

_POINTERS, _LAZY_POINTERS, _STUBS = 6, 7, 8


def name_slots(found: Any, sections: Sequence[Any], image: Image, shift: int) -> None:
    """Stubs and pointers that the dynamic loader fills, named by the indirect symbol table."""
    command = found.dynamic_symbol_command
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


def apply_fixups(found: Any, image: Image) -> None:
    """Chained fixups hide a program's own addresses in links of chains; older files have them
    plainly."""
    if not found.has_dyld_chained_fixups:
        return
    for fixup in found.relocations:
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
        if start + count * _ENTRY.size > len(blob):
            damaged(path, f"relocations of {text(section.name)} lie outside the file", "Mach-O")
        addend, less = 0, None
        for where, info in _ENTRY.iter_unpack(blob[start : start + count * _ENTRY.size]):
            if where & _SCATTERED or where < 0:
                continue
            place, index, kind = image.bases[i] + where, info & 0xFF_FFFF, info >> 28
            width = 1 << (info >> 25 & 3)
            if architecture == "aarch64" and kind == _ADDEND:
                addend = index - (1 << 24) if index >> 23 else index
                continue
            if not info >> 27 & 1:  # by section: the place holds an address of the object
                if kind == _UNSIGNED:
                    own = shift - less if less is not None else shift
                    _add(image, place, width, own)
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
