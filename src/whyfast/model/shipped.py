"""What a distribution ships of an interpreter, and what its source asks of the compiler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from whyfast.model.evidence import DispatchFacts

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
    """What one suite ships of a program.

    ``function`` is the interpreter's loop, by its symbol or its address; ``symbols`` where names
    come from. ``compiler`` is empty where the file does not say. ``why`` is the reason of a row
    that failed or found nothing.
    """

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
