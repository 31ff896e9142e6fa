"""What the verifier refuses, and that nothing gets through which would crash the interpreter."""

import random

import pytest
from tests.golden_files import Hear
from tests.subjects.conftest import FORMS, Drive
from tests.subjects.ebpf_assembly import EXIT, insn, lddw, load, mov, store

REFUSED = {
    "empty": (b"", "the program is empty"),
    "ragged": (EXIT + b"\x00", "9 bytes are no whole number of 8-byte instructions"),
    "unknown opcode": (insn(0xFF) + EXIT, "instruction 0: unknown opcode 0xff"),
    "opcode zero": (insn(0x00) + EXIT, "instruction 0: unknown opcode 0x00"),
    "callx": (insn(0x8D) + EXIT, "instruction 0: unknown opcode 0x8d"),
    "64-bit sign-extending load": (insn(0x99) + EXIT, "instruction 0: unknown opcode 0x99"),
    "unsigned add with an offset": (
        insn(0x07, off=1) + EXIT,
        "instruction 0: unknown opcode 0x07 with offset 1",
    ),
    "sign-extending move of an immediate": (
        mov(0, 0) + insn(0xB7, off=8) + EXIT,
        "instruction 1: unknown opcode 0xb7 with offset 8",
    ),
    "32-bit move sign-extending 32 bits": (
        insn(0xBC, off=32) + EXIT,
        "instruction 0: unknown opcode 0xbc with offset 32",
    ),
    "byte swap of 24 bits": (
        insn(0xD7, imm=24) + EXIT,
        "instruction 0: unknown opcode 0xd7 with width 24",
    ),
    "unknown atomic operation": (
        insn(0xDB, 10, 0, -8, 0x10) + EXIT,
        "instruction 0: unknown opcode 0xdb with operation 16",
    ),
    "atomic operation on a byte": (
        insn(0xD3, 10, 0, -8) + EXIT,
        "instruction 0: unknown opcode 0xd3",
    ),
    "fetching to r10": (insn(0xDB, 1, 10, 0, 1) + EXIT, "instruction 0: r10 is read-only"),
    "packet access": (insn(0x20) + EXIT, "instruction 0: legacy packet access is not supported"),
    "call out of the program": (
        insn(0x85, src=1, imm=1) + EXIT,
        "instruction 0: call to 2 leaves the program",
    ),
    "call into lddw": (
        insn(0x85, src=1, imm=1) + lddw(0, 1) + EXIT,
        "instruction 0: call to 2, the second half of lddw",
    ),
    "local call with an offset": (
        insn(0x85, src=1, off=1) + EXIT,
        "instruction 0: the offset is not used and must be zero",
    ),
    "call by type": (insn(0x85, src=2) + EXIT, "instruction 0: call of kind 2 is not supported"),
    "unknown helper": (insn(0x85, imm=99) + EXIT, "instruction 0: unknown helper 99"),
    "map": (
        insn(0x18, 1, 1) + insn(0) + EXIT,
        "instruction 0: lddw of kind 1 (a map by its descriptor) is not supported",
    ),
    "variable": (
        insn(0x18, 1, 3) + insn(0) + EXIT,
        "instruction 0: lddw of kind 3 (a variable) is not supported",
    ),
    "lddw of no kind": (
        insn(0x18, 1, 7) + insn(0) + EXIT,
        "instruction 0: lddw of kind 7 is unknown",
    ),
    "destination register": (mov(11, 0) + EXIT, "instruction 0: there is no register r11"),
    "source register": (insn(0xBF, 0, 15) + EXIT, "instruction 0: there is no register r15"),
    "move to r10": (mov(10, 0) + EXIT, "instruction 0: r10 is read-only"),
    "load to r10": (load(8, 10, 10, -8) + EXIT, "instruction 0: r10 is read-only"),
    "lddw to r10": (lddw(10, 1) + EXIT, "instruction 0: r10 is read-only"),
    "unused source": (
        insn(0xB7, 0, 1) + EXIT,
        "instruction 0: the source register is not used and must be zero",
    ),
    "unused immediate": (
        insn(0xBF, 0, 1, imm=1) + EXIT,
        "instruction 0: the immediate is not used and must be zero",
    ),
    "unused offset": (
        insn(0x85, off=1, imm=7) + EXIT,
        "instruction 0: the offset is not used and must be zero",
    ),
    "unused destination": (
        insn(0x95, 1),
        "instruction 0: the destination register is not used and must be zero",
    ),
    "jump past the end": (insn(0x05, off=1) + EXIT, "instruction 0: jump to 2 leaves the program"),
    "jump before the start": (
        mov(0, 0) + insn(0x15, off=-3) + EXIT,
        "instruction 1: jump to -1 leaves the program",
    ),
    "long jump": (
        insn(0x06, imm=2**31 - 1) + EXIT,
        "instruction 0: jump to 2147483648 leaves the program",
    ),
    "jump into lddw": (
        insn(0x05, off=1) + lddw(0, 1) + EXIT,
        "instruction 0: jump to 2, the second half of lddw",
    ),
    "half of lddw": (insn(0x18), "instruction 0: the second half of lddw is missing"),
    "lddw in lddw": (
        insn(0x18) + insn(0x18) + insn(0) + EXIT,
        "instruction 0: the second half of lddw is not empty",
    ),
    "no exit": (mov(0, 0), "instruction 0: the last instruction is neither exit nor ja"),
    "lddw at the end": (lddw(0, 1), "instruction 0: the last instruction is neither exit nor ja"),
    "conditional jump at the end": (
        EXIT + insn(0x15, off=-2),
        "instruction 1: the last instruction is neither exit nor ja",
    ),
    "too long": (mov(0, 0) * 2**16 + EXIT, "the program has 65537 instructions, more than 65536"),
}

