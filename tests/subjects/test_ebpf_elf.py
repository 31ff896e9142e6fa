"""ELF objects: what a BPF compiler makes, and what an enemy makes of it."""

from __future__ import annotations

import random
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.subjects.ebpf_assembly import EXIT, mov

PROGBITS, STRTAB, REL = 1, 3, 9
EXECUTABLE = 4
HEADER = 64


def elf(
    sections: list[tuple[str, int, int, bytes, int]],
    *,
    machine: int = 247,
    kind: int = 1,
    ident: bytes = b"\x7fELF\x02\x01\x01",
) -> bytes:
    """An object of (name, type, flags, content, info), with a null section before them."""
    names = b"\0"
    body = b""
    table = bytes(64)
    for name, section_type, flags, content, info in [*sections, (".strtab", STRTAB, 0, b"", 0)]:
        at = len(names)
        names += name.encode() + b"\0"
        if name == ".strtab":
            content = names
        fields = (at, section_type, flags, 0, HEADER + len(body), len(content), 0, info, 8, 0)
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


def test_relocations_are_refused(load: Load) -> None:
    message = (
        "the ELF code section has relocations (maps, variables, local calls),"
        " which are not supported yet"
    )
    assert load(elf([text(".text", 1), (".rel.text", REL, 0, bytes(16), 1)])) == message
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
        (patched(TABLE + 64 + 24, "<Q", HUGE), "the ELF code section is outside the file"),
        (patched(TABLE + 64 + 32, "<Q", HUGE), "the ELF code section is outside the file"),
        (patched(TABLE + 128 + 24, "<Q", HUGE), "the ELF section names are outside the file"),
        (patched(TABLE + 128 + 32, "<Q", HUGE), "the ELF section names are outside the file"),
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
    good = elf([text(".text", 1), (".rel.debug", REL, 0, bytes(16), 3)])
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
    command = [*clang_like, "-target", target, "-O2", "-c", str(source), "-o", str(output)]
    if subprocess.run(command, check=False).returncode:
        pytest.skip("the compiler has no BPF target")
    assert load(output.read_bytes()) == "0x1470000008f"
