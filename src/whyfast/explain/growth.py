"""Why a function has more bytes of code in one build than in another, where the code shows it.

The two functions are compared as bags of *forms*: instructions without registers, numbers and
places in memory. What the larger one has more of is laid beside a loop of the smaller one, beside
the functions that only the smaller one calls, and beside instructions on several elements. Nothing
is said where none of these makes up most of it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from whyfast.explain.code_diff import PADDING, form_of
from whyfast.explain.disassembly import Instruction
from whyfast.explain.functions import Program, base_name, leaves, parent_name
from whyfast.explain.objects import Function
from whyfast.model.cost import GrowthReason, SizeChange

#: The added code is a loop again and again from this cosine on, and this many copies of it:
#: splitting a loop in two (unswitching, a version for aligned data) or peeling it adds one.
ALIKE, COPIES = 0.8, 1.6
#: The share of a callee's forms that its caller must have more of to contain it.
CONTAINED = 0.5
#: The share of the added instructions that must be on several elements, and of the added bytes
#: that must be padding.
PACKED, PADDED = 0.1, 0.5
#: That of instructions on several elements where most of the others are repetitions.
REMAINDER = 0.05
#: The share of the added instructions that must be those of callees, or repetitions.
INLINED, REPEATED = 0.4, 0.4
#: Lengths of a repeated sequence, in instructions.
PERIODS = range(3, 200)
#: Functions of more bytes than this together are not compared: it takes seconds.
MOST = 1 << 20

_OPERANDS = re.compile(r"\[[^\]]*\]|#?-?\b(0x[0-9a-f]+|\d+)\b")
#: Vector registers, by what an instruction does to them: bytes of several elements at once.
_VECTOR = re.compile(r"\b([xyz])mm\d+\b|\bv\d+\.(\d+)([bhsd])\b|\bq\d+\b|\b(z)\d+\.[bhsd]\b")
_ONE_ELEMENT = re.compile(r"v?(?:\w*s[sd](?:2\w+)?|cvt\w*si|movd|movq|px?or|xorp[sd])\b")
_X86_BYTES = {"x": 16, "y": 32, "z": 64}
_ELEMENT_BYTES = {"b": 1, "h": 2, "s": 4, "d": 8}

#: Kinds of instructions behind which the next one is not executed.
_LEAVING = ("direct jump", "indirect jump", "return")

Forms = Counter[str]


Located = tuple[Program, Function]


class DecodedLine(NamedTuple):
    """An instruction: its form, empty for padding, and the bytes of the elements it works on."""

    instruction: Instruction
    form: str
    vector: int


@dataclass
class Pieces:
    """A function of one build as the table of sizes has it: all functions of one name, with the
    programs that they are in."""

    of: Sequence[Located]

    @cached_property
    def copies(self) -> int:
        """How many functions they are, without the cold parts of others."""
        return sum(parent_name(f.name) is None for _, f in self.of)

    @cached_property
    def code(self) -> list[list[DecodedLine]]:
        """The instructions of each."""
        return [_lines(program, function) for program, function in self.of]

    @cached_property
    def forms(self) -> Forms:
        return Counter(line.form for lines in self.code for line in lines if line.form)

    @cached_property
    def bytes(self) -> int:
        return sum(f.size for _, f in self.of)

    @cached_property
    def padding(self) -> int:
        """Bytes that only align what follows."""
        return sum(n.instruction.size for lines in self.code for n in lines if not n.form)

    @cached_property
    def vectors(self) -> Counter[int]:
        """Instructions on several elements, by the bytes that they work on."""
        return Counter(line.vector for lines in self.code for line in lines if line.vector)

    @cached_property
    def calls(self) -> Mapping[str, tuple[Pieces, int]]:
        """The functions of the same program that they call, by name in the source, and from how
        many places."""
        own = [f for _, f in self.of]
        called: dict[str, Located] = {}
        places: Counter[str] = Counter()
        for (program, _), lines in zip(self.of, self.code, strict=True):
            for i in (line.instruction for line in lines):
                if i.target is None or not (i.kind == "direct call" or leaves(i, own)):
                    continue
                callee = program.function_at(i.target)
                if callee is not None and callee.address == i.target and callee not in own:
                    called.setdefault(base_name(callee.name), (program, callee))
                    places[base_name(callee.name)] += 1
        return {name: (Pieces((of,)), places[name]) for name, of in called.items()}

    @cached_property
    def loops(self) -> list[Forms]:
        """The forms of each innermost loop: from where a jump back leads to that jump."""
        loops: list[Forms] = []
        for lines in self.code:
            first = {line.instruction.address: n for n, line in enumerate(lines)}
            start = 0
            for n, (i, _, _) in enumerate(lines):
                at = n + 1 if i.target is None else first.get(i.target, n + 1)
                if i.kind in ("conditional jump", "direct jump") and start <= at <= n:
                    loops.append(Counter(line.form for line in lines[at : n + 1] if line.form))
                    start = n + 1
        return loops

    @cached_property
    def repeated(self) -> int:
        """Instructions in sequences that follow themselves, in one form, twice or more. The next
        case of a switch is no next round of a loop: what always leaves is equal to nothing."""

        def forms(lines: Sequence[DecodedLine]) -> list[str]:
            leaving = [i.kind in _LEAVING for i, _, _ in lines]
            return [f + f"@{n}" * leaving[n] for n, (_, f, _) in enumerate(lines) if f]

        return sum(repeats(forms(lines)) for lines in self.code)


def explained(
    changes: Sequence[SizeChange],
    new: Mapping[str, Sequence[Located]],
    old: Mapping[str, Sequence[Located]],
) -> tuple[SizeChange, ...]:
    """The changes with the reason where the code shows one. ``new`` and ``old`` are the functions
    of the variant and of its baseline, by the names of the changes."""
    changes = [replace(c, why=_reason(c, new, old)) for c in changes]
    # What one side inlines everywhere is no function there.
    inlined = {(n, c.more > 0) for c in changes if c.why for n in c.why.names}
    return tuple(
        replace(c, why=GrowthReason("apart"))
        if c.why and c.why.kind == "alone" and (c.name, c.more < 0) in inlined
        else c
        for c in changes
    )


def _reason(
    change: SizeChange, new: Mapping[str, Sequence[Located]], old: Mapping[str, Sequence[Located]]
) -> GrowthReason | None:
    if change.of not in ("function", "data"):
        return None
    if not change.before or not change.after:
        return GrowthReason("alone")
    if change.of == "data" or change.before + change.after > MOST:
        return None
    sides = (new, old) if change.more > 0 else (old, new)
    larger, smaller = (Pieces(side.get(change.name, ())) for side in sides)
    return growth_reason(larger, smaller) if larger.of and smaller.of else None


def growth_reason(larger: Pieces, smaller: Pieces) -> GrowthReason | None:
    """Why one is larger than the other; None where the code shows nothing that makes up most of
    it."""
    if larger.copies > smaller.copies:
        return GrowthReason("copies", amount=larger.copies - smaller.copies)
    padding = larger.padding - smaller.padding
    if padding >= PADDED * (larger.bytes - smaller.bytes):
        return GrowthReason("padding", amount=padding)
    added = larger.forms - smaller.forms
    inlined = _inlined(larger, smaller, added)
    if inlined:
        return GrowthReason("inlined", names=inlined)
    wide = larger.vectors - smaller.vectors
    wider = max(larger.vectors, default=0) > max(smaller.vectors, default=0)
    unrolled = larger.repeated - smaller.repeated >= REPEATED * added.total() or any(
        added.total() >= COPIES * loop.total() and cosine(added, loop) >= ALIKE
        for loop in smaller.loops
    )
    # The loop for what is left over after the last vector is often unrolled.
    if wider and wide.total() >= (REMAINDER if unrolled else PACKED) * added.total():
        return GrowthReason("vectorised", amount=max(wide, key=lambda w: wide[w]))
    return GrowthReason("unrolled") if unrolled else None


def cosine(a: Forms, b: Forms) -> float:
    """How alike the shares of forms are: 1 where they are the same, 0 with none in common."""
    lengths = math.sqrt(sum(n * n for n in a.values()) * sum(n * n for n in b.values()))
    return sum(n * b[form] for form, n in a.items()) / lengths if lengths else 0.0


def repeats(forms: Sequence[str]) -> int:
    """How many of the instructions lie in a sequence of :data:`PERIODS` that follows itself at
    least twice, but for a tenth of it: three copies. What is the same all along, such as stores
    one after another, is none."""
    numbers: dict[str, int] = {}
    codes = np.array([numbers.setdefault(form, len(numbers)) for form in forms], dtype=np.int64)
    changes = np.concatenate(([0], np.cumsum(codes[1:] != codes[:-1]), [0]))
    ends = np.zeros(len(codes) + 1, dtype=np.int64)
    for period in PERIODS:
        if 3 * period > len(codes):
            break
        equal = np.concatenate(([0], np.cumsum(codes[period:] == codes[:-period])))
        (starts,) = np.nonzero(equal[2 * period :] - equal[: -2 * period] >= 1.8 * period)
        starts = starts[changes[starts + period - 1] - changes[starts] >= period / 2]
        np.add.at(ends, starts, 1)
        np.add.at(ends, starts + 3 * period, -1)
    return int((np.cumsum(ends) > 0).sum())


def _inlined(larger: Pieces, smaller: Pieces, added: Forms) -> tuple[str, ...]:
    """Functions that only the smaller one calls and that what was added contains, the largest
    first; none where they, and what they call, are too little for it. What one of them contains may
    be functions of their own in the other build, which the larger one calls then."""
    held: dict[str, int] = {}
    apart: Forms = Counter()
    for name in larger.calls.keys() - smaller.calls.keys():
        apart += larger.calls[name][0].forms
    whole, seen = 0, set(larger.calls)
    left = [(name, *call, True) for name, call in smaller.calls.items()]
    while left:
        name, callee, places, direct = left.pop()
        ways = (callee.forms, callee.forms - apart)
        sizes = [f.total() for f in ways if (added & f).total() >= CONTAINED * f.total()]
        if name in seen or not sizes:
            continue
        size = sizes[0]
        seen.add(name)
        whole += size * places
        if direct:
            held[name] = size * places
        left += [(n, c, places * p, False) for n, (c, p) in callee.calls.items()]
    if whole < INLINED * added.total():
        return ()
    return tuple(sorted(held, key=lambda n: (-held[n], n)))


def vector_bytes(text: str) -> int:
    """Bytes of the elements that an instruction works on at once; 0 where it is one, or none."""
    registers = list(_VECTOR.finditer(text))
    if not registers or _ONE_ELEMENT.match(text):
        return 0
    return max(
        _X86_BYTES[m[1]] if m[1] else int(m[2]) * _ELEMENT_BYTES[m[3]] if m[2] else 16
        for m in registers
    )


def _lines(program: Program, function: Function) -> list[DecodedLine]:
    code = program.image.read(function.address, function.size)
    texts = dict(program.disassembler.text(code, function.address))
    return [
        DecodedLine(i, *_read(texts.get(i.address, "(data)")))
        for i in program.instructions(function)
    ]


@cache
def _read(text: str) -> tuple[str, int]:
    """The form of an instruction and the bytes of the elements that it works on."""
    form = form_of(text)
    if PADDING.match(form):
        return "", 0
    plain = _OPERANDS.sub(lambda m: "[]" if m[0].startswith("[") else "#", form)
    return plain, vector_bytes(text)
