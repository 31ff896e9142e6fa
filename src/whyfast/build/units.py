"""Which functions of an object can be exchanged for those of another object of the same source.

Two objects are linked into one, and each global symbol is that of the one or of the other. What is
local stays with what uses it, so that functions and constants exist twice where both are in use.
What may not exist twice keeps its users together, all of one object or all of the other:

- data that is written,
- a local function whose address is taken, since addresses are compared,
- a section that several global symbols share.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field

from whyfast.build.references import ObjectGraph, Reference

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
            own = graph.functions.get(n, ())
            functions.update(f for f in own if f in names)
            if graph.sections[n].digest not in digests[1 - side]:
                local.update(f for f in own if f not in graph.symbols)
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

    def join(self, one: _Node, other: _Node) -> None:
        a, b = self.root(one), self.root(other)
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
    users = _users(graph)
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


def _users(graph: ObjectGraph) -> Mapping[int, set[int]]:
    users: defaultdict[int, set[int]] = defaultdict(set)
    for ref in graph.references:
        users[ref.target].add(ref.source)
    return users


def _takes_address(graph: ObjectGraph, ref: Reference, users: Mapping[int, set[int]]) -> bool:
    """Whether the address of a local function may be seen by others: not in the table of a switch
    in that very function."""
    source = graph.sections[ref.source]
    if ref.call or ref.symbol or not graph.sections[ref.target].executable:
        return False
    if source.executable or source.writable:
        return True
    own = _function(graph, ref.target)
    return any(_function(graph, user) != own for user in users.get(ref.source, {ref.source}))


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
            own = joined.root((side, number))
            roots = {joined.root((side, u)) for u in users.get(number, ())} - {own}
            if len(roots) == 1:
                joined.join(roots.pop(), own)
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
    found: set[int] = set()
    todo = [n for n in graph.sections if joined.root((side, n)) == root]
    while todo:
        number = todo.pop()
        if number not in found:
            found.add(number)
            todo += after[number]
            todo += groups[joined.root((side, number))]
    return found
