"""The symbol table of a Mach-O file."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from whyfast.explain.objects.elf import damaged
from whyfast.explain.objects.image import Image
from whyfast.explain.objects.labels import Label

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


def read_symbols(path: Path, found: Any, blob: bytes) -> list[MachSymbol]:
    """All entries, in the table's order. UserError when they lie outside the file."""
    command = found.symbol_command
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
        end = strings.find(b"\0", at)
        name = strings[at : end if end >= 0 else None].decode("utf-8", "replace")
        place = kind & _TYPE
        inside = place == _IN_SECTION and not kind & _DEBUGGING
        symbols.append(
            MachSymbol(
                name,
                value,
                section if inside else None,
                place == _ABSOLUTE,
                bool(kind & _EXTERNAL),
                bool(description & _WEAK),
                inside and not description & _ALTERNATIVE_ENTRY,
            )
        )
    return symbols


def labels_of(
    path: Path, symbols: Sequence[MachSymbol], sections: Sequence[Any], image: Image, shift: int
) -> Iterator[Label]:
    """The symbols that name code. ``shift`` is where an object's addresses begin in the image."""
    for symbol in symbols:
        if not symbol.boundary or not symbol.name or symbol.section not in image.bases:
            continue
        region = image.region(symbol.value + shift)
        if region is None or not region.executable or _PRIVATE.fullmatch(symbol.name):
            continue
        if region.start != image.bases[symbol.section]:
            continue
        rank = (1 if symbol.weak else 0) if symbol.external else 2
        yield Label(
            without_underscore(symbol.name),
            symbol.value + shift,
            symbol.value,
            region.name,
            region.end,
            rank=rank,
            file=path.name if rank == 2 else "",
        )
