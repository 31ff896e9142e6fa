"""What a layout can place: the sections of code in the ``.o`` files of a build folder and in its
static libraries. Compiled with -ffunction-sections, each function is one; otherwise an object has
one section, ``.text``, and is placed as a whole."""

from __future__ import annotations

import hashlib
import io
import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from elftools.common.exceptions import ELFError
from elftools.elf.constants import SH_FLAGS
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile

from whyfast.model.build import is_layout


def members(path: Path) -> Iterator[tuple[str, bytes]]:
    """Name and content of each member of a static library, in order, the index left out. Nothing
    for a file that is no archive, for a thin one (whose members are files of their own), and from
    the place on at which it is damaged. OSError when it cannot be read."""
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            return
        try:
            for name, start, size in read_members(file):
                file.seek(start)
                yield name, file.read(size)
        except DamagedArchive:
            return


def libraries_beside(program: Path, work: Path) -> tuple[str, ...]:
    """The shared libraries below ``work`` that the program there loads, directly or through another
    of them, by their names in ``work``; no layout moves their code."""
    there = {
        path.name: path
        for path in sorted(work.rglob("*.so*"))
        if path.is_file() and not is_layout(path.name)
    }
    found: dict[str, Path] = {}
    waiting = [program]
    while waiting:
        for name in _loads(waiting.pop()):
            if name in there and name not in found:
                found[name] = there[name]
                waiting.append(there[name])
    return tuple(str(path.relative_to(work)) for path in found.values())


def _loads(path: Path) -> tuple[str, ...]:
    """The libraries that a program or library names; none of what is no ELF file."""
    try:
        with path.open("rb") as file:
            dynamic = ELFFile(file).get_section_by_name(".dynamic")
            if not isinstance(dynamic, DynamicSection):
                return ()
            tags = dynamic.iter_tags("DT_NEEDED")
            return tuple(str(tag.needed) for tag in tags)  # type: ignore[attr-defined]
    except (ELFError, OSError, ValueError):
        return ()


#: Names that a linker script takes literally.
_PLAIN = re.compile(r"^[\w.$-]+$")
_PLAIN_FILE = re.compile(r"^[\w.+@/-]+$")


@dataclass(frozen=True)
class Piece:
    """A section by its name, and the files that it is in as patterns of a linker script. No
    ``files``: of whatever file, because no two objects have a section of that name."""

    section: str
    files: tuple[str, ...] = ()

    @property
    def statements(self) -> str:
        """Input section descriptions for a linker script; the first that matches places it."""
        return " ".join(f"{f}({self.section})" for f in self.files or ("*",))


@dataclass
class _Object:
    """One object, under each of the names that it has: path, or path of a library and member."""

    sections: Mapping[str, bool]  # name → whether the linker keeps one of several equal ones
    paths: list[PurePosixPath]
    archived: list[tuple[str, str]]


def find_pieces(work: Path) -> list[Piece]:
    """The pieces of the objects below ``work``, in the order of their names. Files that are no
    objects (bitcode, say) are passed over, and so are names with characters that a linker script
    would take for a pattern."""
    objects = list(_objects(work))
    having: dict[str, list[_Object]] = defaultdict(list)
    for unit in objects:
        for name in unit.sections:
            having[name].append(unit)
    names = _suffixes([o.paths for o in objects])
    pieces = []
    for section, owners in sorted(having.items()):
        if len(owners) == 1 or any(o.sections[section] for o in owners):
            pieces.append(Piece(section))
            continue
        for owner in owners:
            if patterns := _patterns(owner, names):
                pieces.append(Piece(section, patterns))
    return pieces


def _objects(work: Path) -> Iterator[_Object]:
    """Each object once, however often a copy of it is in a library."""
    known: dict[bytes, _Object] = {}
    for content, path, library in _files(work):
        key = hashlib.sha256(content).digest()
        if key not in known:
            known[key] = _Object(_code(content), [], [])
        if library:
            known[key].archived.append((library, path.name))
        else:
            known[key].paths.append(path)
    return (o for o in known.values() if o.sections)


