"""A program → its code, and the evidence that a study asks for."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from whyfast.explain.body import bodies
from whyfast.explain.code import Program
from whyfast.explain.disassembly.registry import disassembler_for
from whyfast.explain.dispatch import examine_dispatch
from whyfast.explain.entry import entry_facts
from whyfast.explain.functions import base_name, function_facts
from whyfast.explain.nearby import where_instead
from whyfast.explain.objects.elf import Architecture
from whyfast.explain.objects.readable_names import readable, readable_of, with_readable_names
from whyfast.explain.objects.registry import read_contents
from whyfast.explain.objects.symbols import Function
from whyfast.explain.options import option_traces
from whyfast.explain.recorded import CompilerRecord, read_recorded
from whyfast.model.evidence import Evidence


def explain_program(
    path: Path,
    *,
    variant: str,
    dispatch: Sequence[str] = (),
    functions: Sequence[str] = (),
    architecture: Architecture | None = None,
    debug: Sequence[Path] = (),
) -> Evidence:
    """Gather the evidence about the machine code of one build.

    ``dispatch`` and ``functions`` are globs over symbol names, aliases included, with or without
    what the compiler appended (``vm_run`` also matches ``vm_run.constprop.0`` and
    ``vm_run.cold``). Functions that match either come out with their facts, by name. Without
    ``dispatch`` there are no dispatch facts. ``architecture`` chooses from a file that holds
    several; ``debug`` are folders of debug files.

    Raises UserError when the file is missing, damaged, stripped, or of an unsupported format or
    architecture.
    """
    program = load(path, architecture, debug)
    matches = {pattern: _matching(program, pattern) for pattern in (*dispatch, *functions)}
    chosen: dict[int, tuple[str, Function]] = {}
    for pattern in matches:
        for name, function in matches[pattern]:
            chosen.setdefault(id(function), (name, function))
    facts = [
        function_facts(program, function, program.instructions(function), name=name)
        for name, function in chosen.values()
    ]
    named = {id(f): f for pattern in dispatch for _, f in matches[pattern]}
    recorded = _recorded(path, [*named.values(), *(f for _, f in chosen.values())])
    found = examine_dispatch(program, bodies(program, named.values())) if dispatch else None
    return Evidence(
        variant=variant,
        architecture=program.architecture,
        dispatch=found.facts if found else None,
        functions=tuple(sorted(facts, key=lambda f: (f.name, f.address))),
        missing=tuple(pattern for pattern, found in matches.items() if not found),
        notes=program.notes,
        entry=entry_facts(found) if found else None,
        options=option_traces(program, found.bodies, recorded) if found else None,
        compiler=recorded.compiler,
    )


def load(
    path: Path, architecture: Architecture | None = None, debug: Sequence[Path] = ()
) -> Program:
    """Open a program. ``architecture`` chooses from a file that holds several; ``debug`` are
    folders in which its debug file is looked for before the usual ones.

    Raises UserError when the file is missing, damaged, stripped, or of an unsupported format or
    architecture.
    """
    found = read_contents(path, architecture, debug)
    slots = readable(found.image.slots.values())
    found.image.slots.update({at: slots[n] for at, n in found.image.slots.items() if n in slots})
    return Program(
        path,
        found.architecture,
        found.image,
        with_readable_names(found.functions),
        disassembler_for(found.architecture, relative=found.image.base is not None),
        found.notes,
        found.objects,
        tuple(debug),
    )


def hint_for(path: Path, pattern: str, architecture: Architecture | None = None) -> str:
    """What to do about a pattern that matches no function of that program; empty when nothing is
    known. UserError as of :func:`load`."""
    program = load(path, architecture)
    names = [name for function in program.functions for name in function.names]
    return where_instead(path, pattern, names)


def _recorded(path: Path, functions: Sequence[Function]) -> CompilerRecord:
    """What the compiler wrote about the first of the functions."""
    return read_recorded(path, functions[0].address if functions else None)


def _matching(program: Program, pattern: str) -> list[tuple[str, Function]]:
    """Functions with a matching name, and that name: the readable one of a mangled name."""
    found = []
    for function in program.functions:
        for name in function.names:
            if fnmatchcase(name, pattern) or fnmatchcase(base_name(name), pattern):
                found.append((readable_of(name, function.names), function))
                break
    return found
