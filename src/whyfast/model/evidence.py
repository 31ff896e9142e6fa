"""Facts about machine code that could explain a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

DispatchForm = Literal["replicated", "merged", "partly merged", "none", "unknown"]


@dataclass(frozen=True)
class FunctionFacts:
    """One function of one program, by symbol.

    Counts are of machine instructions inside the symbol's extent: ``indirect_jumps`` jump through
    a register or memory, ``direct_calls`` and ``indirect_calls`` are calls, ``tail_jumps`` direct
    jumps that leave the function. ``size`` in bytes; ``section`` e.g. ``.text.hot``.
    ``callees`` are the targets of direct calls, by name, with counts; ``tail_callees`` those of
    the tail jumps. ``local_callees`` are those of both that only their own source file can call
    (``static`` in C), which a compiler is free to inline.
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
    local_callees: tuple[str, ...] = ()


@dataclass(frozen=True)
class DispatchFacts:
    """How a program dispatches, summed over the functions that a study names.

    ``style`` is ``loop`` (one big function) or ``tail-call`` (a function a handler). ``targets`` is
    the number of places that dispatch can reach (entries of the jump table, or handlers), None
    when no table was found. ``replicated`` means that most targets end in a dispatch of their own.
    ``computed_goto``: whether the table of a loop is an array of the source, as computed gotos
    have, and not one that the compiler made for a ``switch``; None when that cannot be seen.
    """

    style: Literal["loop", "tail-call", "none"]
    form: DispatchForm
    indirect_jumps: int
    targets: int | None
    functions: int
    instructions: int
    size: int
    reason: str
    computed_goto: bool | None = None


@dataclass(frozen=True)
class EntryFacts:
    """What handlers save on the stack before their first branch, call or dispatch. ``handlers``
    were looked at; ``saving`` of them push or spill anything. ``pushes`` and ``spills`` count the
    instructions over all of them, the medians are a handler's."""

    handlers: int
    saving: int
    pushes: int
    pushes_median: float
    spills: int
    spills_median: float


@dataclass(frozen=True)
class OptionTrace:
    """A compiler option that adds instructions to functions, as found in one program. ``option`` is
    its usual spelling. ``handlers`` of ``of`` dispatching functions show it in their code,
    ``recorded`` is the spelling that the compiler wrote into the program, if it did."""

    option: str
    handlers: int
    of: int
    recorded: str = ""


@dataclass(frozen=True)
class Evidence:
    """Everything found in one build's program. ``missing`` are the patterns that no function
    matched; ``notes`` say what could not be seen. ``options`` are those of which the code or the
    compiler's own record shows a trace, None when they were not looked for. ``compiler`` is what
    wrote the dispatching functions, if it says so."""

    variant: str
    architecture: str
    dispatch: DispatchFacts | None
    functions: tuple[FunctionFacts, ...]
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    entry: EntryFacts | None = None
    options: tuple[OptionTrace, ...] | None = None
    compiler: str = ""


@dataclass(frozen=True)
class FailedExpectation:
    """An ``expect`` of a variant that its program does not meet. ``found`` is what the program has
    instead of ``wanted``, None when that could not be seen; ``reason`` is where it was seen, or why
    not."""

    variant: str
    key: str
    wanted: str
    found: str | None
    reason: str


#: What a loop and the handlers of tail calls are called together.
DISPATCH = "dispatch"


@dataclass(frozen=True)
class CalleeCounts:
    """A function that some builds call from a piece of code and others do not.

    ``where`` is :data:`DISPATCH` (all functions that dispatch, together) or the name of a function;
    ``counts`` has the number of places, tail calls included, for every build that has this code.
    ``local``: only its own source file can call it, so that where no call is left it was
    inlined, or the source does without.
    """

    where: str
    callee: str
    local: bool
    counts: Mapping[str, int]


def unmatched(evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """The patterns that match no function of any build."""
    first = evidence[0].missing if evidence else ()
    return tuple(p for p in first if all(p in e.missing for e in evidence))


# Symptoms in machine code of troubles of compilers, known or unknown.


@dataclass(frozen=True)
class Trouble:
    """One symptom in one variant.

    ``symptom`` is what was looked for and ``shows`` what was found, with figures. ``name`` and
    ``title`` are of the matching known trouble, empty without one; ``listed`` says
    whether that is known of this very version. ``flags`` would work around it, ``remedy`` is what
    else helps. ``cured`` are variants with these flags that the evidence shows free of it,
    ``uncured`` such that show it still, ``untried`` such that this run left out, and ``toml`` the
    lines that add one where the study has none. ``degrees`` says how far these flags reach in each
    variant that has them: "14 indirect jumps for 83 handlers".
    """

    variant: str
    compiler: str
    symptom: str
    shows: str
    name: str = ""
    title: str = ""
    listed: bool = False
    flags: tuple[str, ...] = ()
    remedy: str = ""
    sources: tuple[str, ...] = ()
    cured: tuple[str, ...] = ()
    uncured: tuple[str, ...] = ()
    untried: tuple[str, ...] = ()
    toml: tuple[str, ...] = ()
    degrees: Mapping[str, str] = field(default_factory=dict)
