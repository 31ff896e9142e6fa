"""Functions of a program as lines of text, and the listings of two builds side by side.

Two builds of one source place everything elsewhere. Listings name what an instruction reaches, so
that the same instruction reads the same in both; jumps within a function lead to numbered labels.

Two listings are aligned by patience: forms that occur once on both sides are anchors, as far as
their order agrees; between two anchors the longest common runs are aligned. Of interpreters with
thousands of alike instructions that finds the handlers again, where a plain search would match any
`mov` with any other (the idea of B. Cohen's patience diff).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from fnmatch import fnmatchcase
from functools import cached_property

from whyfast.explain.disassembly import Instruction, Kind
from whyfast.explain.functions import Program, base_name, parent_name
from whyfast.explain.objects import Function, readable
from whyfast.explain.objects.debug_info import with_lines
from whyfast.explain.source_lines import FunctionLines
from whyfast.model.code import CodeDifference, CodeLine, CodeListing, CodePair, CodeRow, Flow
from whyfast.model.counters import Heat

_FLOWS: dict[Kind, Flow] = {
    "direct jump": "jump",
    "conditional jump": "jump",
    "direct call": "call",
    "indirect jump": "indirect jump",
    "indirect call": "indirect call",
    "return": "return",
}
_RIP = re.compile(r"\[rip[+-]0x[0-9a-f]+\]")
_HEX = re.compile(r"#?0x[0-9a-f]+")
#: Registers by size; the stack pointer and the program counter are no noise.
_REGISTERS = (
    (re.compile(r"\b(r(?:[abcd]x|[sd]i|bp|8|9|1[0-5])|x(?:[12]?\d|30))\b"), "R64"),
    (re.compile(r"\b(e(?:[abcd]x|[sd]i|bp)|r(?:8|9|1[0-5])d|w(?:[12]?\d|30))\b"), "R32"),
    (re.compile(r"\b((?:[abcd]x|[sd]i|bp)|r(?:8|9|1[0-5])w)\b"), "R16"),
    (re.compile(r"\b([abcd][lh]|[sd]il|bpl|r(?:8|9|1[0-5])b)\b"), "R8"),
    (re.compile(r"\b([xyz]mm|[vqds])\d+\b"), "V"),
)
#: What aligns code, and is never meant to do anything.
PADDING = re.compile(r"nop\b|cs nop\b|int3$|xchg R16, R16$|data16\b.*nop\b")
_STACK = re.compile(r"\[r?sp[^\]]*\]")


class Listings:
    """The listings of one program, by the names of its functions in the source."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._lines = FunctionLines(with_lines(program.path, program.debug))

    @cached_property
    def pieces(self) -> dict[str, list[Function]]:
        """Functions by name, cold parts with what they are parts of; copies are ``name (2)``."""
        pieces: dict[str, list[Function]] = {}
        whole: dict[str, int] = {}
        for function in self.program.functions:
            if parent_name(function.name) is None:
                name = base_name(function.name)
                whole[name] = whole.get(name, 0) + 1
                key = name if whole[name] == 1 else f"{name} ({whole[name]})"
                pieces[key] = [function]
        for function in self.program.functions:
            parent = parent_name(function.name)
            if parent is not None:
                pieces.setdefault(base_name(parent), []).append(function)
        return pieces

    def of(self, name: str) -> CodeListing:
        """The listing of a function of :attr:`pieces`."""
        return CodeListing(name, tuple(line for _, line in self.lines_of(self.pieces[name])))

    def lines_of(self, pieces: Sequence[Function]) -> list[tuple[int, CodeLine]]:
        """(address, line) of the instructions of a function's pieces, without padding."""
        instructions = [
            (piece, i) for piece in pieces for i in self.program.instructions(piece, hints=True)
        ]
        labels = self._labels(pieces, [i for _, i in instructions])
        texts = dict(
            pair
            for piece in pieces
            for pair in self.program.disassembler.text(
                self.program.image.read(piece.address, piece.size),
                piece.address,
            )
        )
        sources = self._lines.of([(p.address, p.end) for p in pieces])
        lines = (
            (i.address, self._line(i, texts.get(i.address, "(data)"), labels, sources))
            for _, i in instructions
        )
        return [(at, line) for at, line in lines if not PADDING.match(line.form)]

    def _labels(
        self, pieces: Sequence[Function], instructions: Sequence[Instruction]
    ) -> dict[int, str]:
        """Places in the function that its own jumps lead to, numbered by address."""
        targets = {
            i.target
            for i in instructions
            if i.target is not None and any(p.address <= i.target < p.end for p in pieces)
        }
        return {target: f"L{n}" for n, target in enumerate(sorted(targets), 1)}

    def _line(
        self,
        instruction: Instruction,
        text: str,
        labels: dict[int, str],
        sources: dict[int, str],
    ) -> CodeLine:
        form = text
        if instruction.target is not None:
            named = labels.get(instruction.target)
            known = named or self.program.name_of(instruction.target)
            shown = "elsewhere" if known.startswith("0x") else known
            text = _HEX.sub(lambda _: shown, text, count=1)
            # The lines that follow show where exactly a jump within a function leads.
            form = _HEX.sub(
                "within" if named else base_name(shown.partition("+")[0]), form, count=1
            )
        elif instruction.reference is not None:
            name = self._data_name(instruction.reference)
            text = _named(text, instruction.reference, name or "elsewhere")
            form = _named(form, instruction.reference, name or "elsewhere")
        elif text.startswith("adrp"):
            text = form = _HEX.sub("page", text)
        at = labels.get(instruction.address)
        return CodeLine(
            f"{at}: {text}" if at else text,
            form_of(form),
            _FLOWS.get(instruction.kind, ""),
            sources.get(instruction.address, ""),
        )

    def _data_name(self, address: int) -> str | None:
        """What lies at an address: a function, named data, or the section it is in."""
        name = self.program.image.slots.get(address)
        if name is not None:
            return name
        objects = self.program.objects or ()
        i = bisect_right(objects, address, key=lambda extent: extent[0]) - 1
        if i >= 0 and address < objects[i][1]:
            start, _, name = objects[i]
            name, offset = self._readable.get(name, name), address - start
            return f"{name}+{offset:#x}" if offset else name
        named = self.program.name_of(address)
        if not named.startswith("0x"):
            return named
        region = self.program.image.region(address)
        return None if region is None else region.name

    @cached_property
    def _readable(self) -> dict[str, str]:
        """The readable names of data."""
        return readable(name for _, _, name in self.program.objects or ())


