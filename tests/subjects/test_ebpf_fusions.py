"""The superinstructions of the pinned form do what their instructions do one by one."""

from __future__ import annotations

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
)
from tests.subjects.ebpf_reference import MEMORY, STACK, Machine

Step = tuple[str, str, str]


def fusions(path: Path) -> Iterator[list[Step]]:
    for words in re.findall(r"^FUSE\d\(\d, (.*)\)$", path.read_text(), flags=re.MULTILINE):
        parts = words.split(", ")
        yield [(parts[i], parts[i + 1], parts[i + 2]) for i in range(0, len(parts), 3)]


FUSIONS = list(fusions(SUBJECT / "fusions.inc"))


def encode(name: str, dst: int, src: int, rng: random.Random) -> bytes:
    imm = rng.choice([0, 1, -1, 8, 16, 31, 40, 63, rng.randrange(-(2**31), 2**31)])
    off = rng.choice([0, 1, 2])
    if name == "ja":
        return insn(0x05, off=off)
    if name.startswith(("ldx", "stx")):
        size, place = {"b": 1, "h": 2, "w": 4, "dw": 8}[name[3:]], rng.choice([0, 0, 8])
        return load(size, dst, src, place) if name[0] == "l" else store(size, dst, place, src)
    match = re.fullmatch(r"(j?[a-z]+)(64|32)_([kx])", name)
    assert match, name
    operation, bits, operand = match[1], int(match[2]), match[3]
    if operation in ALU_OPERATIONS:
        register = alu_x(operation, bits, dst, src)
        return register if operand == "x" else alu_k(operation, bits, dst, imm)
    if operand == "x":
        return jump_x(operation, bits, dst, src, off)
    return jump_k(operation, bits, dst, imm, off)


def program(steps: list[Step], rng: random.Random) -> bytes:
    """Registers, perhaps a jump into the middle, the stretch, and what tells how it was left."""
    numbers = [0, 1, 8, 40, 2**32 - 1, 2**64 - 1, MEMORY, MEMORY + 8, STACK + 256]
    numbers += [rng.getrandbits(64), rng.getrandbits(31)]
    code = b"".join(lddw(register, rng.choice(numbers)) for register in range(10))
    chosen = {"A": rng.randrange(10), "B": rng.randrange(10)}
    if rng.random() < 0.3:
        code += insn(0x05, off=rng.randrange(len(steps)))
    for name, dst, src in steps:
        code += encode(name, chosen[dst], chosen[src], rng)
    return code + alu_k("add", 64, 0, 1) * 2 + EXIT


@functools.cache
def cases() -> list[Case]:
    rng = random.Random(48)
    return [(program(steps, rng), rng.randbytes(16), 2**57) for steps in FUSIONS for _ in range(40)]


def test_there_are_fusions() -> None:
    assert len(FUSIONS) > 30
    assert {len(steps) for steps in FUSIONS} == {2, 3, 4}


@pytest.mark.parametrize("form", ["GOTO", "PINNED"])
def test_a_stretch_does_what_its_instructions_do(drive: Drive, form: str) -> None:
    wanted = [Machine(code, memory).run() for code, memory, _ in cases()]
    assert drive(form, cases()) == wanted
    kinds = [answer.split()[0] for answer in wanted]
    assert kinds.count("exit") > len(kinds) / 2
    assert kinds.count("fault") > 20
