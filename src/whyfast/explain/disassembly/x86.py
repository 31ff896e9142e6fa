"""x86-64 by iced-x86."""

from __future__ import annotations

from collections.abc import Iterator

from iced_x86 import Decoder, FlowControl, Formatter, FormatterSyntax, Mnemonic, OpKind, Register
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
    """See :class:`whyfast.explain.disassembly.Disassembler`."""

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
