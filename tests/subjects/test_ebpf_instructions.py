"""Every family of instructions: literal expectations, then random programs against a reference."""

import functools
import random
from collections.abc import Iterator

import pytest
from tests.subjects.conftest import FORMS, Case, Drive
from tests.subjects.ebpf_assembly import (
    EXIT,
    alu_k,
    alu_x,
    atomic,
    insn,
    jump_k,
    jump_x,
    lddw,
    load,
    mov,
    store,
    store_k,
)
from tests.subjects.ebpf_random import random_program
from tests.subjects.ebpf_reference import Machine

NO_LIMIT = 2**57

I32_MIN, I64_MIN = -(2**31), -(2**63)
ALL_ONES = 2**64 - 1

# operation, bits, left, right, result; right fits an immediate, and is tried as both
ALU = [
    ("add", 64, 1, -2, ALL_ONES),
    ("add", 64, ALL_ONES, 1, 0),
    ("add", 32, 0xFFFFFFFF, 1, 0),
    ("add", 32, 0xAAAAAAAA00000001, 2, 3),
    ("sub", 64, 1, 2, ALL_ONES),
    ("sub", 32, 1, 2, 0xFFFFFFFF),
    ("mul", 64, 3, -2, 2**64 - 6),
    ("mul", 64, 2**63, 2, 0),
    ("mul", 32, 0x10000, 0x10000, 0),
    ("mul", 32, 3, -2, 2**32 - 6),
    ("div", 64, 7, 2, 3),
    ("div", 64, ALL_ONES, -1, 1),
    ("div", 64, 7, 0, 0),
    ("div", 32, 0x100000009, 2, 4),
    ("div", 32, 0x100000009, 0, 0),
    ("sdiv", 64, -7, 2, 2**64 - 3),
    ("sdiv", 64, 7, -2, 2**64 - 3),
    ("sdiv", 64, 7, 0, 0),
    ("sdiv", 64, I64_MIN, -1, 2**63),
    ("sdiv", 32, -7, 2, 2**32 - 3),
    ("sdiv", 32, 7, 0, 0),
    ("sdiv", 32, I32_MIN, -1, 2**31),
    ("or", 64, 0xF0, 0x0F, 0xFF),
    ("or", 64, 0, -1, ALL_ONES),
    ("or", 32, 0xAAAAAAAA000000F0, 0x0F, 0xFF),
    ("and", 64, 0xABCD, 0xFF, 0xCD),
    ("and", 64, ALL_ONES, -2, 2**64 - 2),
    ("and", 32, ALL_ONES, -2, 2**32 - 2),
    ("lsh", 64, 1, 63, 2**63),
    ("lsh", 64, 1, 65, 2),
    ("lsh", 32, 3, 31, 2**31),
    ("lsh", 32, 1, 33, 2),
    ("rsh", 64, 2**63, 63, 1),
    ("rsh", 64, 8, 66, 2),
    ("rsh", 32, 0xFF80000000, 31, 1),
    ("rsh", 32, 8, 34, 2),
    ("mod", 64, 7, 4, 3),
    ("mod", 64, -1, 0, ALL_ONES),
    ("mod", 32, 0x500000007, 4, 3),
    ("mod", 32, 0x500000007, 0, 7),
    ("smod", 64, -7, 4, 2**64 - 3),
    ("smod", 64, 7, -4, 3),
    ("smod", 64, I64_MIN, -1, 0),
    ("smod", 64, -7, 0, 2**64 - 7),
    ("smod", 32, -7, 4, 2**32 - 3),
    ("smod", 32, I32_MIN, -1, 0),
    ("smod", 32, 0x500000007, 0, 7),
    ("xor", 64, 0xFF, 0x0F, 0xF0),
    ("xor", 64, 0, -1, ALL_ONES),
    ("xor", 32, 0xAAAAAAAA000000FF, 0x0F, 0xF0),
    ("mov", 64, 5, -3, 2**64 - 3),
    ("mov", 32, 5, -3, 2**32 - 3),
    ("arsh", 64, -8, 1, 2**64 - 4),
    ("arsh", 64, -8, 65, 2**64 - 4),
    ("arsh", 32, 0x80000000, 31, 0xFFFFFFFF),
    ("arsh", 32, 0x80000000, 33, 0xC0000000),
]

