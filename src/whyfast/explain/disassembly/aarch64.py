"""AArch64 by Capstone."""

from __future__ import annotations

import re
from collections.abc import Iterator

import capstone

from whyfast.explain.disassembly import Instruction, Kind, Mark, Use

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
    """See :class:`whyfast.explain.disassembly.Disassembler`."""

    def __init__(self) -> None:
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
