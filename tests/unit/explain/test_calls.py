"""Calls that one build makes and another has inlined."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from whyfast.explain.functions import calls_left
from whyfast.explain.program import explain_program
from whyfast.model.evidence import CalleeCounts, Evidence, FunctionFacts
from whyfast.model.study import EvidenceSpec

SPEC = EvidenceSpec(("vm_run", "op_*"), ("helper",))


def _function(
    name: str,
    callees: dict[str, int],
    tails: dict[str, int] | None = None,
    local: tuple[str, ...] = (),
) -> FunctionFacts:
    return FunctionFacts(
        name,
        0,
        0,
        ".text",
        0,
        0,
        0,
        0,
        0,
        tuple(callees.items()),
        tuple((tails or {}).items()),
        local,
    )


def test_a_loop_is_compared_with_all_handlers_together() -> None:
    loop = Evidence(
        "loop",
        "x86-64",
        None,
        (
            _function("vm_run", {"close": 20, "alloc": 3}, local=("close",)),
            _function("vm_run.cold", {"close": 2, "vm_run": 1, "0x40": 1}),
        ),
    )
    tail = Evidence(
        "tail",
        "x86-64",
        None,
        (
            _function("op_add", {"alloc": 1}, {"op_error": 1}),
            _function("op_call", {"alloc": 2, "push.isra.0": 1}, {"op_error": 1}),
        ),
    )
    assert calls_left(SPEC, (loop, tail)) == (
        CalleeCounts("dispatch", "close", True, {"loop": 22, "tail": 0}),
        CalleeCounts("dispatch", "push", False, {"loop": 0, "tail": 1}),
    )


def test_other_functions_are_compared_where_builds_have_them() -> None:
    a = Evidence("a", "x86-64", None, (_function("helper", {"f": 1}),))
    b = Evidence("b", "x86-64", None, (_function("helper.constprop.0", {}),))
    without = Evidence("c", "x86-64", None, ())
    assert calls_left(SPEC, (a, b, without)) == (
        CalleeCounts("helper", "f", False, {"a": 1, "b": 0}),
    )


def test_a_helper_that_one_build_inlines(gcc: Callable[..., Path]) -> None:
    source = (
        "static int INLINE close_ref(int *p) { return --*p ? 0 : (p[1] += 7); }"
        " int vm_run(int *p) { int n = 0; for (;;) switch (*p++ & 7) {"
        " case 0: return n; case 1: n += close_ref(p); break; case 2: n ^= close_ref(p + 1);"
        " break; case 3: n -= close_ref(p + 2); break; default: n++; } }"
        " int main(int c, char **v) { (void)v; int a[64] = {c}; return vm_run(a); }"
    )
    evidence = [
        explain_program(
            gcc(source, "-O2", f"-DINLINE=__attribute__(({how}))"),
            variant=how,
            dispatch=SPEC.dispatch,
        )
        for how in ("noinline", "always_inline")
    ]
    assert calls_left(SPEC, evidence) == (
        CalleeCounts("dispatch", "close_ref", True, {"noinline": 3, "always_inline": 0}),
    )
