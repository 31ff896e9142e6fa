"""Readers of programs, chosen by the first bytes of a file: a new format is one line here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from whyfast.explain.objects.elf import Architecture, damaged, elf_image, open_elf
from whyfast.explain.objects.elf_symbols import Contents, debug_file, list_functions, list_objects
from whyfast.explain.objects.relocate import apply_relocations
from whyfast.formats.input import opened

_PE = (b"MZ",)
_COFF = (b"\x64\x86", b"\x64\xaa", b"\x4c\x01", b"\xc4\x01", b"\x00\x00\xff\xff")
_MACHO = (
    *(b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xfe\xed\xfa\xcf", b"\xfe\xed\xfa\xce"),
    *(b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf"),
)


def read_contents(
    path: Path, architecture: Architecture | None = None, debug: Sequence[Path] = ()
) -> Contents:
    """Read a program. ``architecture`` chooses from a file that holds several, and ``debug`` are
    folders in which debug files of ELF programs are looked for first.

    Raises UserError when the file is missing, damaged, stripped, or of an unsupported format or
    architecture.
    """
    magic = _first_bytes(path)
    if magic.startswith(_PE):
        from whyfast.explain.objects.pe import read_pe

        return read_pe(path)
    if magic.startswith(_COFF):
        from whyfast.explain.objects.coff import read_coff

        return read_coff(path)
    if magic.startswith(_MACHO):
        from whyfast.explain.objects.macho import read_macho

        return read_macho(path, architecture)
    return _read_elf(path, debug)


def _first_bytes(path: Path) -> bytes:
    with opened(path) as file:
        return file.read(16)


def _read_elf(path: Path, debug: Sequence[Path]) -> Contents:
    elf = open_elf(path)
    try:
        image = elf_image(elf)
        named = elf
        if not (elf.of_type("SHT_SYMTAB") or elf.relocatable):
            named = debug_file(elf, debug) or elf
        functions, note = list_functions(named, image.bases)
        objects = list_objects(named, image.bases)
        apply_relocations(elf, image)
    except (IndexError, ValueError, OverflowError) as error:
        damaged(path, str(error))
    return Contents(elf.architecture, image, functions, (note,) if note else (), objects)
