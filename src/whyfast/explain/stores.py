"""Loads and stores that wait for one another: of one code, as far as its instructions tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from iced_x86 import (
    FlowControl,
    Instruction,
    MemorySizeExt,
    Mnemonic,
    OpKind,
    Register,
    RegisterExt,
)

FRAME = (Register.RSP, Register.RBP)
_PLAIN_STORES = frozenset(
    v for k, v in vars(Mnemonic).items() if re.match(r"V?MOV|SET|VEXT|V?PEXT", k)
)


def has_memory(insn: Instruction) -> bool:
    """Whether an operand is in memory."""
    return any(insn.op_kind(n) == OpKind.MEMORY for n in range(insn.op_count))


#: Instructions between a load and the store of what was computed from it, at the most.
SOON = 6

Address = tuple[int, int, int, int]


def updates(code: Sequence[Instruction], weights: Mapping[int, float]) -> Iterator[tuple[int, str]]:
    """(address, place) of instructions that store at the address that they, or one of the last few,
    have loaded from: a variable that is kept in memory, or an entry of a table. Such a load waits
    for the store of the time before where that was at the same address. The place is empty for one
    variable, whose address no instruction of the loop changes; of an entry whose number is computed
    or loaded it is the table. Neither steps from entry to entry, and no variable is on the
    stack."""
    steps, chosen = _written(code, weights)
    loads: list[tuple[Address, int]] = []
    for number, insn in enumerate(code):
        if insn.flow_control in (FlowControl.CALL, FlowControl.INDIRECT_CALL):
            loads.clear()
        at = insn.memory_base, insn.memory_index, insn.memory_index_scale, insn.memory_displacement
        local = at[0] in FRAME and at[1] == Register.NONE
        if has_memory(insn) and insn.mnemonic not in _NO_ACCESS and not local:
            if insn.op0_kind != OpKind.MEMORY:
                loads.append((at, number))
            elif insn.mnemonic not in _PLAIN_STORES or any(
                a == at and number - n <= SOON for a, n in loads
            ):
                half = weights.get(insn.ip, 0.0) / 2
                registers = [RegisterExt.full_register(r) for r in at[:2] if r in _GENERAL]
                if half and not any(steps.get(r, 0.0) >= half for r in registers):
                    table = any(chosen.get(r, 0.0) >= half for r in registers)
                    yield insn.ip, f"{at[0]}+{at[3]}" if table else ""
        if insn.op0_kind == OpKind.REGISTER:
            written = RegisterExt.full_register(insn.op0_register)
            loads = [row for row in loads if written not in row[0][:2]]


def _written(
    code: Sequence[Instruction], weights: Mapping[int, float]
) -> tuple[dict[int, float], dict[int, float]]:
    """How often registers are moved on from entry to entry, and how often they are written by any
    other instruction."""
    steps: dict[int, float] = {}
    chosen: dict[int, float] = {}
    for insn in code:
        if insn.op0_kind != OpKind.REGISTER or insn.mnemonic in (Mnemonic.CMP, Mnemonic.TEST):
            continue
        register = RegisterExt.full_register(insn.op0_register)
        own = RegisterExt.full_register(insn.memory_base) == register
        if insn.mnemonic == Mnemonic.LEA:
            step = own and insn.memory_index == Register.NONE
        else:
            step = insn.mnemonic in _STEPS and insn.op1_kind != OpKind.MEMORY
        rows = steps if step else chosen
        rows[register] = max(rows.get(register, 0.0), weights.get(insn.ip, 0.0))
    return steps, chosen


_STEPS = frozenset({Mnemonic.ADD, Mnemonic.SUB, Mnemonic.INC, Mnemonic.DEC})
_NO_ACCESS = frozenset({Mnemonic.LEA, Mnemonic.NOP, Mnemonic.CMP, Mnemonic.TEST})
_GENERAL = frozenset(
    v for k, v in vars(Register).items() if isinstance(v, int) and re.match(r"[ER]\w\w|R\d", k)
) - {Register.RIP, Register.EIP}


class Stores:
    """Finds loads of what one of the last stores wrote. ``blocked load``: it is wider than the
    store; the processor cannot forward it and waits until the store has reached the cache.
    ``reload``: of a local variable that was stored a few instructions before, which is how code
    without optimisation goes on. A store that ran far less often than the load, or whose address
    registers have been written since, is not its store."""

    WINDOW, NEAR = 16, 4

    def __init__(self) -> None:
        self._recent: list[tuple[tuple[int, int, int], int, int, float]] = []
        self._stacked: list[tuple[int, tuple[int, int, int], int]] = []
        self._number = 0

    def kinds(self, insn: Instruction, weight: float) -> Iterable[str]:
        yield from self._found(insn, weight)
        if insn.op0_kind == OpKind.REGISTER and self._recent:
            written = RegisterExt.full_register(insn.op0_register)
            self._recent = [s for s in self._recent if written not in s[0][:2]]

    def _found(self, insn: Instruction, weight: float) -> Iterable[str]:
        self._number += 1
        if insn.flow_control in (FlowControl.CALL, FlowControl.RETURN):
            self._recent.clear()
        if not has_memory(insn) or insn.mnemonic in (Mnemonic.LEA, Mnemonic.NOP):
            return
        base = insn.memory_base, insn.memory_index, insn.memory_index_scale
        low = insn.memory_displacement
        size = MemorySizeExt.size(insn.memory_size)
        if insn.op0_kind == OpKind.MEMORY and insn.mnemonic not in (Mnemonic.CMP, Mnemonic.TEST):
            self._recent = [*self._recent[1 - self.WINDOW :], (base, low, size, weight)]
            if insn.memory_base in FRAME:
                self._stacked = [*self._stacked[-3:], (self._number, base, low)]
                # It reads the variable itself, as x++ does.
                if insn.mnemonic not in _PLAIN_STORES:
                    yield "reload"
        elif any(
            base == b and s < size and low < at + s and at < low + size and weight <= 2 * w
            for b, at, s, w in self._recent
        ):
            yield "blocked load"
        elif any(
            base == b and low == at and self._number - number <= self.NEAR
            for number, b, at in self._stacked
        ):
            yield "reload"
