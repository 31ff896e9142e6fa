"""Functions of programs without symbols, against the same program with them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.explain.conftest import Compile

from whyfast.explain.objects.elf import open_elf
from whyfast.explain.program import load, unwound_functions

SOURCE = """\
#include <stdio.h>
__attribute__((noinline)) static int twice(int x) { return x * 2 + puts("twice"); }
__attribute__((noinline)) int thrice(int x) { return twice(x) + x * printf("%d", x); }
int main(int argc, char **argv) { return thrice(argc) + argv[0][0]; }
"""


@pytest.mark.parametrize("flags", [("-O2",), ("-O0",), ("-O2", "-no-pie"), ("-O2", "-static")])
def test_extents_are_those_of_the_symbols(gcc: Compile, flags: tuple[str, ...]) -> None:
    named = {f.address: f.size for f in load(gcc(SOURCE, *flags)).functions}
    stripped = gcc(SOURCE, *flags, "-s")
    functions = unwound_functions(open_elf(stripped))
    found = {f.address: f.size for f in functions}
    wanted = [f for f in load(gcc(SOURCE, *flags)).functions if f.name in ("main", "thrice")]
    assert len(wanted) == 2
    assert all(found[f.address] == f.size for f in wanted)
    assert {a for a in named if a in found}
    assert functions == sorted(functions, key=lambda f: f.address)
    assert all(f.name == hex(f.address) for f in functions)


def test_none_without_a_table(gcc: Compile) -> None:
    flags = ("-O2", "-fno-asynchronous-unwind-tables", "-Wl,--no-eh-frame-hdr")
    program = gcc(SOURCE, *flags)
    found = {f.address for f in unwound_functions(open_elf(program))}  # of the C library's start
    assert not [f for f in load(program).functions if f.name == "main" and f.address in found]


@pytest.mark.parametrize("cut", [1, 5, 13, 40])
def test_a_damaged_table_yields_no_function_outside_of_code(
    gcc: Compile, tmp_path: Path, cut: int
) -> None:
    program = gcc(SOURCE, "-O2", "-s")
    elf = open_elf(program)
    table = next(s for s in elf.sections if s.name == ".eh_frame_hdr")
    text = bytearray(program.read_bytes())
    for at in range(table.offset + cut, table.offset + table.size):
        text[at] = 0xFF
    damaged = tmp_path / "damaged"
    damaged.write_bytes(text)
    code = [s for s in elf.sections if s.executable]
    for function in unwound_functions(open_elf(damaged)):
        assert any(s.address <= function.address < s.address + s.size for s in code)
