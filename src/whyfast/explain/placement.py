"""Which cache lines, pages and cache sets a piece of code lies on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from whyfast.explain.objects.symbols import Function
from whyfast.measure.geometry import Cache
from whyfast.model.hot import CodePlace, Overlap

PAGE = 4096

#: Where the kernel does not tell: the line of nearly every processor, and a common L1i.
COMMON_L1I = Cache("L1i", 32 * 1024, 8, 64)


def lines_of(pieces: Iterable[Function], line: int) -> set[int]:
    """The numbers of the lines (or pages) of ``line`` bytes that the code touches."""
    return {
        n
        for piece in pieces
        if piece.size
        for n in range(piece.value // line, (piece.value + piece.size - 1) // line + 1)
    }


def set_load(groups: Iterable[Sequence[Function]], cache: Cache) -> Counter[int]:
    """How many lines of the code fall on each set of a cache.

    A set follows from an address modulo size/ways. Programs that are loaded at a random page keep
    these up to whole pages, so set numbers are exact where size/ways is a page or less, and the
    overlap of functions of one program always is.
    """
    lines = {n for pieces in groups for n in lines_of(pieces, cache.line)}
    return Counter(n % cache.sets for n in lines)


def place(pieces: Sequence[Function], cache: Cache, load: Counter[int]) -> CodePlace:
    """Where one function lies; ``load`` is that of all hot functions."""
    largest = max(pieces, key=lambda p: p.size)
    lines = lines_of(pieces, cache.line)
    sets = {n % cache.sets for n in lines}
    return CodePlace(
        address=largest.value,
        size=sum(p.size for p in pieces),
        section=largest.section,
        lines=len(lines),
        pages=len(lines_of(pieces, PAGE)),
        sets=len(sets),
        crowded=sum(1 for s in sets if load[s] > cache.ways),
    )


def overlap(variant: str, groups: Sequence[Sequence[Function]], cache: Cache) -> Overlap:
    """How the functions of one build share a cache."""
    load = set_load(groups, cache)
    return Overlap(
        variant=variant,
        functions=len(groups),
        lines=load.total(),
        pages=len({n for pieces in groups for n in lines_of(pieces, PAGE)}),
        capacity=cache.sets * cache.ways,
        ways=cache.ways,
        sets=cache.sets,
        fullest=max(load.values(), default=0),
        crowded=sum(1 for n in load.values() if n > cache.ways),
    )