# instruction on r0 (and r1), r0 before, r1 before, r0 after
UNARY = [
    ("neg64", insn(0x87), 1, 0, ALL_ONES),
    ("neg64 of the least", insn(0x87), I64_MIN, 0, 2**63),
    ("neg32", insn(0x84), 0x500000001, 0, 0xFFFFFFFF),
    ("movsx 8 to 64", insn(0xBF, 0, 1, 8), 0, 0x1FF, ALL_ONES),
    ("movsx 16 to 64", insn(0xBF, 0, 1, 16), 0, 0x18000, 0xFFFFFFFFFFFF8000),
    ("movsx 32 to 64", insn(0xBF, 0, 1, 32), 0, 0x17FFFFFFF, 0x7FFFFFFF),
    ("movsx 8 to 32", insn(0xBC, 0, 1, 8), 0, 0x80, 0xFFFFFF80),
    ("movsx 16 to 32", insn(0xBC, 0, 1, 16), 0, 0x8000, 0xFFFF8000),
    ("le16", insn(0xD4, imm=16), 0x1122334455667788, 0, 0x7788),
    ("le32", insn(0xD4, imm=32), 0x1122334455667788, 0, 0x55667788),
    ("le64", insn(0xD4, imm=64), 0x1122334455667788, 0, 0x1122334455667788),
    ("be16", insn(0xDC, imm=16), 0x1122334455667788, 0, 0x8877),
    ("be32", insn(0xDC, imm=32), 0x1122334455667788, 0, 0x88776655),
    ("be64", insn(0xDC, imm=64), 0x1122334455667788, 0, 0x8877665544332211),
    ("bswap16", insn(0xD7, imm=16), 0x1122334455667788, 0, 0x8877),
    ("bswap32", insn(0xD7, imm=32), 0x1122334455667788, 0, 0x88776655),
    ("bswap64", insn(0xD7, imm=64), 0x1122334455667788, 0, 0x8877665544332211),
]

# condition, bits, left, right, taken
JUMPS = [
    ("jeq", 64, 5, 5, True),
    ("jeq", 64, 0x100000005, 5, False),
    ("jeq", 32, 0x100000005, 5, True),
    ("jne", 64, 5, 5, False),
    ("jne", 32, 5, 6, True),
    ("jgt", 64, -1, 1, True),
    ("jgt", 64, 1, 1, False),
    ("jgt", 32, 0x100000000, 1, False),
    ("jge", 64, 1, 1, True),
    ("jge", 64, 1, -1, False),
    ("jge", 32, 2, 1, True),
    ("jlt", 64, 1, -1, True),
    ("jlt", 32, -1, 1, False),
    ("jle", 64, 1, 1, True),
    ("jle", 32, 2, 1, False),
    ("jset", 64, 6, 2, True),
    ("jset", 64, 5, 2, False),
    ("jset", 64, 2**63, -1, True),
    ("jset", 32, 2**63, -1, False),
    ("jsgt", 64, -1, -2, True),
    ("jsgt", 64, -1, 1, False),
    ("jsgt", 32, 0xFFFFFFFF, 0, False),
    ("jsge", 64, -1, -1, True),
    ("jsge", 32, -2, -1, False),
    ("jslt", 64, -1, 1, True),
    ("jslt", 32, 0xFFFFFFFF, 0, True),
    ("jsle", 64, -1, -1, True),
    ("jsle", 32, 1, -1, False),
]