def _named(text: str, address: int, name: str) -> str:
    return _RIP.sub(f"[{name}]", text).replace(f"{address:#x}", name)


def form_of(text: str) -> str:
    """The instruction without what register allocation decides."""
    text = _STACK.sub("[frame]", text)
    for pattern, kind in _REGISTERS:
        text = pattern.sub(kind, text)
    return text


def changed_names(a: Listings, b: Listings) -> Iterator[str]:
    """Functions of both whose code is not the same bytes."""
    for name, pieces in a.pieces.items():
        others = b.pieces.get(name)
        if others is not None and _bytes(a.program, pieces) != _bytes(b.program, others):
            yield name


def _bytes(program: Program, pieces: Sequence[Function]) -> list[bytes]:
    return [program.image.read(p.address, p.size) for p in pieces]


#: Gaps with more pairs of lines than this are not searched for equal runs: that would take seconds.
_MOST_PAIRS = 4_000_000

_Pair = tuple[int, int]


def align(a: CodeListing, b: CodeListing) -> CodeDifference:
    """All rows, in the order of both."""
    left, right = _Side(a), _Side(b)
    if not (left.placed and right.placed):
        left.places, right.places = left.forms, right.forms
    rows: list[CodeRow] = []
    at, place = 0, 0
    ends = (len(a.lines), len(b.lines))
    for i, j in [*_matches(left, right, (0, 0), ends), ends]:
        rows += _between(a.lines[at:i], b.lines[place:j])
        if i < len(a.lines):
            rows.append(_row(a.lines[i], b.lines[j]))
        at, place = i + 1, j + 1
    return CodeDifference(a.function, a, b, tuple(rows))


class _Side:
    """``forms`` of the lines, and ``places``: the same with their source lines, which tell
    the handlers of an interpreter from one another."""

    def __init__(self, listing: CodeListing) -> None:
        self.forms = [line.form for line in listing.lines]
        self.placed = any(line.source for line in listing.lines)
        source, self.places = "", []
        for line in listing.lines:
            source = line.source or source
            self.places.append(f"{source} {line.form}")


def relevance(d: CodeDifference) -> tuple[int, int, int, str]:
    """Sorts the most relevant first."""
    return -abs(d.jumps[0] - d.jumps[1]), -max(d.jumps), -d.changed, d.function


def _row(a: CodeLine, b: CodeLine) -> CodeRow:
    # Of a jump within the function only the number of its label can differ.
    jumps = a.flow == "jump" and "within" in a.form
    return CodeRow(
        "same" if jumps or _unlabelled(a.text) == _unlabelled(b.text) else "registers", a, b
    )


def _unlabelled(text: str) -> str:
    label, mark, rest = text.partition(": ")
    return rest if mark and label[:1] == "L" and label[1:].isdigit() else text


def _between(a: Sequence[CodeLine], b: Sequence[CodeLine]) -> Iterator[CodeRow]:
    """What has no equal on the other side: side by side as far as both have some."""
    both = min(len(a), len(b))
    yield from (CodeRow("changed", x, y) for x, y in zip(a, b, strict=False))
    yield from (CodeRow("only a", x, None) for x in a[both:])
    yield from (CodeRow("only b", None, y) for y in b[both:])


