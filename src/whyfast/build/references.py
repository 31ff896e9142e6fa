"""What the sections of an object refer to: the graph behind mixing its functions. ELF only."""

from __future__ import annotations

import hashlib
import io
import re
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import Relocation, RelocationSection
from elftools.elf.sections import Section, Symbol, SymbolTableSection

#: Of x86-64: relocations of 32 bits relative to the place, and what stands before them in a call, a
#: jump and a conditional jump. Of AArch64: those of ``b`` and ``bl``. By the numbers of the ABIs.
_X86_RELATIVE = (2, 4)
_X86_JUMP = re.compile(rb".?[\xe8\xe9]|\x0f[\x80-\x8f]", re.DOTALL)
_ARM_JUMPS = (282, 283)

#: Sections that do something by being there, so that two of them would do it twice.
_ACTING = re.compile(
    r"\.(preinit_array|init_array|fini_array|ctors|dtors|init|fini)\b|[A-Za-z_]\w*$"
)


class CannotRead(Exception):
    """Why nothing can be said of an object."""


@dataclass(frozen=True)
class Reference:
    """From a section to another of the same object. ``symbol``: by the name of a global symbol,
    which the linker may find elsewhere. ``call``: by a call or a jump, not as an address."""

    source: int
    target: int
    symbol: str = ""
    call: bool = False


@dataclass(frozen=True)
class CodeSection:
    """A section that is loaded. ``digest``: of what it holds and refers to."""

    name: str
    executable: bool
    writable: bool
    digest: str


@dataclass(frozen=True)
class ObjectGraph:
    """``sections`` that are loaded, by number; ``symbols``: the number of the section of each that
    is global; ``functions``: the names of the functions in a section, local ones too."""

    sections: dict[int, CodeSection]
    symbols: dict[str, int]
    functions: dict[int, tuple[str, ...]]
    references: tuple[Reference, ...]


def read_graph(file: Path) -> ObjectGraph:
    """The graph of a relocatable object. CannotRead for any other file, and for one whose parts
    cannot be had apart: weak symbols, groups, code that runs by being there. OSError."""
    try:
        elf = ELFFile(io.BytesIO(file.read_bytes()))
        if elf["e_type"] != "ET_REL":
            raise CannotRead(f"{file.name} is no object")
        return _read(elf)
    except (ELFError, ValueError) as error:
        raise CannotRead(f"{file.name} is no object of ELF") from error


def _read(elf: ELFFile) -> ObjectGraph:
    loaded = {
        n: s
        for n, s in enumerate(elf.iter_sections())
        if s["sh_flags"] & SH_FLAGS.SHF_ALLOC and not s.name.startswith((".note", ".eh_frame"))
    }
    for section in elf.iter_sections():
        if section["sh_type"] == "SHT_GROUP":
            raise CannotRead("it has functions that other objects have too (section groups)")
    for section in loaded.values():
        if _ACTING.match(section.name) and section["sh_size"]:
            raise CannotRead(f"its section {section.name} does something by being there")
    table = elf.get_section_by_name(".symtab")
    if not isinstance(table, SymbolTableSection):
        raise CannotRead("it has no symbols")
    symbols: dict[str, int] = {}
    functions: dict[int, list[str]] = {}
    for symbol in table.iter_symbols():
        if (place := symbol["st_shndx"]) not in loaded:
            continue
        if symbol["st_info"]["bind"] == "STB_GLOBAL":
            symbols[symbol.name] = place
        elif symbol["st_info"]["bind"] != "STB_LOCAL":
            raise CannotRead(f"{symbol.name} is a weak symbol")
        if symbol["st_info"]["type"] == "STT_FUNC":
            functions.setdefault(place, []).append(symbol.name)
    references: list[Reference] = []
    held = {n: _content(s) for n, s in loaded.items()}
    code = {n: s.data() for n, s in loaded.items() if s["sh_flags"] & SH_FLAGS.SHF_EXECINSTR}
    for relocations in elf.iter_sections():
        if not isinstance(relocations, RelocationSection) or relocations["sh_info"] not in loaded:
            continue
        source = relocations["sh_info"]
        for relocation in relocations.iter_relocations():
            target = table.get_symbol(relocation["r_info_sym"])
            held[source].update(_said(elf, relocation, target).encode())
            place = target["st_shndx"]
            named = target.name if target["st_info"]["bind"] == "STB_GLOBAL" else ""
            if place in loaded and (named or place != source):
                call = _is_call(elf, relocation, code.get(source, b""))
                references.append(Reference(source, place, named, call))
    return ObjectGraph(
        {
            n: CodeSection(
                s.name,
                bool(s["sh_flags"] & SH_FLAGS.SHF_EXECINSTR),
                bool(s["sh_flags"] & SH_FLAGS.SHF_WRITE),
                held[n].hexdigest(),
            )
            for n, s in loaded.items()
        },
        symbols,
        {n: tuple(names) for n, names in functions.items()},
        tuple(dict.fromkeys(references)),
    )


def _content(section: Section) -> hashlib._Hash:
    data = b"" if section["sh_type"] == "SHT_NOBITS" else section.data()
    return hashlib.sha256(f"{section.name}\0{section['sh_size']}\0".encode() + data)


def _said(elf: ELFFile, relocation: Relocation, target: Symbol) -> str:
    """A relocation in words that are the same in another object: names and no numbers."""
    name, addend = target.name, relocation["r_addend"] if relocation.is_RELA() else 0
    if target["st_info"]["bind"] == "STB_LOCAL" and isinstance(target["st_shndx"], int):
        name = elf.get_section(target["st_shndx"]).name
        addend += target["st_value"]
    return f"{relocation['r_offset']} {relocation['r_info_type']} {name} {addend}\n"


def _is_call(elf: ELFFile, relocation: Relocation, code: bytes) -> bool:
    """``code`` is that of an executable section, nothing of another."""
    kind, at = relocation["r_info_type"], relocation["r_offset"]
    if elf["e_machine"] == "EM_AARCH64":
        return bool(code) and kind in _ARM_JUMPS
    if elf["e_machine"] != "EM_X86_64" or kind not in _X86_RELATIVE:
        return False
    return bool(_X86_JUMP.fullmatch(code[max(at - 2, 0) : at]))
