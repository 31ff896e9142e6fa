"""ELF objects: what a BPF compiler makes, and what an enemy makes of it."""

from __future__ import annotations

import random
import struct
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.subjects.ebpf_assembly import EXIT, insn, mov

PROGBITS, SYMTAB, STRTAB, RELA, REL = 1, 2, 3, 4, 9
EXECUTABLE = 4
HEADER = 64
LOCAL, GLOBAL = 0, 1
FUNCTION, SECTION = 2, 3
TO_ADDRESS, TO_FUNCTION = 1, 10

#: name, kind, binding, section, value
Symbol = tuple[str, int, int, int, int]


def elf(
    sections: list[tuple[str, int, int, bytes, int]],
    *,
    symbols: Sequence[Symbol] = (),
    machine: int = 247,
    kind: int = 1,
    ident: bytes = b"\x7fELF\x02\x01\x01",
) -> bytes:
    """An object of (name, type, flags, content, info), with a null section before them."""
    names = b"\0"
    body = b""
    table = bytes(64)
    entries = bytes(24)
    for name, symbol_kind, binding, section, value in symbols:
        entries += struct.pack(
            "<IBBHQQ", len(names), binding << 4 | symbol_kind, 0, section, value, 0
        )
        names += name.encode() + b"\0"
    if symbols:
        sections = [*sections, (".symtab", SYMTAB, 0, entries, 0)]
    for name, section_type, flags, content, info in [
        *sections,
        (".strtab", STRTAB, 0, b"", 0),
    ]:
        at = len(names)
        names += name.encode() + b"\0"
        if name == ".strtab":
            content = names
        link = len(sections) + 1 if section_type == SYMTAB else 0
        fields = (
            at,
            section_type,
            flags,
            0,
            HEADER + len(body),
            len(content),
            link,
            info,
            8,
            0,
        )
        table += struct.pack("<IIQQQQIIQQ", *fields)
        body += content + bytes(-len(content) % 8)
    header = ident.ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH",
        *(kind, machine, 1, 0, 0, HEADER + len(body), 0, 64, 0, 0, 64),
        *(len(sections) + 2, len(sections) + 1),
    )
    return header + body + table


def code(value: int) -> bytes:
    return mov(0, value) + EXIT


def text(name: str, value: int) -> tuple[str, int, int, bytes, int]:
    return (name, PROGBITS, EXECUTABLE, code(value), 0)


