"""A function's machine code as text that can be laid beside another's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: What an instruction does to the flow of control; empty for most.
Flow = Literal["", "jump", "call", "return", "indirect jump", "indirect call"]
#: How two instructions lie beside each other: equal; equal but for registers and places in the
#: stack frame; different; or there on one side only.
Beside = Literal["same", "registers", "changed", "only a", "only b"]


@dataclass(frozen=True)
class CodeLine:
    """An instruction: ``text`` with names in place of addresses, and ``form``, which is the same
    for instructions that differ in registers and places in the stack frame only. ``source`` is
    ``file:line``, empty where nothing tells."""

    text: str
    form: str
    flow: Flow = ""
    source: str = ""


@dataclass(frozen=True)
class CodeListing:
    """A function of one build, its cold parts with it, in address order."""

    function: str
    lines: tuple[CodeLine, ...]

    def count(self, flow: Flow) -> int:
        """How many of its instructions do that."""
        return sum(line.flow == flow for line in self.lines)


@dataclass(frozen=True)
class CodeRow:
    """One instruction of each side, or None where a side has none."""

    beside: Beside
    a: CodeLine | None
    b: CodeLine | None


@dataclass(frozen=True)
class CodeDifference:
    """One function in two builds, instruction by instruction."""

    function: str
    a: CodeListing
    b: CodeListing
    rows: tuple[CodeRow, ...]

    @property
    def changed(self) -> int:
        """Rows that are not equal; registers do not count."""
        return sum(row.beside not in ("same", "registers") for row in self.rows)

    @property
    def jumps(self) -> tuple[int, int]:
        """Indirect jumps on each side."""
        return self.a.count("indirect jump"), self.b.count("indirect jump")


@dataclass(frozen=True)
class CodePair:
    """The functions that differ between two builds, the most relevant first; ``others`` is how many
    more differ that are not shown, ``only_in_a`` and ``only_in_b`` functions of one side alone."""

    a: str
    b: str
    differences: tuple[CodeDifference, ...]
    others: int = 0
    only_in_a: tuple[str, ...] = ()
    only_in_b: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProgramCode:
    """The functions of one build that a study looks at; ``left_out`` is how many had no room."""

    variant: str
    listings: tuple[CodeListing, ...]
    left_out: int = 0