# operation, bits, in memory before, operand, r0, in memory after, result register, its value
OLD, OPERAND = 0x1122334455667788, 0xFF00FF00FF00FF00
ATOMIC = [
    ("add", 64, 1, ALL_ONES, 5, 0, 3, ALL_ONES),
    ("add", 32, OLD, 0xFFFFFFFF, 5, 0x1122334455667787, 3, 0xFFFFFFFF),
    ("or", 64, OLD, OPERAND, 5, OLD | OPERAND, 3, OPERAND),
    ("and", 64, OLD, OPERAND, 5, OLD & OPERAND, 3, OPERAND),
    ("xor", 64, OLD, OPERAND, 5, OLD ^ OPERAND, 3, OPERAND),
    ("or", 32, OLD, OPERAND, 5, 0x11223344FF66FF88, 3, OPERAND),
    ("and", 32, OLD, OPERAND, 5, 0x1122334455007700, 3, OPERAND),
    ("xor", 32, OLD, OPERAND, 5, 0x11223344AA668888, 3, OPERAND),
    ("fetch add", 64, OLD, 1, 5, OLD + 1, 3, OLD),
    ("fetch add", 32, 0xFFFFFFFF, 1, 5, 0, 3, 0xFFFFFFFF),
    ("fetch or", 64, OLD, OPERAND, 5, OLD | OPERAND, 3, OLD),
    ("fetch and", 64, OLD, OPERAND, 5, OLD & OPERAND, 3, OLD),
    ("fetch xor", 64, OLD, OPERAND, 5, OLD ^ OPERAND, 3, OLD),
    ("fetch or", 32, OLD, OPERAND, 5, 0x11223344FF66FF88, 3, 0x55667788),
    ("fetch and", 32, OLD, OPERAND, 5, 0x1122334455007700, 3, 0x55667788),
    ("fetch xor", 32, OLD, OPERAND, 5, 0x11223344AA668888, 3, 0x55667788),
    ("xchg", 64, OLD, OPERAND, 5, OPERAND, 3, OLD),
    ("xchg", 32, OLD, OPERAND, 5, 0x11223344FF00FF00, 3, 0x55667788),
    ("cmpxchg", 64, OLD, OPERAND, OLD, OPERAND, 0, OLD),
    ("cmpxchg", 64, OLD, OPERAND, OLD + 1, OLD, 0, OLD),
    ("cmpxchg", 32, OLD, OPERAND, 0x55667788, 0x11223344FF00FF00, 0, 0x55667788),
    ("cmpxchg", 32, OLD, OPERAND, OLD, 0x11223344FF00FF00, 0, 0x55667788),
    ("cmpxchg", 32, OLD, OPERAND, 5, OLD, 0, 0x55667788),
]


def result(answer: str) -> int:
    assert answer.startswith("exit "), answer
    return int(answer.split()[2], 16)


@pytest.mark.parametrize("form", FORMS)
def test_compare_and_exchange_with_r10(drive: Drive, form: str) -> None:
    """r10 is only read: what was there goes to r0."""
    cases = []
    for held in (0, 5):
        start = store_k(8, 10, -8, held) + mov(0, 5)
        exchange = atomic("cmpxchg", 64, 10, -8, 10) + load(8, 1, 10, -8)
        cases.append((start + exchange + insn(0x1F, 1, 10) + EXIT, b"", NO_LIMIT))
    answers = [answer.split()[2:4] for answer in drive(form, cases)]
    assert answers == [["0x0", hex(2**64 - 2**32 - 512)], ["0x5", "0x0"]]


@pytest.mark.parametrize("form", FORMS)
def test_arithmetic(drive: Drive, form: str) -> None:
    cases, expected = [], []
    for operation, bits, left, right, wanted in ALU:
        for step in (
            alu_k(operation, bits, 3, right),
            lddw(7, right) + alu_x(operation, bits, 3, 7),
        ):
            cases.append((lddw(3, left) + step + insn(0xBF, 0, 3) + EXIT, b"", NO_LIMIT))
            expected.append(wanted)
    got = [result(answer) for answer in drive(form, cases)]
    assert got == expected


@pytest.mark.parametrize("form", FORMS)
def test_one_operand(drive: Drive, form: str) -> None:
    cases = [
        (lddw(0, r0) + lddw(1, r1) + step + EXIT, b"", NO_LIMIT) for _, step, r0, r1, _ in UNARY
    ]
    got = [result(answer) for answer in drive(form, cases)]
    names = [name for name, *_ in UNARY]
    assert dict(zip(names, got, strict=True)) == {name: after for name, *_, after in UNARY}


@pytest.mark.parametrize("form", FORMS)
def test_jumps(drive: Drive, form: str) -> None:
    cases, expected = [], []
    for condition, bits, left, right, taken in JUMPS:
        for start, step in (
            (lddw(3, left), jump_k(condition, bits, 3, right, 1)),
            (lddw(3, left) + lddw(4, right), jump_x(condition, bits, 3, 4, 1)),
        ):
            program = start + mov(0, 1) + step + mov(0, 0) + EXIT
            cases.append((program, b"", NO_LIMIT))
            expected.append(int(taken))
    got = [result(answer) for answer in drive(form, cases)]
    assert got == expected


