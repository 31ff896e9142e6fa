"""Where functions begin and end in programs without symbols: the table by which stacks unwind.

``.eh_frame_hdr`` has the start of every function in order, for a binary search, and the place of
its record in ``.eh_frame``, which has its size (Linux Standard Base, Core, Exception Frames).
"""

from __future__ import annotations

import struct

from whyfast.explain.objects import Function
from whyfast.explain.objects.elf import ElfFile

#: Encodings of the header that linkers write: pointers of four bytes relative to their place, a
#: number of four bytes, and a table of pairs relative to the header's start.
_ENCODINGS = (0x1B, 0x03, 0x3B)


def unwound_functions(elf: ElfFile) -> list[Function]:
    """The functions that the table knows, named by their addresses (``0x8a10``), by address.

    Empty where there is no table, or one in another encoding.
    """
    header = next((s for s in elf.sections if s.name == ".eh_frame_hdr"), None)
    frames = next((s for s in elf.sections if s.name == ".eh_frame"), None)
    if header is None or frames is None:
        return []
    table, records = elf.content(header), elf.content(frames)
    if len(table) < 12 or table[0] != 1 or tuple(table[1:4]) != _ENCODINGS:
        return []
    number = int.from_bytes(table[8:12], "little")
    rows = struct.iter_unpack("<ii", table[12 : 12 + 8 * min(number, (len(table) - 12) // 8)])
    # Stubs that lead to other libraries are no functions.
    code = [s for s in elf.sections if s.executable and not s.name.startswith((".plt", ".init"))]
    functions = []
    for start, record in rows:
        address = header.address + start
        at = header.address + record - frames.address + 12  # behind length, CIE and start
        size = int.from_bytes(records[at : at + 4], "little")
        section = next(
            (s for s in code if s.address <= address and address + size <= s.address + s.size), None
        )
        if section is not None and size:
            name, part = f"{address:#x}", _begins_inside(records, at + 4)
            functions.append(Function((name,), address, address, size, section.name, part=part))
    return functions


def _begins_inside(records: bytes, at: int) -> bool:
    """Whether a record (``at``: behind its size) begins with a stack frame that is set up already,
    as those of cold parts do: no function does, before its first instruction."""
    augmentation = records[at] if at < len(records) else 0
    first = records[at + 1 + augmentation : at + 2 + augmentation]
    if augmentation >= 0x80 or not first:
        return False
    # DW_CFA_advance_loc, 1, 2 and 4 come first otherwise, and DW_CFA_nop where nothing changes.
    return not (first[0] & 0xC0 == 0x40 or first[0] in (0x00, 0x02, 0x03, 0x04))
