"""x86-64 by iced-x86."""

from __future__ import annotations

from collections.abc import Iterator

from iced_x86 import Decoder, FlowControl, Mnemonic, OpKind, Register
from iced_x86 import Instruction as IcedInstruction

from whyfast.explain.disassembly.instruction import Instruction, Kind, Use
from whyfast.explain.disassembly.x86_marks import mark_of

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
    """See :class:`whyfast.explain.disassembly.instruction.Disassembler`."""

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
