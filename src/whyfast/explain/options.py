"""Traces of compiler options in the dispatching functions of a program.

Traces, by :data:`whyfast.judge.option_confounds.COSTS`: two or more registers cleared just before a
return or, in handlers of tail calls, an indirect jump; a frame pointer set up in the first
instructions; the canary of the stack protector; landing pads and signed return addresses; a stack
pointer moved by exactly one page; calls through the GOT; retpolines; calls of profilers and
sanitizers."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from whyfast.explain.disassembly import Instruction, Kind, Mark
from whyfast.explain.functions import Body, Program
from whyfast.explain.objects.debug_info import dwarf_of, dwarf_text, notes_in, unit_extents
from whyfast.explain.objects.elf import ElfFile, open_elf
from whyfast.judge.option_confounds import COSTS, switched_on
from whyfast.model.evidence import OptionTrace

_GCC = re.compile(r"GNU (?:C|C\+\+|GIMPLE)\S* (\d+(?:\.\d+)*)|GCC: \([^)]*\) (\d+(?:\.\d+)*)")
_CLANG = re.compile(r"clang version (\d+(?:\.\d+)*)")
#: Units of debug information that are looked through for the one of the dispatching functions.
_MOST_UNITS = 5000

# annobin: GA + or ! for a truth, * for a number; options by name, the stack protector by 2.
_NOTE_TRUTHS = {
    b"GA!omit_frame_pointer": "-fno-omit-frame-pointer",
    b"GA+stack_clash": "-fstack-clash-protection",
}
_NOTE_NUMBERS = {b"GA*cf_protection": "-fcf-protection", b"GA*\x02": "-fstack-protector"}


@dataclass(frozen=True)
class CompilerRecord:
    """``compiler`` such as ``clang 19.1.7``, empty when unknown; ``options`` those of
    :data:`whyfast.judge.option_confounds.COSTS` that were on, with their spelling; ``flags`` all
    that the compiler names, in order."""

    compiler: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()


def read_recorded(path: Path, address: int | None = None) -> CompilerRecord:
    """The record of the compiler that made the code at ``address``; of any where that is None or no
    debug information covers it. A file that is damaged or not ELF has none. Sources:
    ``DW_AT_producer`` of the debug information (GCC lists its options there; Clang with
    ``-grecord-command-line``), the section ``.GCC.command.line`` (``-frecord-gcc-switches``), the
    notes of annobin (Fedora and its kin), and ``.comment`` for the version alone."""
    try:
        elf = open_elf(path)
        producers = _producers(elf, address)
        lines = [*producers, *_strings(elf.named(".GCC.command.line"))]
        notes = list(_annobin(elf.named(".gnu.build.attributes")))
        comments = _strings(elf.named(".comment"))
    except Exception:  # the library reports damage by many unrelated exceptions
        return CompilerRecord()
    flags = [flag for line in lines for flag in _flags(line)]
    return CompilerRecord(
        _compiler(producers) or _compiler(comments),
        switched_on([*notes, *flags]),
        tuple(f.rstrip(";") for f in flags),
    )


def _compiler(texts: list[str]) -> str:
    """The compiler that all texts name; beside Clang's code, GCC's is that of the system's start-up
    files."""
    compilers = dict.fromkeys(f"clang {m.group(1)}" for t in texts if (m := _CLANG.search(t)))
    if not compilers:
        matches = [m for t in texts if (m := _GCC.search(t))]
        compilers = dict.fromkeys(f"gcc {m.group(1) or m.group(2)}" for m in matches)
    return next(iter(compilers)) if len(compilers) == 1 else ""


def _flags(line: str) -> list[str]:
    try:
        words = shlex.split(line)
    except ValueError:
        words = line.split()
    return [word for word in words if word.startswith("-")]


def _producers(elf: ElfFile, address: int | None) -> list[str]:
    """The producer of the unit that holds the address, else all different ones."""
    dwarf = dwarf_of(elf)
    producers: dict[str, None] = {}
    units = dwarf.iter_CUs() if dwarf else ()
    for _, unit in zip(range(_MOST_UNITS), units, strict=False):
        top = unit.get_top_DIE()
        if "DW_AT_producer" not in top.attributes:
            continue
        text = dwarf_text(top.attributes["DW_AT_producer"].value)
        if address is not None and any(s <= address < e for s, e in unit_extents(dwarf, unit)):
            return [text]
        producers[text] = None
    return list(producers)


def _strings(section: bytes) -> list[str]:
    return [s.decode("utf-8", "replace") for s in section.split(b"\0") if s]


def _annobin(data: bytes) -> Iterator[str]:
    """The options that the notes name, spelled as options."""
    for _, name, _ in notes_in(data):
        for prefix, option in _NOTE_TRUTHS.items():
            if name.rstrip(b"\0") == prefix:
                yield option
        for prefix, option in _NOTE_NUMBERS.items():
            if name.startswith(prefix):
                number = int.from_bytes(name[len(prefix) :].lstrip(b"\0")[:4], "little")
                yield from _numbered(option, number)


def _numbered(option: str, number: int) -> Iterator[str]:
    """annobin adds 1 to what it records of -fcf-protection: 0 none, 1 branch, 2 return, 3 full."""
    if option == "-fcf-protection":
        values = {1: "none", 2: "branch", 3: "return", 4: "full"}
        if number in values:
            yield f"{option}={values[number]}"
    elif number:
        yield option


#: Registers cleared in a row before an exit that no ordinary code clears: it has no use for them.
_CLEARED = 2
#: A frame pointer is set up within this many instructions.
_PROLOGUE = 16
#: Share of the handlers that must show what single ones have anyway: a frame pointer, where the
#: frame is of variable size; cleared registers, where the next handler is passed zeros.
_SHARE = 1 / 4
#: Handlers from which on a share means something.
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
        if cost.option in shared and (len(bodies) < _LEAST or count < _SHARE * len(bodies)):
            count = 0
        spelling = recorded.options.get(cost.option, "")
        if count or spelling:
            traces.append(OptionTrace(cost.option, count, len(bodies), spelling))
    return tuple(traces)


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


def _marked(*marks: Mark) -> _Test:
    return lambda program, body: any(i.mark in marks for i in body.instructions)


def _through_slots(program: Program, body: Body) -> bool:
    slots = program.image.slots
    return any(
        i.kind == "indirect call" and i.use == "reads" and i.reference in slots
        for i in body.instructions
    )


def _calls(names: re.Pattern[str]) -> _Test:
    return lambda program, body: any(
        names.fullmatch(_callee(program, i)) for i in body.instructions
    )


def _callee(program: Program, instruction: Instruction) -> str:
    if instruction.kind == "indirect call" and instruction.reference is not None:
        return program.image.slots.get(instruction.reference, "")
    if instruction.kind not in ("direct call", "direct jump") or instruction.target is None:
        return ""
    return program.name_of(instruction.target)


_TESTS: dict[str, _Test] = {
    "-fzero-call-used-regs": _clears("return", "indirect jump"),
    "-fno-omit-frame-pointer": _framed,
    "-fstack-protector": lambda p, b: _marked("canary")(p, b) or _calls(_CANARY)(p, b),
    "-fcf-protection": _marked("landing pad", "signs"),
    "-fstack-clash-protection": _marked("page"),
    "-fno-plt": _through_slots,
    "-mindirect-branch=thunk": lambda program, body: body.thunk_jumps(program) > 0,
    "-pg": _calls(_PROFILER),
    "-fsanitize": _calls(_SANITIZER),
    "-fprofile-generate": _calls(_COUNTER),
}
