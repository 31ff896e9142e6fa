"""Traces of compiler options in the dispatching functions of a program.

What counts as a trace, by :data:`whyfast.judge.option_costs.COSTS`: two or more registers cleared
just before a return or, in handlers of tail calls, an indirect jump; a frame pointer set up in the
first instructions; the canary of the stack protector; landing pads and signed return addresses; a
stack pointer moved by exactly one page; calls through the GOT; retpolines; calls of profilers and
sanitizers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from whyfast.explain.body import Body
from whyfast.explain.code import Program
from whyfast.explain.disassembly.instruction import Instruction, Kind
from whyfast.explain.recorded import CompilerRecord
from whyfast.judge.option_costs import COSTS
from whyfast.model.evidence import OptionTrace

#: Registers cleared in a row before an exit that no ordinary code clears: it has no use for them.
_CLEARED = 2
#: A frame pointer is set up within so many instructions, or it is none.
_PROLOGUE = 16
#: Of the handlers must show what single ones have anyway: a frame pointer, where the frame is of
#: variable size; cleared registers, where the next handler is passed zeros.
_SHARE = 1 / 4
#: And of so many: that of a single function tells nothing.
_LEAST = 4

_CANARY = re.compile(r"__stack_chk_fail(_local)?|__security_check_cookie")
_PROFILER = re.compile(r"_?_?fentry__|_?mcount|__cyg_profile_func_(enter|exit)")
_SANITIZER = re.compile(r"__(asan|tsan|msan|hwasan|ubsan|sanitizer)_.*")
_COUNTER = re.compile(r"__llvm_profile_.*|__gcov_.*")

_Test = Callable[[Program, Body], bool]


def option_traces(
    program: Program, bodies: Sequence[Body], recorded: CompilerRecord
) -> tuple[OptionTrace, ...]:
    """The options that the code of ``bodies`` shows or the compiler recorded, in usual order."""
    tests, shared = dict(_TESTS), {"-fno-omit-frame-pointer"}
    if len(bodies) == 1:
        # The indirect jumps of a loop stay in it: what is cleared before them are its variables.
        tests["-fzero-call-used-regs"] = _clears("return")
    else:
        shared.add("-fzero-call-used-regs")
    traces = []
    for cost in COSTS:
        count = sum(tests[cost.option](program, body) for body in bodies)
        if cost.option in shared and not _by_option(count, len(bodies)):
            count = 0
        spelling = recorded.options.get(cost.option, "")
        if count or spelling:
            traces.append(OptionTrace(cost.option, count, len(bodies), spelling))
    return tuple(traces)


def _by_option(showing: int, functions: int) -> bool:
    return functions >= _LEAST and showing >= _SHARE * functions


def _clears(*exits: Kind) -> _Test:
    def test(program: Program, body: Body) -> bool:
        run = 0
        for instruction in body.instructions:
            if instruction.kind in exits and run >= _CLEARED:
                return True
            run = run + 1 if instruction.mark == "zeroes" else 0
        return False

    return test


def _framed(program: Program, body: Body) -> bool:
    """A push, and the frame pointer set to where it went."""
    start = body.instructions[:_PROLOGUE]
    pushed = False
    for instruction in start:
        if instruction.mark == "frame pointer" and pushed:
            return True
        pushed = pushed or instruction.mark in ("push", "stack store")
    return False


def _guarded(program: Program, body: Body) -> bool:
    return any(i.mark == "canary" for i in body.instructions) or _calls(_CANARY)(program, body)


def _landing(program: Program, body: Body) -> bool:
    return any(i.mark in ("landing pad", "signs") for i in body.instructions)


def _probing(program: Program, body: Body) -> bool:
    return any(i.mark == "page" for i in body.instructions)


def _through_slots(program: Program, body: Body) -> bool:
    slots = program.image.slots
    return any(
        i.kind == "indirect call" and i.use == "reads" and i.reference in slots
        for i in body.instructions
    )


def _thunks(program: Program, body: Body) -> bool:
    return body.thunk_jumps(program) > 0


def _calls(names: re.Pattern[str]) -> _Test:
    def test(program: Program, body: Body) -> bool:
        return any(names.fullmatch(_callee(program, i)) for i in body.instructions)

    return test


def _callee(program: Program, instruction: Instruction) -> str:
    if instruction.kind == "indirect call" and instruction.reference is not None:
        return program.image.slots.get(instruction.reference, "")
    if instruction.kind not in ("direct call", "direct jump") or instruction.target is None:
        return ""
    return program.name_of(instruction.target)


_TESTS: dict[str, _Test] = {
    "-fzero-call-used-regs": _clears("return", "indirect jump"),
    "-fno-omit-frame-pointer": _framed,
    "-fstack-protector": _guarded,
    "-fcf-protection": _landing,
    "-fstack-clash-protection": _probing,
    "-fno-plt": _through_slots,
    "-mindirect-branch=thunk": _thunks,
    "-pg": _calls(_PROFILER),
    "-fsanitize": _calls(_SANITIZER),
    "-fprofile-generate": _calls(_COUNTER),
}
