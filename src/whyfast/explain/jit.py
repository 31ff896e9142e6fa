"""How programs compiled at run time follow one another: by direct jumps, indirect ones, thunks."""

from __future__ import annotations

import platform
import re
from collections.abc import Sequence

from whyfast.explain.disassembly import Instruction, disassembler_for
from whyfast.explain.objects import Architecture
from whyfast.formats.self_report import Code, CodeReport
from whyfast.model.sample import ImageProgram, JitImage, JumpForm

#: The kernel's names for code that makes an indirect jump on behalf of another.
_INDIRECT_THUNK = re.compile(r"^__x86_indirect_\w*thunk_r\w+$")
_RETURN_THUNK = re.compile(r"return_thunk$")

_WORDS: dict[JumpForm, str] = {
    "direct": "directly",
    "indirect": "through a register or memory",
    "thunk": "through a thunk (retpoline)",
}


def this_architecture() -> Architecture | None:
    """That of the running machine; None when whyfast cannot read its code."""
    names: dict[str, Architecture] = {"x86_64": "x86-64", "aarch64": "aarch64"}
    return names.get(platform.machine())


def explain_image(report: CodeReport, variant: str, architecture: Architecture) -> JitImage:
    """What the report's programs do to get to the next; the last one has none."""
    if not report.compiled:
        reason = "the kernel interprets the programs: there is no machine code"
        return JitImage(variant, "interpreted", reason, ())
    if not report.programs:
        return JitImage(variant, "unknown", "the kernel does not show the machine code", ())
    programs = tuple(_program(program, report, architecture) for program in report.programs)
    going_on = programs[:-1] or programs
    forms = {p.form for p in going_on}
    form = going_on[0].form if len(forms) == 1 else "unknown"
    return JitImage(variant, form, _reason(going_on, report), programs)


def _reason(programs: Sequence[ImageProgram], report: CodeReport) -> str:
    parts = []
    for form in dict.fromkeys(p.form for p in programs):
        count = sum(p.form == form for p in programs)
        way = _WORDS.get(form, "in an unknown way")
        parts.append(f"{count} of {len(programs)} go on {way}")
    if not all(program.address for program in report.programs):
        parts.append("the kernel hides the addresses, so targets are unknown")
    return "; ".join(parts)


def _program(program: Code, report: CodeReport, architecture: Architecture) -> ImageProgram:
    engine = disassembler_for(architecture)
    instructions = list(engine.decode(program.code, program.address))
    exits: list[str] = []
    forms: set[JumpForm] = set()
    for instruction in instructions:
        way = _exit(instruction, program, report)
        if way is not None:
            forms.add(way[0])
            exits.append(way[1])
    # A program that can go on directly keeps an indirect jump for nothing; one that has only a
    # thunk or a register uses it.
    order: tuple[JumpForm, ...] = ("direct", "thunk", "indirect")
    form: JumpForm = next((f for f in order if f in forms), "unknown")
    names = _names(program, report)
    text = tuple(
        f"+0x{at - program.address:x}  {line}{_comment(line, names)}"
        for at, line in engine.text(program.code, program.address)
    )
    keep = text if program.number == 0 else ()
    return ImageProgram(
        program.number,
        program.address,
        len(program.code),
        len(instructions),
        form,
        tuple(exits),
        keep,
    )


def _exit(i: Instruction, program: Code, report: CodeReport) -> tuple[JumpForm, str] | None:
    """How an instruction leaves the program, and in words; None when it stays inside."""
    if i.kind == "indirect jump":
        return (
            "indirect",
            f"+0x{i.address - program.address:x}: a jump through a register or memory",
        )
    if i.target is None:
        return None
    inside = program.address <= i.target < program.address + len(program.code)
    where = f"+0x{i.address - program.address:x}"
    if i.kind == "direct call" and inside:
        # Kernels before 5.16 wrote the retpoline out where it was needed: a call over a loop.
        return "thunk", f"{where}: a retpoline written out in place"
    if inside or i.kind not in ("direct jump", "conditional jump"):
        return None
    target = _name(i.target, report)
    if _INDIRECT_THUNK.match(target):
        return "thunk", f"{where}: a jump to {target}"
    if _RETURN_THUNK.search(target):
        return None
    if target.startswith("program "):
        return "direct", f"{where}: a direct jump to {target}"
    return "unknown", f"{where}: a jump to {target}"


def _name(address: int, report: CodeReport) -> str:
    for other in report.programs:
        if other.address and other.address <= address < other.address + len(other.code):
            return f"program {other.number} + 0x{address - other.address:x}"
    return report.symbols.get(address, f"0x{address:x}")


def _names(program: Code, report: CodeReport) -> dict[str, str]:
    """The text of each target outside of the program, as a disassembler writes it, and its name."""
    names = {f"0x{at:x}": name for at, name in report.symbols.items()}
    for other in report.programs:
        if other.address and other.number != program.number:
            for offset in range(len(other.code)):
                names[f"0x{other.address + offset:x}"] = f"program {other.number} + 0x{offset:x}"
    return names


def _comment(line: str, names: dict[str, str]) -> str:
    for word in line.split():
        name = names.get(word.removeprefix("#"))  # as AArch64 writes its immediates
        if name is not None:
            return f"    ; {name}"
    return ""
