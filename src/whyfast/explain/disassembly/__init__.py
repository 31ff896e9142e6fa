"""Machine code to plain instruction records and text: of AArch64 by Capstone, of x86-64 in
:mod:`whyfast.explain.disassembly.x86`. Either library loads on use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, Protocol

from whyfast.explain.objects import Architecture

_Jump = Literal["direct jump", "conditional jump", "indirect jump"]
Kind = Literal["other", _Jump, "direct call", "indirect call", "return"]

#: How an instruction uses an address: it computes it, reads memory at exactly it, reads memory
#: at it plus a register; or it sign-extends an operand while adding (AArch64 jump tables).
Use = Literal["", "forms", "reads", "indexes", "sign-extends"]

#: What an instruction is that prologues, epilogues and hardening are made of: it pushes a register;
#: stores one into the stack frame, by the stack pointer or the frame pointer; sets up the frame
#: pointer; clears a register that returns no value; reads the canary of the stack protector; marks
#: a place for indirect branches; signs the return address; moves the stack pointer by one page.
_Frame = Literal["push", "stack store", "frame store", "frame pointer"]
Mark = Literal["", _Frame, "zeroes", "canary", "landing pad", "signs", "page"]


class Instruction(NamedTuple):
    """One instruction. ``address`` and ``size`` in bytes; ``target`` is where a direct jump or call
    goes. The other fields are hints for finding jump tables, filled in only when asked for:
    ``reference`` is an address that it uses as ``use`` says, ``width`` the bytes that an indexed
    read takes, ``limit`` the constant that it compares a register with. ``mark`` is filled in with
    the hints."""

    address: int
    size: int
    kind: Kind
    target: int | None = None
    reference: int | None = None
    use: Use = ""
    width: int = 0
    limit: int | None = None
    mark: Mark = ""


class Disassembler(Protocol):
    """Decodes machine code of one architecture in address order."""

    def decode(self, code: bytes, address: int, *, hints: bool = False) -> Iterator[Instruction]:
        """The instructions of ``code``, which lies at ``address``. Bytes that are no instruction
        come out as kind ``other``; nothing is raised for them."""
        ...

    def text(self, code: bytes, address: int) -> Iterator[tuple[int, str]]:
        """Address and text of each instruction of ``code``, which lies at ``address``."""
        ...


def disassembler_for(architecture: Architecture, *, relative: bool = False) -> Disassembler:
    """The engine of an architecture; ``relative``: code may address tables by their distance from
    where the program is loaded, which is smaller than any address."""
    if architecture == "x86-64":
        from whyfast.explain.disassembly.x86 import LOWEST_ADDRESS, LOWEST_DISTANCE, X86Disassembler

        return X86Disassembler(LOWEST_DISTANCE if relative else LOWEST_ADDRESS)
    return Aarch64Disassembler()


# Branches by mnemonic, with pointer authentication (bra*, blra*, reta*) beside the plain ones.
_BRANCHES: dict[str, Kind] = {
    "b": "direct jump",
    "bl": "direct call",
    **dict.fromkeys(("cbz", "cbnz", "tbz", "tbnz"), "conditional jump"),
    **dict.fromkeys(("br", "braa", "brab", "braaz", "brabz"), "indirect jump"),
    **dict.fromkeys(("blr", "blraa", "blrab", "blraaz", "blrabz"), "indirect call"),
    **dict.fromkeys(("ret", "retaa", "retab", "eret", "eretaa", "eretab"), "return"),
}
_INDEXED_LOADS = {"ldrb": 1, "ldrsb": 1, "ldrh": 2, "ldrsh": 2, "ldrsw": 4}
_INDEXED = re.compile(r"\[\w+, [xw]\d+")

_Hints = tuple[int | None, Use, int, int | None]
_NOTHING: _Hints = (None, "", 0, None)


class Aarch64Disassembler:
    """AArch64 by Capstone."""

    def __init__(self) -> None:
        import capstone  # takes 0.1 s

        self._engine = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_LITTLE_ENDIAN)
        # Words that are no instruction, such as data between code, must not end the function.
        self._engine.skipdata = True

    def decode(self, code: bytes, address: int, *, hints: bool = False) -> Iterator[Instruction]:
        """The instructions of ``code``, which lies at ``address``."""
        pages: dict[str, int] = {}
        for at, size, name, operands in self._engine.disasm_lite(code, address):
            kind = _BRANCHES.get(name)
            if kind is None:
                kind = "conditional jump" if name.startswith(("b.", "bc.")) else "other"
            target = None
            if kind in ("direct jump", "conditional jump", "direct call"):
                target = _number(operands)
            if hints and kind == "other":
                mark = _mark(name, operands)
                yield Instruction(at, size, kind, None, *_hints(name, operands, pages), mark)
            else:
                yield Instruction(at, size, kind, target)

    def text(self, code: bytes, address: int) -> Iterator[tuple[int, str]]:
        """Address and text of each instruction."""
        for at, _, mnemonic, operands in self._engine.disasm_lite(code, address):
            yield at, f"{mnemonic} {operands}".strip()


def _number(operands: str) -> int | None:
    """The immediate that an operand list ends in."""
    _, mark, text = operands.rpartition("#")
    try:
        return int(text.rstrip("]!"), 0) if mark else None
    except ValueError:
        return None


def _hints(name: str, operands: str, pages: dict[str, int]) -> _Hints:
    """``pages`` holds what earlier ``adrp`` left in registers; a pair of instructions makes one
    address."""
    if name == "adrp":
        page = _number(operands)
        if page is not None:
            pages[operands.partition(",")[0]] = page
        return _NOTHING
    if name == "adr":
        return _number(operands), "forms", 0, None
    if name == "cmp":
        return None, "", 0, _number(operands)
    if name in _INDEXED_LOADS and _INDEXED.search(operands):
        return None, "indexes", _INDEXED_LOADS[name], None
    if name == "add":
        if "sxt" in operands:
            return None, "sign-extends", 0, None
        parts = operands.split(", ")
        offset = _number(operands)
        if len(parts) == 3 and parts[1] in pages and offset is not None:
            return pages[parts[1]] + offset, "forms", 0, None
    elif name == "ldr":
        _, _, inside = operands.partition("[")
        register, _, _ = inside.partition(",")
        offset = _number(operands)
        if register in pages and offset is not None:
            return pages[register] + offset, "reads", 0, None
    return _NOTHING


def _mark(name: str, operands: str) -> Mark:
    """What prologues, epilogues and hardening are made of; a pair of registers is one push."""
    if name in ("str", "stur", "stp"):
        if "[sp" not in operands:
            return "frame store" if "[x29, #-" in operands else ""
        return "push" if operands.endswith("]!") else "stack store"
    if name in ("mov", "add") and operands.startswith("x29, sp"):
        return "frame pointer"
    if name in ("mov", "movi"):
        register, _, value = operands.partition(", ")
        # The first two registers of each kind may carry what is returned.
        returned = re.fullmatch(r"[wxvqds][01](\..*)?", register)
        return (
            "zeroes" if value in ("#0", "xzr", "wzr", "#0000000000000000") and not returned else ""
        )
    if name == "bti":
        return "landing pad"
    if name in ("paciasp", "pacibsp"):
        return "signs"
    if name == "sub" and operands in ("sp, sp, #1, lsl #12", "sp, sp, #0x1000"):
        return "page"
    return ""
