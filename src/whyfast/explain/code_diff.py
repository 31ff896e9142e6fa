"""Two listings of one function aligned instruction by instruction.

Patience first: forms that occur once on both sides are anchors, as far as their order agrees; what
lies between two anchors is aligned by its longest common runs. Of interpreters with thousands of
alike instructions that finds the handlers again, where a plain search would match any `mov` with
any other (the idea of B. Cohen's patience diff).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from fnmatch import fnmatchcase

from whyfast.explain.code_listing import Listings, changed_names
from whyfast.model.code import CodeDifference, CodeLine, CodeListing, CodePair, CodeRow
from whyfast.model.counters import Heat

#: Gaps with more pairs of lines than this are not searched for equal runs: that would take seconds.
_MOST_PAIRS = 4_000_000

_Pair = tuple[int, int]


def align(a: CodeListing, b: CodeListing) -> CodeDifference:
    """All rows, in the order of both."""
    one, other = _Side(a), _Side(b)
    if not (one.placed and other.placed):
        one.places, other.places = one.forms, other.forms
    rows: list[CodeRow] = []
    at, place = 0, 0
    ends = (len(a.lines), len(b.lines))
    for i, j in [*_matches(one, other, (0, 0), ends), ends]:
        rows += _between(a.lines[at:i], b.lines[place:j])
        if i < len(a.lines):
            rows.append(_row(a.lines[i], b.lines[j]))
        at, place = i + 1, j + 1
    return CodeDifference(a.function, a, b, tuple(rows))


class _Side:
    """``forms`` of the lines, and ``places``: the same with the source line that they come from, by
    which the handlers of an interpreter are told apart."""

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
    same = _unlabelled(a.text) == _unlabelled(b.text)
    return CodeRow("same" if same or _jumps(a) else "registers", a, b)


def _jumps(line: CodeLine) -> bool:
    """Whether only the number of its label can differ."""
    return line.flow == "jump" and "within" in line.form


def _unlabelled(text: str) -> str:
    label, mark, rest = text.partition(": ")
    return rest if mark and label[:1] == "L" and label[1:].isdigit() else text


def _between(a: Sequence[CodeLine], b: Sequence[CodeLine]) -> Iterator[CodeRow]:
    """What has no equal on the other side: side by side as far as both have some."""
    both = min(len(a), len(b))
    yield from (CodeRow("changed", x, y) for x, y in zip(a, b, strict=False))
    yield from (CodeRow("only a", x, None) for x in a[both:])
    yield from (CodeRow("only b", None, y) for y in b[both:])


def _matches(one: _Side, other: _Side, start: _Pair, end: _Pair) -> Iterator[_Pair]:
    """Pairs of places with equal forms, growing on both sides."""
    here, there = one.places, other.places
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
        anchors = anchors or _anchors(one.forms, other.forms, (i, j), (k, m))
        if not anchors:
            yield from _runs(one.forms, other.forms, (i, j), (k, m))
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
    found: list[_Pair] = []
    last: int | None = top_pairs[-1] if top_pairs else None
    while last is not None:
        found.append(pairs[last])
        last = before[last]
    return found[::-1]


def _runs(a: Sequence[str], b: Sequence[str], start: _Pair, end: _Pair) -> Iterator[_Pair]:
    (i, j), (k, m) = start, end
    if (k - i) * (m - j) > _MOST_PAIRS:
        return
    matcher = SequenceMatcher(None, a[i:k], b[j:m], autojunk=False)
    for block in matcher.get_matching_blocks():
        for n in range(block.size):
            yield i + block.a + n, j + block.b + n


# ---- The functions that differ between two programs, the most relevant first.

#: More functions than this are not decoded.
_MOST_READ = 400


def differences(
    a: Listings, b: Listings, names: Sequence[str] | None = None
) -> list[CodeDifference]:
    """The functions of both that differ in more than registers and addresses, the most relevant
    first: those with another number of indirect jumps, those with any, then the most changed."""
    wanted = list(changed_names(a, b)) if names is None else names
    found = [align(a.of(name), b.of(name)) for name in wanted]
    return sorted((d for d in found if d.changed), key=relevance)


def code_pair(
    a: Listings,
    b: Listings,
    names: tuple[str, str],
    globs: Sequence[str] = (),
    most: int = 0,
    heat: Heat | None = None,
) -> CodePair:
    """The functions of two programs called ``names`` that differ, of those that match ``globs``
    where there are any; ``most`` of them, 0 for all.

    Where very many differ in their bytes, only those whose sizes differ most are looked at. With
    ``heat`` the hottest go first.
    """
    changed = [n for n in changed_names(a, b) if _wanted(n, globs)]
    share = heat.of if heat is not None else _no_heat
    far = sorted(changed, key=lambda n: (-share(n), -_apart(a, b, n), n))
    found = sorted(differences(a, b, far[:_MOST_READ]), key=lambda d: -share(d.function))
    kept = found[:most] if most else found
    only = [
        tuple(sorted(n for n in x.pieces if n not in y.pieces and _wanted(n, globs)))
        for x, y in ((a, b), (b, a))
    ]
    others = len(found) - len(kept) + len(far[_MOST_READ:])
    return CodePair(*names, tuple(kept), others, *only)


def _no_heat(name: str) -> float:
    return 0.0


def _wanted(name: str, globs: Sequence[str]) -> bool:
    return not globs or any(fnmatchcase(name, glob) for glob in globs)


def _apart(a: Listings, b: Listings, name: str) -> int:
    return abs(sum(f.size for f in a.pieces[name]) - sum(f.size for f in b.pieces[name]))
