"""Profiles of several builds → their hot functions side by side, differences first."""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from whyfast.explain.functions import Program, base_name
from whyfast.explain.objects import Function, readable
from whyfast.formats.input import read_bytes
from whyfast.formats.profiles import (
    DamagedProfile,
    parse_callgrind,
    parse_perf_report,
    parse_perf_script,
)
from whyfast.measure.simulate import Cache
from whyfast.model.counters import CodePlace, Heat, HotFunction, Overlap, Profile
from whyfast.model.errors import UserError

PAGE = 4096

#: Where the kernel reports none: the line of nearly every processor, and a common L1i.
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
    """How many lines of the code fall on each set of a cache. A set follows from an address modulo
    size/ways. Programs that are loaded at a random page keep these up to whole pages, so set
    numbers are exact where size/ways is a page or less, and the overlap of functions of one program
    always is."""
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


_RECURSION = re.compile(r"'\d+$")
_VERSION = re.compile(r"@@?[\w.]+$")
_CALLGRIND = re.compile(r"^(# callgrind format|version:|creator:|events:)", re.MULTILINE)

#: Bytes of a profile: the text of a million samples with their stacks.
_LIMIT = 1_000_000_000

#: Costs by (object, function).
Costs = Mapping[tuple[str, str], float]


def read_heat(profile: Path, programs: Sequence[Path]) -> Heat:
    """The shares of functions in a profile of one of the ``programs``. Of a profile that names
    objects, those of the programs count, if it has any; shares are of all that it has. Raises
    UserError for a file that cannot be read, or is no profile."""
    text = read_bytes(profile, _LIMIT).decode("utf-8", "replace")
    costs = _costs(profile, text)
    total = sum(costs.values())
    if not total:
        raise UserError(
            "not a profile; expected callgrind.out, the text of `perf script`, or that of "
            "`perf report --stdio -F sample,dso,sym -t ';'`",
            where=profile,
        )
    names = {
        os.path.basename(p) for program in programs for p in (program, os.path.realpath(program))
    }
    counted = {key: c for key, c in costs.items() if os.path.basename(key[0]) in names}
    spelled = readable(name for _, name in counted or costs)
    shares: defaultdict[str, float] = defaultdict(float)
    for (_, name), cost in (counted or costs).items():
        plain = _VERSION.sub("", _RECURSION.sub("", name))
        shares[base_name(spelled.get(name, plain))] += cost / total
    return Heat(profile.name, dict(shares), HOT)


def _costs(profile: Path, text: str) -> Costs:
    if _CALLGRIND.search(text[:4000]):
        try:
            callgrind = parse_callgrind(text)
        except DamagedProfile as error:
            raise UserError(str(error), where=profile) from None
        return {key: float(counts[0]) for key, counts in callgrind.costs.items()}
    _, report = parse_perf_report(text)
    samples = report or parse_perf_script(text)
    return {key: float(number) for key, number in samples.items()}


#: A function is hot from this share of a run on.
HOT = 0.01


#: Mispredicted branches in a simulated profile: conditional and indirect ones.
_MISSES = ("Bcm", "Bim")

Key = tuple[str, str]


def hot_functions(
    profiles: Sequence[Profile],
    programs: Sequence[Program],
    variants: Sequence[str],
    cache: Cache | None = None,
    share: float = HOT,
) -> tuple[list[HotFunction], list[Overlap]]:
    """The functions with at least ``share`` of the run of any build, matched by their names in the
    source, and how those of each build share the L1 instruction cache. The largest difference in
    cost between builds comes first, then the largest share. Pieces that a compiler split off count
    for their function."""
    cache = cache or COMMON_L1I
    named = [_pieces(program) for program in programs]
    costs = [_hot_costs(p, pieces, (p.main,)) for p, pieces in zip(profiles, named, strict=True)]
    misses = (
        [_hot_costs(p, pieces, _MISSES) for p, pieces in zip(profiles, named, strict=True)]
        if all(set(_MISSES) <= set(p.events) for p in profiles)
        else []
    )
    totals = [p.totals.get(p.main) or sum(c.values()) for p, c in zip(profiles, costs, strict=True)]
    shares = [
        {key: cost / total for key, cost in by_key.items()} if total else {}
        for by_key, total in zip(costs, totals, strict=True)
    ]
    hot = {key for by_key in shares for key, part in by_key.items() if part >= share}
    # Library functions have no place here: where they lie is up to the loader.
    groups = [
        {key: pieces[key[1]] for key in hot if not key[0] and key in by_key and key[1] in pieces}
        for pieces, by_key in zip(named, costs, strict=True)
    ]
    loads = [set_load(group.values(), cache) for group in groups]
    functions = [
        HotFunction(
            name=key[1],
            object=key[0],
            costs=tuple(by_key.get(key) for by_key in costs),
            shares=tuple(by_key.get(key) for by_key in shares),
            misses=tuple(by_key.get(key) for by_key in misses) if misses else (),
            places=tuple(
                place(group[key], cache, load) if key in group else None
                for group, load in zip(groups, loads, strict=True)
            ),
        )
        for key in hot
    ]

    def spread(function: HotFunction) -> float:
        costs = [cost or 0.0 for cost in function.costs]
        return max(costs) - min(costs)

    functions.sort(key=lambda f: (-spread(f), -max(s or 0.0 for s in f.shares), f.object, f.name))
    return functions, [
        overlap(variant, list(group.values()), cache)
        for variant, group in zip(variants, groups, strict=True)
    ]


def _pieces(program: Program) -> dict[str, list[Function]]:
    """A program's functions by their names in the source."""
    pieces: defaultdict[str, list[Function]] = defaultdict(list)
    for function in program.functions:
        for name in dict.fromkeys(base_name(n) for n in function.names):
            pieces[name].append(function)
    return dict(pieces)


def _hot_costs(
    profile: Profile, pieces: dict[str, list[Function]], events: Sequence[str]
) -> dict[Key, float]:
    """Self cost by (library, function), the sum of ``events``. Aliases of one piece of code are one
    function, by the name that the program puts first. A library that the tool does not name is
    empty, as for the program."""
    costs: defaultdict[Key, float] = defaultdict(float)
    for function in profile.functions:
        name = base_name(_VERSION.sub("", _RECURSION.sub("", function.name)))
        if not function.object and name in pieces:
            name = base_name(pieces[name][0].name)
        costs[function.object, name] += sum(function.costs.get(event, 0.0) for event in events)
    return dict(costs)
