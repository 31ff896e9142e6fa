"""Compiler options, from the code and from what compilers record."""

from collections.abc import Callable
from pathlib import Path

import pytest

from whyfast.explain.disassembly import _mark
from whyfast.explain.disassembly.x86 import X86Disassembler
from whyfast.explain.functions import Program, bodies
from whyfast.explain.objects import Function, Image, Region
from whyfast.explain.options import CompilerRecord, _annobin, option_traces, read_recorded
from whyfast.explain.program import explain_program
from whyfast.model.evidence import OptionTrace

Compile = Callable[..., Path]
Source = Callable[[str, int], str]

#: (bytes, mark)
MARKS = [
    ("55", "push"),  # push rbp
    ("4157", "push"),  # push r15
    ("6a01", ""),  # push 1
    ("48895c2408", "stack store"),  # mov [rsp+8], rbx
    ("0f294c2410", "stack store"),  # movaps [rsp+16], xmm1
    ("48895df8", "frame store"),  # mov [rbp-8], rbx
    ("48895d08", ""),  # mov [rbp+8], rbx
    ("48890c24", "stack store"),  # mov [rsp], rcx
    ("c7042400000000", ""),  # mov dword [rsp], 0
    ("488b442408", ""),  # mov rax, [rsp+8]
    ("4889e5", "frame pointer"),  # mov rbp, rsp
    ("f30f1efa", "landing pad"),  # endbr64
    ("31c9", "zeroes"),  # xor ecx, ecx
    ("4531c0", "zeroes"),  # xor r8d, r8d
    ("31c0", ""),  # xor eax, eax: returns 0
    ("31c8", ""),  # xor eax, ecx
    ("0f57d2", "zeroes"),  # xorps xmm2, xmm2
    ("64488b042528000000", "canary"),  # mov rax, fs:0x28
    ("64488b4228", ""),  # mov rax, fs:[rdx+0x28]: a variable of the thread
    ("4881ec00100000", "page"),  # sub rsp, 0x1000
    ("4883ec18", ""),  # sub rsp, 24
]


@pytest.mark.parametrize(("code", "mark"), MARKS)
def test_marks_of_x86_instructions(code: str, mark: str) -> None:
    (instruction,) = X86Disassembler().decode(bytes.fromhex(code), 0x401000, hints=True)
    assert instruction.mark == mark


def _traces(program: Path, glob: str) -> tuple[OptionTrace, ...]:
    traces = explain_program(program, variant="x", dispatch=(glob,)).options
    assert traces is not None
    return traces


@pytest.fixture(scope="module")
def calling() -> str:
    """Handlers with something to keep over a call, so that each has a stack frame."""
    signature = "(const unsigned char *pc, long *r, long acc)"
    handlers = " ".join(
        f"long op_{i}{signature} {{ r[{i}] += ext(acc + {i}); return table[*pc](pc + 1, r, acc); }}"
        for i in range(10)
    )
    names = ", ".join(f"op_{i}" for i in range(10))
    return (
        f"typedef long handler{signature}; extern handler *const table[]; long ext(long);"
        f" {handlers} handler *const table[] = {{{names}}};"
    )


@pytest.mark.parametrize(
    ("flag", "option"),
    [
        ("", None),
        ("-fno-omit-frame-pointer", "-fno-omit-frame-pointer"),
        ("-fstack-protector-all", "-fstack-protector"),
        ("-fcf-protection", "-fcf-protection"),
        ("-mindirect-branch=thunk", "-mindirect-branch=thunk"),
    ],
)
def test_every_handler_shows_the_option(
    gcc: Compile, calling: str, flag: str, option: str | None
) -> None:
    plain = ("-O2", "-c", "-fcf-protection=none", "-fno-stack-protector", "-fomit-frame-pointer")
    program = gcc(calling, *plain, *([flag] if flag else []), suffix=".o")
    found = _traces(program, "op_*")
    assert found == ((OptionTrace(option, 10, 10),) if option else ())


def test_debug_information_records_the_options(gcc: Compile, interpreter: Source) -> None:
    # GCC clears no registers before it jumps to another function.
    program = gcc(interpreter("tail", 20), "-O2", "-g", "-fzero-call-used-regs=used-gpr")
    (zero,) = [t for t in _traces(program, "op_*") if t.option == "-fzero-call-used-regs"]
    assert zero == OptionTrace("-fzero-call-used-regs", 0, 20, "-fzero-call-used-regs=used-gpr")