@pytest.fixture
def load(vm: Path, tmp_path: Path) -> Callable[..., str]:
    def run(content: bytes, *arguments: str) -> str:
        (tmp_path / "p.o").write_bytes(content)
        process = subprocess.run(
            [vm, "run", "p.o", *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
        assert process.returncode in (0, 2), process
        assert process.stderr.count("\n") == (process.returncode == 2)
        return process.stdout.strip() or process.stderr.strip().removeprefix("ebpf-vm: p.o: ")

    return run


Load = Callable[..., str]


def test_text_is_the_default(load: Load) -> None:
    assert load(elf([text("xdp", 1), text(".text", 2)])) == "0x2"


def test_without_text_the_first_code_is_the_default(load: Load) -> None:
    empty = (".text", PROGBITS, EXECUTABLE, b"", 0)
    data = (".data", PROGBITS, 0, code(9), 0)
    assert load(elf([empty, data, text("xdp", 1), text("tc", 2)])) == "0x1"


def test_a_named_section(load: Load) -> None:
    sections = [text(".text", 1), text("xdp", 2)]
    assert load(elf(sections), "--section", "xdp") == "0x2"
    assert load(elf(sections), "--section", "xd") == "the ELF file has no code section xd"


def two(*names: str, binding: int = GLOBAL) -> bytes:
    """Two functions in one section: the first returns 1, the second 2."""
    both = (".text", PROGBITS, EXECUTABLE, code(1) + code(2), 0)
    symbols = [(name, FUNCTION, binding, 1, 16 * i) for i, name in enumerate(names)]
    return elf([both], symbols=symbols)


def test_a_program_starts_with_the_function_that_has_a_name(load: Load) -> None:
    only_second = elf(
        [(".text", PROGBITS, EXECUTABLE, code(1) + code(2), 0)],
        symbols=[("helper", FUNCTION, LOCAL, 1, 0), ("main", FUNCTION, GLOBAL, 1, 16)],
    )
    assert load(only_second) == "0x2"
    assert load(two("one", "two", binding=LOCAL)) == "0x1"


def test_an_entry_by_its_name(load: Load) -> None:
    assert load(two("one", "two"), "--entry", "two") == "0x2"
    assert load(two("one", "two"), "--entry", "one") == "0x1"
    assert load(two("one", "two", binding=LOCAL), "--entry", "two") == "0x2"
    assert load(two("one", "two"), "--entry", "tw") == "the ELF file has no function tw"
    named = ("two", "--section", "xdp")
    assert load(two("one", "two"), "--entry", *named) == (
        "the ELF file has no function two in section xdp"
    )
    assert load(two("one", "two"), "--entry", "two", "--section", ".text") == "0x2"


def test_several_functions_are_named(load: Load) -> None:
    message = "has several functions: one, two; say which one by --entry"
    assert load(two("one", "two")) == f"the ELF file {message}"
    assert load(two("one", "two"), "--section", ".text") == f"the ELF section .text {message}"


def test_functions_in_several_sections_are_named(load: Load) -> None:
    sections = [text(".text", 1), text("xdp", 2)]
    content = elf(
        sections,
        symbols=[("helper", FUNCTION, GLOBAL, 1, 0), ("main", FUNCTION, GLOBAL, 2, 0)],
    )
    message = "the ELF file has several functions: helper, main; say which one by --entry"
    assert load(content) == message
    assert load(content, "--section", "xdp") == "0x2"


def test_a_section_with_a_function_of_a_name_goes_before_those_that_it_calls(
    load: Load,
) -> None:
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
        elf(
            [(".text", PROGBITS, EXECUTABLE, caller, 0)],
            symbols=[("two", FUNCTION, GLOBAL, 1, 0)],
        )
    )
    for form in ("GOTO", "TAIL", "PINNED"):
        process = subprocess.run(
            [
                build_vm(form),
                "run",
                "c.o",
                "--entry",
                "two",
                "--prog-array",
                "5=p.o",
                "--count",
            ],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (process.stdout, process.stderr) == ("0x2\n", "4 instructions\n"), form


def relocation(offset: int, symbol: int, kind: int) -> bytes:
    return struct.pack("<QQ", offset, symbol << 32 | kind)


CALL = insn(0x85, src=1, imm=-1)
LDDW = insn(0x18, 1) + insn(0)


def calling(
    program: bytes, relocations: bytes, symbols: Sequence[Symbol], kind: int = REL
) -> bytes:
    """Section 1 is the program, 2 has two functions as `two` does, 3 data."""
    return elf(
        [
            ("xdp", PROGBITS, EXECUTABLE, program, 0),
            (".text", PROGBITS, EXECUTABLE, code(1) + code(2), 0),
            (".rodata", PROGBITS, 2, bytes(16), 0),
            (".relxdp", kind, 0, relocations, 1),
        ],
        symbols=[("main", FUNCTION, GLOBAL, 1, 0), *symbols],
    )


@pytest.mark.parametrize(
    ("symbol", "addend", "result"),
    [
        (("two", FUNCTION, GLOBAL, 2, 16), -1, "0x2"),
        (("one", FUNCTION, LOCAL, 2, 0), -1, "0x1"),
        (
            ("", SECTION, LOCAL, 2, 0),
            1,
            "0x2",
        ),  # as compilers write a call of a local function
        (("", SECTION, LOCAL, 2, 0), -1, "0x1"),
        (("main", FUNCTION, GLOBAL, 1, 8), -1, "0x5"),
    ],
)
def test_functions_elsewhere_are_called(
    load: Load, symbol: Symbol, addend: int, result: str
) -> None:
    program = insn(0x85, src=1, imm=addend) + (EXIT if result != "0x5" else code(5))
    content = calling(program, relocation(0, 2, TO_FUNCTION), [symbol])
    assert load(content, "--section", "xdp", "--entry", "main") == result


def test_functions_elsewhere_call_further_ones(load: Load) -> None:
    content = elf(
        [
            ("xdp", PROGBITS, EXECUTABLE, CALL + EXIT, 0),
            (".text", PROGBITS, EXECUTABLE, code(1) + CALL + EXIT, 0),
            ("last", PROGBITS, EXECUTABLE, code(7), 0),
            (".relxdp", REL, 0, relocation(0, 2, TO_FUNCTION), 1),
            (".rel.text", REL, 0, relocation(16, 3, TO_FUNCTION), 2),
        ],
        symbols=[
            ("main", FUNCTION, GLOBAL, 1, 0),
            ("middle", FUNCTION, GLOBAL, 2, 16),
            ("last", FUNCTION, GLOBAL, 3, 0),
        ],
    )
    assert load(content, "--entry", "main") == "0x7"


@pytest.mark.parametrize(
    ("program", "relocated", "symbol", "message"),
    [
        (
            CALL,
            relocation(0, 2, TO_FUNCTION),
            ("far", 0, GLOBAL, 0, 0),
            "instruction 0 calls far, which is not in the ELF file",
        ),
        (
            CALL,
            relocation(0, 2, TO_FUNCTION),
            ("table", 1, GLOBAL, 3, 0),
            "instruction 0 calls table, which is no function",
        ),
        (
            mov(0, 0),
            relocation(0, 2, TO_FUNCTION),
            ("two", FUNCTION, GLOBAL, 2, 0),
            "instruction 0 calls two, which is no function",
        ),
        (
            CALL,
            relocation(0, 2, TO_FUNCTION),
            ("past", FUNCTION, GLOBAL, 2, 32),
            "instruction 0 calls past, which is no function",
        ),
        (
            LDDW,
            relocation(0, 2, TO_ADDRESS),
            ("table", 1, GLOBAL, 3, 0),
            "instruction 0 refers to table in section .rodata: "
            "maps and variables are not supported",
        ),
        (
            LDDW,
            relocation(0, 2, TO_ADDRESS),
            ("", SECTION, LOCAL, 3, 0),
            "instruction 0 refers to data in section .rodata: maps and variables are not supported",
        ),
        (
            CALL,
            relocation(0, 2, 3),
            ("two", FUNCTION, GLOBAL, 2, 0),
            "instruction 0 has a relocation of kind 3, which is not supported",
        ),
        (
            CALL,
            relocation(0, 3, TO_FUNCTION),
            ("two", FUNCTION, GLOBAL, 2, 0),
            "an ELF relocation is outside its section",
        ),
        (
            CALL,
            relocation(16, 2, TO_FUNCTION),
            ("two", FUNCTION, GLOBAL, 2, 0),
            "an ELF relocation is outside its section",
        ),
    ],
)
def test_what_cannot_be_relocated_is_named(
    load: Load, program: bytes, relocated: bytes, symbol: Symbol, message: str
) -> None:
    content = calling(program + EXIT, relocated, [symbol])
    assert load(content, "--entry", "main") == message


def test_relocations_with_addends_are_refused(load: Load) -> None:
    content = calling(EXIT, bytes(24), [], RELA)
    message = "the ELF relocations have addends, which no BPF compiler makes"
    assert load(content, "--entry", "main") == message


def test_relocations_of_other_sections_do_not_matter(load: Load) -> None:
    assert load(elf([text(".text", 1), (".rel.debug", REL, 0, bytes(16), 3)])) == "0x1"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x7fELF", "the ELF header is cut short"),
        (elf([text(".text", 1)])[:63], "the ELF header is cut short"),
        (elf([text(".text", 1)])[:-1], "the ELF section table is outside the file"),
        (elf([]), "the ELF file has no code"),
        (elf([text(".text", 1)], machine=62), "the ELF file is not a BPF object"),
        (elf([text(".text", 1)], kind=2), "the ELF file is not a BPF object"),
        (
            elf([text(".text", 1)], ident=b"\x7fELF\x01\x01\x01"),
            "the ELF file is not 64-bit little-endian",
        ),
        (
            elf([text(".text", 1)], ident=b"\x7fELF\x02\x02\x01"),
            "the ELF file is not 64-bit little-endian",
        ),
    ],
)
def test_what_is_no_bpf_object_is_refused(load: Load, content: bytes, message: str) -> None:
    assert load(content) == message


