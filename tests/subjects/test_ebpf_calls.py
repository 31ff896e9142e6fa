"""Local calls: their frames, what they keep, and how deep they go."""

import pytest
from tests.golden_files import Hear
from tests.subjects.conftest import FORMS, Drive
from tests.subjects.ebpf_assembly import (
    EXIT,
    alu_k,
    alu_x,
    call,
    call_local,
    insn,
    load,
    mov,
    store,
)

NO_LIMIT = 2**57


def one(drive: Drive, form: str, program: bytes, memory: bytes = b"") -> str:
    return drive(form, [(program, memory, NO_LIMIT)])[0]


@pytest.mark.parametrize("form", FORMS)
def test_a_call_passes_r1_to_r5_and_returns_r0(drive: Drive, form: str) -> None:
    program = b"".join(mov(register, 10**register) for register in range(1, 6))
    program += call_local(1) + EXIT
    program += mov(0, 0) + b"".join(alu_x("add", 64, 0, register) for register in range(1, 6))
    assert one(drive, form, program + EXIT).split()[:3] == ["exit", "14", hex(111110)]


@pytest.mark.parametrize("form", FORMS)
def test_r6_to_r9_are_as_before_the_call(drive: Drive, form: str) -> None:
    program = b"".join(mov(register, register) for register in range(6, 10))
    program += call_local(1) + EXIT
    program += b"".join(mov(register, 0) for register in range(10)) + EXIT
    assert one(drive, form, program).split()[8:12] == ["0x6", "0x7", "0x8", "0x9"]


@pytest.mark.parametrize("form", FORMS)
def test_each_function_has_a_frame_of_its_own(drive: Drive, form: str) -> None:
    program = mov(6, 1) + store(8, 10, -8, 6) + call_local(2) + load(8, 0, 10, -8) + EXIT
    program += mov(6, 2) + store(8, 10, -8, 6) + EXIT
    assert one(drive, form, program).split()[2] == "0x1"


@pytest.mark.parametrize("form", FORMS)
def test_a_function_reaches_the_stack_of_its_caller_by_a_pointer(drive: Drive, form: str) -> None:
    program = insn(0xBF, 1, 10) + call_local(2) + load(8, 0, 10, -8) + EXIT
    program += mov(6, 77) + store(8, 1, -8, 6) + EXIT
    assert one(drive, form, program).split()[2] == hex(77)


@pytest.mark.parametrize("form", FORMS)
def test_the_frame_of_a_function_is_gone_when_it_returns(drive: Drive, form: str) -> None:
    program = call_local(2) + load(8, 0, 0, -8) + EXIT + insn(0xBF, 0, 10) + EXIT
    fault = "fault instruction 1: load of 8 bytes at 0x1000003f8 is out of bounds"
    assert one(drive, form, program) == fault


def nested(depth: int) -> bytes:
    """A function that calls itself until r1 is 0."""
    program = mov(0, 0) + mov(1, depth) + call_local(1) + EXIT
    return program + alu_k("sub", 64, 1, 1) + insn(0x15, 1, off=1) + call_local(-3) + EXIT


@pytest.mark.parametrize("form", FORMS)
def test_eight_frames_and_not_nine(drive: Drive, form: str) -> None:
    assert one(drive, form, nested(7)).startswith("exit ")
    fault = "fault instruction 6: local calls are nested deeper than 8 frames"
    assert one(drive, form, nested(8)) == fault


@pytest.mark.parametrize("form", FORMS)
def test_a_tail_call_in_a_function_returns_to_its_caller(drive: Drive, form: str) -> None:
    # The second time around, r6 is 1 and the program leaves at once.
    program = insn(0x55, 6, off=4) + mov(6, 1) + mov(3, 0) + call_local(3)
    program += alu_k("add", 64, 0, 100) + alu_k("add", 64, 0, 1) + EXIT + call(12) + EXIT
    answer = one(drive, form, program)
    assert answer.split()[:3] == ["exit", str(4 + 1 + 3 + 3), hex(102)]


@pytest.mark.parametrize("form", FORMS)
def test_endless_calls_use_up_the_budget(drive: Drive, form: str, golden: Hear) -> None:
    program = call_local(1) + insn(0x05, off=-2) + EXIT
    answer = drive(form, [(program, b"", 1000)])[0]
    golden(answer)
