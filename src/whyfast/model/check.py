"""What a change does to a program: which code differs, and which benchmarks run it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
class Reach:
    """Whether a benchmark executes what has changed.

    ``executes`` are the changed functions that it does, by their names, those first whose own
    number of instructions changed most; None where that is not known, and ``why`` says so.
    ``instructions`` are those of base and head for the same work, None where they were not counted.
    """

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
    """

    base: str
    head: str
    base_name: str
    head_name: str
    code: CodeComparison
    reaches: tuple[Reach, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    commits: int = 0
    search: str = ""

    def reach(self, benchmark: str) -> Reach | None:
        """That of one benchmark."""
        return next((r for r in self.reaches if r.benchmark == benchmark), None)
