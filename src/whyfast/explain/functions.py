"""A loaded program and the facts of its functions, of one build and of two side by side."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path

from whyfast.explain.disassembly import Disassembler, Instruction
from whyfast.explain.objects import UNNAMED, Architecture, Function, Image
from whyfast.model.evidence import DISPATCH, CalleeCounts, Evidence, FunctionFacts
from whyfast.model.study import EvidenceSpec

# A PLT entry jumps within this many instructions and bytes.
_STUB_INSTRUCTIONS, _STUB_BYTES = 4, 16

#: Sources whose names symbols and debug information have, where they are in a program.
COMPILED = (".c", ".cc", ".cpp", ".cxx")


@dataclass
class Program:
    """A loaded program. ``functions`` are sorted by address; ``notes`` name what is not visible.
    ``objects`` are the extents and names of data, by address; None where the file has none.
    ``debug`` are folders in which its debug file may lie."""

    path: Path
    architecture: Architecture
    image: Image
    functions: tuple[Function, ...]
    disassembler: Disassembler
    notes: tuple[str, ...] = ()
    objects: tuple[tuple[int, int, str], ...] | None = None
    debug: tuple[Path, ...] = ()
    _names: dict[int, str] = field(default_factory=dict)
    _references: list[int] | None = None

    def __post_init__(self) -> None:
        self._starts = [f.address for f in self.functions]

    def instructions(self, function: Function, *, hints: bool = False) -> list[Instruction]:
        """The function's instructions in address order."""
        instructions: list[Instruction] = []
        start = function.address
        for first, behind in [*self.image.data_within(start, function.end), (function.end,) * 2]:
            code = self.image.read(start, first - start)
            instructions += self.disassembler.decode(code, start, hints=hints)
            start = behind
        return instructions

    def references(self) -> list[int]:
        """Every address that the code of some function computes or reads, in order."""
        if self._references is None:
            self._references = sorted(
                {
                    i.reference
                    for function in self.functions
                    for i in self.instructions(function, hints=True)
                    if i.reference is not None
                }
            )
        return self._references

    def function_at(self, address: int) -> Function | None:
        """The function whose code contains an address, or None."""
        i = bisect_right(self._starts, address) - 1
        if i >= 0 and address < self.functions[i].end:
            return self.functions[i]
        return None

    def object_at(self, address: int) -> str | None:
        """The name of the data at an address, empty without a symbol for it; None where the file
        does not tell."""
        if self.objects is None:
            return None
        i = bisect_right(self.objects, address, key=lambda extent: extent[0]) - 1
        return self.objects[i][2] if i >= 0 and address < self.objects[i][1] else ""

    def name_of(self, address: int) -> str:
        """What a jump or call to ``address`` reaches: a function, also one that is reached through
        the PLT or defined elsewhere, ``name+0x12`` inside one, else the address in hex."""
        if address not in self._names:
            self._names[address] = self._find_name(address)
        return self._names[address]

    def _find_name(self, address: int) -> str:
        function = self.function_at(address)
        if function is not None:
            offset = address - function.address
            # The unwind table may have the whole PLT as a function without a name.
            if offset and function.name.startswith("0x") and (stub := self._stub_name(address)):
                return stub
            return f"{function.name}+{offset:#x}" if offset else function.name
        return self.image.externals.get(address) or self._stub_name(address) or f"{address:#x}"

    def _stub_name(self, address: int) -> str | None:
        code = self.image.read(address, _STUB_BYTES)
        slot = None
        decoded = self.disassembler.decode(code, address, hints=True)
        for _, instruction in zip(range(_STUB_INSTRUCTIONS), decoded, strict=False):
            if instruction.use == "reads":
                slot = instruction.reference
            if instruction.kind == "indirect jump":
                break
            if instruction.kind != "other":
                return None
        else:
            return None
        if slot is None:
            return None
        if slot in self.image.slots:
            return self.image.slots[slot]
        # The loader fills this slot by calling a resolver, which has the function's name.
        resolver = self.function_at(int.from_bytes(self.image.read(slot, 8), "little"))
        return resolver.name if resolver else None


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
    """Count and name what the instructions of ``function`` do. ``name`` chooses among its aliases.
    A jump between a function and its own cold part does not leave the function."""
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


