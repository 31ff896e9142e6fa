"""A first look at a program of which nothing is known: where might it dispatch?"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile

from whyfast.explain.dispatch import MIN_HANDLERS, examine_dispatch
from whyfast.explain.functions import Body, Program, bodies, function_facts, parent_name
from whyfast.explain.jump_tables import Pointers
from whyfast.explain.objects.elf import Architecture
from whyfast.explain.objects.image import Function
from whyfast.explain.program import libraries, load
from whyfast.formats.input import opened
from whyfast.model.errors import UserError
from whyfast.model.evidence import DispatchFacts, Evidence, FunctionFacts

# ---- Programs that only start a shared library, which has all of what they do.

#: The code of a stub, at most, in bytes; with its start-up code, one that gcc 12 makes has 500.
LARGEST = 16_384
#: So many times the code of the stub its library has at least.
TIMES = 20

#: What nearly every program loads, as part of its language.
_RUNTIME = re.compile(
    r"(libc|libm|libdl|librt|libutil|libpthread|libresolv|libgcc_s|libstdc\+\+|libc\+\+|libc\+\+abi"
    r"|libunwind|libatomic|ld-linux.*)\.so.*"
)


def stub_note(path: Path) -> str:
    """What to look at in place of an ELF program that has next to no code itself and loads a
    library, other than those of its language, with at least :data:`TIMES` as much; empty for all
    others. The library with the most code is named."""
    own = _code(path)
    if not 0 < own <= LARGEST:
        return ""
    loaded = [(_code(one), one) for one in libraries(path) if not _RUNTIME.fullmatch(one.name)]
    size, library = max(loaded, default=(0, path))
    if size < TIMES * own:
        return ""
    return (
        f"a stub: its own code is {own:,} bytes, that of {library.name}, which it loads, "
        f"{size:,}; whyfast explain {library}"
    )


def _code(path: Path) -> int:
    """Bytes of the executable sections; 0 for what is no ELF file."""
    try:
        with opened(path) as file:
            sections = ELFFile(file).iter_sections()
            return sum(s["sh_size"] for s in sections if s["sh_flags"] & SH_FLAGS.SHF_EXECINSTR)
    except (UserError, ELFError, ValueError, AssertionError):
        return 0


@dataclass(frozen=True)
class CodeTotals:
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
    """``candidates`` are the functions most likely to dispatch, and how each would: those with the
    largest jump table or most indirect jumps. ``handlers`` are functions that a table lists and of
    which most jump indirectly, as a tail-call interpreter's do, under a common name; or None."""

    evidence: Evidence
    totals: CodeTotals
    candidates: tuple[tuple[FunctionFacts, DispatchFacts], ...]
    handlers: tuple[str, DispatchFacts] | None = None


def survey_program(
    path: Path,
    *,
    variant: str,
    top: int = 8,
    architecture: Architecture | None = None,
    debug: Sequence[Path] = (),
) -> Survey:
    """Count everything in a program, and judge its ``top`` likeliest dispatching functions.

    A program that only starts a library has a note that names it.

    Raises UserError like :func:`whyfast.explain.program.explain_program`.
    """
    stub = stub_note(path)
    try:
        program = load(path, architecture, debug)
    except UserError as error:
        if not stub:
            raise
        raise UserError(f"{error.message}; it is {stub}", where=error.where) from None
    facts = {f: function_facts(program, f, program.instructions(f)) for f in program.functions}
    jumping = [f for f in program.functions if facts[f].indirect_jumps]
    related, pointers = _by_name(program), Pointers(program.image)
    found = [
        (facts[f], examine_dispatch(program, [_body(program, f, related)], pointers).facts)
        for f in jumping
    ]
    found.sort(key=lambda one: (-_likely(*one), one[0].name))
    every = tuple(facts.values())
    notes = (*program.notes, *([stub] if stub else []))
    return Survey(
        evidence=Evidence(variant, program.architecture, None, every, notes=notes),
        totals=CodeTotals(
            functions=len(every),
            size=sum(f.size for f in every),
            instructions=sum(f.instructions for f in every),
            indirect_jumps=sum(f.indirect_jumps for f in every),
            jumping=len(jumping),
            direct_calls=sum(f.direct_calls for f in every),
            indirect_calls=sum(f.indirect_calls for f in every),
        ),
        candidates=tuple(found[:top]),
        handlers=_handlers(program, {f.address for f in jumping}, related, pointers),
    )


def _likely(facts: FunctionFacts, dispatch: DispatchFacts) -> int:
    return max(dispatch.targets or 0, facts.indirect_jumps)


def _handlers(
    program: Program,
    jumping: AbstractSet[int],
    related: Mapping[str, Sequence[Function]],
    pointers: Pointers,
) -> tuple[str, DispatchFacts] | None:
    """The largest table of functions of which half jump indirectly, as in :mod:`dispatch_form`."""
    at = {f.address: f for f in program.functions}
    tables = [set(run) for run in pointers.runs(at)]
    tables = [t for t in tables if len(t) >= MIN_HANDLERS and 2 * len(t & jumping) >= len(t)]
    if not tables:
        return None
    largest = max(tables, key=lambda t: len(t))
    listed = [at[address] for address in sorted(largest)]
    handlers = [_body(program, f, related) for f in listed]
    facts = examine_dispatch(program, handlers, pointers).facts
    if facts.style != "tail-call":
        return None
    return _common([f.name for f in listed]), facts


def _common(names: Sequence[str]) -> str:
    """A pattern for all of them where they begin alike, else the first of them."""
    first, last = min(names), max(names)
    same = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    )
    return f"{first[:same]}*" if same else f"{first} …"


def _by_name(program: Program) -> Mapping[str, Sequence[Function]]:
    """Functions by each of their names, cold parts by the name of what they are a part of too."""
    found: dict[str, list[Function]] = defaultdict(list)
    for f in program.functions:
        parent = parent_name(f.name)
        for name in {*f.names, *([parent] if parent else [])}:
            found[name].append(f)
    return found


def _body(program: Program, function: Function, related: Mapping[str, Sequence[Function]]) -> Body:
    """The function with its own cold parts, not those of another function of its name."""
    near = dict.fromkeys(f for name in function.names for f in related[name])
    return next(body for body in bodies(program, near) if function in body.pieces)
