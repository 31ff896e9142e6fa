"""A program → its code, and the evidence that a study asks for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from whyfast.explain.disassembly.registry import disassembler_for
from whyfast.explain.dispatch import entry_facts, examine_dispatch
from whyfast.explain.functions import Program, base_name, bodies, function_facts
from whyfast.explain.objects.elf import Architecture
from whyfast.explain.objects.image import Function, readable, readable_of, with_readable_names
from whyfast.explain.objects.registry import read_contents
from whyfast.explain.options import CompilerRecord, option_traces, read_recorded
from whyfast.formats.input import opened
from whyfast.model.errors import UserError
from whyfast.model.evidence import Evidence

# ---- Where a function may be that a program does not have: under a like name, or in a library.

#: Where the loader looks beside the folders that a program names; multiarch folders among them.
_USUAL = ("/usr/local/lib", "/lib", "/lib64", "/usr/lib", "/usr/lib64")


def where_instead(path: Path, pattern: str, names: Iterable[str]) -> str:
    """A hint for a pattern that matches none of the functions ``names`` of that program: a library
    that it loads and that has one, or else the nearest name; empty when there is neither."""
    for library in libraries(path):
        if any(fnmatchcase(name, pattern) for name in _exported(library)):
            return f"it is in {library}, which {path.name} loads"
    known = {base_name(name) for name in names}
    near = get_close_matches(pattern.strip("*?"), known, n=1, cutoff=0.6)
    return f"did you mean {near[0]!r}?" if near else ""


def libraries(path: Path) -> Iterator[Path]:
    """The shared libraries that an ELF program says it loads, as far as they are found; none of
    other files."""
    try:
        with opened(path) as file:
            wanted, folders = _dynamic(ELFFile(file))
    except (UserError, ELFError, ValueError, AssertionError):
        return
    origin = str(path.resolve().parent)
    places = [Path(f.replace("${ORIGIN}", origin).replace("$ORIGIN", origin)) for f in folders]
    places += [Path(folder) for folder in _USUAL]
    places += [Path(folder, f"{os.uname().machine}-linux-gnu") for folder in _USUAL]
    for name in wanted:
        found = next((place / name for place in places if (place / name).is_file()), None)
        if found is not None:
            yield found


def _dynamic(elf: ELFFile) -> tuple[list[str], list[str]]:
    """The names of the libraries, and the folders to look in first."""
    wanted: list[str] = []
    folders: list[str] = []
    for section in elf.iter_sections():
        if isinstance(section, DynamicSection):
            for tag in section.iter_tags():
                if tag.entry.d_tag == "DT_NEEDED":
                    wanted.append(str(getattr(tag, "needed", "")))
                elif tag.entry.d_tag == "DT_RUNPATH":
                    folders += str(getattr(tag, "runpath", "")).split(":")
                elif tag.entry.d_tag == "DT_RPATH":
                    folders += str(getattr(tag, "rpath", "")).split(":")
    return wanted, folders


def _exported(library: Path) -> set[str]:
    """The functions that it has for others."""
    try:
        with opened(library) as file:
            tables = [s for s in ELFFile(file).iter_sections() if isinstance(s, SymbolTableSection)]
            return {
                symbol.name
                for table in tables
                for symbol in table.iter_symbols()
                if symbol["st_info"]["type"] == "STT_FUNC" and symbol["st_shndx"] != "SHN_UNDEF"
            }
    except (UserError, ELFError, ValueError, AssertionError):
        return set()


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
