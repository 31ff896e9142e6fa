"""The eBPF machine as a program that takes turns, over real pipes."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.subjects.ebpf_assembly import EXIT, insn, load, mov
from tests.unit.turns.child import Start, starting


@pytest.fixture
def start() -> Iterator[Start]:
    with starting() as begin:
        yield begin


def test_the_machine_takes_turns(vm: Path, start: Start, tmp_path: Path) -> None:
    program = tmp_path / "p.bin"
    program.write_bytes(load(1, 0, 1, 0) + insn(0x72, 1, imm=9) + EXIT)
    turns = start(vm, "turn", program, "--mem", "2a")
    assert turns.line() == "ready 1\n"
    turns.grant("1000\n2\n")
    assert turns.line().endswith(" 0x2a\n")  # each loop is a fresh run: memory is as given
    assert turns.line().endswith(" 0x2a\n")
    assert turns.finish() == 0


def test_a_fault_is_an_error_line(vm: Path, start: Start, tmp_path: Path, golden: Hear) -> None:
    program = tmp_path / "p.bin"
    program.write_bytes(mov(1, 0) + load(8, 0, 1, 16) + EXIT)
    turns = start(vm, "turn", program)
    assert turns.line() == "ready 1\n"
    turns.grant("1\n")
    golden(turns.line())
    assert turns.finish() == 1


def test_a_refused_program_never_gets_ready(vm: Path, start: Start, tmp_path: Path) -> None:
    program = tmp_path / "p.bin"
    program.write_bytes(mov(0, 0))
    turns = start(vm, "turn", program)
    assert turns.line() == ""
    assert turns.finish() == 2
