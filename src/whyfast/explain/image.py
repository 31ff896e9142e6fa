"""A program as it would lie in memory: bytes by address."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from whyfast.explain.elf import ElfFile, Section, damaged

# Where relocatable objects are laid out, as they have no addresses of their own.
_OBJECT_BASE = 0x10_0000
_GAP = 64


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
    that a relocatable object does not define.
    """

    def __init__(self, elf: ElfFile) -> None:
        self.bases: dict[int, int] = {}
        self.slots: dict[int, str] = {}
        self.externals: dict[int, str] = {}
        regions: list[Region] = []
        cursor = _OBJECT_BASE
        for section in elf.sections:
            if not section.loaded:
                continue
            base = section.address
            if elf.relocatable:
                align = min(max(section.align, 1), 0x1_0000)
                base = cursor = -(-cursor // align) * align
                cursor += section.size + _GAP
            if base + section.size > 1 << 64:
                damaged(elf.path, f"section {section.name} lies outside the address space")
            self.bases[section.index] = base
            data = bytearray(elf.content(section))
            if data:
                regions.append(
                    Region(section.name, base, data, section.executable, _has_pointers(section))
                )
        regions.sort(key=lambda region: region.start)
        self.regions = tuple(regions)
        self._starts = [region.start for region in regions]
        self._next_external = cursor + 0x1000
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

    def write(self, address: int, data: bytes) -> None:
        """Overwrite bytes; what lies outside the image is ignored."""
        region = self.region(address)
        if region is not None and address + len(data) <= region.end:
            offset = address - region.start
            region.data[offset : offset + len(data)] = data

    def external(self, name: str) -> int:
        """The stand-in address of a symbol that is defined elsewhere."""
        if name not in self._stand_ins:
            self._stand_ins[name] = self._next_external
            self.externals[self._next_external] = name
            self._next_external += 16
        return self._stand_ins[name]


def _has_pointers(section: Section) -> bool:
    """Data proper; the GOT holds single addresses, not tables, and is left out."""
    return (
        section.type == "SHT_PROGBITS"
        and not section.executable
        and not section.name.startswith((".got", ".eh_frame", ".gcc_except_table", ".interp"))
    )
