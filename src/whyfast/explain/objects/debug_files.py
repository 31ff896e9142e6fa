"""The file that holds the symbols and lines of a stripped program, found by the program's build id,
or by the name and checksum that the program has of it."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from whyfast.explain.objects.elf import ElfFile, Section, open_elf
from whyfast.model.errors import UserError

#: Where distributions install debug files, by build id.
GLOBAL = Path("/usr/lib/debug")
FOLDERS = (GLOBAL / ".build-id",)
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


def debug_file(elf: ElfFile, folders: Sequence[Path] = ()) -> ElfFile | None:
    """The debug file of a program: by its build id in ``folders``, where distributions install
    them, or in ``.build-id`` or under its name and ``.debug`` beside it; or the one that its
    ``.gnu_debuglink`` names. None where there is none of this very build, by build id or checksum.
    """
    own, link = build_id(elf), debug_link(elf)
    beside = elf.path.parent
    places: list[Path] = []
    if own:
        roots = (*(f / ".build-id" for f in folders), *folders, *FOLDERS, beside / ".build-id")
        places += [root / own[:2] / f"{own[2:]}.debug" for root in roots]
        places += [beside / f"{elf.path.name}.debug", beside / ".debug" / f"{elf.path.name}.debug"]
    for place in places:
        found = _opened(place)
        if found is not None and build_id(found) == own:
            return _with_types(elf, found)
    if link is not None:
        name, checksum = link
        rooted = GLOBAL / str(beside.resolve()).lstrip("/")
        for folder in (*folders, beside, beside / ".debug", rooted):
            found = _opened(folder / name)
            if found is not None and zlib.crc32(found.blob) == checksum:
                return _with_types(elf, found)
    return None


def debug_link(elf: ElfFile) -> tuple[str, int] | None:
    """The name of the debug file and the checksum that ``.gnu_debuglink`` has of it."""
    for section in elf.sections:
        if section.name == ".gnu_debuglink":
            name, _, _ = (data := elf.content(section)).partition(b"\0")
            checksum = data[-4:]
            plain = name.decode("utf-8", "replace")
            # A name with a folder in it would lead anywhere.
            if plain and len(checksum) == 4 and "/" not in plain:
                return plain, int.from_bytes(checksum, "little")
    return None


def with_lines(path: Path, folders: Sequence[Path] = ()) -> Path:
    """The file that has a program's source lines: itself, or else its debug file, if there is one;
    else itself."""
    try:
        elf = open_elf(path)
        if any(s.name in (".debug_line", ".zdebug_line") for s in elf.sections):
            return path
        found = debug_file(elf, folders)
    except UserError:
        return path
    return found.path if found is not None else path


def _opened(place: Path) -> ElfFile | None:
    try:
        return open_elf(place) if place.is_file() else None
    except (UserError, OSError):
        return None


def _with_types(elf: ElfFile, found: ElfFile) -> ElfFile:
    """It has the code's sections without their bytes, where the program has them."""
    return replace(found, sections=tuple(_as_in(elf, s) for s in found.sections))


def _as_in(program: ElfFile, section: Section) -> Section:
    """A section of a debug file with the type that the program's own has, in the same place."""
    own = program.sections[section.index] if section.index < len(program.sections) else None
    if section.type != "SHT_NOBITS" or own is None or own.name != section.name:
        return section
    return replace(section, type=own.type)
