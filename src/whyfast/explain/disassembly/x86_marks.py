"""Which x86-64 instructions prologues, epilogues and hardening are made of."""

from __future__ import annotations

from iced_x86 import Instruction, Mnemonic, OpKind, Register

from whyfast.explain.disassembly.instruction import Mark

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


def mark_of(insn: Instruction) -> Mark:
    """The mark of an instruction, empty for most.

    ``fs:0x28`` is where Linux and its libraries keep the canary.
    """
    mnemonic = insn.mnemonic
    if mnemonic == Mnemonic.PUSH:
        return "push" if insn.op0_kind == OpKind.REGISTER else ""
    if mnemonic in (Mnemonic.ENDBR64, Mnemonic.ENDBR32):
        return "landing pad"
    if mnemonic in _CLEARING:
        return _clearing(insn)
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


def _clearing(insn: Instruction) -> Mark:
    registers = []
    for n in range(insn.op_count):
        if insn.op_kind(n) != OpKind.REGISTER:
            return ""
        registers.append(insn.op_register(n))
    return "zeroes" if len(set(registers)) == 1 and registers[0] not in _RETURNED else ""


def _stores(insn: Instruction) -> Mark:
    if insn.op0_kind == OpKind.REGISTER:
        moves = insn.op0_register == Register.RBP and insn.op1_register == Register.RSP
        return "frame pointer" if moves else ""
    if insn.memory_index != Register.NONE:
        return ""
    if insn.memory_base == Register.RSP:
        return "stack store"
    below = insn.memory_displacement >= 1 << 63
    return "frame store" if insn.memory_base == Register.RBP and below else ""
