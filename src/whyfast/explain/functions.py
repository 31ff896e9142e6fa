"""One function's machine code → its facts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

from whyfast.explain.code import Program
from whyfast.explain.disassembly.instruction import Instruction
from whyfast.explain.objects.symbols import Function
from whyfast.model.evidence import FunctionFacts

#: Helpers that compilers jump to instead of jumping through a register (Spectre mitigations).
THUNK = re.compile(r"^__(x86_(indirect|return)_.*thunk|llvm_(retpoline|lvi_thunk))")

_COLD = re.compile(r"(\.cold(\.\d+)?|\.__part\.\d+)$")
_SUFFIXES = re.compile(
    r"(\.(constprop|isra|part|lto_priv|llvm|cold|localalias|clone|specialized|__part)(\.\d+)?"
    r"|\.(warm|eh|split|unlikely|hot)|\.\d+)+$"
)


def base_name(name: str) -> str:
    """The name in the source: without what compilers append (``.constprop.0``, ``.cold``, …)."""
    return _SUFFIXES.sub("", name) or name


def parent_name(name: str) -> str | None:
    """The function that ``name`` is the split-off cold part of; None when it is not a part."""
    stripped = _COLD.sub("", name)
    return stripped if stripped and stripped != name else None


def leaves(instruction: Instruction, pieces: Collection[Function]) -> bool:
    """Whether it is a direct jump to somewhere outside all of ``pieces``."""
    target = instruction.target
    return (
        target is not None
        and instruction.kind in ("direct jump", "conditional jump")
        and not any(piece.address <= target < piece.end for piece in pieces)
    )


def function_facts(
    program: Program,
    function: Function,
    instructions: Sequence[Instruction],
    *,
    name: str | None = None,
) -> FunctionFacts:
    """Count and name what the instructions of ``function`` do.

    ``name`` chooses among its aliases. A jump between a function and its own cold part does not
    leave the function.
    """
    kinds = Counter(instruction.kind for instruction in instructions)
    calls: Counter[str] = Counter()
    tails: Counter[str] = Counter()
    local: set[str] = set()
    for instruction in instructions:
        if instruction.kind == "direct call" and instruction.target is not None:
            calls[program.name_of(instruction.target)] += 1
            local |= _local(program, instruction.target)
        elif leaves(instruction, (function,)):
            assert instruction.target is not None
            landing = program.function_at(instruction.target)
            if landing is None or not _same_function(function, landing):
                tails[program.name_of(instruction.target)] += 1
                local |= _local(program, instruction.target)
    return FunctionFacts(
        name=name or function.name,
        address=function.value,
        size=function.size,
        section=function.section,
        instructions=len(instructions),
        indirect_jumps=kinds["indirect jump"],
        direct_calls=kinds["direct call"],
        indirect_calls=kinds["indirect call"],
        tail_jumps=tails.total(),
        callees=_by_count(calls),
        tail_callees=_by_count(tails),
        local_callees=tuple(sorted(local)),
    )


def _local(program: Program, address: int) -> set[str]:
    """The name of the function that begins there, if no other source file can call it."""
    function = program.function_at(address)
    return {function.name} if function and function.file and function.address == address else set()


def _same_function(a: Function, b: Function) -> bool:
    """Whether one is the cold part of the other, or both are parts of a third."""
    parents_a = {parent_name(n) or n for n in a.names}
    parents_b = {parent_name(n) or n for n in b.names}
    split = any(parent_name(n) for n in (*a.names, *b.names))
    return split and not parents_a.isdisjoint(parents_b)


def _by_count(counter: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counter.items(), key=lambda item: (-item[1], item[0])))
