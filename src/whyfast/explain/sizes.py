"""How large a program is, exactly: by kind of section, by function and data, by source file.

What is loaded is divided as the processor sees it: code; data that nothing may write once the
loader is done, tables of pointers among it (``.data.rel.ro``); writable data. What the file holds
beside is debug information and symbols, which cost space on disk only. Zero-initialised data
(``.bss``) is in no file and is no part of these sizes; it is in the table of sections."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from whyfast.explain.functions import Program, base_name
from whyfast.explain.growth import Located, explained
from whyfast.explain.objects import Function, readable, readable_of
from whyfast.explain.objects.debug_info import dwarf_of, dwarf_text, unit_extents
from whyfast.explain.objects.elf import ElfFile, Section, elf_image, list_objects, open_elf
from whyfast.explain.program import load
from whyfast.explain.same_builds import machine_code
from whyfast.model.build import Build
from whyfast.model.cost import SizeChange, SizeOf, VariantCost
from whyfast.model.errors import UserError

#: The functions, files and sections of a pair of builds that are kept, those that differ most.
MOST = 10

#: What follows the name of a template or generic function: its arguments and parameters.
_ARGUMENTS = re.compile(r"<[^<>]*>")
_RELRO = (".data.rel.ro", ".init_array", ".fini_array", ".dynamic", ".got", ".ctors", ".dtors")


@dataclass
class Sizes:
    """Bytes of one build: ``totals`` by key of the costs, and the parts of its code and data by
    name; ``numbers`` is how many functions have a name in common, ``loads`` the libraries that it
    loads and that were not built with it; ``files`` are those of which functions were read."""

    totals: Counter[str] = field(default_factory=Counter)
    parts: dict[SizeOf, Counter[str]] = field(
        default_factory=lambda: {k: Counter() for k in ("function", "data", "section", "source")}
    )
    numbers: Counter[str] = field(default_factory=Counter)
    loads: set[str] = field(default_factory=set)
    files: dict[str, Path] = field(default_factory=dict)

    @property
    def note(self) -> str:
        """The libraries that it loads and that are not counted, as they were not built with it."""
        return ", ".join(sorted(self.loads))


def sizes_of(files: Mapping[str, Path], *, largest: float = math.inf) -> Sizes:
    """The sizes of a program, the first of these ELF files, and of its libraries, together; of
    files of more than ``largest`` bytes sections alone, as functions take seconds to read.
    UserError, or OSError, for a file that cannot be read."""
    sizes = Sizes()
    for number, (name, path) in enumerate(files.items()):
        library = f"{name}: " if number else ""
        if _add(sizes, path, library, largest):
            sizes.files[library] = path
    sizes.loads -= {path.name for path in files.values()}
    return sizes


def kind_of(section: Section) -> str:
    """The cost that the bytes of a section count as; empty for what is not loaded or not there."""
    if not section.loaded or section.type == "SHT_NOBITS":
        return ""
    if section.executable:
        return "code"
    writable = section.flags & 0x1 and not section.name.startswith(_RELRO)
    return "data" if writable else "rodata"


def _add(sizes: Sizes, path: Path, library: str, largest: float) -> bool:
    """Add those of a file; whether its functions are known."""
    elf = open_elf(path)
    sizes.totals["file"] += len(elf.blob)
    for section in elf.sections:
        kind = kind_of(section)
        if kind:
            sizes.totals[kind] += section.size
            sizes.totals["size"] += section.size
        if section.loaded and section.size:
            sizes.parts["section"][f"{library}{section.name}"] += section.size
    sizes.loads |= {text for kind, text in elf.dynamic() if kind == "needed"}
    if len(elf.blob) > largest:
        return False
    try:
        functions = list(_functions(load(path)))
    except UserError:  # stripped: the sections are all that is known
        functions = []
    for name, _, size in functions:
        sizes.parts["function"][f"{library}{name}"] += size
        sizes.numbers[f"{library}{name}"] += 1
    objects = list_objects(elf, elf_image(elf).bases) or ()
    texts = readable(name for _, _, name in objects)
    seen = -1
    for start, end, name in objects:
        if end > max(start, seen):
            text = texts.get(name, readable_of(name, (name,)))
            sizes.parts["data"][f"{library}{family(base_name(text))}"] += end - max(start, seen)
            seen = end
    for name, size in _by_source(elf):
        sizes.parts["source"][name] += size
    return bool(functions)


def _functions(program: Program) -> Iterator[tuple[str, Function, int]]:
    """Every function with the name that all of its kind have, and its bytes that no other has."""
    seen = -1
    for function in program.functions:
        size = function.end - max(function.address, seen)
        if size > 0 and not function.unnamed:  # else a second name inside of a function
            seen = max(seen, function.end)
            yield family(base_name(function.name)), function, size


def _code(sizes: Sizes) -> dict[str, list[Located]]:
    """The functions of the files whose functions were read, by name as in the sizes."""
    named: dict[str, list[Located]] = {}
    for library, path in sizes.files.items():
        program = load(path)
        for name, function, _ in _functions(program):
            named.setdefault(f"{library}{name}", []).append((program, function))
    return named


def family(name: str) -> str:
    """A function's name without template arguments and parameters, as all instances have it:
    ``apply<…>``. Names without arguments stay as they are."""
    before, text = "", name.replace("->", "→").replace("(anonymous namespace)", "{anonymous}")
    while before != text:
        before, text = text, _ARGUMENTS.sub("\0", text)
    if "\0" not in text:
        return name
    return re.sub("\0+", "<…>", text.split("(")[0].split(" ")[-1]) or name


def _by_source(elf: ElfFile) -> Iterator[tuple[str, int]]:
    """Code by the file that was compiled; nothing without debug information."""
    if elf.relocatable:
        return
    try:
        dwarf = dwarf_of(elf)
        for unit in dwarf.iter_CUs() if dwarf else ():
            name = unit.get_top_DIE().attributes.get("DW_AT_name")
            size = sum(max(0, end - start) for start, end in unit_extents(dwarf, unit) if start)
            if name is not None and size:
                yield _plain(dwarf_text(name.value)), size
    except Exception:  # the library reports damage by a dozen unrelated exceptions
        return


def _plain(source: str) -> str:
    """A path within the project: builds lie in folders of their own."""
    return re.sub(r"^(?:.*/work/)?(?:\./)*(?:src/)?", "", source)


def build_files(build: Build, program: Path) -> Mapping[str, Path]:
    """The program of a build and the shared libraries built with it; empty where it is no machine
    code. ``program`` is its path in the build folder."""
    return machine_code(build.program.parents[len(program.parts) - 1], program) or {}


def size_costs(sizes: Mapping[str, Sizes]) -> tuple[VariantCost, ...]:
    """The exact costs of each variant."""
    return tuple(
        VariantCost(key, variant, float(s.totals[key]), note=s.note if key == "size" else "")
        for key in ("size", "code", "rodata", "data", "file")
        for variant, s in sizes.items()
    )


def size_changes(
    sizes: Mapping[str, Sizes], pairs: Sequence[tuple[str, str]]
) -> tuple[SizeChange, ...]:
    """What differs most between each variant and its baseline, the largest growth first, with the
    reason where the code shows one."""
    changes: list[SizeChange] = []
    code = cache(lambda name: _code(sizes[name]))
    for variant, baseline in pairs:
        if variant not in sizes or baseline not in sizes:
            continue
        new, old = sizes[variant], sizes[baseline]
        for of, after in new.parts.items():
            before = old.parts[of]
            every = [
                SizeChange(
                    *(variant, baseline, of, name, before[name], after[name]),
                    number=new.numbers[name] or 1,
                )
                for name in {**before, **after}
                if before[name] != after[name]
            ]
            every.sort(key=lambda c: (-abs(c.more), c.name))
            most = sorted(every[:MOST], key=lambda c: (-c.more, c.name))
            functions = of == "function" and most
            changes += explained(most, *(code(n) if functions else {} for n in (variant, baseline)))
    return tuple(changes)