def _matches(left: _Side, right: _Side, start: _Pair, end: _Pair) -> Iterator[_Pair]:
    """Pairs of places with equal forms, growing on both sides."""
    here, there = left.places, right.places
    # Parts that are still to be searched, the next one last; a pair without an end is a match.
    todo: list[tuple[_Pair, _Pair | None]] = [(start, end)]
    while todo:
        (i, j), limit = todo.pop()
        if limit is None:
            yield i, j
            continue
        k, m = limit
        while i < k and j < m and here[i] == there[j]:
            yield i, j
            i, j = i + 1, j + 1
        tail: list[_Pair] = []
        while k > i and m > j and here[k - 1] == there[m - 1]:
            k, m = k - 1, m - 1
            tail.append((k, m))
        todo += [(pair, None) for pair in tail]
        if i == k or j == m:
            continue
        anchors = _anchors(here, there, (i, j), (k, m))
        anchors = anchors or _anchors(left.forms, right.forms, (i, j), (k, m))
        if not anchors:
            yield from _runs(left.forms, right.forms, (i, j), (k, m))
            continue
        parts: list[tuple[_Pair, _Pair | None]] = []
        for x, y in anchors:
            parts += [((i, j), (x, y)), ((x, y), None)]
            i, j = x + 1, y + 1
        todo += [((i, j), (k, m)), *reversed(parts)]


def _anchors(a: Sequence[str], b: Sequence[str], start: _Pair, end: _Pair) -> list[_Pair]:
    """Forms that occur once on either side, in the longest sequence whose order agrees."""
    once_a = {x for x, n in Counter(a[start[0] : end[0]]).items() if n == 1}
    places = {x: j for j, x in enumerate(b[start[1] : end[1]], start[1])}
    once = once_a & {x for x, n in Counter(b[start[1] : end[1]]).items() if n == 1}
    pairs = [(i, places[x]) for i, x in enumerate(a[start[0] : end[0]], start[0]) if x in once]
    # Patience sorting: the last of each pile, and what each pair lay upon.
    tops: list[int] = []
    top_pairs: list[int] = []
    before: list[int | None] = []
    for n, (_, j) in enumerate(pairs):
        pile = bisect_left(tops, j)
        before.append(top_pairs[pile - 1] if pile else None)
        tops[pile : pile + 1] = [j]
        top_pairs[pile : pile + 1] = [n]
    anchors: list[_Pair] = []
    last: int | None = top_pairs[-1] if top_pairs else None
    while last is not None:
        anchors.append(pairs[last])
        last = before[last]
    return anchors[::-1]


def _runs(a: Sequence[str], b: Sequence[str], start: _Pair, end: _Pair) -> Iterator[_Pair]:
    (i, j), (k, m) = start, end
    if (k - i) * (m - j) > _MOST_PAIRS:
        return
    matcher = SequenceMatcher(None, a[i:k], b[j:m], autojunk=False)
    for block in matcher.get_matching_blocks():
        for n in range(block.size):
            yield i + block.a + n, j + block.b + n


#: Functions that are decoded at most.
_MOST_READ = 400


def differences(
    a: Listings, b: Listings, names: Sequence[str] | None = None
) -> list[CodeDifference]:
    """The functions of both that differ in more than registers and addresses, the most relevant
    first: those with another number of indirect jumps, those with any, then the most changed."""
    wanted = list(changed_names(a, b)) if names is None else names
    aligned = [align(a.of(name), b.of(name)) for name in wanted]
    return sorted((d for d in aligned if d.changed), key=relevance)


def code_pair(
    a: Listings,
    b: Listings,
    names: tuple[str, str],
    globs: Sequence[str] = (),
    most: int = 0,
    heat: Heat | None = None,
) -> CodePair:
    """The functions of two programs called ``names`` that differ, of those that match ``globs``
    where there are any; ``most`` of them, 0 for all. Where very many differ in their bytes, only
    those whose sizes differ most are looked at. With ``heat`` the hottest go first."""
    changed = [n for n in changed_names(a, b) if _wanted(n, globs)]

    def share(name: str) -> float:
        return heat.of(name) if heat is not None else 0.0

    def size_difference(name: str) -> int:
        return abs(sum(f.size for f in a.pieces[name]) - sum(f.size for f in b.pieces[name]))

    far = sorted(changed, key=lambda n: (-share(n), -size_difference(n), n))
    ranked = sorted(differences(a, b, far[:_MOST_READ]), key=lambda d: -share(d.function))
    kept = ranked[:most] if most else ranked
    only = [
        tuple(sorted(n for n in x.pieces if n not in y.pieces and _wanted(n, globs)))
        for x, y in ((a, b), (b, a))
    ]
    others = len(ranked) - len(kept) + len(far[_MOST_READ:])
    return CodePair(*names, tuple(kept), others, *only)


def _wanted(name: str, globs: Sequence[str]) -> bool:
    return not globs or any(fnmatchcase(name, glob) for glob in globs)
