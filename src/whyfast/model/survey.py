"""One question about several programs: what each variant makes of each program's dispatch, and how
interpreters that Debian ships dispatch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from whyfast.model.evidence import DispatchFacts
from whyfast.model.verdict import Verdict


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
