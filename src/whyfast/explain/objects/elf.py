"""Opening an ELF file: what it is, and where its sections are."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NoReturn

from elftools.elf.elffile import ELFFile

from whyfast.explain.objects.image import OBJECT_BASE, Image, Region
from whyfast.formats.input import read_bytes
from whyfast.model.errors import UserError

Architecture = Literal["x86-64", "aarch64"]

SUPPORTED = (
    "whyfast explains 64-bit little-endian ELF, PE, COFF and Mach-O files for x86-64 and AArch64: "
    "executables, shared objects and relocatable objects"
)

_MACHINES: dict[str, Architecture] = {"EM_X86_64": "x86-64", "EM_AARCH64": "aarch64"}
_SECTION_HEADER_SIZE = 64

# First bytes of what people hand over instead, and what to call it.
_OTHER_FORMATS = (
    (b"!<arch>\n", "an archive (.a); extract its members and name those"),
    (b"!<thin>\n", "a thin archive (.a); name its members"),
    (b"BC\xc0\xde", "LLVM bitcode, as made by -flto or -emit-llvm; it holds no machine code"),
    (b"\xde\xc0\x17\x0b", "LLVM bitcode; it holds no machine code"),
    (b"\0asm", "a WebAssembly module"),
    (b"#!", "a script"),
)


@dataclass(frozen=True)
class Section:
    """One section header; ``address``, ``offset`` and ``size`` in bytes."""

    index: int
    name: str
    type: str
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int

    @property
    def loaded(self) -> bool:
        """Whether the section is part of the program in memory (SHF_ALLOC)."""
        return bool(self.flags & 0x2)

    @property
    def executable(self) -> bool:
        """Whether it holds code (SHF_EXECINSTR)."""
        return bool(self.flags & 0x4)


@dataclass(frozen=True)
class ElfFile:
    """A file that is known to be a supported ELF file, with its sections in file order."""

    path: Path
    architecture: Architecture
    relocatable: bool
    sections: tuple[Section, ...]
    blob: bytes = field(repr=False)

    def content(self, section: Section) -> bytes:
        """The section's bytes; empty for one that has none in the file (``.bss``).

        Raises UserError when they would lie outside the file.
        """
        if section.type in ("SHT_NOBITS", "SHT_NULL"):
            return b""
        if section.offset + section.size > len(self.blob):
            damaged(
                self.path, f"section {section.name or section.index} ends behind the file's end"
            )
        return self.blob[section.offset : section.offset + section.size]

    def of_type(self, *types: str) -> list[Section]:
        """The sections of these types, e.g. ``SHT_SYMTAB``."""
        return [s for s in self.sections if s.type in types]


#: Bytes that a program may have, and all files of a Debian package: more than those of a browser
#: with its debug information.
MOST_BYTES = 4_000_000_000


def damaged(path: Path, what: str, kind: str = "ELF") -> NoReturn:
    """Raise the UserError for a file whose structure contradicts itself."""
    raise UserError(f"truncated or damaged {kind} file: {what}", where=path)


def read_blob(path: Path) -> bytes:
    """The file's bytes; UserError when they cannot be had."""
    return read_bytes(path, MOST_BYTES)


def open_elf(path: Path) -> ElfFile:
    """Read an ELF file's header and sections.

    Raises UserError when the file cannot be read, is of another format, class or architecture,
    or is damaged.
    """
    blob = read_blob(path)
    if not blob.startswith(b"\x7fELF"):
        what = next((text for magic, text in _OTHER_FORMATS if blob.startswith(magic)), None)
        raise UserError(
            f"{f'this is {what}' if what else 'not a program or object file'}; {SUPPORTED}",
            where=path,
        )
    if len(blob) < 64:
        damaged(path, "it ends inside the header")
    if blob[4] != 2 or blob[5] != 1:
        bits = {1: "32-bit", 2: "64-bit"}.get(blob[4], "unknown class")
        order = {1: "little-endian", 2: "big-endian"}.get(blob[5], "unknown byte order")
        raise UserError(f"this is a {bits}, {order} ELF file; {SUPPORTED}", where=path)
    try:
        return _parse(path, blob)
    except UserError:
        raise
    except Exception as error:  # the library reports damage by a dozen unrelated exceptions
        damaged(path, f"{error or type(error).__name__}")


def _parse(path: Path, blob: bytes) -> ElfFile:
    table = int.from_bytes(blob[40:48], "little")
    entry, count = (int.from_bytes(blob[at : at + 2], "little") for at in (58, 60))
    if table:
        # Checked before the library looks, which would read as many as a damaged header claims.
        if entry != _SECTION_HEADER_SIZE or table + entry > len(blob):
            damaged(path, "its section headers are not where the ELF header says")
        if count == 0:  # more than 65279 sections: the real number is in the first header
            count = int.from_bytes(blob[table + 32 : table + 40], "little")
        if table + count * entry > len(blob):
            damaged(path, "its section headers end behind the file's end")
    elf = ELFFile(io.BytesIO(blob))
    machine = str(elf["e_machine"])
    if machine not in _MACHINES:
        name = machine.removeprefix("EM_")
        raise UserError(f"this is an ELF file for the machine {name}; {SUPPORTED}", where=path)
    kind = str(elf["e_type"])
    if kind not in ("ET_REL", "ET_EXEC", "ET_DYN"):
        raise UserError(f"this is an ELF file of type {kind}; {SUPPORTED}", where=path)
    sections = tuple(
        _section(i, elf.get_section(i)) for i in range(elf.num_sections() if table else 0)
    )
    return ElfFile(path, _MACHINES[machine], kind == "ET_REL", sections, blob)


def _section(index: int, section: Any) -> Section:
    header = section.header
    return Section(
        index=index,
        name=section.name,
        type=str(header["sh_type"]),
        flags=header["sh_flags"],
        address=header["sh_addr"],
        offset=header["sh_offset"],
        size=header["sh_size"],
        link=header["sh_link"],
        info=header["sh_info"],
        align=header["sh_addralign"],
    )


# ---- The image of an ELF file.

_GAP = 64


def elf_image(elf: ElfFile) -> Image:
    """The loaded sections, before relocation. UserError when they cannot lie where they say."""
    bases: dict[int, int] = {}
    regions: list[Region] = []
    cursor = OBJECT_BASE
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
        bases[section.index] = base
        data = bytearray(elf.content(section))
        if data:
            regions.append(
                Region(section.name, base, data, section.executable, _has_pointers(section))
            )
    return Image(regions, bases, cursor)


def _has_pointers(section: Section) -> bool:
    """Data proper; the GOT holds single addresses, not tables, and is left out."""
    return (
        section.type == "SHT_PROGBITS"
        and not section.executable
        and not section.name.startswith((".got", ".eh_frame", ".gcc_except_table", ".interp"))
    )
