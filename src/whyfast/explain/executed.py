"""What kinds of instructions ran, and how often: machine code weighted by counts or by samples.

Start at :func:`executed_kinds`. Kinds overlap: a spilled vector is a vector and stack traffic."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from iced_x86 import (
    CpuidFeature,
    Decoder,
    FlowControl,
    Instruction,
    Mnemonic,
    OpKind,
    Register,
    RegisterExt,
)

from whyfast.explain.disassembly.x86 import FRAME, Stores, clears, has_memory, updates
from whyfast.explain.functions import THUNK, Program, base_name
from whyfast.explain.objects import Function
from whyfast.explain.objects.debug_info import with_lines
from whyfast.explain.objects.elf import ElfFile, open_elf
from whyfast.explain.program import load
from whyfast.explain.source_lines import FunctionLines
from whyfast.model.errors import UserError

#: Functions that end a program or throw: what a failed check of an index calls.
CHECK_FAILED = re.compile(
    r"panic_bounds_check|slice_(start|end)?_?index|panic(Index|Slice|Bounds|_fmt)"
    r"|__throw_out_of_range"
)
#: What a failed assertion of a library, and one of the program or of its arithmetic, calls.
HARDENED = re.compile(r"glibcxx_assert_fail|__libcpp_verbose_abort|_ZSt21__glibcxx_assert_fail")
ASSERTED = re.compile(r"^__assert_fail|^__assert_perror_fail|panicdivide|panic_const")
SANITIZER = re.compile(r"^_*(asan|hwasan|ubsan|tsan|msan|sanitizer_cov|lsan)_|__sanitizer_")
FORTIFIED = re.compile(r"^__\w+_chk$")
#: Where gcc and LLVM count what runs, for coverage or a profile.
COUNTERS = re.compile(r"^__gcov\d*\.|^__profc_")
#: Registers that are cleared right before a return, by -fzero-call-used-regs.
CLEARED = 3

_FLOAT_DIVISION = re.compile(r"^V?(DIV|SQRT)[SP][SD]$")
_SCALAR = re.compile(r"(SS|SD|SI|SS2SD|SD2SS)$")
_NAMES = {v: k for k, v in vars(Mnemonic).items() if isinstance(v, int)}


class Weights(dict[str, float]):
    """Sums of weights by name; 0 for a name that has none."""

    def __missing__(self, name: str) -> float:
        return 0.0

    def add(self, other: Mapping[str, float]) -> None:
        """Add to each name what the other has."""
        for name, weight in other.items():
            self[name] += weight


@dataclass
class Executed:
    """Of one function on one side: weights by kind of instruction, by the function that calls
    reach, and by address. The weights are executions where they were counted, seconds where they
    were sampled. ``total`` is their sum; ``static`` has the number of instructions of each kind in
    the code, ``tables`` how often entries of tables were changed in place."""

    total: float = 0.0
    kinds: Weights = field(default_factory=Weights)
    static: Counter[str] = field(default_factory=Counter)
    calls: Weights = field(default_factory=Weights)
    library_calls: Weights = field(default_factory=Weights)
    instructions: int = 0
    bytes: int = 0
    places: dict[int, float] = field(default_factory=dict)
    tables: Weights = field(default_factory=Weights)

    @property
    def vector_bytes(self) -> float:
        """The mean width in bytes of what arithmetic on vector registers works on: 4 for a scalar
        float, 32 for eight of them; 0 without any."""
        widths = {k: w for k, w in self.kinds.items() if k.startswith("vector ")}
        total = sum(widths.values())
        return sum(int(k.split()[1]) * w for k, w in widths.items()) / total if total else 0.0

    def add(self, other: Executed) -> None:
        """Take in what ran of another function."""
        self.total += other.total
        self.kinds.add(other.kinds)
        self.static += other.static
        self.calls.add(other.calls)
        self.library_calls.add(other.library_calls)
        self.instructions += other.instructions
        self.bytes += other.bytes
        self.places |= other.places
        self.tables.add(other.tables)

    @property
    def packed(self) -> float:
        """The share of what ran that works on several elements at once."""
        many = sum(self.kinds[k] for k in ("vector 16", "vector 32", "vector 64"))
        return many / self.total if self.total else 0.0

    def share(self, kind: str) -> float:
        return self.kinds[kind] / self.total if self.total else 0.0


#: From here on linkers place programs that cannot be moved (the least is ARM's).
FIXED = 0x10000


class LoadedCode:
    """One file with machine code, as layers look at it: its functions by address and by place.
    Functions without a symbol are named by their address, as far as the table for unwinding stacks
    has them. Raises UserError where the file cannot be read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._elf: ElfFile = open_elf(path)
        self.program: Program = load(path)

    def name_at(self, address: int) -> str:
        """The function around an address; empty where none is known."""
        function = self.program.function_at(address)
        return function.name if function is not None else ""

    @cached_property
    def _sections(self) -> list[tuple[int, int, int]]:
        return sorted((s.offset, s.size, s.address) for s in self._elf.sections if s.executable)

    def address_of(self, place: int) -> int | None:
        """The address of the byte at a place in the file; None outside of code. Of a program that
        is linked to a fixed address, far from its place in the file, perf prints the address."""
        if any(
            address <= place < address + size and address - offset >= FIXED
            for offset, size, address in self._sections
        ):
            return place
        i = bisect_right(self._sections, (place, 1 << 62, 0)) - 1
        if i >= 0:
            offset, size, address = self._sections[i]
            if offset <= place < offset + size:
                return address + place - offset
        return None

    @cached_property
    def lines(self) -> FunctionLines:
        """Source lines by address, where there is debug information."""
        return FunctionLines(with_lines(self.path, self.program.debug))

    @cached_property
    def by_name(self) -> dict[str, list[Function]]:
        """The pieces of each function by its name in the source, and by every alias."""
        names: dict[str, list[Function]] = {}
        for function in self.program.functions:
            for name in dict.fromkeys((*function.names, *map(base_name, function.names))):
                names.setdefault(name, []).append(function)
        return names


