"""Facts about machine code, and about loops of an interpreter, that could explain a verdict; and
what surveys of several programs show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from whyfast.model.verdict import LoopTime, Verdict

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


# What one loop of a statement or function does, in one interpreter.

#: What a statement does to a variable of its setup: every loop makes it longer or shorter; the
#: first loop changes it and the others find it so; every loop changes it.
Change = Literal["grows", "shrinks", "once", "always"]


@dataclass(frozen=True)
class BytecodeLine:
    """One of bytecode, with its argument in words; ``specialised`` is what the interpreter put in
    its place once it was warm, empty where nothing."""

    name: str
    argument: str = ""
    specialised: str = ""


@dataclass(frozen=True)
class Listing:
    """The bytecode of the ``statement``, or of a function of that name."""

    name: str
    instructions: tuple[BytecodeLine, ...]


@dataclass(frozen=True)
class ChangedVariable:
    """``lengths`` before the first loop, after it, after two and after eight; empty without."""

    name: str
    how: Change
    lengths: tuple[int, ...] = ()


@dataclass(frozen=True)
class CallCount:
    """How often a loop calls a function, of C or Python."""

    language: Literal["C", "Python"]
    name: str
    number: float


@dataclass(frozen=True)
class LoopFacts:
    """Of one variant; found in a run apart from the timed ones.

    ``python`` is the interpreter by name and version, ``build`` how it was built (see
    :data:`whyfast.model.build.FACTS`). ``value`` is what the statement returns, ``later`` another
    value that a later loop returned. ``empty`` are the seconds of an empty loop, ``subtracted``
    whether they are left out of all times. ``raised`` are exceptions raised and caught in a loop,
    ``peak`` the most bytes that it has allocated at once, ``left`` the blocks of memory that it
    leaves behind, ``collections`` the garbage collections that it would cause; None: not known.
    ``folded`` are expressions with the values that the compiler has put in their place. ``unit`` is
    the one of ``python -m timeit`` in which times are shown, empty for a suitable one.
    """

    variant: str
    python: str
    statement: str
    setup: str = ""
    value: str = ""
    later: str | None = None
    empty: float = 0.0
    subtracted: bool = True
    time: LoopTime | None = None
    changed: tuple[ChangedVariable, ...] = ()
    calls: tuple[CallCount, ...] = ()
    raised: tuple[str, ...] = ()
    peak: int | None = None
    left: float | None = None
    collections: float | None = None
    folded: tuple[tuple[str, str], ...] = ()
    code: tuple[Listing, ...] = ()
    build: Mapping[str, str] = field(default_factory=dict)
    unit: str = ""


# One question about several programs: what each variant makes of each program's dispatch.


@dataclass(frozen=True)
class SurveyedVariant:
    """A variant of a program: its values on the study's axes, how it dispatches, and the verdict of
    the mean over all benchmarks against ``baseline`` (its own name: it is one). ``verdict`` is None
    where it was not measured; ``why`` says why there are no facts, or why it failed."""

    name: str
    baseline: str
    axes: Mapping[str, str] = field(default_factory=dict)
    facts: DispatchFacts | None = None
    verdict: Verdict | None = None
    why: str = ""


@dataclass(frozen=True)
class SurveyedProgram:
    """The study of one program in a survey: ``source`` is what was built, ``along`` the axes whose
    values name the baselines, ``failures`` what went wrong in its runs."""

    study: str
    title: str
    source: str
    along: Mapping[str, str]
    margin: float
    variants: tuple[SurveyedVariant, ...] = ()
    failures: tuple[str, ...] = ()


#: Relative difference in the number of jumps from which on a variant dispatches differently.
OTHER_JUMPS = 0.1


def other_dispatch(variant: DispatchFacts | None, baseline: DispatchFacts | None) -> bool:
    """Whether two builds dispatch differently: in form, or in the number of indirect jumps."""
    if variant is None or baseline is None:
        return False
    fewer, more = sorted((variant.indirect_jumps, baseline.indirect_jumps))
    return variant.form != baseline.form or more - fewer > OTHER_JUMPS * more


#: How a source dispatches: by a computed goto after each instruction, by one ``switch``, by calling
#: a function per instruction, or not at all, as it compiles to machine code or is assembly.
SourceForm = Literal["threaded", "switch", "calls", "machine code"]
ShippedVerdict = Literal[
    "as written", "merged", "partly merged", "replicated by the compiler", "by design", "not found",
    "not shipped", "failed",
]  # fmt: skip


@dataclass(frozen=True)
class ShippedProgram:
    """An interpreter of the list: the packages that may hold it, a glob for the file ``part``, how
    its source dispatches, and what in the source decides that."""

    name: str
    packages: tuple[str, ...]
    part: str
    source: SourceForm
    by: str
    note: str = ""


@dataclass(frozen=True)
class ShippedRow:
    """What one suite ships of a program. ``function`` is the interpreter's loop, by its symbol or
    its address; ``symbols`` where names come from. ``compiler`` is empty where the file does not
    say. ``why`` is the reason of a row that failed or found nothing."""

    program: ShippedProgram
    suite: str
    verdict: ShippedVerdict
    package: str = ""
    version: str = ""
    file: str = ""
    sha256: str = ""
    compiler: str = ""
    function: str = ""
    facts: DispatchFacts | None = None
    symbols: str = ""
    why: str = ""


def shipped_verdict(program: ShippedProgram, facts: DispatchFacts | None) -> ShippedVerdict:
    """What a form of dispatch means beside what the source asks for."""
    if program.source in ("calls", "machine code"):
        return "by design"
    if facts is None or facts.form in ("none", "unknown"):
        return "not found"
    if program.source == "switch":
        return "replicated by the compiler" if facts.form == "replicated" else "by design"
    if facts.computed_goto is False:
        return "not found"  # a switch of the compiler's: another function, or built otherwise
    if facts.form == "replicated":
        return "as written"
    return "merged" if facts.form == "merged" else "partly merged"
