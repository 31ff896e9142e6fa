"""Which functions of an object can be exchanged for those of another object of the same source.

Two objects are linked into one, and each global symbol is that of the one or of the other. What is
local stays with what uses it, so that functions and constants exist twice where both are in use.
What may not exist twice keeps its users together, all of one object or all of the other:

- data that is written,
- a local function whose address is taken, since addresses are compared,
- a section that several global symbols share.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import Relocation, RelocationSection
from elftools.elf.sections import Symbol, SymbolTableSection

#: Of x86-64: relocations of 32 bits relative to the place, and what stands before them in a call, a
#: jump and a conditional jump. Of AArch64: those of ``b`` and ``bl``. By the numbers of the ABIs.
_X86_RELATIVE = (2, 4)
_X86_JUMP = re.compile(rb".?[\xe8\xe9]|\x0f[\x80-\x8f]", re.DOTALL)
_ARM_JUMPS = (282, 283)

#: Sections that do something by being there, so that two of them would do it twice.
_ACTING = re.compile(
    r"\.(preinit_array|init_array|fini_array|ctors|dtors|init|fini)\b|[A-Za-z_]\w*$"
)


class CannotRead(Exception):
    """Why nothing can be said of an object."""


@dataclass(frozen=True)
class Reference:
    """From a section to another of the same object. ``symbol``: by the name of a global symbol,
    which the linker may find elsewhere. ``call``: by a call or a jump, not as an address."""

    source: int
    target: int
    symbol: str = ""
    call: bool = False


@dataclass(frozen=True)
class CodeSection:
    """A section that is loaded. ``digest``: of what it holds and refers to."""

    name: str
    executable: bool
    writable: bool
    digest: str


@dataclass(frozen=True)
class ObjectGraph:
    """``sections`` that are loaded, by number; ``symbols``: the number of the section of each that
    is global; ``functions``: the names of the functions in a section, local ones too."""

    sections: dict[int, CodeSection]
    symbols: dict[str, int]
    functions: dict[int, tuple[str, ...]]
    references: tuple[Reference, ...]


def read_graph(file: Path) -> ObjectGraph:
    """The graph of a relocatable object. CannotRead for any other file, and for one whose parts
    cannot be separated: weak symbols, groups, code that runs by being there. OSError."""
    try:
        elf = ELFFile(io.BytesIO(file.read_bytes()))
        if elf["e_type"] != "ET_REL":
            raise CannotRead(f"not an object file: {file.name}")
        return _read(elf)
    except (ELFError, ValueError) as error:
        raise CannotRead(f"not an ELF object file: {file.name}") from error


def _read(elf: ELFFile) -> ObjectGraph:
    loaded = {
        n: s
        for n, s in enumerate(elf.iter_sections())
        if s["sh_flags"] & SH_FLAGS.SHF_ALLOC and not s.name.startswith((".note", ".eh_frame"))
    }
    for section in elf.iter_sections():
        if section["sh_type"] == "SHT_GROUP":
            raise CannotRead("it has functions that other objects have too (section groups)")
    for section in loaded.values():
        if _ACTING.match(section.name) and section["sh_size"]:
            raise CannotRead(f"its section {section.name} takes effect by its mere presence")
    table = elf.get_section_by_name(".symtab")
    if not isinstance(table, SymbolTableSection):
        raise CannotRead("it has no symbols")
    symbols: dict[str, int] = {}
    functions: dict[int, list[str]] = {}
    for symbol in table.iter_symbols():
        if (place := symbol["st_shndx"]) not in loaded:
            continue
        if symbol["st_info"]["bind"] == "STB_GLOBAL":
            symbols[symbol.name] = place
        elif symbol["st_info"]["bind"] != "STB_LOCAL":
            raise CannotRead(f"{symbol.name} is a weak symbol")
        if symbol["st_info"]["type"] == "STT_FUNC":
            functions.setdefault(place, []).append(symbol.name)
    references: list[Reference] = []
    held = {}
    for n, s in loaded.items():
        data = b"" if s["sh_type"] == "SHT_NOBITS" else s.data()
        held[n] = hashlib.sha256(f"{s.name}\0{s['sh_size']}\0".encode() + data)
    code = {n: s.data() for n, s in loaded.items() if s["sh_flags"] & SH_FLAGS.SHF_EXECINSTR}
    for relocations in elf.iter_sections():
        if not isinstance(relocations, RelocationSection) or relocations["sh_info"] not in loaded:
            continue
        source = relocations["sh_info"]
        for relocation in relocations.iter_relocations():
            target = table.get_symbol(relocation["r_info_sym"])
            held[source].update(_in_words(elf, relocation, target).encode())
            place = target["st_shndx"]
            named = target.name if target["st_info"]["bind"] == "STB_GLOBAL" else ""
            if place in loaded and (named or place != source):
                call = _is_call(elf, relocation, code.get(source, b""))
                references.append(Reference(source, place, named, call))
    return ObjectGraph(
        {
            n: CodeSection(
                s.name,
                bool(s["sh_flags"] & SH_FLAGS.SHF_EXECINSTR),
                bool(s["sh_flags"] & SH_FLAGS.SHF_WRITE),
                held[n].hexdigest(),
            )
            for n, s in loaded.items()
        },
        symbols,
        {n: tuple(names) for n, names in functions.items()},
        tuple(dict.fromkeys(references)),
    )


def _in_words(elf: ELFFile, relocation: Relocation, target: Symbol) -> str:
    """A relocation in words that are the same in another object: names and no numbers."""
    name, addend = target.name, relocation["r_addend"] if relocation.is_RELA() else 0
    if target["st_info"]["bind"] == "STB_LOCAL" and isinstance(target["st_shndx"], int):
        name = elf.get_section(target["st_shndx"]).name
        addend += target["st_value"]
    return f"{relocation['r_offset']} {relocation['r_info_type']} {name} {addend}\n"


def _is_call(elf: ELFFile, relocation: Relocation, code: bytes) -> bool:
    """``code`` is that of an executable section, nothing of another."""
    kind, at = relocation["r_info_type"], relocation["r_offset"]
    if elf["e_machine"] == "EM_AARCH64":
        return bool(code) and kind in _ARM_JUMPS
    if elf["e_machine"] != "EM_X86_64" or kind not in _X86_RELATIVE:
        return False
    return bool(_X86_JUMP.fullmatch(code[max(at - 2, 0) : at]))


#: A section of one of the two objects, or a global symbol of both.
_Node = tuple[int, int] | str


#: What stands before the function in the name of a section.
_KINDS = re.compile(r"^\.(text|rodata)\.((unlikely|hot|startup|exit)\.)?")


@dataclass(frozen=True)
class Unit:
    """Global symbols that go together. ``functions`` are those of them that are functions, and
    ``within`` the local functions whose code is not the same in both objects."""

    symbols: tuple[str, ...]
    functions: tuple[str, ...]
    within: tuple[str, ...]


def find_units(good: ObjectGraph, bad: ObjectGraph) -> tuple[Unit, ...]:
    """The units that differ, by the names of their symbols. ValueError where one object alone has
    a global symbol."""
    if alone := sorted(good.symbols.keys() ^ bad.symbols.keys()):
        raise ValueError(f"{', '.join(alone[:5])}: in the object of one end alone")
    joined = _Joined()
    copied = [_join(joined, side, graph) for side, graph in enumerate((good, bad))]
    members: defaultdict[Hashable, list[str]] = defaultdict(list)
    for name in sorted(good.symbols):
        members[joined.root(name)].append(name)
    units = []
    for root, names in members.items():
        held = [
            _sections(joined, root, side, graph, copied[side])
            for side, graph in enumerate((good, bad))
        ]
        digests = [
            Counter(graph.sections[n].digest for n in sections)
            for graph, sections in zip((good, bad), held, strict=True)
        ]
        if digests[0] != digests[1]:
            units.append(_unit(names, (good, bad), held, digests))
    return tuple(sorted(units, key=lambda u: u.symbols))


def _unit(
    names: list[str],
    graphs: tuple[ObjectGraph, ObjectGraph],
    held: list[set[int]],
    digests: list[Counter[str]],
) -> Unit:
    functions, local = set[str](), set[str]()
    for side, graph in enumerate(graphs):
        for n in held[side]:
            local_names = graph.functions.get(n, ())
            functions.update(f for f in local_names if f in names)
            if graph.sections[n].digest not in digests[1 - side]:
                local.update(f for f in local_names if f not in graph.symbols)
    return Unit(tuple(names), tuple(sorted(functions)), tuple(sorted(local)))


@dataclass
class _Joined:
    """Sets of nodes that go together; a ``bound`` set may not exist twice."""

    _parent: dict[_Node, _Node] = field(default_factory=dict)
    _bound: set[_Node] = field(default_factory=set)

    def root(self, node: _Node) -> _Node:
        while (above := self._parent.get(node, node)) != node:
            self._parent[node] = self._parent.get(above, above)
            node = above
        return node

    def join(self, first: _Node, second: _Node) -> None:
        a, b = self.root(first), self.root(second)
        if a != b:
            self._parent[b] = a
            if b in self._bound:
                self._bound.add(a)

    def bind(self, node: _Node) -> None:
        self._bound.add(self.root(node))

    def is_bound(self, node: _Node) -> bool:
        return self.root(node) in self._bound


def _join(joined: _Joined, side: int, graph: ObjectGraph) -> set[tuple[int, int]]:
    """Join what goes together in one object; left are the references to what is copied: from a
    section to another."""
    for name, place in graph.symbols.items():
        joined.join(name, (side, place))
        joined.bind(name)
    users: defaultdict[int, set[int]] = defaultdict(set)
    for ref in graph.references:
        users[ref.target].add(ref.source)
    for ref in graph.references:
        if _takes_address(graph, ref, users):
            joined.bind((side, ref.target))
    _own(joined, side, graph, users)
    for number, section in graph.sections.items():
        if section.writable:
            joined.bind((side, number))
    copied = set[tuple[int, int]]()
    for ref in graph.references:
        source, target = (side, ref.source), (side, ref.target)
        if joined.root(source) == joined.root(target):
            continue
        if not ref.symbol:
            copied.add((ref.source, ref.target))
        elif not graph.sections[ref.target].executable:
            joined.join(source, target)
    changed = True
    while changed:
        changed = False
        for a, b in copied:
            if joined.is_bound((side, b)) and joined.root((side, a)) != joined.root((side, b)):
                joined.join((side, a), (side, b))
                changed = True
    return copied


def _takes_address(graph: ObjectGraph, ref: Reference, users: Mapping[int, set[int]]) -> bool:
    """Whether the address of a local function may be seen by others: not in the table of a switch
    in that very function."""
    source = graph.sections[ref.source]
    if ref.call or ref.symbol or not graph.sections[ref.target].executable:
        return False
    if source.executable or source.writable:
        return True
    function = _function(graph, ref.target)
    return any(_function(graph, user) != function for user in users.get(ref.source, {ref.source}))


def _function(graph: ObjectGraph, number: int) -> str:
    """What a section is called after; a function and its cold part are called alike."""
    return _KINDS.sub("", graph.sections[number].name).removesuffix(".cold")


def _own(joined: _Joined, side: int, graph: ObjectGraph, users: Mapping[int, set[int]]) -> None:
    """Join what is used from one place alone to that: the table of a switch, the cold part of a
    function, a variable of one function."""
    shared = set(graph.symbols.values())
    free = [n for n in graph.sections if n not in shared]
    changed = True
    while changed:
        changed = False
        for number in free:
            root = joined.root((side, number))
            roots = {joined.root((side, u)) for u in users.get(number, ())} - {root}
            if len(roots) == 1:
                joined.join(roots.pop(), root)
                changed = True


def _sections(
    joined: _Joined,
    root: Hashable,
    side: int,
    graph: ObjectGraph,
    copied: Iterable[tuple[int, int]],
) -> set[int]:
    """The sections of a unit in one object, those that are copied for it included."""
    after: defaultdict[int, set[int]] = defaultdict(set)
    for a, b in copied:
        after[a].add(b)
    groups: defaultdict[_Node, set[int]] = defaultdict(set)
    for number in graph.sections:
        groups[joined.root((side, number))].add(number)
    sections: set[int] = set()
    todo = [n for n in graph.sections if joined.root((side, n)) == root]
    while todo:
        number = todo.pop()
        if number not in sections:
            sections.add(number)
            todo += after[number]
            todo += groups[joined.root((side, number))]
    return sections