class LoadedFiles:
    """Files with machine code by path, each read once; None for one that cannot be read."""

    def __init__(self) -> None:
        self._files: dict[str, LoadedCode | None] = {}

    def get(self, path: str) -> LoadedCode | None:
        """The file; None for what is no program, such as the kernel's own pages."""
        if path not in self._files:
            try:
                self._files[path] = LoadedCode(Path(path))
            except (UserError, OSError):
                self._files[path] = None
        return self._files[path]


def executed_kinds(
    code: LoadedCode,
    functions: Iterable[Function],
    weights: Mapping[int, float],
    *,
    spread: bool = False,
) -> Executed:
    """What ran of some functions; ``weights`` are by address, and may hold other addresses too.
    ``spread``: they are samples, which fall behind slow instructions; all instructions of a basic
    block ran equally often, so each has the mean of its block. Only x86-64 is classified; of other
    architectures calls and totals alone are known."""
    result = Executed()
    for function in functions:
        text = code.program.image.read(function.address, function.size)
        result.bytes += function.size
        if code.program.architecture != "x86-64":
            result.total += sum(
                w for a, w in weights.items() if function.address <= a < function.end
            )
            continue
        before, stores, cleared = None, Stores(), 0
        if spread:
            weights = _spread(text, function, weights)
        instructions = list(Decoder(64, text, ip=function.address))
        updated = dict(updates(instructions, weights))
        for insn in instructions:
            weight = weights.get(insn.ip, 0.0)
            # Callgrind charges what a stub of the PLT executes to the call.
            if insn.is_call_near and before is not None:
                weight = min(weight, before)
            before = weight if insn.flow_control == FlowControl.NEXT else None
            result.total += weight
            result.instructions += 1
            if weight:
                result.places[insn.ip] = weight
            kinds = [*_kinds(insn, code), *stores.kinds(insn, weight)]
            if updated.get(insn.ip):
                result.tables[updated[insn.ip]] += weight
            elif insn.ip in updated:
                kinds.append("update")
            if insn.flow_control == FlowControl.RETURN and cleared >= CLEARED:
                kinds += ["cleared register"] * cleared
            cleared = cleared + 1 if clears(insn) else 0
            for kind in kinds:
                result.kinds[kind] += weight
                result.static[kind] += 1
            callee = insn.near_branch_target if "tail call" in kinds else _callee(insn, code)
            if callee is not None and insn.ip_rel_memory_address not in code.program.image.slots:
                name = code.program.name_of(callee)
                result.calls[name] += weight
                if "library call" in kinds:
                    result.library_calls[name] += weight
            elif "library call" in kinds:
                slot = code.program.image.slots.get(insn.ip_rel_memory_address, "")
                result.library_calls[slot] += weight
                result.calls[slot] += weight
    return result


