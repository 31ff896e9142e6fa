"""A function together with the cold parts that the compiler split off it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from whyfast.explain.code import Program
from whyfast.explain.disassembly.instruction import Instruction
from whyfast.explain.functions import THUNK, leaves, parent_name
from whyfast.explain.objects.symbols import Function


@dataclass
class Body:
    """``pieces`` has the function first; ``instructions`` are those of all pieces, with hints."""

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
