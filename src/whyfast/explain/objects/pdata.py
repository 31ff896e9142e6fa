"""Where functions begin and end by the unwind tables of Windows (section ``.pdata``).

Formats: Microsoft, "x64 exception handling" and "ARM64 exception handling".
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from whyfast.explain.objects.elf import Architecture
from whyfast.explain.objects.image import Image

_CHAINED = 0x4  # UNW_FLAG_CHAININFO
_LONGEST_CHAIN = 32


class Extent(NamedTuple):
    """Code from ``start`` to before ``end``; a part of the function that begins at ``root``."""

    start: int
    end: int
    root: int


def read_extents(image: Image, architecture: Architecture) -> list[Extent]:
    """The extents by address; none for code that needs no unwinding (leaf functions).

    Entries that lie nowhere in the code, as in a damaged file, are left out.
    """
    read = _x86 if architecture == "x86-64" else _aarch64
    found = {
        extent
        for region in image.regions
        if region.name.split("$")[0] == ".pdata"
        for extent in read(image, bytes(region.data))
        if _in_code(image, extent)
    }
    return sorted(found)


def _in_code(image: Image, extent: Extent) -> bool:
    region = image.region(extent.start)
    return region is not None and region.executable and extent.start < extent.end <= region.end


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
