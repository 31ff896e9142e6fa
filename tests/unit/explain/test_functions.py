"""Facts of functions, of one build and of two side by side."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from whyfast.explain.disassembly.x86 import X86Disassembler
from whyfast.explain.functions import (
    base_name,
    calls_left,
    compare_functions,
    parent_name,
    unmatched_functions,
)
from whyfast.explain.program import explain_program
from whyfast.model.evidence import CalleeCounts, Evidence, FunctionFacts
from whyfast.model.study import EvidenceSpec

Compile = Callable[..., Path]


def facts_of(program: Path, *globs: str) -> dict[str, FunctionFacts]:
    evidence = explain_program(program, variant="v", functions=globs)
    return {f.name: f for f in evidence.functions}


def test_base_name() -> None:
    copies = (
        *("foo", "foo.constprop.0", "foo.isra.0.cold", "foo.part.3", "foo.llvm.1234567890"),
        *("foo.lto_priv.0", "foo.constprop.0.isra.0", "foo.cold.1", "foo.17"),
    )
    assert {base_name(symbol) for symbol in copies} == {"foo"}
    assert base_name("_ZN3foo4coldEv") == "_ZN3foo4coldEv"
    assert base_name(".part.0") == ".part.0"


@pytest.mark.parametrize(
    ("symbol", "parent"),
    [("foo.cold", "foo"), ("foo.part.0.cold", "foo.part.0"), ("foo.part.0", None), ("foo", None)],
)
def test_parent_name(symbol: str, parent: str | None) -> None:
    assert parent_name(symbol) == parent


@pytest.mark.parametrize(
    ("kind", "codes", "target"),
    [
        ("direct jump", ["eb 02"], 0x1004),
        ("direct jump", ["e9 00 01 00 00"], 0x1105),
        ("conditional jump", ["74 02", "e3 02"], 0x1004),  # the second is jrcxz
        ("indirect jump", ["ff e1", "3e ff e1", "ff 24 d1"], None),  # 3e: notrack
        ("direct call", ["e8 00 01 00 00"], 0x1105),
        ("indirect call", ["ff d0"], None),
        ("return", ["c3", "f3 c3"], None),
        ("other", ["0f 05", "06"], None),  # syscall; no instruction
    ],
)
def test_kinds(kind: str, codes: list[str], target: int | None) -> None:
    for code in codes:
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


@pytest.mark.parametrize("flags", ["-O2", "-O2 -no-pie -fno-pie", "-O2 -c", "-O2 -static"])
def test_callees_have_names(gcc: Compile, flags: str) -> None:
    found = facts_of(gcc(CALLS, *flags.split()), "calls", "tails", "out")
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


SPEC = EvidenceSpec(("vm_run", "op_*"), ("helper",))


def facts(name: str, *, size: int = 100, jumps: int = 0, **more: object) -> FunctionFacts:
    base = FunctionFacts(name, 0x1000, size, ".text", size // 4, jumps, 0, 0, 0)
    return FunctionFacts(**{**vars(base), **more})


def evidence(*functions: FunctionFacts, variant: str = "v") -> Evidence:
    return Evidence(variant, "x86-64", None, functions)


def test_a_loop_is_compared_with_all_handlers_together() -> None:
    error = (("op_error", 1),)
    loop = evidence(
        facts("vm_run", callees=(("close", 20), ("alloc", 3)), local_callees=("close",)),
        facts("vm_run.cold", callees=(("close", 2), ("vm_run", 1), ("0x40", 1))),
        variant="loop",
    )
    tail = evidence(
        facts("op_add", callees=(("alloc", 1),), tail_callees=error),
        facts("op_call", callees=(("alloc", 2), ("push.isra.0", 1)), tail_callees=error),
        variant="tail",
    )
    assert calls_left(SPEC, (loop, tail)) == (
        CalleeCounts("dispatch", "close", True, {"loop": 22, "tail": 0}),
        CalleeCounts("dispatch", "push", False, {"loop": 0, "tail": 1}),
    )


def test_other_functions_are_compared_where_builds_have_them() -> None:
    a = evidence(facts("helper", callees=(("f", 1),)), variant="a")
    b, without = evidence(facts("helper.constprop.0"), variant="b"), evidence(variant="c")
    counts = CalleeCounts("helper", "f", False, {"a": 1, "b": 0})
    assert calls_left(SPEC, (a, b, without)) == (counts,)


def test_a_helper_that_one_build_inlines(gcc: Callable[..., Path]) -> None:
    source = (
        "static int INLINE close_ref(int *p) { return --*p ? 0 : (p[1] += 7); }"
        " int vm_run(int *p) { int n = 0; for (;;) switch (*p++ & 7) {"
        " case 0: return n; case 1: n += close_ref(p); break; case 2: n ^= close_ref(p + 1);"
        " break; case 3: n -= close_ref(p + 2); break; default: n++; } }"
        " int main(int c, char **v) { (void)v; int a[64] = {c}; return vm_run(a); }"
    )
    builds = []
    for how in ("noinline", "always_inline"):
        program = gcc(source, "-O2", f"-DINLINE=__attribute__(({how}))")
        builds.append(explain_program(program, variant=how, dispatch=SPEC.dispatch))
    counts = CalleeCounts("dispatch", "close_ref", True, {"noinline": 3, "always_inline": 0})
    assert calls_left(SPEC, builds) == (counts,)


def test_differences_come_first() -> None:
    a = evidence(facts("aa"), facts("bigger", size=100), facts("vm", jumps=40))
    b = evidence(facts("aa"), facts("bigger", size=900), facts("vm", jumps=1))
    order = [(d.name, d.differs) for d in compare_functions(a, b)]
    assert order == [("vm", True), ("bigger", True), ("aa", False)]


def test_pieces_of_a_function_are_added_up() -> None:
    a = evidence(facts("foo", size=300))
    b = evidence(facts("foo.constprop.0", size=200), facts("foo.constprop.0.cold", size=50))
    (difference,) = compare_functions(a, b)
    assert difference.name == "foo"
    assert (difference.a.size, difference.a.pieces) == (300, 1)
    assert (difference.b.size, difference.b.pieces) == (250, 2)


def test_calls_that_one_build_inlined() -> None:
    a = evidence(facts("f", callees=(("helper", 3), ("both.isra.0", 1), ("f.part.0", 2))))
    b = evidence(facts("f", callees=(("0x1234", 7),), tail_callees=(("both", 1), ("other+0x8", 1))))
    (difference,) = compare_functions(a, b)
    assert difference.calls_only_in_a == (("helper", 3),)
    assert difference.calls_only_in_b == (("other", 1),)


def test_a_jump_to_another_function_more_is_a_difference() -> None:
    once, twice = (facts("f", tail_jumps=n, tail_callees=(("g", n),)) for n in (1, 2))
    (difference,) = compare_functions(evidence(once), evidence(twice))
    assert difference.differs


def test_unmatched() -> None:
    a, b = evidence(facts("x"), facts("y.cold")), evidence(facts("y"), facts("z"))
    assert unmatched_functions(a, b) == (["x"], ["z"])


def test_inlining_seen_in_real_builds(gcc: Callable[..., Path]) -> None:
    source = """
    static int helper(int a) { int r = 0; for (int i = 0; i < a; i++) r ^= r * 31 + i; return r; }
    int handler(int a) { return helper(a) + 1; }
    int other(int a) { return helper(a) + 2; }
    """
    calling, inlined = (
        explain_program(gcc(source, "-O2", flag, "-c"), variant=flag, functions=["*"])
        for flag in ("-fno-inline", "-finline-functions")
    )
    by_name = {d.name: d for d in compare_functions(calling, inlined)}
    assert by_name["handler"].calls_only_in_a == (("helper", 1),)
    assert by_name["handler"].calls_only_in_b == ()
