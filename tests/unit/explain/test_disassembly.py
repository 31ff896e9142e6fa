"""The AArch64 engine on code assembled by hand, so that no cross compiler is needed."""

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from whyfast.explain.disassembly import Aarch64Disassembler
from whyfast.explain.program import explain_program

TEXT = 0x40_0000
RODATA = TEXT + 0x1_0000
RET, NOP = 0xD65F03C0, 0xD503201F


def words(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}I", *values)


def adr(register: int, distance: int) -> int:
    return 0x10000000 | (distance & 3) << 29 | (distance >> 2 & 0x7FFFF) << 5 | register


@pytest.mark.parametrize(
    ("word", "kind", "target"),
    [
        (0x14000004, "direct jump", TEXT + 16),
        (0x17FFFFFF, "direct jump", TEXT - 4),
        (0x94000004, "direct call", TEXT + 16),
        (0x54000088, "conditional jump", TEXT + 16),  # b.hi
        (0xB4000080, "conditional jump", TEXT + 16),  # cbz x0
        (0x36180080, "conditional jump", TEXT + 16),  # tbz w0, #3
        (0xD61F0040, "indirect jump", None),  # br x2
        (0xD61F081F, "indirect jump", None),  # braaz x0
        (0xD71F0801, "indirect jump", None),  # braa x0, x1
        (0xD63F0040, "indirect call", None),  # blr x2
        (0xD63F081F, "indirect call", None),  # blraaz x0
        (RET, "return", None),
        (0xD65F0BFF, "return", None),  # retaa
        (NOP, "other", None),
        (0x8B030842, "other", None),  # add x2, x2, x3, lsl #2
        (0xFFFFFFFF, "other", None),  # no instruction
    ],
)
def test_kinds(word: int, kind: str, target: int | None) -> None:
    first, second = Aarch64Disassembler().decode(words(word, NOP), TEXT)
    assert (first.kind, first.target) == (kind, target)
    assert (second.address, second.size) == (TEXT + 4, 4)


def test_address_in_two_instructions() -> None:
    code = words(0x90000081, 0x91004021)  # adrp x1, +0x10000; add x1, x1, #0x10
    *_, last = Aarch64Disassembler().decode(code, TEXT, hints=True)
    assert (last.reference, last.use) == (RODATA + 0x10, "forms")


@pytest.fixture
def program(tmp_path: Path, make_elf: Callable[..., bytes]) -> Path:
    loop = words(
        0x7100141F,  # 0x00 cmp w0, #5
        0x54000288,  # 0x04 b.hi 0x54
        0x90000081,  # 0x08 adrp x1, table
        0x91004021,  # 0x0c add x1, x1, #0x10
        adr(2, 0x10),  # 0x10 adr x2, 0x20
        0x38604823,  # 0x14 ldrb w3, [x1, w0, uxtw]
        0x8B030842,  # 0x18 add x2, x2, x3, lsl #2
        0xD61F0040,  # 0x1c br x2
        *(NOP, RET) * 6,  # 0x20 … 0x4c: six handlers
        RET,  # 0x50
        RET,  # 0x54
    )
    calls = words(
        0x94000003,  # 0x58 bl leaf (0x64)
        0xD63F0040,  # 0x5c blr x2
        0x14000001,  # 0x60 b leaf
    )
    leaf = words(RET)
    # Numbers of instructions from 0x20; what follows the six entries belongs to something else.
    table = bytes([0, 2, 4, 6, 8, 10]) + bytes([1, 3, 5, 7, 9, 11])
    code = make_elf(
        loop + calls + leaf,
        bytes(16) + table,
        {"vm_run": (0, 0x58), "caller": (0x58, 12), "leaf": (0x64, 4)},
        machine=183,
        text_at=TEXT,
    )
    path = tmp_path / "program"
    path.write_bytes(code)
    return path


def test_dispatch_through_a_byte_table(program: Path) -> None:
    evidence = explain_program(program, variant="v", dispatch=["vm_run"])
    assert evidence.architecture == "aarch64"
    assert evidence.dispatch is not None
    assert (evidence.dispatch.style, evidence.dispatch.form) == ("loop", "merged")
    assert (evidence.dispatch.indirect_jumps, evidence.dispatch.targets) == (1, 6)


def test_counts_and_names(program: Path) -> None:
    (caller,) = explain_program(program, variant="v", functions=["caller"]).functions
    assert (caller.size, caller.instructions, caller.section) == (12, 3, ".text")
    assert (caller.direct_calls, caller.indirect_calls, caller.tail_jumps) == (1, 1, 1)
    assert caller.callees == (("leaf", 1),)
    assert caller.tail_callees == (("leaf", 1),)