@dataclass
class Body:
    """A function together with the cold parts that the compiler split off it. ``pieces`` has the
    function first; ``instructions`` are those of all pieces, with hints."""

    pieces: tuple[Function, ...]
    instructions: list[Instruction]

    @property
    def name(self) -> str:
        """The function's name."""
        return self.pieces[0].name

    @property
    def size(self) -> int:
        """Bytes of code."""
        return sum(piece.size for piece in self.pieces)

    def contains(self, address: int) -> bool:
        """Whether the address lies in one of the pieces."""
        return any(piece.address <= address < piece.end for piece in self.pieces)

    @cached_property
    def boundaries(self) -> frozenset[int]:
        """The addresses at which an instruction begins."""
        return frozenset(i.address for i in self.instructions)

    @cached_property
    def indirect_jumps(self) -> list[Instruction]:
        """All jumps through a register or memory."""
        return [i for i in self.instructions if i.kind == "indirect jump"]

    @cached_property
    def dispatching_jumps(self) -> int:
        """Indirect jumps that can go to several places: not those through one fixed slot, which
        are tail calls to another library."""
        return sum(i.use != "reads" for i in self.indirect_jumps)

    def thunk_jumps(self, program: Program) -> int:
        """Direct jumps to helpers that jump indirectly on the function's behalf (retpolines)."""
        return sum(
            bool(THUNK.match(program.name_of(i.target)))
            for i in self.instructions
            if i.target is not None and leaves(i, self.pieces)
        )


def bodies(program: Program, functions: Iterable[Function]) -> list[Body]:
    """One body a function; cold parts join the function of their name, in the same source file
    when several share it. A part whose function is not among ``functions`` stands alone."""
    parts: list[tuple[str, Function]] = []
    whole: list[list[Function]] = []
    for function in functions:
        parent = parent_name(function.name)
        if parent is None:
            whole.append([function])
        else:
            parts.append((parent, function))
    for parent, part in parts:
        owners = [pieces for pieces in whole if parent in pieces[0].names]
        near = [pieces for pieces in owners if pieces[0].file == part.file]
        owner = next(iter(near or owners), None)
        if owner is None:
            whole.append([part])
        else:
            owner.append(part)
    return [
        Body(
            tuple(pieces),
            [i for piece in pieces for i in program.instructions(piece, hints=True)],
        )
        for pieces in whole
    ]


Calls = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class FunctionTotals:
    """A function of the source as one build has it: the sum over all pieces and copies that share
    its name (``foo``, ``foo.cold``, ``foo.constprop.0``). ``size`` in bytes."""

    pieces: int
    size: int
    instructions: int
    indirect_jumps: int
    direct_calls: int
    indirect_calls: int
    tail_jumps: int


@dataclass(frozen=True)
class FunctionDifference:
    """One function in two builds. ``calls_only_in_a`` are the functions that only build ``a`` calls
    or tail-calls from it, with the number of places: ``b`` has probably inlined them, or has no
    need of them."""

    name: str
    a: FunctionTotals
    b: FunctionTotals
    calls_only_in_a: Calls = ()
    calls_only_in_b: Calls = ()

    @property
    def differs(self) -> bool:
        """Whether anything that is counted differs; the number of pieces alone does not."""
        return bool(
            replace(self.a, pieces=0) != replace(self.b, pieces=0)
            or self.calls_only_in_a
            or self.calls_only_in_b
        )


def compare_functions(a: Evidence, b: Evidence) -> list[FunctionDifference]:
    """The functions that both builds have, by their names in the source. Those that differ come
    first: by the difference in indirect jumps, then in size."""
    of_a, of_b = _by_name(a), _by_name(b)
    differences = [_difference(name, of_a[name], of_b[name]) for name in of_a if name in of_b]
    return sorted(
        differences,
        key=lambda d: (
            not d.differs,
            -abs(d.a.indirect_jumps - d.b.indirect_jumps),
            -abs(d.a.size - d.b.size),
            d.name,
        ),
    )


