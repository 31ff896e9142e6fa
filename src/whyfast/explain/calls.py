"""Calls that one build makes and another has inlined.

A compiler that meets a very large function may stop inlining even small ones into it. The same
source then calls a helper in one build and contains it in the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from whyfast.explain.functions import base_name
from whyfast.model.evidence import DISPATCH, CalleeCounts, Evidence, FunctionFacts
from whyfast.model.study import EvidenceSpec

_Places = dict[str, dict[str, Counter[str]]]


def calls_left(spec: EvidenceSpec, evidence: Sequence[Evidence]) -> tuple[CalleeCounts, ...]:
    """Functions that at least one build calls and at least one does not, most calls first.

    The functions that dispatch count as one piece of code, so that a loop can be compared with
    handlers of tail calls; those in ``functions`` are compared by name, where builds have them.
    """
    places: _Places = {}
    local: set[str] = set()
    for found in evidence:
        for facts in found.functions:
            local |= {base_name(name) for name in facts.local_callees}
            where = DISPATCH if _dispatches(facts.name, spec) else base_name(facts.name)
            calls = places.setdefault(where, {}).setdefault(found.variant, Counter())
            calls.update(_calls(facts, spec, within=where == DISPATCH))
    rows = [row for where, builds in places.items() for row in _rows(where, builds, local)]
    return tuple(
        sorted(
            rows,
            key=lambda r: (r.where != DISPATCH, r.where, not r.local, -_most(r), r.callee),
        )
    )


def _rows(where: str, builds: Mapping[str, Counter[str]], local: set[str]) -> list[CalleeCounts]:
    callees = {callee for calls in builds.values() for callee in calls}
    found = []
    for callee in callees:
        counts = {variant: calls[callee] for variant, calls in builds.items()}
        if min(counts.values()) == 0:
            found.append(CalleeCounts(where, callee, callee in local, counts))
    return found


def _most(row: CalleeCounts) -> int:
    return max(row.counts.values())


def _dispatches(name: str, spec: EvidenceSpec) -> bool:
    return any(fnmatchcase(n, p) for p in spec.dispatch for n in (name, base_name(name)))


def _calls(facts: FunctionFacts, spec: EvidenceSpec, *, within: bool) -> Counter[str]:
    """Its calls by name in the source; not those to itself, nor from one dispatching function to
    another, nor to addresses without a name."""
    calls: Counter[str] = Counter()
    own = base_name(facts.name)
    for callee, count in (*facts.callees, *facts.tail_callees):
        plain = base_name(callee.partition("+")[0])
        if plain == own or plain.startswith("0x") or (within and _dispatches(plain, spec)):
            continue
        calls[plain] += count
    return calls
