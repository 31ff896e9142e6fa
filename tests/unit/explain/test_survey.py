"""A first look at a program."""

from __future__ import annotations

from pathlib import Path

from whyfast.explain.disassembly.x86 import X86Disassembler
from whyfast.explain.functions import Body, Program
from whyfast.explain.objects.image import Function, Image, Region
from whyfast.explain.program import _body, _by_name


def _program(*names: tuple[str, str]) -> Program:
    """Functions of 16 bytes by name and source file, empty for a global one."""
    start = 0x10_0000
    pieces = tuple(
        Function((name,), start + 16 * i, start + 16 * i, 16, ".text", file)
        for i, (name, file) in enumerate(names)
    )
    region = Region(".text", start, bytearray(b"\x90" * 16 * len(names)), True, False)
    return Program(Path("x"), "x86-64", Image([region], {}, 0), pieces, X86Disassembler())


def _of(program: Program, function: Function) -> Body:
    return _body(program, function, _by_name(program))


def test_a_cold_part_belongs_to_the_function_of_its_source_file() -> None:
    program = _program(("vm", ""), ("vm", "b.c"), ("vm.cold", "b.c"))
    everyone, static, part = program.functions
    assert _of(program, everyone).pieces == (everyone,)
    assert _of(program, static).pieces == (static, part)
    assert _of(program, part).pieces == (part,)


def test_the_cold_part_of_a_global_function_is_local() -> None:
    program = _program(("vm", ""), ("vm.cold", "a.c"), ("vm.cold.1", "a.c"))
    assert _of(program, program.functions[0]).pieces == program.functions
