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


# The effect of a change on a program: differing code, and the benchmarks that run it.

ChangeKind = Literal["changed", "added", "removed"]


@dataclass(frozen=True)
class FunctionChange:
    """A function whose machine code differs between the two sides, or that one side lacks.

    ``sizes`` are bytes before and after, 0 where it is not there. ``reached``: something that runs
    can refer to it. ``calls`` are functions that only the new code calls, ``called`` those that
    only the old one did. ``diff`` is the difference of its instructions as lines of a unified diff,
    addresses replaced by names; empty where it was not made.
    """

    name: str
    kind: ChangeKind
    sizes: tuple[int, int]
    reached: bool = True
    calls: tuple[str, ...] = ()
    called: tuple[str, ...] = ()
    diff: tuple[str, ...] = ()


@dataclass(frozen=True)
class CodeComparison:
    """Two builds of the same thing.

    ``identical``: byte by byte. ``same``: nothing that runs has changed, up to addresses. Where it
    is not, ``functions`` are those that differ and ``reasons`` what else does, or what keeps it
    from being shown, in words. Where it is ``same``, nothing refers to ``functions``.
    ``traced`` says that ``functions`` are all that differs: who executes none of them, runs the
    same code.
    """

    identical: bool
    same: bool
    functions: tuple[FunctionChange, ...] = ()
    reasons: tuple[str, ...] = ()
    traced: bool = False

    @property
    def reached(self) -> tuple[FunctionChange, ...]:
        """Those of ``functions`` that something refers to."""
        return tuple(f for f in self.functions if f.reached)


@dataclass(frozen=True)
class ChangeCoverage:
    """Whether a benchmark executes what has changed. ``executes`` are the changed functions that it
    does, by their names, those first whose own number of instructions changed most; None where that
    is not known, and ``why`` says so. ``instructions`` are those of base and head for the same
    work, None where they were not counted."""

    benchmark: str
    executes: tuple[str, ...] | None
    why: str = ""
    instructions: tuple[float, float] | None = None

    @property
    def placement_only(self) -> bool:
        """Whether only the place of its code can have changed."""
        return self.executes == ()


@dataclass(frozen=True)
class Check:
    """What ``whyfast check`` compared and found beside the measuring.

    ``base`` and ``head`` are full hashes of commits, ``base_name`` and ``head_name`` what they are
    called. ``added`` and ``removed`` are benchmarks that only one side's study has. ``notes`` are
    what weakens the comparison, one sentence each. ``commits`` is how many lie between, and
    ``search`` the command line that says which of them it is; empty where there is but one.
    ``not_linked``: of equal programs, the sources that differ and of which these hold nothing, and
    files beside them that no benchmark opens.
    """

    base: str
    head: str
    base_name: str
    head_name: str
    code: CodeComparison
    reaches: tuple[ChangeCoverage, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    commits: int = 0
    search: str = ""
    not_linked: tuple[str, ...] = ()

    def reach(self, benchmark: str) -> ChangeCoverage | None:
        """That of one benchmark."""
        return next((r for r in self.reaches if r.benchmark == benchmark), None)
