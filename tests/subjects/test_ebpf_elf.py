"""ELF objects: which of their code runs, and what a BPF compiler makes."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.subjects.ebpf_assembly import insn
from tests.subjects.ebpf_objects import (
    EXECUTABLE,
    FUNCTION,
    GLOBAL,
    LOCAL,
    PROGBITS,
    Load,
    code,
    elf,
    text,
    two,
)


def test_text_is_the_default(load: Load) -> None:
    assert load(elf([text("xdp", 1), text(".text", 2)])) == "0x2"


def test_without_text_the_first_code_is_the_default(load: Load) -> None:
    empty = (".text", PROGBITS, EXECUTABLE, b"", 0)
    data = (".data", PROGBITS, 0, code(9), 0)
    assert load(elf([empty, data, text("xdp", 1), text("tc", 2)])) == "0x1"


def test_a_named_section(load: Load, golden: Hear) -> None:
    sections = [text(".text", 1), text("xdp", 2)]
    assert load(elf(sections), "--section", "xdp") == "0x2"
    golden(load(elf(sections), "--section", "xd"))


def test_a_program_starts_with_the_function_that_has_a_name(load: Load) -> None:
    only_second = elf(
        [(".text", PROGBITS, EXECUTABLE, code(1) + code(2), 0)],
        symbols=[("helper", FUNCTION, LOCAL, 1, 0), ("main", FUNCTION, GLOBAL, 1, 16)],
    )
    assert load(only_second) == "0x2"
    assert load(two("one", "two", binding=LOCAL)) == "0x1"


def test_an_entry_by_its_name(load: Load, golden: Hear) -> None:
    assert load(two("one", "two"), "--entry", "two") == "0x2"
    assert load(two("one", "two"), "--entry", "one") == "0x1"
    assert load(two("one", "two", binding=LOCAL), "--entry", "two") == "0x2"
    golden(load(two("one", "two"), "--entry", "tw"))
    named = ("two", "--section", "xdp")
    golden(load(two("one", "two"), "--entry", *named))
    assert load(two("one", "two"), "--entry", "two", "--section", ".text") == "0x2"


def test_several_functions_are_named(load: Load, golden: Hear) -> None:
    message = "has several functions: one, two; say which one by --entry"
    assert load(two("one", "two")) == f"the ELF file {message}"
    golden(load(two("one", "two"), "--section", ".text"))


def test_functions_in_several_sections_are_named(load: Load) -> None:
    sections = [text(".text", 1), text("xdp", 2)]
    content = elf(
        sections, symbols=[("helper", FUNCTION, GLOBAL, 1, 0), ("main", FUNCTION, GLOBAL, 2, 0)]
    )
    message = "the ELF file has several functions: helper, main; say which one by --entry"
    assert load(content) == message
    assert load(content, "--section", "xdp") == "0x2"


def test_a_section_with_a_function_of_a_name_goes_before_those_that_it_calls(load: Load) -> None:
    sections = [text(".text", 1), text("xdp", 2)]
    symbols = [("helper", FUNCTION, LOCAL, 1, 0), ("main", FUNCTION, GLOBAL, 2, 0)]
    assert load(elf(sections, symbols=symbols)) == "0x2"


def test_what_comes_before_the_entry_is_not_counted(vm: Path, tmp_path: Path) -> None:
    (tmp_path / "p.o").write_bytes(two("one", "two"))
    process = subprocess.run(
        [vm, "run", "p.o", "--entry", "two", "--count"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (process.stdout, process.stderr) == ("0x2\n", "2 instructions\n")


def test_an_entry_of_what_has_no_names(vm: Path, tmp_path: Path) -> None:
    (tmp_path / "p.hex").write_text(code(1).hex(" "))
    process = subprocess.run(
        [vm, "run", "p.hex", "--entry", "main"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    message = "ebpf-vm: p.hex: --entry main: only an ELF object has names\n"
    assert (process.returncode, process.stderr) == (2, message)


def test_tail_calls_begin_at_the_entry(build_vm: Callable[[str], Path], tmp_path: Path) -> None:
    """The called object returns 2 from its second function; either end is counted rightly."""
    (tmp_path / "p.o").write_bytes(two("one", "two"))
    caller = insn(0xB7, 3, imm=5) + insn(0x85, imm=12) + code(9)
    (tmp_path / "c.o").write_bytes(
        elf([(".text", PROGBITS, EXECUTABLE, caller, 0)], symbols=[("two", FUNCTION, GLOBAL, 1, 0)])
    )
    for form in ("GOTO", "TAIL", "PINNED"):
        process = subprocess.run(
            [build_vm(form), "run", "c.o", "--entry", "two", "--prog-array", "5=p.o", "--count"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (process.stdout, process.stderr) == ("0x2\n", "4 instructions\n"), form


def test_compiled_code(clang_like: list[str], subject: Path, tmp_path: Path, load: Load) -> None:
    target = "bpfel-freestanding" if "cc" in clang_like else "bpfel"
    source = subject / "programs" / "collatz.c"
    output = tmp_path / "collatz.o"
    command = [*clang_like, "-target", target, "-O2", "-c", str(source), "-o", str(output)]
    if subprocess.run(command, check=False).returncode:
        pytest.skip("the compiler has no BPF target")
    assert load(output.read_bytes()) == "0x1470000008f"


def test_what_a_compiler_makes_of_calls(clang_like: list[str], tmp_path: Path, load: Load) -> None:
    """A function that stays one, in the same section, and one in another."""
    target = "bpfel-freestanding" if "cc" in clang_like else "bpfel"
    source, output = tmp_path / "calls.c", tmp_path / "calls.o"
    source.write_text(
        'static __attribute__((noinline)) int thrice(int x) { asm volatile(""); return 3 * x; }\n'
        '__attribute__((noinline)) int square(int x) { asm volatile(""); return x * x; }\n'
        '__attribute__((section("xdp"))) int program(void *memory)\n'
        "{ (void)memory; return thrice(5) + square(4); }\n"
        "int other(void *memory) { (void)memory; return square(6); }\n"
    )
    command = [*clang_like, "-target", target, "-mcpu=v3", "-O2", "-c", str(source)]
    if subprocess.run([*command, "-o", str(output)], check=False).returncode:
        pytest.skip("the compiler has no BPF target")
    assert load(output.read_bytes(), "--section", "xdp") == "0x1f"
    assert load(output.read_bytes(), "--entry", "program") == "0x1f"
    assert load(output.read_bytes(), "--entry", "other") == "0x24"