def patched(offset: int, layout: str, value: int) -> bytes:
    content = bytearray(elf([text(".text", 1)]))
    struct.pack_into(layout, content, offset, value)
    return bytes(content)


TABLE = struct.unpack_from("<Q", elf([text(".text", 1)]), 40)[0]
HUGE = 2**64 - 8


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (patched(40, "<Q", HUGE), "the ELF section table is outside the file"),
        (patched(60, "<H", 65535), "the ELF section table is outside the file"),
        (patched(58, "<H", 1), "the ELF section table is outside the file"),
        (patched(62, "<H", 9), "the ELF file has no section names"),
        (patched(60, "<H", 0), "the ELF file has no section names"),
        (
            patched(TABLE + 64 + 24, "<Q", HUGE),
            "the ELF code section is outside the file",
        ),
        (
            patched(TABLE + 64 + 32, "<Q", HUGE),
            "the ELF code section is outside the file",
        ),
        (
            patched(TABLE + 128 + 24, "<Q", HUGE),
            "the ELF section names are outside the file",
        ),
        (
            patched(TABLE + 128 + 32, "<Q", HUGE),
            "the ELF section names are outside the file",
        ),
        (patched(TABLE + 64, "<I", 2**32 - 1), "0x1"),  # no name, but the first code
        (
            patched(TABLE + 64 + 32, "<Q", 15),
            "15 bytes are no whole number of 8-byte instructions",
        ),
    ],
)
def test_fields_that_lie_are_noticed(load: Load, content: bytes, message: str) -> None:
    assert load(content) == message


def test_random_damage_never_crashes(load: Load) -> None:
    rng = random.Random(62)
    good = calling(CALL + EXIT, relocation(0, 2, TO_FUNCTION), [("two", FUNCTION, GLOBAL, 2, 16)])
    assert load(good, "--section", "xdp") == "0x2"
    for _ in range(300):
        content = bytearray(good[: rng.choice([len(good), rng.randrange(4, len(good))])])
        for _ in range(rng.randrange(1, 6)):
            content[rng.randrange(4, len(content))] = rng.choice([0, 1, 127, 128, 255])
        load(bytes(content))


def test_what_a_compiler_makes(
    clang_like: list[str], subject: Path, tmp_path: Path, load: Load
) -> None:
    target = "bpfel-freestanding" if "cc" in clang_like else "bpfel"
    source = subject / "programs" / "collatz.c"
    output = tmp_path / "collatz.o"
    command = [
        *clang_like,
        "-target",
        target,
        "-O2",
        "-c",
        str(source),
        "-o",
        str(output),
    ]
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
