"""ELF objects: which of their code runs, and what a BPF compiler makes. ELF objects as an enemy
makes them."""

import random
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.subjects.conftest import run
from tests.subjects.ebpf_assembly import EXIT, insn
from tests.subjects.ebpf_objects import (
    CALL,
    EXECUTABLE,
    FUNCTION,
    GLOBAL,
    LOCAL,
    PROGBITS,
    TO_FUNCTION,
    Load,
    calling,
    code,
    elf,
    relocation,
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
    process = run(vm, "run", "p.o", "--entry", "two", "--count", cwd=tmp_path)
    assert (process.stdout, process.stderr) == ("0x2\n", "2 instructions\n")


def test_an_entry_of_what_has_no_names(vm: Path, tmp_path: Path) -> None:
    (tmp_path / "p.hex").write_text(code(1).hex(" "))
    process = run(vm, "run", "p.hex", "--entry", "main", cwd=tmp_path)
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
        process = run(
            build_vm(form),
            "run",
            "c.o",
            "--entry",
            "two",
            "--prog-array",
            "5=p.o",
            "--count",
            cwd=tmp_path,
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


@pytest.mark.parametrize(
    "content",
    [
        b"\x7fELF",
        elf([text(".text", 1)])[:63],
        elf([text(".text", 1)])[:-1],
        elf([]),
        elf([text(".text", 1)], machine=62),
        elf([text(".text", 1)], kind=2),
        elf([text(".text", 1)], ident=b"\x7fELF\x01\x01\x01"),
        elf([text(".text", 1)], ident=b"\x7fELF\x02\x02\x01"),
    ],
)
def test_what_is_no_bpf_object_is_refused(load: Load, content: bytes, golden: Hear) -> None:
    golden(load(content))


def patched(offset: int, layout: str, value: int) -> bytes:
    content = bytearray(elf([text(".text", 1)]))
    struct.pack_into(layout, content, offset, value)
    return bytes(content)


TABLE = struct.unpack_from("<Q", elf([text(".text", 1)]), 40)[0]
HUGE = 2**64 - 8


@pytest.mark.parametrize(
    "content",
    [
        patched(40, "<Q", HUGE),
        patched(60, "<H", 65535),
        patched(58, "<H", 1),
        patched(62, "<H", 9),
        patched(60, "<H", 0),
        patched(TABLE + 64 + 24, "<Q", HUGE),
        patched(TABLE + 64 + 32, "<Q", HUGE),
        patched(TABLE + 128 + 24, "<Q", HUGE),
        patched(TABLE + 128 + 32, "<Q", HUGE),
        patched(TABLE + 64, "<I", 2**32 - 1),  # no name, but the first code
        patched(TABLE + 64 + 32, "<Q", 15),
    ],
)
def test_fields_that_lie_are_noticed(load: Load, content: bytes, golden: Hear) -> None:
    golden(load(content))


def test_random_damage_never_crashes(load: Load) -> None:
    rng = random.Random(62)
    good = calling(CALL + EXIT, relocation(0, 2, TO_FUNCTION), [("two", FUNCTION, GLOBAL, 2, 16)])
    assert load(good, "--section", "xdp") == "0x2"
    for _ in range(300):
        content = bytearray(good[: rng.choice([len(good), rng.randrange(4, len(good))])])
        for _ in range(rng.randrange(1, 6)):
            content[rng.randrange(4, len(content))] = rng.choice([0, 1, 127, 128, 255])
        load(bytes(content))