@pytest.mark.parametrize("form", FORMS)
def test_loads_and_stores(drive: Drive, form: str) -> None:
    memory = bytes([0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88])
    loads = {
        load(1, 0, 1, 0): 0x81,
        load(2, 0, 1, 0): 0x8281,
        load(4, 0, 1, 0): 0x84838281,
        load(8, 0, 1, 0): 0x8887868584838281,
        load(1, 0, 1, 7): 0x88,
        load(2, 0, 1, 3): 0x8584,
        load(1, 0, 1, 0, signed=True): 0xFFFFFFFFFFFFFF81,
        load(2, 0, 1, 0, signed=True): 0xFFFFFFFFFFFF8281,
        load(4, 0, 1, 0, signed=True): 0xFFFFFFFF84838281,
    }
    answers = drive(form, [(step + EXIT, memory, NO_LIMIT) for step in loads])
    assert [result(answer) for answer in answers] == list(loads.values())

    value = lddw(3, 0x1122334455667788)
    stores = {
        value + store(1, 1, 0, 3): "8882838485868788",
        value + store(2, 1, 6, 3): "8182838485868877",
        value + store(4, 1, 1, 3): "8188776655868788",
        value + store(8, 1, 0, 3): "8877665544332211",
        store_k(1, 1, 7, 0x1FF): "81828384858687ff",
        store_k(2, 1, 0, -2): "feff838485868788",
        store_k(4, 1, 0, -2): "feffffff85868788",
        store_k(8, 1, 0, -2): "feffffffffffffff",
    }
    answers = drive(form, [(step + EXIT, memory, NO_LIMIT) for step in stores])
    assert [answer.split()[-1] for answer in answers] == list(stores.values())


@pytest.mark.parametrize("form", FORMS)
def test_atomic_operations(drive: Drive, form: str) -> None:
    cases = []
    for operation, bits, before, operand, r0, *_ in ATOMIC:
        start = lddw(0, r0) + lddw(3, operand) + lddw(4, before) + store(8, 1, 0, 4)
        step = atomic(operation, bits, 1, 0, 3)
        cases.append((start + step + EXIT, bytes(8), NO_LIMIT))
    for (*_, after, register, value), answer in zip(ATOMIC, drive(form, cases), strict=True):
        words = answer.split()
        assert int.from_bytes(bytes.fromhex(words[-1]), "little") == after
        assert int(words[2 + register], 16) == value


@pytest.mark.parametrize("form", FORMS)
def test_long_jump_wide_immediate_and_loop(drive: Drive, form: str) -> None:
    gotol = mov(0, 1) + insn(0x06, imm=1) + mov(0, 2) + EXIT
    wide = lddw(0, 0xFEDCBA9876543210) + EXIT
    loop = mov(0, 0) + mov(3, 10) + alu_x("add", 64, 0, 3) + alu_k("sub", 64, 3, 1)
    loop += jump_k("jne", 64, 3, 0, -3) + EXIT
    answers = drive(form, [(code, b"", NO_LIMIT) for code in (gotol, wide, loop)])
    assert [result(answer) for answer in answers] == [1, 0xFEDCBA9876543210, 55]
    assert answers[2].split()[1] == "33"  # 2 before, 10 rounds of 3, exit


def random_cases(count: int) -> Iterator[Case]:
    rng = random.Random(9669)
    for _ in range(count):
        yield random_program(rng), rng.randbytes(rng.choice([8, 16, 24])), NO_LIMIT


@functools.cache
def reference_answers(count: int) -> list[str]:
    return [Machine(code, memory).run() for code, memory, _ in random_cases(count)]


@pytest.mark.parametrize("form", FORMS)
def test_random_programs_agree_with_the_reference(drive: Drive, form: str) -> None:
    wanted = reference_answers(3000)
    assert drive(form, list(random_cases(len(wanted)))) == wanted
    kinds = [answer.split()[0] for answer in wanted]
    assert kinds.count("exit") > 1000
    assert kinds.count("fault") > 300