def _files(work: Path) -> Iterator[tuple[bytes, PurePosixPath, str]]:
    """Content, path and name of the library of every object."""
    for path in sorted(work.rglob("*")):
        relative = PurePosixPath(path.relative_to(work))
        if path.suffix not in (".o", ".a", ".rlib") or not path.is_file():
            continue
        try:
            if path.suffix == ".o":
                yield path.read_bytes(), relative, ""
            else:
                for name, content in members(path):
                    yield content, PurePosixPath(name), path.name
        except OSError:
            continue


def _code(content: bytes) -> dict[str, bool]:
    """The sections with code: ``.text`` and ``.text.NAME``; empty for what is no object."""
    sections: dict[str, bool] = {}
    try:
        for section in ELFFile(io.BytesIO(content)).iter_sections():
            name, flags = section.name, section["sh_flags"]
            text = name == ".text" or name.startswith(".text.")
            if text and section["sh_size"] > 0 and _PLAIN.match(name):
                sections[name] = bool(flags & SH_FLAGS.SHF_GROUP)
    except (ELFError, ValueError):
        return {}
    return sections


def _suffixes(paths: Sequence[Sequence[PurePosixPath]]) -> dict[PurePosixPath, str]:
    """For each path the end of it that no other has, which is how short a link may name it."""
    count: dict[tuple[str, ...], int] = defaultdict(int)
    every = [path for each in paths for path in each]
    for path in every:
        for n in range(1, len(path.parts) + 1):
            count[path.parts[-n:]] += 1
    suffixes = {}
    for path in every:
        alone = (n for n in range(1, len(path.parts) + 1) if count[path.parts[-n:]] == 1)
        suffixes[path] = "/".join(path.parts[-next(alone, len(path.parts)) :])
    return suffixes


def _patterns(unit: _Object, names: Mapping[PurePosixPath, str]) -> tuple[str, ...]:
    """How a linker script tells this object from the others. A name without a pattern character
    would be opened as one more input by GNU ld, hence the brackets."""
    patterns = []
    for path in unit.paths:
        name = names[path]
        if _PLAIN_FILE.match(name):
            patterns += [f"[{name[0]}]{name[1:]}", f"*/{name}"]
    for library, member in dict.fromkeys(unit.archived):
        if _PLAIN_FILE.match(library) and _PLAIN_FILE.match(member):
            patterns.append(f"*{library}:{member}")
    return tuple(patterns)


# The members of an ar archive: static libraries and Debian packages, with GNU's and BSD's names.
# ``debian.arfile`` does not read long names, and a hostile size sends it round for ever.

MAGIC = b"!<arch>\n"
_HEADER = 60
#: Bytes of one name, and of all of GNU's table of long names, that are read.
_LONGEST, _TABLE = 4096, 1 << 26
#: Tables of symbols, which linkers read.
_INDEXES = ("/", "/SYM64/")


class DamagedArchive(ValueError):
    """The archive contradicts itself; the message says where."""


def read_members(file: BinaryIO) -> Iterator[tuple[str, int, int]]:
    """(name, start, size) of each member but the indexes. Raises DamagedArchive."""
    end, at, table = file.seek(0, os.SEEK_END), len(MAGIC), b""

    def read(start: int, size: int) -> bytes:
        file.seek(start)
        return file.read(size)

    while at + _HEADER <= end:
        header = read(at, _HEADER)
        name, length = header[:16].decode("latin-1").rstrip(), header[48:58].decode("latin-1")
        if header[58:] != b"`\n" or not length.strip().isdecimal():
            raise DamagedArchive("invalid member header")
        start, size = at + _HEADER, int(length)
        if start + size > end:
            raise DamagedArchive("it ends inside a member")
        at = start + size + size % 2
        if name == "//":
            table = read(start, min(size, _TABLE))
            continue
        if name in _INDEXES or name.startswith("__.SYMDEF"):
            continue
        if name.startswith("#1/") and name[3:].isdecimal():
            long = min(int(name[3:]), size)
            name = read(start, min(long, _LONGEST)).rstrip(b"\0").decode("utf-8", "replace")
            start, size = start + long, size - long
        elif name.startswith("/") and name[1:].isdecimal():
            first = int(name[1:])
            name = table[first : first + _LONGEST].split(b"\n", 1)[0].decode("utf-8", "replace")
        yield name.rstrip("/"), start, size
