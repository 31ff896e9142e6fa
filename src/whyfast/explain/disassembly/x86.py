"""x86-64 by iced-x86: instructions, and loads and stores that wait for one another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from iced_x86 import (
    Decoder,
    FlowControl,
    Formatter,
    FormatterSyntax,
    MemorySizeExt,
    Mnemonic,
    OpKind,
    Register,
    RegisterExt,
)
from iced_x86 import Instruction as IcedInstruction

from whyfast.explain.disassembly import Instruction, Kind, Mark, Use

_STORES = frozenset(
    {
        *(Mnemonic.MOV, Mnemonic.MOVAPS, Mnemonic.MOVUPS, Mnemonic.MOVAPD, Mnemonic.MOVUPD),
        *(Mnemonic.MOVDQA, Mnemonic.MOVDQU, Mnemonic.MOVSD, Mnemonic.MOVSS, Mnemonic.MOVQ),
        *(Mnemonic.MOVD, Mnemonic.VMOVAPS, Mnemonic.VMOVUPS, Mnemonic.VMOVDQA, Mnemonic.VMOVDQU),
        *(Mnemonic.VMOVSD, Mnemonic.VMOVSS, Mnemonic.VMOVQ),
    }
)
_CLEARING = frozenset(
    {
        *(Mnemonic.XOR, Mnemonic.PXOR, Mnemonic.XORPS, Mnemonic.XORPD, Mnemonic.VPXOR),
        *(Mnemonic.VXORPS, Mnemonic.VXORPD),
    }
)
#: Cleared before a return because the function returns 0.
_RETURNED = frozenset(
    {Register.EAX, Register.RAX, Register.EDX, Register.RDX, Register.XMM0, Register.XMM1}
)
_CANARY, _PAGE = 0x28, 0x1000


def mark_of(insn: IcedInstruction) -> Mark:
    """The mark of an instruction, empty for most. ``fs:0x28`` is where Linux and its libraries keep
    the canary."""
    mnemonic = insn.mnemonic
    if mnemonic == Mnemonic.PUSH:
        return "push" if insn.op0_kind == OpKind.REGISTER else ""
    if mnemonic in (Mnemonic.ENDBR64, Mnemonic.ENDBR32):
        return "landing pad"
    if mnemonic in _CLEARING:
        return "zeroes" if clears(insn) else ""
    if insn.segment_prefix == Register.FS and insn.memory_displacement == _CANARY:
        # With a register it is a variable of the thread.
        alone = insn.memory_base == insn.memory_index == Register.NONE
        return "canary" if alone else ""
    if mnemonic in _STORES and insn.op1_kind == OpKind.REGISTER:
        return _stores(insn)
    if mnemonic == Mnemonic.SUB and insn.op0_register == Register.RSP:
        by_number = insn.op1_kind not in (OpKind.REGISTER, OpKind.MEMORY)
        return "page" if by_number and insn.immediate(1) == _PAGE else ""
    return ""


def clears(insn: IcedInstruction) -> bool:
    """Whether it clears a register, but none in which a value is returned: the exclusive or of the
    register with itself."""
    kinds = {insn.op_kind(n) for n in range(insn.op_count)}
    registers = {insn.op_register(n) for n in range(insn.op_count)}
    known = insn.mnemonic in _CLEARING and kinds == {OpKind.REGISTER} and len(registers) == 1
    return known and not registers & _RETURNED


def _stores(insn: IcedInstruction) -> Mark:
    if insn.op0_kind == OpKind.REGISTER:
        moves = insn.op0_register == Register.RBP and insn.op1_register == Register.RSP
        return "frame pointer" if moves else ""
    if insn.memory_index != Register.NONE:
        return ""
    if insn.memory_base == Register.RSP:
        return "stack store"
    below = insn.memory_displacement >= 1 << 63
    return "frame store" if insn.memory_base == Register.RBP and below else ""


_BRANCHES: dict[int, Kind] = {
    FlowControl.UNCONDITIONAL_BRANCH: "direct jump",
    FlowControl.CONDITIONAL_BRANCH: "conditional jump",
    FlowControl.INDIRECT_BRANCH: "indirect jump",
    FlowControl.INDIRECT_CALL: "indirect call",
    FlowControl.RETURN: "return",
}
_IMMEDIATES = (
    *(OpKind.IMMEDIATE8, OpKind.IMMEDIATE32, OpKind.IMMEDIATE64),
    *(OpKind.IMMEDIATE8TO32, OpKind.IMMEDIATE8TO64, OpKind.IMMEDIATE32TO64),
)
#: Displacements below this are offsets in structures, not addresses of tables; where tables are
#: named by their distance from where the program is loaded, nothing lies in its first page.
LOWEST_ADDRESS, LOWEST_DISTANCE = 0x1_0000, 0x1000

_Hints = tuple[int | None, Use, int, int | None]


class X86Disassembler:
    """As the protocol says."""

    def __init__(self, lowest: int = LOWEST_ADDRESS) -> None:
        self._lowest = lowest

    def decode(self, code: bytes, address: int, *, hints: bool = False) -> Iterator[Instruction]:
        """The instructions of ``code``, which lies at ``address``."""
        decoder = Decoder(64, code, ip=address)
        for insn in decoder:
            if insn.is_invalid:
                # Go on with the next byte, as other disassemblers do.
                yield Instruction(insn.ip, 1, "other")
                decoder.position, decoder.ip = insn.ip + 1 - address, insn.ip + 1
                continue
            kind, target = _flow(insn)
            if hints:
                hint = _hints(insn, self._lowest)
                yield Instruction(insn.ip, insn.len, kind, target, *hint, mark_of(insn))
            else:
                yield Instruction(insn.ip, insn.len, kind, target)

    def text(self, code: bytes, address: int) -> Iterator[tuple[int, str]]:
        """Address and text of each instruction, in Intel's syntax."""
        formatter = Formatter(FormatterSyntax.INTEL)
        formatter.branch_leading_zeros = False
        formatter.rip_relative_addresses = True
        formatter.uppercase_hex = False
        formatter.hex_prefix, formatter.hex_suffix = "0x", ""
        formatter.space_after_operand_separator = True
        for insn in Decoder(64, code, ip=address):
            yield insn.ip, formatter.format(insn)


