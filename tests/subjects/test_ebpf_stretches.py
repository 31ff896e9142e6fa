"""The stretches of the pinned form do what their instructions do one by one."""

import functools
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.subjects.conftest import SUBJECT, Case, Drive
from tests.subjects.ebpf_assembly import (
    ALU_OPERATIONS,
    EXIT,
    alu_k,
    alu_x,
    insn,
    jump_k,
    jump_x,
    lddw,
    load,
    store,
    store_k,
)
from tests.subjects.ebpf_reference import MEMORY, STACK, Machine

#: A step and its letters: A and B registers of the handler, P the one written last, X any place.
Step = tuple[str, str, str]
SIZES = {"b": 1, "h": 2, "w": 4, "dw": 8}


def stretches(path: Path) -> Iterator[list[Step]]:
    for words in re.findall(r"^STRETCH\(\d, \d, (.*)\)$", path.read_text(), flags=re.MULTILINE):
        parts = words.split(", ")
        yield [(parts[i], parts[i + 1], parts[i + 2]) for i in range(0, len(parts), 3)]


STRETCHES = list(stretches(SUBJECT / "stretches.inc"))


def encode(step: str, dst: int, src: int | None, rng: random.Random) -> bytes:
    """``src`` None: a constant."""
    imm = rng.choice([0, 1, -1, 8, 16, 31, 40, 63, rng.randrange(-(2**31), 2**31)])
    off = rng.choice([0, 1, 2])
    if step == "ja":
        return insn(0x05, off=off)
    access = re.fullmatch(r"(ldx|stx|fld|fst)(s?)(b|h|w|dw)", step)
    if access:
        size, in_frame = SIZES[access[3]], access[1][0] == "f"
        place = -8 * rng.randrange(1, 5) if in_frame else rng.choice([0, 0, 8])
        if access[1] in ("ldx", "fld"):
            base = 10 if in_frame else src
            return load(size, dst, base or 0, place, signed=bool(access[2]))
        base = 10 if in_frame else dst
        return store_k(size, base, place, imm) if src is None else store(size, base, place, src)
    match = re.fullmatch(r"(j?[a-z]+)(64|32)", step)
    assert match, step
    operation, bits = match[1], int(match[2])
    if operation in ALU_OPERATIONS:
        return alu_k(operation, bits, dst, imm) if src is None else alu_x(operation, bits, dst, src)
    if src is None:
        return jump_k(operation, bits, dst, imm, off)
    return jump_x(operation, bits, dst, src, off)


def program(steps: list[Step], rng: random.Random) -> bytes:
    """Registers, perhaps a jump into the middle, the stretch, and what tells how it was left."""
    numbers = [0, 1, 8, 40, 2**32 - 1, 2**64 - 1, MEMORY, MEMORY, MEMORY + 8, STACK + 256]
    numbers += [rng.getrandbits(64), rng.getrandbits(31)]
    code = b"".join(lddw(register, rng.choice(numbers)) for register in range(10))
    letters = dict(zip("AB", rng.sample(range(10), 2), strict=True)) | {"P": rng.randrange(10)}
    if rng.random() < 0.2:
        code += insn(0x05, off=rng.randrange(2, 2 + len(steps)))
    code += lddw(letters["P"], rng.choice(numbers))
    for step, d, s in steps:
        dst = letters.get(d, rng.randrange(10))
        src = letters.get(s, rng.choice([None, rng.randrange(11)]))
        if src is None and step.startswith(("ldx", "fld")):
            src = rng.randrange(10)
        code += encode(step, dst, src, rng)
    return code + alu_k("add", 64, 0, 1) * 2 + EXIT


@functools.cache
def cases() -> list[Case]:
    rng = random.Random(48)
    return [
        (program(steps, rng), rng.randbytes(16), 2**57) for steps in STRETCHES for _ in range(10)
    ]


def test_there_are_stretches() -> None:
    assert len(STRETCHES) > 100
    assert {len(steps) for steps in STRETCHES} == {2, 3, 4}
    assert len({tuple(steps) for steps in STRETCHES}) == len(STRETCHES)


@pytest.mark.parametrize("form", ["GOTO", "PINNED"])
def test_a_stretch_does_what_its_instructions_do(drive: Drive, form: str) -> None:
    wanted = [Machine(code, memory).run() for code, memory, _ in cases()]
    assert drive(form, cases()) == wanted
    kinds = [answer.split()[0] for answer in wanted]
    assert kinds.count("exit") > len(kinds) / 2
    assert kinds.count("fault") > 100
