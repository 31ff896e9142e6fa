"""What handlers push and spill before their first branch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from whyfast.explain.disassembly.instruction import Instruction, Kind, Mark
from whyfast.explain.dispatch import saved
from whyfast.explain.program import explain_program
from whyfast.model.evidence import EntryFacts

Compile = Callable[..., Path]
Source = Callable[[str, int], str]


def _code(*steps: Mark | Kind) -> list[Instruction]:
    kinds = ("direct call", "conditional jump", "indirect jump")
    return [
        Instruction(4 * i, 4, step) if step in kinds else Instruction(4 * i, 4, "other", mark=step)  # type: ignore[arg-type]
        for i, step in enumerate(steps)
    ]


@pytest.mark.parametrize(
    ("code", "pushes", "spills"),
    [
        (_code("push", "push", "", "stack store", "indirect jump"), 2, 1),
        (_code("push", "direct call", "push", "stack store"), 1, 0),
        (_code("", "conditional jump", "push"), 0, 0),
        (_code("frame store", "indirect jump"), 0, 0),
    ],
)
def test_counts_up_to_the_first_branch(code: list[Instruction], pushes: int, spills: int) -> None:
    assert saved(code, 0) == (pushes, spills)


def test_stores_below_the_frame_pointer_are_spills_where_there_is_one() -> None:
    code = _code("push", "frame pointer", "frame store", "frame store", "indirect jump")
    assert saved(code, 0, framed=True) == (1, 2)
    assert saved(code, 2, framed=True) == (0, 2)


def test_handlers_with_nothing_to_save_save_nothing(gcc: Compile, interpreter: Source) -> None:
    for style, dispatch in (("goto", "vm_run"), ("tail", "op_*")):
        program = gcc(interpreter(style, 20), "-O2")
        assert explain_program(program, variant="x", dispatch=(dispatch,)).entry == EntryFacts(
            20, 0, 0, 0.0, 0, 0.0
        )


def test_handlers_that_must_save_registers_do(gcc: Compile) -> None:
    signature = "(const unsigned char *pc, long *r, long acc)"
    handlers = " ".join(
        f"long op_{i}{signature} {{ r[{i}] += ext(acc + {i}); return table[*pc](pc + 1, r, acc); }}"
        for i in range(10)
    )
    source = (
        f"typedef long handler{signature}; extern handler *const table[]; long ext(long);"
        f" {handlers} handler *const table[] = {{{', '.join(f'op_{i}' for i in range(10))}}};"
    )
    found = explain_program(gcc(source, "-O2", "-c", suffix=".o"), variant="x", dispatch=("op_*",))
    assert found.entry is not None
    # pc, r and acc live across the call.
    assert (found.entry.handlers, found.entry.saving) == (10, 10)
    # Some versions of gcc push all of them, others one and store the rest.
    assert found.entry.pushes_median + found.entry.spills_median >= 3
