"""Machine code to plain instruction records and text; each architecture's library loads on use."""

from __future__ import annotations

from whyfast.explain.disassembly.instruction import Disassembler
from whyfast.explain.objects.image import Architecture


def disassembler_for(architecture: Architecture, *, relative: bool = False) -> Disassembler:
    """The engine of an architecture; ``relative``: code may address tables by their distance from
    where the program is loaded, which is smaller than any address."""
    if architecture == "x86-64":
        from whyfast.explain.disassembly.x86 import LOWEST_ADDRESS, LOWEST_DISTANCE, X86Disassembler

        return X86Disassembler(LOWEST_DISTANCE if relative else LOWEST_ADDRESS)
    from whyfast.explain.disassembly.aarch64 import Aarch64Disassembler

    return Aarch64Disassembler()
