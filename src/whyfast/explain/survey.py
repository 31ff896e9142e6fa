"""A first look at a program of which nothing is known: where might it dispatch?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from whyfast.explain.body import Body, bodies
from whyfast.explain.dispatch import dispatch_facts
from whyfast.explain.elf import Architecture
from whyfast.explain.functions import function_facts, parent_name
from whyfast.explain.loader import Program, load
from whyfast.explain.symbols import Function
from whyfast.model.evidence import DispatchFacts, Evidence, FunctionFacts


@dataclass(frozen=True)
class Totals:
    """Sums over all functions of a program; ``size`` in bytes. ``jumping`` is the number of
    functions that contain an indirect jump."""

    functions: int
    size: int
    instructions: int
    indirect_jumps: int
    jumping: int
    direct_calls: int
    indirect_calls: int


@dataclass(frozen=True)
class Survey:
    """``candidates`` are the functions with most indirect jumps and how each would dispatch."""

    evidence: Evidence
    totals: Totals
    candidates: tuple[tuple[FunctionFacts, DispatchFacts], ...]


def survey_program(
    path: Path, *, variant: str, top: int = 8, architecture: Architecture | None = None
) -> Survey:
    """Count everything in a program, and judge its ``top`` likeliest dispatching functions.

    Raises UserError like :func:`whyfast.explain.program.explain_program`.
    """
    program = load(path, architecture)
    facts = {f: function_facts(program, f, program.instructions(f)) for f in program.functions}
    jumping = [f for f in program.functions if facts[f].indirect_jumps]
    jumping.sort(key=lambda f: (-facts[f].indirect_jumps, f.name))
    every = tuple(facts.values())
    return Survey(
        evidence=Evidence(variant, program.architecture, None, every, notes=program.notes),
        totals=Totals(
            functions=len(every),
            size=sum(f.size for f in every),
            instructions=sum(f.instructions for f in every),
            indirect_jumps=sum(f.indirect_jumps for f in every),
            jumping=len(jumping),
            direct_calls=sum(f.direct_calls for f in every),
            indirect_calls=sum(f.indirect_calls for f in every),
        ),
        candidates=tuple(
            (facts[f], dispatch_facts(program, [_body(program, f)])) for f in jumping[:top]
        ),
    )


def _body(program: Program, function: Function) -> Body:
    """The function with its own cold parts, not those of another function of its name."""
    names = set(function.names)
    related = [
        f
        for f in program.functions
        if not names.isdisjoint(f.names) or parent_name(f.name) in names
    ]
    return next(body for body in bodies(program, related) if function in body.pieces)
