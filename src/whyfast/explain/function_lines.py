"""Source lines of the instructions of a few functions, from DWARF, without reading all of it."""

from __future__ import annotations

import io
import posixpath
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from elftools.dwarf.ranges import RangeEntry
from elftools.elf.elffile import ELFFile

from whyfast.explain.source_lines import file_names

#: Extents of code: first address, and the one behind it.
Extents = Sequence[tuple[int, int]]


class FunctionLines:
    """The line program of a unit is read only when a function of it is asked for. Programs without
    debug information, and damaged ones, have no lines; nothing is raised."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read: dict[int, list[tuple[int, str]]] = {}

    def of(self, extents: Extents) -> dict[int, str]:
        """``file:line`` by address, of the addresses at which a line begins and those behind it."""
        try:
            return self._of(extents)
        except Exception:  # the library reports damage by many unrelated exceptions
            return {}

    def _of(self, extents: Extents) -> dict[int, str]:
        found: dict[int, str] = {}
        for start, end in extents:
            for unit in self._units_of(start):
                found |= {at: said for at, said in self._lines(unit) if start <= at < end}
        return found

    @cached_property
    def _dwarf(self) -> Any:
        elf = ELFFile(io.BytesIO(self._path.read_bytes()))
        # Addresses of a relocatable object count from the start of each section.
        if elf["e_type"] == "ET_REL" or not elf.has_dwarf_info():
            return None
        return elf.get_dwarf_info()

    @cached_property
    def _units(self) -> list[tuple[list[tuple[int, int]], Any]]:
        if self._dwarf is None:
            return []
        return [(list(_extents(self._dwarf, unit)), unit) for unit in self._dwarf.iter_CUs()]

    def _units_of(self, address: int) -> Iterator[Any]:
        for extents, unit in self._units:
            if any(start <= address < end for start, end in extents):
                yield unit

    def _lines(self, unit: Any) -> list[tuple[int, str]]:
        if unit.cu_offset not in self._read:
            program = self._dwarf.line_program_for_CU(unit)
            names = file_names(unit, program) if program is not None else {}
            self._read[unit.cu_offset] = [
                (state.address, f"{posixpath.basename(names[state.file])}:{state.line}")
                for entry in (program.get_entries() if program is not None else ())
                if (state := entry.state) is not None
                and not state.end_sequence
                and state.file in names
                and state.line
            ]
        return self._read[unit.cu_offset]


def _extents(dwarf: Any, unit: Any) -> Iterator[tuple[int, int]]:
    """Where the code of a unit lies."""
    top = unit.get_top_DIE()
    low = top.attributes.get("DW_AT_low_pc")
    base = low.value if low is not None else 0
    high = top.attributes.get("DW_AT_high_pc")
    if high is not None:
        # Since DWARF 4 it is a length, unless its form is that of an address.
        yield base, high.value if high.form == "DW_FORM_addr" else base + high.value
        return
    ranges = top.attributes.get("DW_AT_ranges")
    lists = dwarf.range_lists()
    if ranges is None or lists is None:
        return
    if unit["version"] >= 5:
        entries = lists.get_range_list_at_offset(ranges.value, cu=unit)
    else:
        entries = lists.get_range_list_at_offset(ranges.value)
    for entry in entries:
        if isinstance(entry, RangeEntry):
            offset = 0 if entry.is_absolute else base
            yield entry.begin_offset + offset, entry.end_offset + offset
        else:
            base = entry.base_address
