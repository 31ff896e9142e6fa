"""Functions of a program as lines of text, with names in place of addresses.

Two builds of one source place everything elsewhere. What an instruction reaches is named, so that
the same instruction reads the same in both; jumps within a function lead to numbered labels.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property

from whyfast.explain.disassembly.instruction import Instruction, Kind
from whyfast.explain.disassembly.registry import listing
from whyfast.explain.functions import Program, base_name, parent_name
from whyfast.explain.objects.elf import open_elf
from whyfast.explain.objects.elf_symbols import read_symbols, with_lines
from whyfast.explain.objects.image import Function, readable
from whyfast.explain.source_lines import FunctionLines
from whyfast.model.code import CodeLine, CodeListing, Flow
from whyfast.model.errors import UserError

_FLOWS: dict[Kind, Flow] = {
    "direct jump": "jump",
    "conditional jump": "jump",
    "direct call": "call",
    "indirect jump": "indirect jump",
    "indirect call": "indirect call",
    "return": "return",
}
_RIP = re.compile(r"\[rip[+-]0x[0-9a-f]+\]")
_HEX = re.compile(r"#?0x[0-9a-f]+")
#: Registers by size; the stack pointer and the program counter are no noise.
_REGISTERS = (
    (re.compile(r"\b(r(?:[abcd]x|[sd]i|bp|8|9|1[0-5])|x(?:[12]?\d|30))\b"), "R64"),
    (re.compile(r"\b(e(?:[abcd]x|[sd]i|bp)|r(?:8|9|1[0-5])d|w(?:[12]?\d|30))\b"), "R32"),
    (re.compile(r"\b((?:[abcd]x|[sd]i|bp)|r(?:8|9|1[0-5])w)\b"), "R16"),
    (re.compile(r"\b([abcd][lh]|[sd]il|bpl|r(?:8|9|1[0-5])b)\b"), "R8"),
    (re.compile(r"\b([xyz]mm|[vqds])\d+\b"), "V"),
)
#: What aligns code, and is never meant to do anything.
_PADDING = re.compile(r"nop\b|cs nop\b|int3$|xchg R16, R16$|data16\b.*nop\b")
_STACK = re.compile(r"\[r?sp[^\]]*\]")


class Listings:
    """The listings of one program, by the names of its functions in the source."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._lines = FunctionLines(with_lines(program.path, program.debug))

    @cached_property
    def pieces(self) -> dict[str, list[Function]]:
        """Functions by name, cold parts with what they are parts of; copies are ``name (2)``."""
        found: dict[str, list[Function]] = {}
        whole: dict[str, int] = {}
        for function in self.program.functions:
            if parent_name(function.name) is None:
                name = base_name(function.name)
                whole[name] = whole.get(name, 0) + 1
                key = name if whole[name] == 1 else f"{name} ({whole[name]})"
                found[key] = [function]
        for function in self.program.functions:
            parent = parent_name(function.name)
            if parent is not None:
                found.setdefault(base_name(parent), []).append(function)
        return found

    def of(self, name: str) -> CodeListing:
        """The listing of a function of :attr:`pieces`."""
        pieces = self.pieces[name]
        instructions = [
            (piece, i) for piece in pieces for i in self.program.instructions(piece, hints=True)
        ]
        labels = self._labels(pieces, [i for _, i in instructions])
        texts = dict(
            pair
            for piece in pieces
            for pair in listing(
                self.program.architecture,
                self.program.image.read(piece.address, piece.size),
                piece.address,
            )
        )
        sources = self._lines.of([(p.address, p.end) for p in pieces])
        lines = tuple(
            self._line(i, texts.get(i.address, "(data)"), labels, sources) for _, i in instructions
        )
        return CodeListing(name, tuple(x for x in lines if not _PADDING.match(x.form)))

    def _labels(
        self, pieces: Sequence[Function], instructions: Sequence[Instruction]
    ) -> dict[int, str]:
        """Places in the function that its own jumps lead to, numbered by address."""
        targets = {
            i.target
            for i in instructions
            if i.target is not None and any(p.address <= i.target < p.end for p in pieces)
        }
        return {target: f"L{n}" for n, target in enumerate(sorted(targets), 1)}

    def _line(
        self,
        instruction: Instruction,
        text: str,
        labels: dict[int, str],
        sources: dict[int, str],
    ) -> CodeLine:
        form = text
        if instruction.target is not None:
            named = labels.get(instruction.target)
            known = named or self.program.name_of(instruction.target)
            shown = "elsewhere" if known.startswith("0x") else known
            text = _HEX.sub(lambda _: shown, text, count=1)
            # Where exactly a jump within a function leads is told by what follows.
            form = _HEX.sub("within" if named else _plain(shown), form, count=1)
        elif instruction.reference is not None:
            name = self._data_name(instruction.reference)
            text = _named(text, instruction.reference, name or "elsewhere")
            form = _named(form, instruction.reference, name or "elsewhere")
        elif text.startswith("adrp"):
            text = form = _HEX.sub("page", text)
        at = labels.get(instruction.address)
        return CodeLine(
            f"{at}: {text}" if at else text,
            _form(form),
            _FLOWS.get(instruction.kind, ""),
            sources.get(instruction.address, ""),
        )

    def _data_name(self, address: int) -> str | None:
        """What lies at an address: a function, named data, or the section it is in."""
        name = self.program.image.slots.get(address)
        if name is not None:
            return name
        starts, ends, names = self._data
        i = bisect_right(starts, address) - 1
        if i >= 0 and address < ends[i]:
            offset = address - starts[i]
            return f"{names[i]}+{offset:#x}" if offset else names[i]
        named = self.program.name_of(address)
        if not named.startswith("0x"):
            return named
        region = self.program.image.region(address)
        return None if region is None else region.name

    @cached_property
    def _data(self) -> tuple[list[int], list[int], list[str]]:
        """Starts, ends and names of named data, by address; empty for other formats than ELF."""
        try:
            elf = open_elf(self.program.path)
        except UserError:
            return [], [], []
        found = {}
        bases = self.program.image.bases
        for table in elf.of_type("SHT_SYMTAB"):
            for s in read_symbols(elf, table):
                if s.type != 1 or s.section not in bases or not s.size:
                    continue
                start = s.value + (bases[s.section] if elf.relocatable else 0)
                found[start] = (start + s.size, s.name)
        names = readable(n for _, n in found.values())
        starts = sorted(found)
        return (
            starts,
            [found[at][0] for at in starts],
            [names.get(found[at][1], found[at][1]) for at in starts],
        )


def _named(text: str, address: int, name: str) -> str:
    return _RIP.sub(f"[{name}]", text).replace(f"{address:#x}", name)


def _plain(name: str) -> str:
    return base_name(name.partition("+")[0])


def _form(text: str) -> str:
    """The instruction without what register allocation decides."""
    text = _STACK.sub("[frame]", text)
    for pattern, kind in _REGISTERS:
        text = pattern.sub(kind, text)
    return text


def changed_names(a: Listings, b: Listings) -> Iterator[str]:
    """Functions of both whose code is not the same bytes."""
    for name, pieces in a.pieces.items():
        others = b.pieces.get(name)
        if others is not None and _bytes(a.program, pieces) != _bytes(b.program, others):
            yield name


def _bytes(program: Program, pieces: Sequence[Function]) -> list[bytes]:
    return [program.image.read(p.address, p.size) for p in pieces]
