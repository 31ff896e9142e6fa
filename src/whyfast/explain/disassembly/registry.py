"""The disassemblers by architecture. A new one is one file and one line here."""

from __future__ import annotations

from collections.abc import Iterator

from whyfast.explain.disassembly.instruction import Disassembler
from whyfast.explain.objects.elf import Architecture

# ---- Machine code as text, one line an instruction.


def listing(architecture: Architecture, code: bytes, address: int) -> Iterator[tuple[int, str]]:
    """Address and text of each instruction of ``code``, which lies at ``address``."""
    yield from (_x86 if architecture == "x86-64" else _aarch64)(code, address)


def _x86(code: bytes, address: int) -> Iterator[tuple[int, str]]:
    from iced_x86 import Decoder, Formatter, FormatterSyntax

    formatter = Formatter(FormatterSyntax.INTEL)
    formatter.branch_leading_zeros = False
    formatter.rip_relative_addresses = True
    formatter.uppercase_hex = False
    formatter.hex_prefix, formatter.hex_suffix = "0x", ""
    formatter.space_after_operand_separator = True
    for instruction in Decoder(64, code, ip=address):
        yield instruction.ip, formatter.format(instruction)


def _aarch64(code: bytes, address: int) -> Iterator[tuple[int, str]]:
    import capstone

    engine = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_LITTLE_ENDIAN)
    engine.skipdata = True  # what is no instruction must not end the text
    for at, _, mnemonic, operands in engine.disasm_lite(code, address):
        yield at, f"{mnemonic} {operands}".strip()


def disassembler_for(architecture: Architecture, *, relative: bool = False) -> Disassembler:
    """The engine of an architecture; ``relative``: code may address tables by their distance from
    where the program is loaded, which is smaller than any address."""
    if architecture == "x86-64":
        from whyfast.explain.disassembly.x86 import LOWEST_ADDRESS, LOWEST_DISTANCE, X86Disassembler

        return X86Disassembler(LOWEST_DISTANCE if relative else LOWEST_ADDRESS)
    from whyfast.explain.disassembly.aarch64 import Aarch64Disassembler

    return Aarch64Disassembler()
