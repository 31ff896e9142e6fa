"""Profiles of several builds → their hot functions side by side, differences first."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from whyfast.explain.code import Program
from whyfast.explain.functions import base_name
from whyfast.explain.objects.symbols import Function
from whyfast.explain.placement import COMMON_L1I, overlap, place, set_load
from whyfast.measure.geometry import Cache
from whyfast.model.counters import Profile
from whyfast.model.hot import HotFunction, Overlap

#: A function is hot from this share of a run on.
HOT = 0.01

_RECURSION = re.compile(r"'\d+$")
_VERSION = re.compile(r"@@?[\w.]+$")

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
    source, and how those of each build share the L1 instruction cache.

    The largest difference in cost between builds comes first, then the largest share. Pieces that
    a compiler split off count for their function.
    """
    cache = cache or COMMON_L1I
    named = [_pieces(program) for program in programs]
    costs = [_costs(p, pieces, (p.main,)) for p, pieces in zip(profiles, named, strict=True)]
    misses = (
        [_costs(p, pieces, _MISSES) for p, pieces in zip(profiles, named, strict=True)]
        if all(set(_MISSES) <= set(p.events) for p in profiles)
        else []
    )
    totals = [p.totals.get(p.main) or sum(c.values()) for p, c in zip(profiles, costs, strict=True)]
    shares = [
        {key: cost / total for key, cost in of.items()} if total else {}
        for of, total in zip(costs, totals, strict=True)
    ]
    hot = {key for of in shares for key, part in of.items() if part >= share}
    # Library functions have no place here: where they lie is up to the loader.
    groups = [
        {key: pieces[key[1]] for key in hot if not key[0] and key in of and key[1] in pieces}
        for pieces, of in zip(named, costs, strict=True)
    ]
    loads = [set_load(group.values(), cache) for group in groups]
    found = [
        HotFunction(
            name=key[1],
            object=key[0],
            costs=tuple(of.get(key) for of in costs),
            shares=tuple(of.get(key) for of in shares),
            misses=tuple(of.get(key) for of in misses) if misses else (),
            places=tuple(
                place(group[key], cache, load) if key in group else None
                for group, load in zip(groups, loads, strict=True)
            ),
        )
        for key in hot
    ]
    found.sort(key=lambda f: (-_spread(f), -max(s or 0.0 for s in f.shares), f.object, f.name))
    return found, [
        overlap(variant, list(group.values()), cache)
        for variant, group in zip(variants, groups, strict=True)
    ]


def _spread(function: HotFunction) -> float:
    costs = [cost or 0.0 for cost in function.costs]
    return max(costs) - min(costs)


def _pieces(program: Program) -> dict[str, list[Function]]:
    """A program's functions by their names in the source."""
    pieces: defaultdict[str, list[Function]] = defaultdict(list)
    for function in program.functions:
        for name in dict.fromkeys(base_name(n) for n in function.names):
            pieces[name].append(function)
    return dict(pieces)


def _costs(
    profile: Profile, pieces: dict[str, list[Function]], events: Sequence[str]
) -> dict[Key, float]:
    """Self cost by (library, function), the sum of ``events``.

    Aliases of one piece of code are one function, by the name that the program puts first. A
    library that the tool does not name is empty, as for the program.
    """
    costs: defaultdict[Key, float] = defaultdict(float)
    for function in profile.functions:
        name = base_name(_VERSION.sub("", _RECURSION.sub("", function.name)))
        if not function.object and name in pieces:
            name = base_name(pieces[name][0].name)
        costs[function.object, name] += sum(function.costs.get(event, 0.0) for event in events)
    return dict(costs)
