"""ELF objects of BPF code, made byte by byte."""

import struct
from collections.abc import Callable, Sequence

from tests.subjects.ebpf_assembly import EXIT, insn, mov

PROGBITS, SYMTAB, STRTAB, RELA, REL = 1, 2, 3, 4, 9
EXECUTABLE = 4
HEADER = 64
LOCAL, GLOBAL = 0, 1
FUNCTION, SECTION = 2, 3
TO_ADDRESS, TO_FUNCTION = 1, 10

#: name, kind, binding, section, value
Symbol = tuple[str, int, int, int, int]


def elf(
    sections: list[tuple[str, int, int, bytes, int]],
    *,
    symbols: Sequence[Symbol] = (),
    machine: int = 247,
    kind: int = 1,
    ident: bytes = b"\x7fELF\x02\x01\x01",
) -> bytes:
    """An object of (name, type, flags, content, info), with a null section before them."""
    names = b"\0"
    body = b""
    table = bytes(64)
    entries = bytes(24)
    for name, symbol_kind, binding, section, value in symbols:
        entries += struct.pack(
            "<IBBHQQ", len(names), binding << 4 | symbol_kind, 0, section, value, 0
        )
        names += name.encode() + b"\0"
    if symbols:
        sections = [*sections, (".symtab", SYMTAB, 0, entries, 0)]
    for name, section_type, flags, content, info in [*sections, (".strtab", STRTAB, 0, b"", 0)]:
        at = len(names)
        names += name.encode() + b"\0"
        if name == ".strtab":
            content = names
        link = len(sections) + 1 if section_type == SYMTAB else 0
        fields = (at, section_type, flags, 0, HEADER + len(body), len(content), link, info, 8, 0)
        table += struct.pack("<IIQQQQIIQQ", *fields)
        body += content + bytes(-len(content) % 8)
    header = ident.ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH",
        *(kind, machine, 1, 0, 0, HEADER + len(body), 0, 64, 0, 0, 64),
        *(len(sections) + 2, len(sections) + 1),
    )
    return header + body + table


def code(value: int) -> bytes:
    return mov(0, value) + EXIT


def text(name: str, value: int) -> tuple[str, int, int, bytes, int]:
    return (name, PROGBITS, EXECUTABLE, code(value), 0)


#: Runs an object's bytes with further arguments: what it returns, or what is wrong with it.
Load = Callable[..., str]


def two(*names: str, binding: int = GLOBAL) -> bytes:
    """Two functions in one section: the first returns 1, the second 2."""
    both = (".text", PROGBITS, EXECUTABLE, code(1) + code(2), 0)
    symbols = [(name, FUNCTION, binding, 1, 16 * i) for i, name in enumerate(names)]
    return elf([both], symbols=symbols)


def relocation(offset: int, symbol: int, kind: int) -> bytes:
    return struct.pack("<QQ", offset, symbol << 32 | kind)


CALL = insn(0x85, src=1, imm=-1)
LDDW = insn(0x18, 1) + insn(0)


def calling(
    program: bytes, relocations: bytes, symbols: Sequence[Symbol], kind: int = REL
) -> bytes:
    """Section 1 is the program, 2 has two functions as `two` does, 3 data."""
    return elf(
        [
            ("xdp", PROGBITS, EXECUTABLE, program, 0),
            (".text", PROGBITS, EXECUTABLE, code(1) + code(2), 0),
            (".rodata", PROGBITS, 2, bytes(16), 0),
            (".relxdp", kind, 0, relocations, 1),
        ],
        symbols=[("main", FUNCTION, GLOBAL, 1, 0), *symbols],
    )