def unmatched_functions(a: Evidence, b: Evidence) -> tuple[list[str], list[str]]:
    """The names that only one build has, sorted: (only in ``a``, only in ``b``)."""
    names_a, names_b = _by_name(a).keys(), _by_name(b).keys()
    return sorted(names_a - names_b), sorted(names_b - names_a)


def _by_name(evidence: Evidence) -> dict[str, list[FunctionFacts]]:
    pieces: dict[str, list[FunctionFacts]] = {}
    for function in evidence.functions:
        if not UNNAMED.fullmatch(function.name):  # equal addresses do not make a pair
            pieces.setdefault(base_name(function.name), []).append(function)
    return pieces


def _difference(
    name: str, a: Sequence[FunctionFacts], b: Sequence[FunctionFacts]
) -> FunctionDifference:
    # Calls to pieces of the function itself do not count.
    calls_a, calls_b = (
        sum((_calls(p) for p in pieces), Counter[str]()) - Counter({name: sys.maxsize})
        for pieces in (a, b)
    )
    return FunctionDifference(
        name, _totals(a), _totals(b), _missing(calls_a, calls_b), _missing(calls_b, calls_a)
    )


def _totals(pieces: Sequence[FunctionFacts]) -> FunctionTotals:
    counted = [field.name for field in fields(FunctionTotals)][1:]
    sums = {name: sum(getattr(p, name) for p in pieces) for name in counted}
    return FunctionTotals(pieces=len(pieces), **sums)


def _calls(facts: FunctionFacts) -> Counter[str]:
    """Calls and tail calls by name in the source, as an optimiser turns one into the other. An
    address without a name cannot be matched."""
    calls: Counter[str] = Counter()
    for callee, count in (*facts.callees, *facts.tail_callees):
        plain = base_name(callee.partition("+")[0])
        if not plain.startswith("0x"):
            calls[plain] += count
    return calls


def _missing(here: Counter[str], there: Counter[str]) -> Calls:
    return _by_count(Counter({callee: n for callee, n in here.items() if callee not in there}))


def calls_left(spec: EvidenceSpec, evidence: Sequence[Evidence]) -> tuple[CalleeCounts, ...]:
    """Functions that at least one build calls and at least one does not, most calls first. A
    compiler that meets a very large function may stop inlining even small ones into it: the same
    source then calls a helper in one build and contains it in the other. The functions that
    dispatch count as one piece of code, so that a loop can be compared with handlers of tail calls;
    those in ``functions`` are compared by name, where builds have them. Calls of a function to
    itself, and from one dispatching function to another, do not count."""
    places: dict[str, dict[str, Counter[str]]] = {}
    local: set[str] = set()
    for build in evidence:
        for facts in build.functions:
            local |= {base_name(name) for name in facts.local_callees}
            name = base_name(facts.name)
            where = DISPATCH if _dispatches(facts.name, spec) else name
            calls = places.setdefault(where, {}).setdefault(build.variant, Counter())
            for callee, count in _calls(facts).items():
                if callee != name and not (where == DISPATCH and _dispatches(callee, spec)):
                    calls[callee] += count
    rows = []
    for where, builds in places.items():
        for callee in {callee for calls in builds.values() for callee in calls}:
            counts = {variant: calls[callee] for variant, calls in builds.items()}
            if min(counts.values()) == 0:
                rows.append(CalleeCounts(where, callee, callee in local, counts))
    rows.sort(
        key=lambda r: (r.where != DISPATCH, r.where, not r.local, -max(r.counts.values()), r.callee)
    )
    return tuple(rows)


def _dispatches(name: str, spec: EvidenceSpec) -> bool:
    return any(fnmatchcase(n, p) for p in spec.dispatch for n in (name, base_name(name)))