def _clearing(*functions: str) -> tuple[OptionTrace, ...]:
    """The traces of functions with this code."""
    pieces, regions = [], []
    for i, text in enumerate(functions):
        start, code = 0x10_0000 + 0x100 * i, bytearray.fromhex(text)
        pieces.append(Function((f"op_{i}",), start, start, len(code), ".text"))
        regions.append(Region(".text", start, code, True, False))
    image = Image(regions, {}, 0x20_0000)
    program = Program(Path("x"), "x86-64", image, tuple(pieces), X86Disassembler())
    return option_traces(program, bodies(program, pieces), CompilerRecord())


def test_what_a_loop_clears_before_it_dispatches_are_its_variables() -> None:
    jumps, returns = "31c94531c0ffe2", "31c94531c0c3"  # xor ecx, ecx; xor r8d, r8d; jmp rdx or ret
    trace = OptionTrace("-fzero-call-used-regs", 1, 1)
    assert _clearing(jumps) == ()
    assert _clearing(returns) == (trace,)
    # A handler that is a function is left by its jump.
    assert _clearing(*[jumps] * 8) == (OptionTrace("-fzero-call-used-regs", 8, 8),)
    assert _clearing(jumps, jumps, *["ffe2"] * 6) == (OptionTrace("-fzero-call-used-regs", 2, 8),)
    # One that passes zeros to the next clears its arguments without being told to.
    assert _clearing(jumps, *["ffe2"] * 7) == ()


@pytest.mark.parametrize(
    ("flag", "option", "shows"),
    [
        ("-fzero-call-used-regs=all-gpr", "-fzero-call-used-regs", True),  # where it returns
        ("-fno-omit-frame-pointer", "-fno-omit-frame-pointer", False),  # one may have it anyway
    ],
)
def test_a_loop_shows(
    gcc: Compile, interpreter: Source, flag: str, option: str, shows: bool
) -> None:
    program = gcc(interpreter("goto", 20), "-O2", flag)
    assert (option in [t.option for t in _traces(program, "vm_run")]) == shows


def test_the_last_recorded_word_counts(gcc: Compile, interpreter: Source) -> None:
    flags = ("-O2", "-g", "-fstack-protector-strong", "-fno-stack-protector")
    assert read_recorded(gcc(interpreter("goto", 20), *flags)).options == {}


def test_the_compiler_is_known_without_debug_information(gcc: Compile, interpreter: Source) -> None:
    assert read_recorded(gcc(interpreter("goto", 8))).compiler.startswith("gcc ")


def test_what_is_no_program_has_no_record(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\x7fELF")
    assert read_recorded(tmp_path / "a") == CompilerRecord()


def _notes(*names: bytes) -> bytes:
    """A section with these notes of annobin."""
    return b"".join(
        len(name).to_bytes(4, "little") + bytes(4) + b"\0\x01\0\0" + name + bytes(-len(name) % 4)
        for name in names
    )


def test_notes_of_annobin() -> None:
    notes = _notes(
        b"GA$\x013p1292\0",
        b"GA!omit_frame_pointer\0",
        b"GA+stack_clash\0",
        b"GA*cf_protection\0\x04\0",
        b"GA*\x02\x03\0",
    )
    assert list(_annobin(notes)) == [
        "-fno-omit-frame-pointer",
        "-fstack-clash-protection",
        "-fcf-protection=full",
        "-fstack-protector",
    ]
    assert list(_annobin(_notes(b"GA+omit_frame_pointer\0", b"GA*\x02\0"))) == []


@pytest.mark.parametrize(
    ("name", "operands", "mark"),
    [
        ("stp", "x29, x30, [sp, #-0x10]!", "push"),
        ("str", "x19, [sp, #0x10]", "stack store"),
        ("stur", "x19, [x29, #-8]", "frame store"),
        ("stp", "x19, x20, [x29, #-0x10]", "frame store"),
        ("stur", "x19, [x20, #-8]", ""),
        ("str", "x19, [x20, #0x10]", ""),
        ("mov", "x29, sp", "frame pointer"),
        ("add", "x29, sp, #0x10", "frame pointer"),
        ("mov", "x9, #0", "zeroes"),
        ("mov", "w0, #0", ""),
        ("bti", "j", "landing pad"),
        ("paciasp", "", "signs"),
        ("sub", "sp, sp, #1, lsl #12", "page"),
    ],
)
def test_marks_of_aarch64_instructions(name: str, operands: str, mark: str) -> None:
    assert _mark(name, operands) == mark