STACK, MEMORY = 1 << 32, 2 << 32


def test_refusals(drive: Drive) -> None:
    answers = drive("GOTO", [(code, b"", 100) for code, _ in REFUSED.values()])
    got = dict(zip(REFUSED, answers, strict=True))
    assert got == {name: f"refused {message}" for name, (_, message) in REFUSED.items()}


def test_a_jump_backwards_may_end_a_program(drive: Drive) -> None:
    program = insn(0x05, off=1) + EXIT + insn(0x05, off=-2)
    assert drive("GOTO", [(program, b"", 100)])[0].startswith("exit 3 0x0")


@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_every_access_is_bounded_on_both_sides(drive: Drive, size: int) -> None:
    memory = bytes(16)
    edges = []
    for start, length in ((STACK, 512), (MEMORY, 16)):
        edges += [(start - 1, False), (start, True)]
        edges += [(start + length - size, True), (start + length - size + 1, False)]
        edges += [(start + length, False), (start + 2**34, False), (start - 2**34, False)]
    edges += [(0, False), (2**64 - 1, False), (2**64 - size, False), (3 << 32, False)]
    for what, step in (("load", load(size, 0, 3, 0)), ("store", store(size, 3, 0, 0))):
        answers = drive("GOTO", [(lddw(3, at) + step + EXIT, memory, 100) for at, _ in edges])
        for (at, allowed), answer in zip(edges, answers, strict=True):
            fault = f"fault instruction 2: {what} of {size} bytes at {at % 2**64:#x}"
            assert answer.startswith("exit" if allowed else fault), hex(at)


def test_without_memory_its_addresses_fault(drive: Drive, golden: Hear) -> None:
    answer = drive("GOTO", [(lddw(3, MEMORY) + load(1, 0, 3, 0) + EXIT, b"", 100)])
    golden(*answer)


@pytest.mark.parametrize("form", FORMS)
def test_endless_loops_stop(drive: Drive, form: str) -> None:
    loops = {
        insn(0x05, off=-1): 0,
        mov(0, 0) + insn(0x06, imm=-2): 1,
        mov(0, 0) + insn(0x15, off=-2) + EXIT: 1,
        insn(0x05, off=1) + EXIT + insn(0x05, off=-3): 2,
    }
    answers = drive(form, [(code, b"", 10**6) for code in loops])
    message = "fault instruction {}: the instruction budget is used up"
    assert answers == [message.format(at) for at in loops.values()]


def test_a_program_within_its_budget_is_not_stopped(drive: Drive) -> None:
    loop = mov(3, 100) + insn(0x17, 3, imm=1) + insn(0x55, 3, off=-2) + EXIT
    assert drive("GOTO", [(loop, b"", 202)])[0].startswith("exit 202 ")
    assert drive("GOTO", [(loop, b"", 150)])[0].startswith("fault")


COMMON = bytes.fromhex("07 0f 17 2f 37 3f 9f b7 bf c7 d4 87 18 61 79 7b 73 72 05 15 1d 2e 66 85 95")


def plausible_slot(rng: random.Random) -> bytes:
    """Mostly known opcodes with mostly sensible fields, so that some programs are accepted."""
    code = rng.choice([*COMMON, rng.randrange(256)])
    imm = {0xD4: 32, 0x85: rng.choice([5, 7, 8, 12])}.get(code, rng.randrange(-8, 8))
    uses_src = code & 7 in (1, 3) or (code & 8 and code & 7 >= 4 and code not in (0xD4, 0x18))
    uses_off = code & 7 in (1, 2, 3, 5, 6) and code not in (0x85, 0x95)
    uses_imm = code & 7 in (2, 4, 7, 5, 6) and not uses_src and code not in (0x05, 0x87, 0x95)
    fields = insn(
        code,
        0 if code in (0x05, 0x85, 0x95) else rng.randrange(11),
        rng.randrange(11) if uses_src else 0,
        rng.randrange(-8, 8) if uses_off else 0,
        imm if uses_imm or code == 0x85 else 0,
    )
    return fields + insn(0, imm=imm) if code == 0x18 else fields


@pytest.mark.parametrize("form", FORMS)
def test_random_bytes_never_crash(drive: Drive, form: str) -> None:
    rng = random.Random(2024)
    cases = [(rng.randbytes(rng.randrange(200)), rng.randbytes(8), 10_000) for _ in range(1000)]
    for _ in range(4000):
        code = b"".join(plausible_slot(rng) for _ in range(rng.randrange(1, 6))) + EXIT
        cases.append((code, rng.randbytes(rng.randrange(20)), 10_000))
    answers = drive(form, cases)
    kinds = [answer.split()[0] for answer in answers]
    assert set(kinds) == {"refused", "fault", "exit"}
    assert kinds.count("exit") > 100
    assert kinds.count("fault") > 100


def test_a_flipped_bit_never_crashes(drive: Drive) -> None:
    rng = random.Random(7)
    good = lddw(0, 5) + store(8, 10, -8, 0) + load(4, 3, 10, -8) + insn(0x2D, 3, 0, 1)
    good += insn(0x85, imm=7) + insn(0x07, 0, imm=3) + insn(0x55, 3, off=-3) + EXIT
    cases = []
    for bit in range(8 * len(good)):
        flipped = bytearray(good)
        flipped[bit // 8] ^= 1 << bit % 8
        cases.append((bytes(flipped), rng.randbytes(8), 10_000))
    assert len(drive("GOTO", cases)) == len(cases)
