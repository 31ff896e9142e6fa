"""A program → its code, the evidence that a study asks for, and a survey of an unknown program.

Readers are chosen by the first bytes of a file: a new format is one line here."""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path

from whyfast.explain.disassembly import disassembler_for
from whyfast.explain.dispatch import entry_facts, examine_dispatch
from whyfast.explain.functions import Program, base_name, bodies, function_facts
from whyfast.explain.interpreter_loop import (
    LoopSearch,
    likeliest_first,
    likeliest_note,
    unseen_notes,
)
from whyfast.explain.loop_shape import LoopShape
from whyfast.explain.objects import (
    Architecture,
    Contents,
    Function,
    damaged,
    readable,
    readable_of,
    with_readable_names,
)
from whyfast.explain.objects.debug_info import debug_file
from whyfast.explain.objects.elf import (
    ElfFile,
    apply_relocations,
    elf_image,
    list_functions,
    list_objects,
    open_elf,
    symbols_of,
)
from whyfast.explain.options import option_traces, read_recorded
from whyfast.formats.input import opened
from whyfast.model.errors import UserError, optional
from whyfast.model.evidence import DispatchFacts, Evidence, FunctionFacts

_PE = (b"MZ",)
_COFF = (b"\x64\x86", b"\x64\xaa", b"\x4c\x01", b"\xc4\x01", b"\x00\x00\xff\xff")
_MACHO = (
    *(b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xfe\xed\xfa\xcf", b"\xfe\xed\xfa\xce"),
    *(b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf"),
)


def read_contents(path: Path, architecture: Architecture | None, debug: Sequence[Path]) -> Contents:
    """Read a program by the reader of its format; see :func:`load`."""
    with opened(path) as file:
        magic = file.read(16)
    if magic.startswith(_PE):
        with optional("lief", "foreign", where=path):
            from whyfast.explain.objects.pe import read_pe

        return read_pe(path)
    if magic.startswith(_COFF):
        with optional("lief", "foreign", where=path):
            from whyfast.explain.objects.coff import read_coff

        return read_coff(path)
    if magic.startswith(_MACHO):
        with optional("lief", "foreign", where=path):
            from whyfast.explain.objects.macho import read_macho

        return read_macho(path, architecture)
    return _read_elf(path, debug)


def _read_elf(path: Path, debug: Sequence[Path]) -> Contents:
    elf = open_elf(path)
    try:
        image = elf_image(elf)
        stripped = not (elf.of_type("SHT_SYMTAB") or elf.relocatable)
        named = (debug_file(elf, debug) if stripped else None) or elf
        functions, note = list_functions(named, image.bases, unwound_functions(elf))
        objects = list_objects(named, image.bases)
        apply_relocations(elf, image)
    except (IndexError, ValueError, OverflowError) as error:
        damaged(path, str(error))
    return Contents(elf.architecture, image, functions, (note,) if note else (), objects)


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
        entries = list(open_elf(path).dynamic())
    except UserError:
        return
    wanted = [text for kind, text in entries if kind == "needed"]
    folders = [f for kind, text in entries if kind.endswith("path") for f in text.split(":")]
    origin = str(path.resolve().parent)
    places = [Path(f.replace("${ORIGIN}", origin).replace("$ORIGIN", origin)) for f in folders]
    places += [Path(folder) for folder in _USUAL]
    places += [Path(folder, f"{os.uname().machine}-linux-gnu") for folder in _USUAL]
    for name in wanted:
        library = next((place / name for place in places if (place / name).is_file()), None)
        if library is not None:
            yield library


def _exported(library: Path) -> set[str]:
    """The functions that a library defines."""
    try:
        symbols = symbols_of(open_elf(library), "SHT_SYMTAB", "SHT_DYNSYM")
    except UserError:
        return set()
    return {s.name for s in symbols if s.type == 2 and (s.absolute or s.section is not None)}


def explain_program(
    path: Path,
    *,
    variant: str,
    dispatch: Sequence[str] = (),
    functions: Sequence[str] = (),
    architecture: Architecture | None = None,
    debug: Sequence[Path] = (),
) -> Evidence:
    """Gather the evidence about the machine code of one build. ``dispatch`` and ``functions`` are
    globs over symbol names, aliases included, with or without what the compiler appended
    (``vm_run`` also matches ``vm_run.constprop.0`` and ``vm_run.cold``). Functions that match
    either come out with their facts, by name. Without ``dispatch`` there are no dispatch facts. The
    rest, and UserErrors, are those of :func:`load`."""
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
    first = next(iter([*named.values(), *(f for _, f in chosen.values())]), None)
    recorded = read_recorded(path, first.address if first else None)
    dispatching = examine_dispatch(program, bodies(program, named.values())) if dispatch else None
    return Evidence(
        variant=variant,
        architecture=program.architecture,
        dispatch=dispatching.facts if dispatching else None,
        functions=tuple(sorted(facts, key=lambda f: (f.name, f.address))),
        missing=tuple(pattern for pattern, named in matches.items() if not named),
        notes=program.notes,
        entry=entry_facts(dispatching) if dispatching else None,
        options=option_traces(program, dispatching.bodies, recorded) if dispatching else None,
        compiler=recorded.compiler,
    )


def load(
    path: Path, architecture: Architecture | None = None, debug: Sequence[Path] = ()
) -> Program:
    """Open a program. ``architecture`` chooses from a file that holds several; ``debug`` are
    folders in which its debug file is looked for before the usual ones. Raises UserError when the
    file is missing, damaged, stripped, or of an unsupported format or architecture."""
    contents = read_contents(path, architecture, debug)
    slots = contents.image.slots
    texts = readable(slots.values())
    slots.update({at: texts[name] for at, name in slots.items() if name in texts})
    engine = disassembler_for(contents.architecture, relative=contents.image.base is not None)
    functions = with_readable_names(contents.functions)
    notes, objects = contents.notes, contents.objects
    image, folders = contents.image, tuple(debug)
    return Program(path, contents.architecture, image, functions, engine, notes, objects, folders)


def hint_for(path: Path, pattern: str, architecture: Architecture | None = None) -> str:
    """What to do about a pattern that matches no function of that program; empty when nothing is
    known. UserError as of :func:`load`."""
    program = load(path, architecture)
    names = [name for function in program.functions for name in function.names]
    return where_instead(path, pattern, names)


def _matching(program: Program, pattern: str) -> list[tuple[str, Function]]:
    """Functions with a matching name, and that name: the readable one of a mangled name."""
    matches = []
    for function in program.functions:
        for name in function.names:
            if fnmatchcase(name, pattern) or fnmatchcase(base_name(name), pattern):
                matches.append((readable_of(name, function.names), function))
                break
    return matches


#: The code of a stub, at most, in bytes; with its start-up code, one that gcc 12 makes has 500.
LARGEST = 16_384
#: The library has at least this many times the code of the stub.
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
    stub = _code(path)
    if not 0 < stub <= LARGEST:
        return ""
    loaded = [(_code(p), p) for p in libraries(path) if not _RUNTIME.fullmatch(p.name)]
    size, library = max(loaded, default=(0, path))
    if size < TIMES * stub:
        return ""
    return (
        f"a stub: its own code is {stub:,} bytes, that of {library.name}, which it loads, "
        f"{size:,}; whyfast explain {library}"
    )


def _code(path: Path) -> int:
    """Bytes of the executable sections; 0 for what is no ELF file."""
    try:
        return sum(s.size for s in open_elf(path).sections if s.executable)
    except UserError:
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


_SUMMED = ("size", "instructions", "indirect_jumps", "direct_calls", "indirect_calls")


@dataclass(frozen=True)
class DispatchCandidate:
    """A function with indirect jumps, and how it would dispatch. ``shape`` is None where it has no
    jump table; ``interprets``: it has the shape of an interpreter's loop."""

    facts: FunctionFacts
    dispatch: DispatchFacts
    shape: LoopShape | None
    interprets: bool


@dataclass(frozen=True)
class Survey:
    """``candidates`` are the functions most likely to dispatch: first those with the shape of an
    interpreter's loop, then those with the largest jump table or most indirect jumps. ``handlers``
    are functions that a table lists and of which most jump indirectly, as a tail-call interpreter's
    do, under a common name; or None."""

    evidence: Evidence
    totals: CodeTotals
    candidates: tuple[DispatchCandidate, ...]
    handlers: tuple[str, DispatchFacts] | None = None

    @property
    def loop(self) -> DispatchCandidate | None:
        """The function with the shape of an interpreter's loop that has most opcodes, if any."""
        return next((c for c in self.candidates if c.interprets), None)

    @property
    def of_loop(self) -> Evidence:
        """The evidence of its loop, as if it had been named."""
        return replace(self.evidence, dispatch=self.loop.dispatch if self.loop else None)


def survey_program(
    path: Path,
    *,
    variant: str,
    top: int = 8,
    architecture: Architecture | None = None,
    debug: Sequence[Path] = (),
) -> Survey:
    """Count everything in a program, and judge its ``top`` likeliest dispatching functions. A
    program that only starts a library has a note that names it. Raises UserError like
    :func:`whyfast.explain.program.explain_program`."""
    stub = stub_note(path)
    try:
        program = load(path, architecture, debug)
    except UserError as error:
        if not stub:
            raise
        raise UserError(f"{error.message}; it is {stub}", where=error.where) from None
    facts = {f: function_facts(program, f, program.instructions(f)) for f in program.functions}
    jumping = [f for f in program.functions if facts[f].indirect_jumps]
    search = LoopSearch(program)
    examined = [search.examine(f) for f in jumping]
    rank = {loop.function: n for n, loop in enumerate(likeliest_first(examined))}
    examined.sort(
        key=lambda x: (
            rank.get(x.function, len(rank)),
            -max(x.dispatching.facts.targets or 0, facts[x.function].indirect_jumps),
            x.function.name,
        )
    )
    candidates = [
        DispatchCandidate(facts[x.function], x.dispatching.facts, x.shape, x.interprets)
        for x in examined
    ]
    every = tuple(facts.values())
    recorded = read_recorded(path, None)
    handlers = search.handlers(jumping)
    likeliest = "" if rank or handlers else likeliest_note(examined)
    more = (note for note in (stub, likeliest) if note)
    notes = (*program.notes, *unseen_notes(program), *more)
    return Survey(
        evidence=Evidence(
            variant, program.architecture, None, every, notes=notes, compiler=recorded.compiler
        ),
        totals=CodeTotals(
            functions=len(every),
            jumping=len(jumping),
            **{name: sum(getattr(f, name) for f in every) for name in _SUMMED},
        ),
        candidates=tuple(candidates[:top]),
        handlers=handlers,
    )


#: Encodings of the header that linkers write: pointers of four bytes relative to their place, a
#: number of four bytes, and a table of pairs relative to the header's start.
_ENCODINGS = (0x1B, 0x03, 0x3B)


# ``.eh_frame_hdr`` has the start of every function in order, and the place of its record in
# ``.eh_frame``, which has its size (Linux Standard Base, Core, Exception Frames).
def unwound_functions(elf: ElfFile) -> list[Function]:
    """The functions that the table knows, named by their addresses (``0x8a10``), by address;
    without a table, as in static programs, those of the records if no symbols tell them. Empty
    without records, or in another encoding, and of objects, whose records are not yet filled in."""
    header = next((s for s in elf.sections if s.name == ".eh_frame_hdr"), None)
    frames = next((s for s in elf.sections if s.name == ".eh_frame"), None)
    if frames is None or (header is None and (elf.relocatable or elf.of_type("SHT_SYMTAB"))):
        return []
    table, records = elf.content(header) if header else b"", elf.content(frames)
    if header is None:
        rows = sorted(_recorded(frames.address, records))
    elif len(table) < 12 or table[0] != 1 or tuple(table[1:4]) != _ENCODINGS:
        return []
    else:
        number = min(int.from_bytes(table[8:12], "little"), (len(table) - 12) // 8)
        pairs = struct.iter_unpack("<ii", table[12 : 12 + 8 * number])
        rows = [(header.address + a, header.address + b - frames.address) for a, b in pairs]
    # Stubs that lead to other libraries are no functions.
    code = [s for s in elf.sections if s.executable and not s.name.startswith((".plt", ".init"))]
    functions = []
    for address, record in rows:
        at = record + 12  # behind length, CIE and start
        size = int.from_bytes(records[at : at + 4], "little")
        section = next(
            (s for s in code if s.address <= address and address + size <= s.address + s.size), None
        )
        if section is not None and size:
            name, part = f"{address:#x}", _begins_inside(records, at + 4)
            functions.append(Function((name,), address, address, size, section.name, part=part))
    return functions


def _recorded(address: int, records: bytes) -> Iterator[tuple[int, int]]:
    """The start of each function, relative to its place in four bytes as compilers write it, and
    the place of its record. ``address`` is that of the first."""
    at = 0
    while at + 16 <= len(records):
        length, common = struct.unpack_from("<II", records, at)
        if length in (0, 0xFFFFFFFF):  # the end, or more than four gigabytes
            return
        if common:
            yield address + at + 8 + int(struct.unpack_from("<i", records, at + 8)[0]), at
        at += 4 + length


def _begins_inside(records: bytes, at: int) -> bool:
    """Whether a record (``at``: behind its size) begins with a stack frame that is set up already,
    as those of cold parts do: no function does, before its first instruction."""
    augmentation = records[at] if at < len(records) else 0
    first = records[at + 1 + augmentation : at + 2 + augmentation]
    if augmentation >= 0x80 or not first:
        return False
    # DW_CFA_advance_loc, 1, 2 and 4 come first otherwise, and DW_CFA_nop where nothing changes.
    return not (first[0] & 0xC0 == 0x40 or first[0] in (0x00, 0x02, 0x03, 0x04))
