"""A slow eBPF interpreter that is easy to compare with RFC 9669, for forward-jumping programs.

It answers in the words of ``ebpf_driver.c``."""

from typing import NamedTuple

from tests.subjects.ebpf_assembly import Slot, slots

STACK = 1 << 32
FRAME = 512
FRAMES = 8
MEMORY = 2 << 32


def signed(value: int, bits: int) -> int:
    value &= 2**bits - 1
    return value - 2**bits if value >> (bits - 1) else value


def quotient(a: int, b: int) -> int:
    """Division rounding towards zero, which Python's does not."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def alu(slot: Slot, a: int, b: int, bits: int) -> int:
    """``a`` and ``b`` are unsigned numbers of ``bits`` bits; so is the result."""
    sa, sb = signed(a, bits), signed(b, bits)
    shift = b % bits
    operation = slot.code >> 4
    match operation, slot.off:
        case 0x0, 0:
            result = a + b
        case 0x1, 0:
            result = a - b
        case 0x2, 0:
            result = a * b
        case 0x3, 0:
            result = a // b if b else 0
        case 0x3, 1:
            result = quotient(sa, sb) if b else 0
        case 0x4, 0:
            result = a | b
        case 0x5, 0:
            result = a & b
        case 0x6, 0:
            result = a << shift
        case 0x7, 0:
            result = a >> shift
        case 0x8, 0:
            result = -a
        case 0x9, 0:
            result = a % b if b else a
        case 0x9, 1:
            result = sa - quotient(sa, sb) * sb if b else a
        case 0xA, 0:
            result = a ^ b
        case 0xB, 0:
            result = b
        case 0xB, width:
            result = signed(b, width)
        case 0xC, 0:
            result = sa >> shift
        case _:
            raise ValueError(slot)
    mask: int = 2**bits - 1
    return result & mask


def byte_swap(slot: Slot, value: int) -> int:
    size = slot.imm // 8
    value &= 2**slot.imm - 1
    if slot.code == 0xD4:
        return value
    return int.from_bytes(value.to_bytes(size, "little"), "big")


def condition(slot: Slot, a: int, b: int, bits: int) -> bool:
    sa, sb = signed(a, bits), signed(b, bits)
    return {
        0x1: a == b,
        0x2: a > b,
        0x3: a >= b,
        0x4: a & b != 0,
        0x5: a != b,
        0x6: sa > sb,
        0x7: sa >= sb,
        0xA: a < b,
        0xB: a <= b,
        0xC: sa < sb,
        0xD: sa <= sb,
    }[slot.code >> 4]


def atomic(operation: int, old: int, operand: int, expected: int) -> int:
    """What an atomic operation leaves in memory, before it is cut to its width."""
    match operation & 0xF0:
        case 0x00:
            return old + operand
        case 0x40:
            return old | operand
        case 0x50:
            return old & operand
        case 0xA0:
            return old ^ operand
        case 0xE0:
            return operand
        case 0xF0:
            return operand if old == expected else old
    raise ValueError(operation)


class Fault(Exception):
    pass


class Frame(NamedTuple):
    call: int
    saved: list[int]


class Machine:
    """Its program array holds the program itself, at index 0."""

    def __init__(self, program: bytes, memory: bytes) -> None:
        self.slots = slots(program)
        self.stack = bytearray(FRAME * FRAMES)
        self.memory = bytearray(memory)
        self.frames: list[Frame] = []
        self.tail_calls = 0
        self.random = 2463534242
        self.regs = [0] * 11
        self.regs[10] = STACK + FRAME
        if memory:
            self.regs[1], self.regs[2] = MEMORY, len(memory)

    def place(self, at: int, what: str, address: int, size: int) -> tuple[bytearray, int]:
        stack_size = FRAME * (len(self.frames) + 1)
        for start, region, length in (
            (STACK, self.stack, stack_size),
            (MEMORY, self.memory, len(self.memory)),
        ):
            if start <= address and address + size <= start + length:
                return region, address - start
        raise Fault(
            f"fault instruction {at}: {what} of {size} bytes at {address:#x} is out of bounds"
        )

    def access(self, at: int, slot: Slot) -> None:
        size = {0: 4, 1: 2, 2: 1, 3: 8}[slot.code >> 3 & 3]
        is_load = slot.code & 7 == 1
        base = self.regs[slot.src if is_load else slot.dst]
        address = (base + slot.off) % 2**64
        region, start = self.place(at, "load" if is_load else "store", address, size)
        if is_load:
            value = int.from_bytes(region[start : start + size], "little")
            if slot.code >> 5 == 4:
                value = signed(value, 8 * size) % 2**64
            self.regs[slot.dst] = value
        else:
            value = slot.imm if slot.code & 7 == 2 else self.regs[slot.src]
            region[start : start + size] = (value % 2 ** (8 * size)).to_bytes(size, "little")

    def atomic(self, at: int, slot: Slot) -> None:
        size = 8 if slot.code == 0xDB else 4
        mask = 2 ** (8 * size) - 1
        address = (self.regs[slot.dst] + slot.off) % 2**64
        region, start = self.place(at, "atomic operation", address, size)
        old = int.from_bytes(region[start : start + size], "little")
        new = atomic(slot.imm, old, self.regs[slot.src] & mask, self.regs[0] & mask) & mask
        region[start : start + size] = new.to_bytes(size, "little")
        if slot.imm == 0xF1:
            self.regs[0] = old
        elif slot.imm & 1:
            self.regs[slot.src] = old

    def call(self, at: int, slot: Slot) -> int:
        if slot.src == 1:
            if len(self.frames) == FRAMES - 1:
                raise Fault(
                    f"fault instruction {at}: local calls are nested deeper than {FRAMES} frames"
                )
            self.frames.append(Frame(at, self.regs[6:10]))
            self.regs[10] += FRAME
            return at + 1 + slot.imm
        if slot.imm == 12:
            index = self.regs[3] % 2**32
            if index < 64 and self.tail_calls < 33:
                self.tail_calls += 1
                if index == 0:
                    return 0
            return at + 1
        self.regs[0] = 0
        if slot.imm == 7:
            for shift in (13, -17, 5):
                shifted = self.random << shift if shift > 0 else self.random >> -shift
                self.random = (self.random ^ shifted) % 2**32
            self.regs[0] = self.random
        return at + 1

    def leave(self) -> int:
        frame = self.frames.pop()
        self.regs[6:10] = frame.saved
        self.regs[10] -= FRAME
        return frame.call + 1

    def step(self, at: int) -> int:
        """Executes one instruction; the index of the next."""
        slot = self.slots[at]
        kind = slot.code & 7
        bits = 64 if kind in (5, 7) else 32
        operand = self.regs[slot.src] if slot.code & 8 else slot.imm
        a, b = self.regs[slot.dst] % 2**bits, operand % 2**bits
        if slot.code == 0x18:
            high = self.slots[at + 1].imm
            self.regs[slot.dst] = slot.imm % 2**32 | high % 2**32 << 32
            return at + 2
        if slot.code in (0xD4, 0xDC, 0xD7):
            self.regs[slot.dst] = byte_swap(slot, self.regs[slot.dst])
        elif kind in (4, 7):
            self.regs[slot.dst] = alu(slot, a, b, bits)
        elif slot.code in (0x05, 0x06):
            return at + 1 + (slot.off if slot.code == 0x05 else slot.imm)
        elif slot.code == 0x85:
            return self.call(at, slot)
        elif slot.code == 0x95:
            return self.leave()
        elif kind in (5, 6):
            if condition(slot, a, b, bits):
                return at + 1 + slot.off
        elif slot.code in (0xC3, 0xDB):
            self.atomic(at, slot)
        else:
            self.access(at, slot)
        return at + 1

    def run(self) -> str:
        at, executed = 0, 1
        try:
            while self.slots[at].code != 0x95 or self.frames:
                after = self.step(at)
                executed += 2 if self.slots[at].code == 0x18 else 1
                at = after
        except Fault as fault:
            return str(fault)
        registers = " ".join(f"{value:#x}" for value in self.regs[:10])
        return f"exit {executed} {registers} {self.memory.hex()}".rstrip()
