"""ebpf-vm driven as bpf_conformance drives its plugins."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.subjects.conftest import FORMS
from tests.subjects.ebpf_assembly import EXIT, insn, lddw, load
from tests.subjects.ebpf_objects import elf, text


def plugin(
    command: list[object], program: str, *arguments: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*map(str, command), *arguments],
        input=program,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )


@pytest.mark.parametrize("form", FORMS)
def test_by_its_name(build_vm: Callable[[str], Path], form: str, tmp_path: Path) -> None:
    link = tmp_path / "ebpf-vm-plugin"
    link.symlink_to(build_vm(form))
    wide = (lddw(0, 0xFEDCBA9876543210) + EXIT).hex(" ")
    assert plugin([link], wide + "\n").stdout == "fedcba9876543210\n"
    memory = load(4, 0, 1, 0) + insn(0x0F, 0, 2) + EXIT
    process = plugin([link], memory.hex(), "01 02 03 04 05")
    assert (process.returncode, process.stdout, process.stderr) == (0, "4030206\n", "")


def test_by_its_command(vm: Path) -> None:
    program = insn(0xBF, 0, 2) + EXIT
    assert plugin([vm, "plugin"], program.hex(), "aabb").stdout == "2\n"
    assert plugin([vm, "plugin"], program.hex()).stdout == "0\n"


def test_options_of_the_runner_are_no_memory(vm: Path) -> None:
    program = elf([text(".text", 7)]).hex()
    assert plugin([vm, "plugin"], program, "--elf").stdout == "7\n"


def test_the_budget_is_an_option(vm: Path) -> None:
    endless = insn(0x05, off=-1).hex()
    for words in (["--max-insns", "1000"], ["", "--max-insns", "1000"]):
        process = plugin([vm, "plugin"], endless, *words)
        message = "ebpf-vm: instruction 0: the instruction budget is used up\n"
        assert (process.returncode, process.stderr) == (1, message)
    assert plugin([vm, "plugin"], EXIT.hex(), "--max-insns", "9").stdout == "0\n"


@pytest.mark.parametrize(
    ("program", "arguments", "status"),
    [
        ("", [], 2),
        ("b7", [], 2),
        ("zz", [], 2),
        (EXIT.hex(), ["1"], 2),
        (EXIT.hex(), ["--max-insns"], 2),
        (EXIT.hex(), ["", "--max-insns", "0"], 2),
        (insn(0xFF).hex(), [], 2),
        ((load(1, 0, 1, 0) + EXIT).hex(), [], 1),
    ],
)
def test_refusals_and_faults(
    vm: Path, program: str, arguments: list[str], status: int, golden: Hear
) -> None:
    process = plugin([vm, "plugin"], program, *arguments)
    assert (process.returncode, process.stdout) == (status, "")
    golden(process.stderr)
