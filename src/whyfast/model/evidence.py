"""Facts about machine code that could explain a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

DispatchForm = Literal["replicated", "merged", "partly merged", "none", "unknown"]


@dataclass(frozen=True)
class FunctionFacts:
    """One function of one program, by symbol.

    Counts are of machine instructions inside the symbol's extent: ``indirect_jumps`` jump through
    a register or memory, ``direct_calls`` and ``indirect_calls`` are calls, ``tail_jumps`` direct
    jumps that leave the function. ``size`` in bytes; ``section`` e.g. ``.text.hot``.
    ``callees`` are the targets of direct calls, by name, with counts; ``tail_callees`` those of
    the tail jumps.
    """

    name: str
    address: int
    size: int
    section: str
    instructions: int
    indirect_jumps: int
    direct_calls: int
    indirect_calls: int
    tail_jumps: int
    callees: tuple[tuple[str, int], ...] = ()
    tail_callees: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class DispatchFacts:
    """How a program dispatches, summed over the functions that a study names.

    ``style`` is ``loop`` (one big function) or ``tail-call`` (a function a handler). ``targets`` is
    the number of places that dispatch can reach (entries of the jump table, or handlers), None
    when no table was found. ``replicated`` means that most targets end in a dispatch of their own.
    """

    style: Literal["loop", "tail-call", "none"]
    form: DispatchForm
    indirect_jumps: int
    targets: int | None
    functions: int
    instructions: int
    size: int
    reason: str


@dataclass(frozen=True)
class Evidence:
    """Everything found in one build's program.

    ``missing`` are the patterns that no function matched; ``notes`` say what could not be seen.
    """

    variant: str
    architecture: str
    dispatch: DispatchFacts | None
    functions: tuple[FunctionFacts, ...]
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
