"""Mach-O objects and programs give the same table as ELF."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.explain.cross import MACOS, VM, compile_object, dispatch_of, run, zig_binary

from whyfast.explain.program import explain_program, load
from whyfast.model.errors import UserError

REST = """
#include <stdio.h>
static __attribute__((noinline)) int hidden(int a) { return a * 3; }
__attribute__((noinline)) int caller(int a) { printf("%d", a); return hidden(a) + 1; }
void vm_run(void);
int main(int c, char **v) { (void)v; vm_run(); return caller(c); }
void vm_leave(void) {} void vm_enter(void) {} void vm_helper_call(void) {}
void vm_tail_target(void) {}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("macos")


def _program(folder: Path, target: str, style: str = "GOTO") -> Path:
    out = folder / f"{target}-{style}-program"
    if not out.exists():
        rest = folder / "rest.c"
        rest.write_text(REST)
        words = ["-target", target, "-fno-sanitize=all", "-O2", f"-DVM_DISPATCH_{style}", "-w"]
        run([zig_binary(), "cc", *words, str(VM), str(rest), "-o", str(out)])
    return out


@pytest.mark.parametrize(
    ("target", "style"), [(MACOS[0], "GOTO"), (MACOS[1], "GOTO"), (MACOS[1], "SWITCH")]
)
def test_a_program_is_counted_as_its_object(folder: Path, target: str, style: str) -> None:
    """Jump tables of x86-64 stand in the code, behind their function."""
    linked = dispatch_of(_program(folder, target, style))
    whole = dispatch_of(compile_object(folder, target, VM, f"-DVM_DISPATCH_{style}"))
    for name in ("form", "indirect_jumps", "targets", "instructions"):
        assert getattr(linked, name) == getattr(whole, name)


@pytest.mark.parametrize("target", MACOS)
def test_names_have_no_underscore_in_front(folder: Path, target: str) -> None:
    program = _program(folder, target)
    (caller,) = explain_program(program, variant="v", functions=["caller"]).functions
    assert "hidden" in dict(caller.callees)
    assert any(name.startswith("printf") for name in dict(caller.callees))
    own = compile_object(folder, target, folder / "rest.c", "-w")
    (caller,) = explain_program(own, variant="v", functions=["caller"]).functions
    assert dict(caller.callees) == {"hidden": 1, "printf": 1}
    assert caller.local_callees == ("hidden",)


def test_padding_is_none_of_a_function(folder: Path) -> None:
    """The file has no sizes: a function ends where the padding before the next one begins."""
    source = folder / "padded.s"
    source.write_text(
        ".text\n.globl _a\n.p2align 4\n_a: jmp 1f\n.fill 0x8e, 1, 0x90\n1: .byte 0xeb, 0x90\n"
        ".p2align 4, 0x90\n.globl _b\n_b: ret\n"
    )
    functions = {f.name: f for f in load(compile_object(folder, MACOS[1], source)).functions}
    # the last byte of the jump back looks like a no-operation, and is none
    assert functions["a"].size == 5 + 0x8E + 2
    assert functions["b"].size == 1


@pytest.fixture
def universal(folder: Path, tmp_path: Path) -> Path:
    parts = [(0x0100_0007, 3, MACOS[1]), (0x0100_000C, 0, MACOS[0])]
    header, body = struct.pack(">II", 0xCAFEBABE, 2), b""
    for cpu, kind, target in parts:
        blob = compile_object(folder, target, VM, "-DVM_DISPATCH_GOTO").read_bytes()
        header += struct.pack(">IIIII", cpu, kind, 0x1000 + len(body), len(blob), 3)
        body += blob
    path = tmp_path / "universal"
    path.write_bytes(header.ljust(0x1000, b"\0") + body)
    return path


def test_a_universal_file_says_which_part(universal: Path, golden: Hear) -> None:
    program = load(universal)
    assert program.architecture == "aarch64"
    golden(*program.notes)
    assert load(universal, "x86-64").architecture == "x86-64"
    blob = bytearray(universal.read_bytes())
    blob[8:12] = (18).to_bytes(4, "big")  # PowerPC
    universal.write_bytes(blob)
    with pytest.raises(UserError, match=r"holds 0x12 and aarch64, and nothing for x86-64"):
        load(universal, "x86-64")


@pytest.mark.parametrize(
    ("blob", "words"),
    [
        (b"\xcf\xfa\xed\xfe", "truncated or damaged Mach-O file"),
        (b"\xce\xfa\xed\xfe" + bytes(40), "32-bit Mach-O"),
        (b"\xfe\xed\xfa\xcf" + bytes(40), "big-endian Mach-O"),
        (b"\xcf\xfa\xed\xfe\x12\0\0\1" + bytes(40), "machine 0x1000012"),
        (b"\xca\xfe\xba\xbe\0\0\0\x41" + bytes(40), "Java class"),
        (b"\xca\xfe\xba\xbe\0\0\0\2", "truncated or damaged universal"),
        (
            b"\xcf\xfa\xed\xfe\x0c\0\0\1\0\0\0\0\x0a\0\0\0" + bytes(40),
            "debug information without code",
        ),
    ],
)
def test_other_files_of_macos(tmp_path: Path, blob: bytes, words: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(blob)
    with pytest.raises(UserError, match=words):
        load(path)


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (b"", "the part for that processor is no Mach-O file"),
        (b"!<arch>\n" + bytes(40), r"is an archive \(\.a\)"),
        (b"\xce\xfa\xed\xfe" + bytes(40), "32-bit Mach-O"),
    ],
)
def test_parts_that_are_no_program(tmp_path: Path, part: bytes, words: str) -> None:
    header = struct.pack(">IIIIIII", 0xCAFEBABE, 1, 0x0100_000C, 0, 28, len(part), 0)
    path = tmp_path / "universal"
    path.write_bytes(header + part)
    with pytest.raises(UserError, match=words):
        load(path)
