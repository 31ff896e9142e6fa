"""Where a function may be that a program does not have: under a like name, or in a library."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from whyfast.explain.functions import base_name
from whyfast.formats.source import opened
from whyfast.model.errors import UserError

#: Where the loader looks beside the folders that a program names; multiarch folders among them.
_USUAL = ("/usr/local/lib", "/lib", "/lib64", "/usr/lib", "/usr/lib64")


def where_instead(path: Path, pattern: str, names: Iterable[str]) -> str:
    """A hint for a pattern that matches none of the functions ``names`` of that program: a library
    that it loads and that has one, or else the nearest name; empty when there is neither."""
    for library in libraries(path):
        if any(fnmatchcase(name, pattern) for name in _exported(library)):
            return f"it is in {library}, which {path.name} loads"
    known = {base_name(name) for name in names}
    near = get_close_matches(pattern.strip("*?"), known, n=1, cutoff=0.6)
    return f"did you mean {near[0]!r}?" if near else ""


def libraries(path: Path) -> Iterator[Path]:
    """The shared libraries that an ELF program says it loads, as far as they are found; none of
    other files."""
    try:
        with opened(path) as file:
            wanted, folders = _dynamic(ELFFile(file))
    except (UserError, ELFError, ValueError, AssertionError):
        return
    origin = str(path.resolve().parent)
    places = [Path(f.replace("${ORIGIN}", origin).replace("$ORIGIN", origin)) for f in folders]
    places += [Path(folder) for folder in _USUAL]
    places += [Path(folder, f"{os.uname().machine}-linux-gnu") for folder in _USUAL]
    for name in wanted:
        found = next((place / name for place in places if (place / name).is_file()), None)
        if found is not None:
            yield found


def _dynamic(elf: ELFFile) -> tuple[list[str], list[str]]:
    """The names of the libraries, and the folders to look in first."""
    wanted: list[str] = []
    folders: list[str] = []
    for section in elf.iter_sections():
        if isinstance(section, DynamicSection):
            for tag in section.iter_tags():
                if tag.entry.d_tag == "DT_NEEDED":
                    wanted.append(str(getattr(tag, "needed", "")))
                elif tag.entry.d_tag == "DT_RUNPATH":
                    folders += str(getattr(tag, "runpath", "")).split(":")
                elif tag.entry.d_tag == "DT_RPATH":
                    folders += str(getattr(tag, "rpath", "")).split(":")
    return wanted, folders


def _exported(library: Path) -> set[str]:
    """The functions that it has for others."""
    try:
        with opened(library) as file:
            tables = [s for s in ELFFile(file).iter_sections() if isinstance(s, SymbolTableSection)]
            return {
                symbol.name
                for table in tables
                for symbol in table.iter_symbols()
                if symbol["st_info"]["type"] == "STT_FUNC" and symbol["st_shndx"] != "SHN_UNDEF"
            }
    except (UserError, ELFError, ValueError, AssertionError):
        return set()