def _flow(insn: IcedInstruction) -> tuple[Kind, int | None]:
    flow = insn.flow_control
    if flow == FlowControl.NEXT:
        return "other", None
    if flow == FlowControl.CALL:
        # The library also counts syscall and its like as calls.
        return ("direct call", insn.near_branch_target) if insn.is_call_near else ("other", None)
    kind = _BRANCHES.get(flow, "other")
    if kind in ("direct jump", "conditional jump"):
        return kind, insn.near_branch_target
    return kind, None


def _hints(insn: IcedInstruction, lowest: int) -> _Hints:
    mnemonic = insn.mnemonic
    limit = None
    if insn.op_count == 2 and insn.op1_kind in _IMMEDIATES:
        if mnemonic == Mnemonic.CMP:
            limit = insn.immediate(1)
        elif mnemonic in (Mnemonic.MOV, Mnemonic.ADD) and insn.op0_kind == OpKind.REGISTER:
            value = insn.immediate(1)
            return (value, "forms", 0, None) if value >= LOWEST_ADDRESS else (None, "", 0, None)
    if insn.is_ip_rel_memory_operand:
        use: Use = "forms" if mnemonic == Mnemonic.LEA else "reads"
        return insn.ip_rel_memory_address, use, 0, limit
    base, index = insn.memory_base, insn.memory_index
    if base == Register.NONE and index == Register.NONE:
        return None, "", 0, limit
    displacement = insn.memory_displacement
    reference = displacement if lowest <= displacement < 1 << 31 else None
    if mnemonic == Mnemonic.LEA:
        return reference, "forms" if reference is not None else "", 0, limit
    if index != Register.NONE or reference is not None:
        return reference, "indexes", insn.memory_index_scale, limit
    return None, "", 0, limit


# Loads and stores that wait for one another, as far as the instructions of one code tell.

FRAME = (Register.RSP, Register.RBP)
_PLAIN_STORES = frozenset(
    v for k, v in vars(Mnemonic).items() if re.match(r"V?MOV|SET|VEXT|V?PEXT", k)
)


def has_memory(insn: IcedInstruction) -> bool:
    """Whether an operand is in memory."""
    return any(insn.op_kind(n) == OpKind.MEMORY for n in range(insn.op_count))


#: IcedInstructions between a load and the store of what was computed from it, at the most.
SOON = 6

Address = tuple[int, int, int, int]


def updates(
    code: Sequence[IcedInstruction], weights: Mapping[int, float]
) -> Iterator[tuple[int, str]]:
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
    code: Sequence[IcedInstruction], weights: Mapping[int, float]
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

    def kinds(self, insn: IcedInstruction, weight: float) -> Iterable[str]:
        yield from self._found(insn, weight)
        if insn.op0_kind == OpKind.REGISTER and self._recent:
            written = RegisterExt.full_register(insn.op0_register)
            self._recent = [s for s in self._recent if written not in s[0][:2]]

    def _found(self, insn: IcedInstruction, weight: float) -> Iterable[str]:
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
