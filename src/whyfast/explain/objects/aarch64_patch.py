"""AArch64 instruction words with another immediate, as linkers write them."""

from __future__ import annotations

from collections.abc import Callable

from whyfast.explain.objects.image import Image

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
