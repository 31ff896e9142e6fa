"""A program as it would lie in memory: bytes by address."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

#: Where relocatable objects are laid out, as they have no addresses of their own.
OBJECT_BASE = 0x10_0000


@dataclass(frozen=True)
class Region:
    """One section in memory. ``pointers`` says whether jump tables may lie in it."""

    name: str
    start: int
    data: bytearray = field(repr=False)
    executable: bool
    pointers: bool

    @property
    def end(self) -> int:
        """The first address behind it."""
        return self.start + len(self.data)


class Image:
    """The loaded sections of a program, patched by its relocations.

    ``bases`` maps section indices to addresses. ``slots`` names the symbol whose address the
    dynamic loader writes at an address (GOT), ``externals`` the stand-in addresses of symbols
    that a relocatable object does not define. ``base`` is what tables of image-relative addresses
    (PE) count from; None where there are none. ``data`` are the extents in code that the file says
    are data, by address. ``free`` is an address from which on nothing lies.
    """

    def __init__(
        self,
        regions: Iterable[Region],
        bases: Mapping[int, int],
        free: int,
        *,
        base: int | None = None,
        data: Iterable[tuple[int, int]] = (),
    ) -> None:
        self.bases = dict(bases)
        self.base = base
        self.data = tuple(sorted(data))
        self.slots: dict[int, str] = {}
        self.externals: dict[int, str] = {}
        self.regions = tuple(sorted(regions, key=lambda region: region.start))
        self._starts = [region.start for region in self.regions]
        self._next_external = free + 0x1000
        self._stand_ins: dict[str, int] = {}

    def region(self, address: int) -> Region | None:
        """The region that contains an address, or None."""
        i = bisect_right(self._starts, address) - 1
        if i >= 0 and address < self.regions[i].end:
            return self.regions[i]
        return None

    def read(self, address: int, size: int) -> bytes:
        """Up to ``size`` bytes from an address; fewer at the end of a section, none outside."""
        region = self.region(address)
        if region is None:
            return b""
        offset = address - region.start
        return bytes(region.data[offset : offset + size])

    def data_within(self, start: int, end: int) -> list[tuple[int, int]]:
        """The parts of ``data`` between two addresses, cut to them, by address."""
        cut = ((max(first, start), min(behind, end)) for first, behind in self.data)
        return [(first, behind) for first, behind in cut if first < behind]

    def is_data(self, address: int) -> bool:
        """Whether the file says that there is data at an address in code."""
        return any(first <= address < behind for first, behind in self.data)

    def write(self, address: int, data: bytes) -> None:
        """Overwrite bytes; what lies outside the image is ignored."""
        region = self.region(address)
        if region is not None and address + len(data) <= region.end:
            offset = address - region.start
            region.data[offset : offset + len(data)] = data

    def put(self, address: int, width: int, value: int) -> None:
        """Overwrite ``width`` bytes by a number, of which only the lowest bits count."""
        self.write(address, (value & (1 << 8 * width) - 1).to_bytes(width, "little"))

    def external(self, name: str) -> int:
        """The stand-in address of a symbol that is defined elsewhere."""
        if name not in self._stand_ins:
            self._stand_ins[name] = self._next_external
            self.externals[self._next_external] = name
            self._next_external += 16
        return self._stand_ins[name]
