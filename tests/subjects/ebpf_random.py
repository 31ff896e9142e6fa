"""Random eBPF programs: registers full of interesting numbers, then anything, that ends."""

import random

from tests.subjects.ebpf_assembly import (
    ALU_OPERATIONS,
    ATOMIC_OPERATIONS,
    EXIT,
    JUMP_CONDITIONS,
    alu_k,
    alu_x,
    atomic,
    call,
    call_local,
    insn,
    jump_k,
    jump_x,
    lddw,
    load,
    store,
    store_k,
)


def arithmetic(rng: random.Random) -> bytes:
    dst, src = rng.randrange(10), rng.randrange(11)
    imm = rng.choice([0, 1, -1, 31, 63, -(2**31), 2**31 - 1, rng.randrange(-(2**31), 2**31)])
    bits = rng.choice([32, 64])
    match rng.choice("aaaabbcde"):
        case "a":
            return alu_k(rng.choice(list(ALU_OPERATIONS)), bits, dst, imm)
        case "b":
            return alu_x(rng.choice(list(ALU_OPERATIONS)), bits, dst, src)
        case "c":
            code, width = rng.choice([(0xBF, 8), (0xBF, 16), (0xBF, 32), (0xBC, 8), (0xBC, 16)])
            return insn(code, dst, src, width)
        case "d":
            return insn(rng.choice([0x84, 0x87]), dst)
        case _:
            return insn(rng.choice([0xD4, 0xDC, 0xD7]), dst, imm=rng.choice([16, 32, 64]))


def memory(rng: random.Random) -> bytes:
    """Mostly inside the stack, where programs find again what they stored."""
    dst, src = rng.randrange(10), rng.randrange(11)
    size = rng.choice([1, 2, 4, 8])
    off = -8 * rng.randrange(1, 5)
    match rng.choice("llssak"):
        case "l":
            off += rng.choice([0, 0, 0, 1, -3, 40])
            extends = size < 8 and rng.random() < 0.5
            return load(size, dst, rng.choice([10, 10, 10, src]), off, signed=extends)
        case "k":
            return store_k(size, 10, off, rng.randrange(-(2**31), 2**31))
        case "a":
            operation = rng.choice(list(ATOMIC_OPERATIONS))
            return atomic(operation, rng.choice([32, 64]), 10, off, dst)
        case _:
            return store(size, 10, off, src)


def jump(rng: random.Random, furthest: int) -> bytes:
    off, bits = rng.randrange(furthest + 1), rng.choice([32, 64])
    condition, dst = rng.choice(list(JUMP_CONDITIONS)), rng.randrange(10)
    if rng.random() < 0.1:
        return insn(0x05, off=off) if bits == 64 else insn(0x06, imm=off)
    if rng.random() < 0.5:
        return jump_k(condition, bits, dst, rng.randrange(-2, 3), off)
    return jump_x(condition, bits, dst, rng.randrange(10), off)


def function(rng: random.Random, start: int, starts: list[int]) -> bytes:
    """Jumps forward only; calls one of the functions at ``starts``, helpers, the program again."""
    body = b""
    length = rng.randrange(1, 30)
    for left in reversed(range(length)):
        place = rng.random()
        if place < 0.12:
            body += jump(rng, left)
        elif place < 0.18 and starts:
            body += call_local(rng.choice(starts) - (start + len(body) // 8 + 1))
        elif place < 0.20:
            body += call(rng.choice([7, 7, 8, 12]))
        elif place < 0.5:
            body += memory(rng)
        else:
            body += arithmetic(rng)
    return body


def random_program(rng: random.Random) -> bytes:
    interesting = [
        0,
        1,
        2**31,
        2**32 - 1,
        2**63,
        2**64 - 1,
        rng.getrandbits(64),
        rng.getrandbits(32),
    ]
    start = b"".join(lddw(register, rng.choice(interesting)) for register in (0, *range(3, 10)))
    # The functions come first, so that their places are known to those who call them; one that
    # calls itself ends in a fault.
    starts: list[int] = []
    functions = b""
    for _ in range(rng.choice([0, 0, 1, 2, 3])):
        place = 1 + len(functions) // 8
        callable_ = [*starts, place] if rng.random() < 0.05 else starts
        functions += function(rng, place, callable_) + EXIT
        starts.append(place)
    before = insn(0x05, off=len(functions) // 8) + functions + start
    end = store(8, 1, 0, 0) if rng.random() < 0.5 else b""
    return before + function(rng, len(before) // 8, starts) + end + EXIT
