"""Small interpreters with known answers, and the compilers that build them."""

import os
import shutil
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.compiled import compile_text

Compile = Callable[..., Path]


def _operation(i: int) -> str:
    """A short body unlike its neighbours, so that compilers cannot share code between handlers."""
    constant = 1009 + 7919 * i  # odd and even, never a shift or an increment
    return f"acc {'+*^|&'[i % 5]}= {constant};"


def _switch(n: int) -> str:
    jumps = [""] * (n - 2) + ["pc += acc & 7;"] * 2
    cases = " ".join(f"case {i}: {_operation(i)} {jumps[i]} break;" for i in range(1, n))
    return (
        "NOINLINE unsigned long vm_run(const unsigned char *pc) { unsigned long acc = 1;"
        f" for (;;) switch (*pc++) {{ case 0: return acc; {cases} default: return 0; }} }}"
    )


def _goto(n: int) -> str:
    labels = ", ".join(f"&&L{i}" for i in range(n))
    bodies = " ".join(f"L{i}: {_operation(i)} goto *table[*pc++];" for i in range(1, n))
    return (
        "NOINLINE unsigned long vm_run(const unsigned char *pc) { unsigned long acc = 1;"
        f" static const void *const table[] = {{{labels}}}; goto *table[*pc++];"
        f" L0: return acc; {bodies} }}"
    )


def _tail(n: int) -> str:
    signature = "(const unsigned char *pc, unsigned long acc)"
    handlers = " ".join(
        f"unsigned long op_{i}{signature} {{ {_operation(i)} return table[*pc](pc + 1, acc); }}"
        for i in range(1, n)
    )
    names = ", ".join(f"op_{i}" for i in range(n))
    return (
        f"typedef unsigned long handler{signature}; extern handler *const table[];"
        f" unsigned long op_0{signature} {{ (void)pc; return acc; }} {handlers}"
        f" handler *const table[] = {{{names}}};"
        " NOINLINE unsigned long vm_run(const unsigned char *pc) { return table[*pc](pc + 1, 1); }"
    )


_MAIN = """
#include <stdio.h>
int main(int argc, char **argv) {
    (void)argv;
    unsigned char code[4] = {(unsigned char)argc, 1, 0, 0};
    printf("%lu\\n", vm_run(code));
    return 0;
}
"""


@pytest.fixture(scope="session")
def interpreter() -> Callable[[str, int], str]:
    """C source of an interpreter with n opcodes: ``switch``, ``goto`` or ``tail``."""
    styles = {"switch": _switch, "goto": _goto, "tail": _tail}
    noinline = "#define NOINLINE __attribute__((noinline))\n"
    return lambda style, n: f"{noinline}{styles[style](n)}\n{_MAIN}"


def _compiler(command: list[str], folder: Path) -> Compile:
    count = 0

    def compile_source(source: str, *flags: str, suffix: str = "") -> Path:
        nonlocal count
        count += 1
        return compile_text(source, folder / f"program{count}{suffix}", *flags, compiler=command)

    return compile_source


@pytest.fixture(scope="session")
def gcc(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """``gcc(source, *flags)`` → the program; ``suffix`` is appended to its name."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    return _compiler(["gcc"], tmp_path_factory.mktemp("gcc"))


@pytest.fixture(scope="session")
def zig(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """Clang as ``zig cc``, from the binary that WHYFAST_TEST_ZIG names."""
    binary = os.environ.get("WHYFAST_TEST_ZIG")
    if not binary:
        pytest.skip("set WHYFAST_TEST_ZIG to the path of a zig binary to run this test")
    return _compiler([binary, "cc", "-fno-sanitize=all"], tmp_path_factory.mktemp("zig"))


def _elf(
    text: bytes, rodata: bytes, functions: dict[str, tuple[int, int]], machine: int, text_at: int
) -> bytes:
    rodata_at = text_at + 0x1_0000
    strings = b"\0" + b"".join(name.encode() + b"\0" for name in functions)
    symbols = bytes(24)
    for name, (offset, size) in functions.items():
        at = strings.index(b"\0" + name.encode() + b"\0") + 1
        symbols += struct.pack("<IBBHQQ", at, 0x12, 0, 1, text_at + offset, size)
    names = b"\0.text\0.rodata\0.symtab\0.strtab\0"
    sections = [  # name, type, flags, address, content, link, entry size
        (b".text", 1, 6, text_at, text, 0, 0),
        (b".rodata", 1, 2, rodata_at, rodata, 0, 0),
        (b".symtab", 2, 0, 0, symbols, 4, 24),
        (b".strtab", 3, 0, 0, strings, 0, 0),
        (b".strtab", 3, 0, 0, names, 0, 0),
    ]
    body, headers = b"", bytes(64)
    for title, kind, flags, address, content, link, entry in sections:
        fields = (names.index(title), kind, flags, address, 64 + len(body), len(content))
        headers += struct.pack("<IIQQQQIIQQ", *fields, link, 0, 4, entry)
        body += content
    header = struct.pack(
        "<16sHHIQQQIHHHHHH",
        *(b"\x7fELF\x02\x01\x01", 2, machine, 1, text_at, 0, 64 + len(body), 0),
        *(64, 0, 0, 64, 6, 5),
    )
    return header + body + headers


@pytest.fixture(scope="session")
def make_elf() -> Callable[..., bytes]:
    """``make_elf(text, rodata, functions, machine=…, text_at=…)``: an executable without a
    compiler. ``functions`` maps a name to (offset in text, size); rodata lies 64 KiB above."""
    return _elf


@pytest.fixture(scope="session")
def zig_version() -> tuple[int, int]:
    """(0, 14) for zig 0.14.1, which is clang 19."""
    binary = os.environ.get("WHYFAST_TEST_ZIG")
    if not binary:
        pytest.skip("set WHYFAST_TEST_ZIG to the path of a zig binary to run this test")
    text = subprocess.run([binary, "version"], capture_output=True, text=True, check=True).stdout
    major, minor, *_ = text.strip().split(".")
    return int(major), int(minor)
