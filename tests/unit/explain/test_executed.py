"""Kinds of instructions in code that an assembler makes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.unit.explain.conftest import Compile

from whyfast.explain.executed import (
    ASSERTED,
    CHECK_FAILED,
    FIXED,
    HARDENED,
    Executed,
    LoadedCode,
    executed_kinds,
)

pytestmark = pytest.mark.skipif(
    shutil.which("gcc") is None
    or subprocess.run(["uname", "-m"], capture_output=True).stdout != b"x86_64\n",
    reason="needs gcc for x86-64",
)


def kinds_of(folder: Path, body: str) -> Executed:
    """What one execution of each instruction of ``work`` is."""
    source = folder / "code.s"
    source.write_text(
        f".intel_syntax noprefix\n.globl work\n.type work,@function\nwork:\n{body}\nret\n"
        ".size work, .-work\n"
        ".type panic_bounds_check,@function\npanic_bounds_check: ret\n"
        ".size panic_bounds_check, 1\n"
        ".type __glibcxx_assert_fail,@function\n__glibcxx_assert_fail: ret\n"
        ".size __glibcxx_assert_fail, 1\n.data\npointer: .quad work\n"
        ".type __gcov0.work,@object\n__gcov0.work: .quad 0\n.size __gcov0.work, 8\n"
    )
    library = folder / "code.so"
    subprocess.run(["gcc", "-shared", "-nostdlib", "-o", library, source], check=True)
    code = LoadedCode(library)
    (function,) = code.by_name["work"]
    places = dict.fromkeys(range(function.address, function.end), 1.0)
    return executed_kinds(code, [function], places)


def test_places_of_a_program_at_a_fixed_address_are_addresses(gcc: Compile) -> None:
    for flags, fixed in (((), False), (("-static", "-s"), True)):
        code = LoadedCode(gcc("int main(void) { return 0; }", *flags))
        function = next(f for f in code.program.functions if f.size)
        assert code.address_of(function.address) == function.address
        assert (function.address > FIXED) is fixed


CODE = {
    "a reload": ("mov [rbp-8], rdi\nmov rax, [rbp-8]", {"reload": 1}),
    "a variable in place": ("add dword ptr [rbp-4], 1", {"reload": 1}),
    "a load of another variable": ("mov [rbp-8], rdi\nmov rax, [rbp-16]", {"reload": 0}),
    "a reload much later": (
        "mov [rbp-8], rdi\n" + "add eax, 1\n" * 5 + "mov rax, [rbp-8]",
        {"reload": 0},
    ),
    "a wider load": ("mov byte ptr [rdi], 1\nmov rax, [rdi]", {"blocked load": 1, "reload": 0}),
    "a load at another address in the same register": (
        "mov byte ptr [rdi], 1\nmov rdi, rsi\nmov rax, [rdi]",
        {"blocked load": 0},
    ),
    "a string instruction": ("rep movsq", {"block copy": 1}),
    "clearing": ("rep stosq", {"block copy": 1}),
    "a comparison of strings": ("repe cmpsb", {"block copy": 0}),
    "a wide move": ("movups xmm0, [rdi]\nmovups [rsi], xmm0", {"wide move": 2}),
    "wide arithmetic": ("addps xmm0, [rdi]", {"wide move": 0, "vector 16": 1}),
    "a check of an index": (
        "cmp rdi, rsi\njae 1f\nret\n1: call panic_bounds_check",
        {"check": 1, "hardening check": 0},
    ),
    "a check of the library": (
        "cmp rdi, rsi\njae 1f\nret\n1: call __glibcxx_assert_fail",
        {"check": 0, "hardening check": 1},
    ),
    "a branch": ("cmp rdi, rsi\njae 1f\nret\n1: add eax, 1", {"check": 0, "branch": 1}),
    "a pointer": ("call [rip + pointer]", {"indirect call": 1, "library call": 0}),
    "a counter of coverage": ("add qword ptr [rip + __gcov0.work], 1", {"counter": 1}),
    "other data": ("add qword ptr [rip + pointer], 1", {"counter": 0}),
    "a register": ("call rax", {"indirect call": 1}),
    "cleared registers": (
        "fldz\nfstp st(0)\nxor ecx, ecx\npxor xmm2, xmm2\npxor xmm3, xmm3",
        {"cleared register": 3, "x87": 0},
    ),
    "registers that are used": (
        "xor ecx, ecx\npxor xmm2, xmm2\npxor xmm3, xmm3\nadd rdi, rcx",
        {"cleared register": 0},
    ),
    "x87": ("fld qword ptr [rdi]\nfadd st(0), st(1)\nfstp qword ptr [rdi]", {"x87": 3}),
    "an atomic instruction": ("lock add qword ptr [rdi], 1", {"atomic": 1, "exchange": 0}),
    "what takes a lock": ("lock cmpxchg [rdi], rcx\nxchg [rdi], eax", {"atomic": 2, "exchange": 2}),
    "a float and an integer on the stack": (
        "movss [rsp-8], xmm0\nmov [rsp-16], eax",
        {"stack store": 2, "stack vector": 1},
    ),
}


@pytest.mark.parametrize(("body", "expected"), CODE.values(), ids=CODE)
def test_kinds(tmp_path: Path, body: str, expected: dict[str, float]) -> None:
    kinds = kinds_of(tmp_path, body).kinds
    assert {k: kinds[k] for k in expected} == expected


UPDATES = {
    "a variable": ("add dword ptr [rdi], eax", 1, []),
    "a sum in memory": ("addsd xmm0, [rdi+8]\nmovsd [rdi+8], xmm0", 1, []),
    "a static variable": ("inc qword ptr [rip + pointer]", 1, []),
    "another place": ("addsd xmm0, [rdi+8]\nmovsd [rdi+16], xmm0", 0, []),
    "every entry of an array": ("add dword ptr [rdi], eax\nadd rdi, 4", 0, []),
    "the same by number": ("add dword ptr [rdi+rcx*4], eax\ninc rcx", 0, []),
    "a local variable": ("add dword ptr [rsp+8], eax", 0, []),
    "a table": ("movzx eax, byte ptr [rsi]\nadd dword ptr [rdi+rax*4], 1\nadd rsi, 1", 0, [1.0]),
    "two tables": (
        "movzx eax, byte ptr [rsi]\ninc dword ptr [rsp+rax*4]\ninc dword ptr [rsp+rax*4+1024]",
        0,
        [1.0, 1.0],
    ),
}


@pytest.mark.parametrize(("body", "variables", "tables"), UPDATES.values(), ids=UPDATES)
def test_changes_in_place(tmp_path: Path, body: str, variables: int, tables: list[float]) -> None:
    executed = kinds_of(tmp_path, body)
    assert (executed.kinds["update"], list(executed.tables.values())) == (variables, tables)


@pytest.mark.parametrize(
    ("callee", "kind"),
    [
        ("core::panicking::panic_bounds_check", "check"),
        ("runtime.panicIndex", "check"),
        ("core::option::unwrap_failed", ""),
        ("core::panicking::panic_const::panic_const_add_overflow", "assertion"),
        ("runtime.panicdivide", "assertion"),
        ("__assert_fail", "assertion"),
    ],
)
def test_what_a_failed_check_calls(callee: str, kind: str) -> None:
    known = {"check": CHECK_FAILED, "hardening check": HARDENED, "assertion": ASSERTED}
    assert next((k for k, pattern in known.items() if pattern.search(callee)), "") == kind
