from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from whyfast.explain.disassembly.x86 import X86Disassembler
from whyfast.explain.functions import base_name, parent_name
from whyfast.explain.program import explain_program
from whyfast.model.evidence import FunctionFacts

Compile = Callable[..., Path]


def facts_of(program: Path, *globs: str) -> dict[str, FunctionFacts]:
    evidence = explain_program(program, variant="v", functions=globs)
    return {f.name: f for f in evidence.functions}


@pytest.mark.parametrize(
    ("symbol", "plain"),
    [
        ("foo", "foo"),
        ("foo.constprop.0", "foo"),
        ("foo.isra.0.cold", "foo"),
        ("foo.part.3", "foo"),
        ("foo.llvm.1234567890", "foo"),
        ("foo.lto_priv.0", "foo"),
        ("foo.constprop.0.isra.0", "foo"),
        ("foo.cold.1", "foo"),
        ("foo.17", "foo"),
        ("_ZN3foo4coldEv", "_ZN3foo4coldEv"),
        (".part.0", ".part.0"),
    ],
)
def test_base_name(symbol: str, plain: str) -> None:
    assert base_name(symbol) == plain


@pytest.mark.parametrize(
    ("symbol", "parent"),
    [("foo.cold", "foo"), ("foo.part.0.cold", "foo.part.0"), ("foo.part.0", None), ("foo", None)],
)
def test_parent_name(symbol: str, parent: str | None) -> None:
    assert parent_name(symbol) == parent


@pytest.mark.parametrize(
    ("code", "kind", "target"),
    [
        ("eb 02", "direct jump", 0x1004),
        ("e9 00 01 00 00", "direct jump", 0x1105),
        ("74 02", "conditional jump", 0x1004),
        ("e3 02", "conditional jump", 0x1004),  # jrcxz
        ("ff e1", "indirect jump", None),
        ("3e ff e1", "indirect jump", None),  # notrack jmp *%rcx
        ("ff 24 d1", "indirect jump", None),
        ("e8 00 01 00 00", "direct call", 0x1105),
        ("ff d0", "indirect call", None),
        ("0f 05", "other", None),  # syscall
        ("c3", "return", None),
        ("f3 c3", "return", None),
        ("06", "other", None),  # no instruction
    ],
)
def test_kinds(code: str, kind: str, target: int | None) -> None:
    first, second = X86Disassembler().decode(bytes.fromhex(code) + b"\x90", 0x1000)
    assert (first.kind, first.target) == (kind, target)
    assert second.address == 0x1000 + first.size


CALLS = """
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static int local(int a) { __asm__ volatile(""); return a * 3; }
__attribute__((noinline)) int exported(int a) { __asm__ volatile(""); return a * 5; }
int alias(int) __attribute__((alias("exported")));
int (*hook)(int);
int calls(int a) { puts("a"); puts("b"); return local(a) + exported(a) + hook(a); }
int tails(int a) { return exported(a + 1); }
int out(int a) { return abs(a) + rand(); }
int main(int c, char **v) { (void)v; return calls(c) + tails(c) + out(c) + alias(c); }
"""


@pytest.mark.parametrize(
    "flags",
    [["-O2"], ["-O2", "-no-pie", "-fno-pie"], ["-O2", "-c"], ["-O2", "-static"]],
    ids=" ".join,
)
def test_callees_have_names(gcc: Compile, flags: list[str]) -> None:
    found = facts_of(gcc(CALLS, *flags), "calls", "tails", "out")
    calls = found["calls"]
    names = dict(calls.callees)
    # A static libc may have other names for the same function.
    puts = next(n for n in ("puts", "_IO_puts") if n in names)
    assert names[puts] == 2
    assert names["local"] == 1
    assert sum(n for name, n in names.items() if name in ("exported", "alias")) == 1
    assert (calls.direct_calls, calls.indirect_calls) == (4, 1)
    assert found["tails"].tail_jumps == 1
    assert found["tails"].tail_callees[0][0] in ("exported", "alias")
    assert found["out"].callees == (("rand", 1),)


def test_aliases_are_one_function(gcc: Compile) -> None:
    program = gcc(CALLS, "-O2", "-c")
    assert facts_of(program, "alias").keys() == {"alias"}
    assert facts_of(program, "exported").keys() == {"exported"}
    both = [f for f in facts_of(program, "*").values() if f.name in ("alias", "exported")]
    assert len(both) == 1


def test_addresses_in_objects_are_those_of_the_file(gcc: Compile) -> None:
    found = facts_of(gcc(CALLS, "-O2", "-c", "-ffunction-sections"), "calls", "tails")
    assert {f.address for f in found.values()} == {0}
    assert found["calls"].section == ".text.calls"


def test_copies_match_their_plain_name(gcc: Compile) -> None:
    source = """
    extern int sink(int); extern void fatal(const char *) __attribute__((noreturn, cold));
    __attribute__((noinline)) static int work(int a, int b) {
        if (__builtin_expect(a < 0, 0)) fatal("a"); return sink(a) * b + sink(b); }
    int one(int a) { return work(a, 3) + 1; }
    int two(int a) { return work(a, 3) + 2; }
    """
    found = facts_of(gcc(source, "-O2", "-c"), "work")
    assert len(found) >= 1
    assert all(base_name(name) == "work" and name != "work" for name in found)


def test_duplicates_of_local_functions_are_kept(gcc: Compile, tmp_path: Path) -> None:
    part = "__attribute__((noinline)) static int same(int a) {{ return stir(a) {} 7; }}"
    part = "extern int stir(int); " + part
    first = gcc(part.format("*") + " int f(int a) { return same(a); }", "-O1", "-c", suffix=".o")
    second = (
        part.format("+") + " int stir(int a) { return a; } extern int f(int);"
        " int main(void) { return f(1) + same(2); }"
    )
    program = gcc(second, "-O1", str(first))
    evidence = explain_program(program, variant="v", functions=["same"])
    assert [f.name for f in evidence.functions] == ["same", "same"]


def test_symbols_without_size_reach_to_the_next(gcc: Compile) -> None:
    source = """
    __asm__(".globl first\\n.type first,@function\\nfirst: nop; nop; nop; ret\\n"
            ".globl second\\n.type second,@function\\nsecond: nop; ret\\n");
    """
    found = facts_of(gcc(source, "-c"), "first", "second")
    assert (found["first"].size, found["first"].instructions) == (4, 4)
    assert (found["second"].size, found["second"].instructions) == (2, 2)


def test_missing_patterns(gcc: Compile) -> None:
    program = gcc(CALLS, "-O2", "-c")
    evidence = explain_program(program, variant="v", functions=["calls", "nope*", "op_*"])
    assert evidence.missing == ("nope*", "op_*")
    assert evidence.dispatch is None
