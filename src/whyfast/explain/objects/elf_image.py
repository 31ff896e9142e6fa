"""The image of an ELF file."""

from __future__ import annotations

from whyfast.explain.objects.elf import ElfFile, Section, damaged
from whyfast.explain.objects.image import OBJECT_BASE, Image, Region

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
