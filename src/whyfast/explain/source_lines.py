"""Source lines of machine code, and source functions, from a program's DWARF."""

from __future__ import annotations

import io
import posixpath
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from elftools.dwarf.ranges import RangeEntry
from elftools.elf.elffile import ELFFile

from whyfast.model.errors import UserError


@dataclass
class SourceMap:
    """``code`` maps a source file to the addresses of the code of each of its lines, ``starts`` to
    the lines on which its functions begin, with their names. Files are absolute, as compiled."""

    code: dict[str, dict[int, set[int]]] = field(default_factory=dict)
    starts: dict[str, dict[int, str]] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)

    def function_at(self, file: str, line: int) -> tuple[str, int, int] | None:
        """The function of the source around a line, with its first and last line.

        The last line is the last with code before the next function begins.
        """
        starts = self.starts.get(file, {})
        first = max((s for s in starts if s <= line), default=None)
        if first is None:
            return None
        following = min((s for s in starts if s > line), default=sys.maxsize)
        last = max((n for n in self.code.get(file, {}) if first <= n < following), default=first)
        return (starts[first], first, last) if line <= last else None


def read_lines(path: Path) -> SourceMap:
    """Raises UserError when the program has no debug information, or it cannot be read."""
    try:
        elf = ELFFile(io.BytesIO(path.read_bytes()))
        if not elf.has_dwarf_info() or not elf.get_section_by_name(".debug_info"):
            raise UserError("has no debug information; build it with -g", where=path)
        dwarf = elf.get_dwarf_info()
        source = SourceMap()
        code: defaultdict[str, defaultdict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
        for unit in dwarf.iter_CUs():
            _read_unit(dwarf, unit, source, code)
    except UserError:
        raise
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", where=path) from None
    except Exception as error:  # the library reports damage by many unrelated exceptions
        raise UserError(
            f"its debug information cannot be read ({type(error).__name__}: {error})", where=path
        ) from None
    source.code = {file: dict(lines) for file, lines in code.items()}
    return source


def _read_unit(
    dwarf: Any, unit: Any, source: SourceMap, code: defaultdict[str, defaultdict[int, set[int]]]
) -> None:
    program = dwarf.line_program_for_CU(unit)
    if program is None:
        return
    names = file_names(unit, program)
    source.files.update(names.values())
    for address, file, line in _rows(program):
        if file in names and line:
            code[names[file]][line].add(address)
    for entry in unit.iter_DIEs():
        if entry.tag == "DW_TAG_subprogram" and "DW_AT_declaration" not in entry.attributes:
            start = _start(entry)
            if start is not None and start[0] in names:
                source.starts.setdefault(names[start[0]], {})[start[1]] = start[2]


def _start(entry: Any) -> tuple[int, int, str] | None:
    """(file, line, name) of a function's definition; a C++ method leaves what its declaration
    says to that."""
    attributes = dict(entry.attributes)
    if "DW_AT_specification" in attributes:
        declaration = entry.get_DIE_from_attribute("DW_AT_specification")
        attributes = {**declaration.attributes, **attributes}
    if not {"DW_AT_decl_file", "DW_AT_decl_line", "DW_AT_name"} <= attributes.keys():
        return None
    file, line = attributes["DW_AT_decl_file"].value, attributes["DW_AT_decl_line"].value
    return file, line, _text(attributes["DW_AT_name"].value)


def _rows(program: Any) -> Iterator[tuple[int, int, int]]:
    """(address, file, line) of each row, but of sequences at 0: the linker dropped their code."""
    rows: list[tuple[int, int, int]] = []
    for entry in program.get_entries():
        state = entry.state
        if state is None:
            continue
        if state.end_sequence:
            if rows and rows[0][0]:
                yield from rows
            rows = []
        else:
            rows.append((state.address, state.file, state.line))


def file_names(unit: Any, program: Any) -> dict[int, str]:
    """The absolute path of each file number of a unit: from 1 before DWARF 5, from 0 since."""
    top = unit.get_top_DIE().attributes
    folder = _text(top["DW_AT_comp_dir"].value) if "DW_AT_comp_dir" in top else "/"
    header = program.header
    folders = [_text(d) for d in header["include_directory"]]
    names = {}
    modern = header["version"] >= 5
    for i, entry in enumerate(header["file_entry"]):
        index = entry.dir_index
        if modern:
            base = folders[index] if index < len(folders) else ""
        else:
            base = folders[index - 1] if 0 < index <= len(folders) else ""
        path = posixpath.join(folder, base, _text(entry.name))
        names[i if modern else i + 1] = posixpath.normpath(path)
    return names


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


# ---- Source lines of the instructions of a few functions, from DWARF, without reading all of it.

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
