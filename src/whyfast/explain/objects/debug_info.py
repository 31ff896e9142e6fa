"""Debug information of ELF programs: the file that has it, and the units of its DWARF.

The debug file of a stripped program is found by the program's build id, or by the name and checksum
that the program has of it."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from elftools.dwarf.ranges import RangeEntry
from elftools.elf.elffile import ELFFile

from whyfast.explain.objects.elf import ElfFile, Section, open_elf
from whyfast.model.errors import UserError

#: Where distributions install debug files, by build id.
GLOBAL = Path("/usr/lib/debug")
FOLDERS = (GLOBAL / ".build-id",)
_GNU_BUILD_ID = 3
_NOTE = struct.Struct("<III")  # bytes of the name and of the content, kind


def dwarf_of(elf: ElfFile) -> Any:
    """The library's view of the DWARF, None without any. Damage raises many kinds of errors."""
    library = ELFFile(io.BytesIO(elf.blob))
    if library.has_dwarf_info() and library.get_section_by_name(".debug_info"):
        return library.get_dwarf_info()
    return None


def unit_extents(dwarf: Any, unit: Any) -> Iterator[tuple[int, int]]:
    """Where the code of a unit lies: first addresses, and those behind the ends."""
    attributes = unit.get_top_DIE().attributes
    low, high = attributes.get("DW_AT_low_pc"), attributes.get("DW_AT_high_pc")
    base = low.value if low is not None else 0
    if high is not None:
        # Since DWARF 4 it is a length, unless its form is that of an address.
        yield base, high.value if high.form == "DW_FORM_addr" else base + high.value
        return
    ranges, lists = attributes.get("DW_AT_ranges"), dwarf.range_lists()
    if ranges is None or lists is None:
        return
    for entry in lists.get_range_list_at_offset(ranges.value, unit):
        if isinstance(entry, RangeEntry):
            offset = 0 if entry.is_absolute else base
            yield entry.begin_offset + offset, entry.end_offset + offset
        else:
            base = entry.base_address


def dwarf_text(value: Any) -> str:
    """The text of an attribute, which the library gives as bytes."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def debug_file(elf: ElfFile, folders: Sequence[Path] = ()) -> ElfFile | None:
    """The debug file of a program: by its build id in ``folders``, where distributions install
    them, or in ``.build-id`` or under its name and ``.debug`` beside it; or the one that its
    ``.gnu_debuglink`` names. None without one of this very build, by build id or checksum."""
    program_id, link = build_id(elf), debug_link(elf)
    beside = elf.path.parent
    places: list[Path] = []
    if program_id:
        roots = (*(f / ".build-id" for f in folders), *folders, *FOLDERS, beside / ".build-id")
        places += [root / program_id[:2] / f"{program_id[2:]}.debug" for root in roots]
        places += [beside / f"{elf.path.name}.debug", beside / ".debug" / f"{elf.path.name}.debug"]
    for place in places:
        candidate = _opened(place)
        if candidate is not None and build_id(candidate) == program_id:
            return _with_types(elf, candidate)
    if link is not None:
        name, checksum = link
        rooted = GLOBAL / str(beside.resolve()).lstrip("/")
        for folder in (*folders, beside, beside / ".debug", rooted):
            candidate = _opened(folder / name)
            if candidate is not None and zlib.crc32(candidate.blob) == checksum:
                return _with_types(elf, candidate)
    return None


def build_id(elf: ElfFile) -> str:
    """In hex; empty where the linker made none."""
    for section in elf.of_type("SHT_NOTE"):
        for kind, name, content in notes_in(elf.content(section)):
            if kind == _GNU_BUILD_ID and name == b"GNU\0":
                return content.hex()
    return ""


def notes_in(section: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """(kind, name, content) of each note of a section."""
    at = 0
    while at + _NOTE.size <= len(section):
        name, size, kind = _NOTE.unpack_from(section, at)
        at += _NOTE.size
        start = at + -(-name // 4) * 4
        yield kind, section[at : at + name], section[start : start + size]
        at = start + -(-size // 4) * 4


def debug_link(elf: ElfFile) -> tuple[str, int] | None:
    """The name of the debug file and its checksum, from ``.gnu_debuglink``."""
    data = elf.named(".gnu_debuglink")
    name = data.partition(b"\0")[0].decode("utf-8", "replace")
    # A name with a folder in it would lead anywhere.
    return (
        (name, int.from_bytes(data[-4:], "little"))
        if name and "/" not in name and len(data) > 4
        else None
    )


def with_lines(path: Path, folders: Sequence[Path] = ()) -> Path:
    """The file that has a program's source lines: its debug file where it has none and there is
    one; else the program itself."""
    try:
        elf = open_elf(path)
        if any(s.name in (".debug_line", ".zdebug_line") for s in elf.sections):
            return path
        debug = debug_file(elf, folders)
    except UserError:
        return path
    return debug.path if debug is not None else path


def _opened(place: Path) -> ElfFile | None:
    try:
        return open_elf(place) if place.is_file() else None
    except (UserError, OSError):
        return None


def _with_types(elf: ElfFile, debug: ElfFile) -> ElfFile:
    """The debug file with the section types of the program: it keeps sections without bytes."""

    def typed(section: Section) -> Section:
        same = elf.sections[section.index] if section.index < len(elf.sections) else None
        if section.type != "SHT_NOBITS" or same is None or same.name != section.name:
            return section
        return replace(section, type=same.type)

    return replace(debug, sections=tuple(map(typed, debug.sections)))