def _spread(text: bytes, function: Function, weights: Mapping[int, float]) -> Mapping[int, float]:
    """Every instruction of a basic block with the mean weight of the block."""
    instructions = list(Decoder(64, text, ip=function.address))
    starts = {
        i.near_branch_target
        for i in instructions
        if i.is_jcc_short_or_near or i.is_jmp_short_or_near
    }
    spread: dict[int, float] = {}
    block: list[int] = []

    def close() -> None:
        mean = sum(weights.get(a, 0.0) for a in block) / max(1, len(block))
        spread.update(dict.fromkeys(block, mean))
        block.clear()

    for insn in instructions:
        if insn.ip in starts:
            close()
        block.append(insn.ip)
        if insn.flow_control not in (FlowControl.NEXT, FlowControl.CALL, FlowControl.INDIRECT_CALL):
            close()
    close()
    return spread


def _kinds(insn: Instruction, code: LoadedCode) -> Iterable[str]:
    name = _NAMES.get(insn.mnemonic, "")
    if insn.has_lock_prefix or (name == "XCHG" and has_memory(insn)):
        yield "atomic"
        if name.startswith(("XCHG", "CMPXCHG")):
            yield "exchange"
    yield from _flow(insn, code)
    if name in ("DIV", "IDIV"):
        yield "integer division"
    elif _FLOAT_DIVISION.match(name):
        yield "float division"
    if name.startswith(("CMOV", "SET")):
        yield "conditional move"
    elif name.startswith("F") and not _X87.isdisjoint(insn.cpuid_features()):
        if name not in ("FLDZ", "FSTP") or has_memory(insn):  # that clears its registers
            yield "x87"
    elif name.startswith(("CVT", "VCVT")):
        yield "conversion"
    if (insn.has_rep_prefix or insn.has_repne_prefix) and name.startswith(("MOVS", "STOS")):
        yield "block copy"
    if _WIDE_MOVE.match(name) and has_memory(insn):
        yield "wide move"
    if insn.segment_prefix == Register.FS and insn.memory_displacement == 0x28:
        yield "canary"
    if name in ("ENDBR64", "NOP"):
        yield "marker"
    if has_memory(insn) and name != "LEA" and name != "NOP":
        stack = insn.memory_base in FRAME
        writes = insn.op0_kind == OpKind.MEMORY and name not in ("CMP", "TEST")
        yield f"stack {'store' if writes else 'load'}" if stack else "store" if writes else "load"
        if stack and _vector_width(insn, name):
            yield "stack vector"
        named = insn.is_ip_rel_memory_operand and code.program.object_at(insn.ip_rel_memory_address)
        if named and COUNTERS.match(named):
            yield "counter"
    width = _vector_width(insn, name)
    if width:
        yield f"vector {width}"


