from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from whyfast.explain.functions import compare_functions, unmatched_functions
from whyfast.explain.program import explain_program
from whyfast.model.evidence import Evidence, FunctionFacts


def facts(name: str, *, size: int = 100, jumps: int = 0, **more: object) -> FunctionFacts:
    base = FunctionFacts(name, 0x1000, size, ".text", size // 4, jumps, 0, 0, 0)
    return FunctionFacts(**{**vars(base), **more})


def evidence(*functions: FunctionFacts) -> Evidence:
    return Evidence("v", "x86-64", None, functions)


def test_differences_come_first() -> None:
    a = evidence(facts("aa"), facts("bigger", size=100), facts("vm", jumps=40))
    b = evidence(facts("aa"), facts("bigger", size=900), facts("vm", jumps=1))
    assert [(d.name, d.differs) for d in compare_functions(a, b)] == [
        ("vm", True),
        ("bigger", True),
        ("aa", False),
    ]


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
