"""Machine code as text, one line an instruction."""

from __future__ import annotations

from collections.abc import Iterator

from whyfast.explain.objects.elf import Architecture


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