def _flow(insn: Instruction, code: LoadedCode) -> Iterable[str]:
    flow = insn.flow_control
    if flow == FlowControl.CONDITIONAL_BRANCH:
        yield "branch"
        yield from _failed(insn.near_branch_target, code)
    elif flow == FlowControl.INDIRECT_BRANCH:
        yield "indirect jump"
    elif flow == FlowControl.INDIRECT_CALL:
        # A call through a slot of the GOT is one of a library's function (-fno-plt).
        # So is one through a slot whose content the linker knows a direct call (Rust, -fno-plt).
        yield "call"
        slot = insn.ip_rel_memory_address if insn.is_ip_rel_memory_operand else None
        if slot in code.program.image.slots:
            yield "library call"
        elif _callee(insn, code) is None:
            yield "indirect call"
    elif insn.is_call_near:
        yield "call"
        region = code.program.image.region(insn.near_branch_target)
        if region is not None and region.name.startswith(".plt"):
            yield "library call"
            yield "plt call"
        name = code.program.name_of(insn.near_branch_target)
        if THUNK.match(name):
            yield "thunk"
        elif FORTIFIED.match(name):
            yield "fortified call"
        elif SANITIZER.match(name):
            yield "sanitizer call"
    elif flow == FlowControl.UNCONDITIONAL_BRANCH:
        target = code.program.function_at(insn.near_branch_target)
        here = code.program.function_at(insn.ip)
        if THUNK.match(code.program.name_of(insn.near_branch_target)):
            yield "thunk"
        elif target is None or here is None or target.address != insn.near_branch_target:
            return
        elif base_name(target.name) != base_name(here.name):
            yield "tail call"


def _failed(target: int, code: LoadedCode, most: int = 12) -> Iterable[str]:
    """What kind of check it is whose failure the code at ``target`` soon reports, if any."""
    text = code.program.image.read(target, 96)
    for number, insn in enumerate(Decoder(64, text, ip=target)):
        callee = _callee(insn, code)
        if callee is not None:
            name = code.program.name_of(callee)
            if CHECK_FAILED.search(name):
                yield "check"
            elif HARDENED.search(name):
                yield "hardening check"
            elif ASSERTED.search(name):
                yield "assertion"
        if callee is not None or number >= most or insn.flow_control != FlowControl.NEXT:
            return


def _callee(insn: Instruction, code: LoadedCode) -> int | None:
    """The function that a call surely reaches: directly, or through the table of addresses that the
    linker fills (GOT); None for other instructions and pointers."""
    if insn.is_call_near:
        return insn.near_branch_target
    if insn.flow_control != FlowControl.INDIRECT_CALL or not insn.is_ip_rel_memory_operand:
        return None
    region = code.program.image.region(insn.ip_rel_memory_address)
    if region is None or not region.name.startswith(".got"):
        return None
    return int.from_bytes(code.program.image.read(insn.ip_rel_memory_address, 8), "little") or None


_X87 = frozenset({CpuidFeature.FPU, CpuidFeature.FPU287, CpuidFeature.FPU387})


#: Moves of whole vector registers to and from memory.
_WIDE_MOVE = re.compile(r"^V?MOV(UPS|UPD|APS|APD|DQU\d*|DQA\d*)$")


def _vector_width(insn: Instruction, name: str) -> int:
    """Bytes that arithmetic or moves on vector registers work on; 0 for other instructions."""
    widest = 0
    for n in range(insn.op_count):
        if insn.op_kind(n) == OpKind.REGISTER:
            register = insn.op_register(n)
            if RegisterExt.is_vector_register(register):
                widest = max(widest, RegisterExt.size(register))
    if not widest or name in ("XORPS", "XORPD", "PXOR", "VXORPS", "VXORPD", "VPXOR"):
        return 0
    if _SCALAR.search(name) and "PS" not in name:
        return 4 if "SS" in name else 8
    if name in ("MOVD", "VMOVD"):
        return 4
    if name in ("MOVQ", "VMOVQ"):
        return 8
    return widest
