"""Writing eBPF bytecode by hand, and reading it back: encoding only, no meaning."""

import struct
from typing import NamedTuple

EXIT = bytes([0x95, 0, 0, 0, 0, 0, 0, 0])

ALU_OPERATIONS = {
    # name: (opcode bits, offset)
    "add": (0x00, 0),
    "sub": (0x10, 0),
    "mul": (0x20, 0),
    "div": (0x30, 0),
    "sdiv": (0x30, 1),
    "or": (0x40, 0),
    "and": (0x50, 0),
    "lsh": (0x60, 0),
    "rsh": (0x70, 0),
    "mod": (0x90, 0),
    "smod": (0x90, 1),
    "xor": (0xA0, 0),
    "mov": (0xB0, 0),
    "arsh": (0xC0, 0),
}

JUMP_CONDITIONS = {
    "jeq": 0x10,
    "jgt": 0x20,
    "jge": 0x30,
    "jset": 0x40,
    "jne": 0x50,
    "jsgt": 0x60,
    "jsge": 0x70,
    "jlt": 0xA0,
    "jle": 0xB0,
    "jslt": 0xC0,
    "jsle": 0xD0,
}

ATOMIC_OPERATIONS = {
    "add": 0x00,
    "or": 0x40,
    "and": 0x50,
    "xor": 0xA0,
    "fetch add": 0x01,
    "fetch or": 0x41,
    "fetch and": 0x51,
    "fetch xor": 0xA1,
    "xchg": 0xE1,
    "cmpxchg": 0xF1,
}

SIZE_BITS = {4: 0x00, 2: 0x08, 1: 0x10, 8: 0x18}


class Slot(NamedTuple):
    code: int
    dst: int
    src: int
    off: int
    imm: int


def insn(code: int, dst: int = 0, src: int = 0, off: int = 0, imm: int = 0) -> bytes:
    return struct.pack("<BBhi", code, dst | src << 4, off, imm)


def slots(program: bytes) -> list[Slot]:
    return [
        Slot(code, registers & 15, registers >> 4, off, imm)
        for code, registers, off, imm in struct.iter_unpack("<BBhi", program)
    ]


def lddw(dst: int, value: int) -> bytes:
    low, high = struct.unpack("<ii", struct.pack("<Q", value & 2**64 - 1))
    return insn(0x18, dst, imm=low) + insn(0, imm=high)


def mov(dst: int, imm: int) -> bytes:
    return insn(0xB7, dst, imm=imm)


def alu_k(operation: str, bits: int, dst: int, imm: int) -> bytes:
    code, off = ALU_OPERATIONS[operation]
    return insn(code | (0x07 if bits == 64 else 0x04), dst, off=off, imm=imm)


def alu_x(operation: str, bits: int, dst: int, src: int) -> bytes:
    code, off = ALU_OPERATIONS[operation]
    return insn(code | (0x0F if bits == 64 else 0x0C), dst, src, off=off)


def jump_k(condition: str, bits: int, dst: int, imm: int, off: int) -> bytes:
    return insn(JUMP_CONDITIONS[condition] | (0x05 if bits == 64 else 0x06), dst, 0, off, imm)


def jump_x(condition: str, bits: int, dst: int, src: int, off: int) -> bytes:
    return insn(JUMP_CONDITIONS[condition] | (0x0D if bits == 64 else 0x0E), dst, src, off)


def load(size: int, dst: int, base: int, off: int, *, signed: bool = False) -> bytes:
    return insn((0x81 if signed else 0x61) | SIZE_BITS[size], dst, base, off)


def store(size: int, base: int, off: int, src: int) -> bytes:
    return insn(0x63 | SIZE_BITS[size], base, src, off)


def store_k(size: int, base: int, off: int, imm: int) -> bytes:
    return insn(0x62 | SIZE_BITS[size], base, 0, off, imm)


def atomic(operation: str, bits: int, base: int, off: int, src: int) -> bytes:
    return insn(0xDB if bits == 64 else 0xC3, base, src, off, ATOMIC_OPERATIONS[operation])


def call_local(off: int) -> bytes:
    return insn(0x85, src=1, imm=off)


def call(helper: int) -> bytes:
    return insn(0x85, imm=helper)
