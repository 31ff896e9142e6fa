"""The file that holds the symbols of a stripped program, found by the program's build id."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from whyfast.explain.objects.elf import ElfFile, Section, open_elf
from whyfast.model.errors import UserError

#: Where distributions install debug files, by build id.
FOLDERS = (Path("/usr/lib/debug/.build-id"),)
_GNU_BUILD_ID = 3


def build_id(elf: ElfFile) -> str:
    """In hex; empty where the linker made none."""
    for section in elf.of_type("SHT_NOTE"):
        data, at = elf.content(section), 0
        while at + 12 <= len(data):
            name, size, kind = (
                int.from_bytes(data[at + n : at + n + 4], "little") for n in (0, 4, 8)
            )
            start = at + 12 + -(-name // 4) * 4
            if kind == _GNU_BUILD_ID and data[at + 12 : at + 12 + name] == b"GNU\0":
                return data[start : start + size].hex()
            at = start + -(-size // 4) * 4
    return ""


def debug_file(elf: ElfFile) -> ElfFile | None:
    """The debug file of a program: by its build id where distributions install them, or in
    ``.build-id`` or under its name and ``.debug`` beside it. None where there is none of this very
    build."""
    own = build_id(elf)
    if not own:
        return None
    beside = elf.path.parent
    places = [folder / own[:2] / f"{own[2:]}.debug" for folder in (*FOLDERS, beside / ".build-id")]
    places += [beside / f"{elf.path.name}.debug", beside / ".debug" / f"{elf.path.name}.debug"]
    for place in places:
        try:
            found = open_elf(place) if place.is_file() else None
        except UserError:
            continue
        if found is not None and build_id(found) == own:
            # It has the code's sections without their bytes, where the program has them.
            return replace(found, sections=tuple(_as_in(elf, s) for s in found.sections))
    return None


def _as_in(program: ElfFile, section: Section) -> Section:
    """A section of a debug file with the type that the program's own has, in the same place."""
    own = program.sections[section.index] if section.index < len(program.sections) else None
    if section.type != "SHT_NOBITS" or own is None or own.name != section.name:
        return section
    return replace(section, type=own.type)
