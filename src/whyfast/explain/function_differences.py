"""Two builds' functions side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from whyfast.explain.functions import base_name
from whyfast.model.evidence import DISPATCH, CalleeCounts, Evidence, FunctionFacts
from whyfast.model.study import EvidenceSpec

Calls = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class FunctionTotals:
    """A function of the source as one build has it: the sum over all pieces and copies that share
    its name (``foo``, ``foo.cold``, ``foo.constprop.0``). ``size`` in bytes."""

    pieces: int
    size: int
    instructions: int
    indirect_jumps: int
    direct_calls: int
    indirect_calls: int
    tail_jumps: int


@dataclass(frozen=True)
class FunctionDifference:
    """One function in two builds.

    ``calls_only_in_a`` are the functions that only build ``a`` calls or tail-calls from it, with
    the number of places: ``b`` has probably inlined them, or has no need of them.
    """

    name: str
    a: FunctionTotals
    b: FunctionTotals
    calls_only_in_a: Calls = ()
    calls_only_in_b: Calls = ()

    @property
    def differs(self) -> bool:
        """Whether anything that is counted differs; the number of pieces alone does not."""
        numbers = [
            (
                *(t.size, t.instructions, t.indirect_jumps),
                *(t.direct_calls, t.indirect_calls, t.tail_jumps),
            )
            for t in (self.a, self.b)
        ]
        return numbers[0] != numbers[1] or bool(self.calls_only_in_a or self.calls_only_in_b)


def compare_functions(a: Evidence, b: Evidence) -> list[FunctionDifference]:
    """The functions that both builds have, by their names in the source.

    Those that differ come first: by the difference in indirect jumps, then in size.
    """
    of_a, of_b = _by_name(a), _by_name(b)
    differences = [_difference(name, of_a[name], of_b[name]) for name in of_a if name in of_b]
    return sorted(
        differences,
        key=lambda d: (
            not d.differs,
            -abs(d.a.indirect_jumps - d.b.indirect_jumps),
            -abs(d.a.size - d.b.size),
            d.name,
        ),
    )


def unmatched_functions(a: Evidence, b: Evidence) -> tuple[list[str], list[str]]:
    """The names that only one build has, sorted: (only in ``a``, only in ``b``)."""
    names_a, names_b = _by_name(a).keys(), _by_name(b).keys()
    return sorted(names_a - names_b), sorted(names_b - names_a)


def _by_name(evidence: Evidence) -> dict[str, list[FunctionFacts]]:
    pieces: dict[str, list[FunctionFacts]] = {}
    for function in evidence.functions:
        pieces.setdefault(base_name(function.name), []).append(function)
    return pieces


def _difference(
    name: str, a: Sequence[FunctionFacts], b: Sequence[FunctionFacts]
) -> FunctionDifference:
    calls_a, calls_b = _calls(name, a), _calls(name, b)
    return FunctionDifference(
        name, _totals(a), _totals(b), _missing(calls_a, calls_b), _missing(calls_b, calls_a)
    )


def _totals(pieces: Sequence[FunctionFacts]) -> FunctionTotals:
    return FunctionTotals(
        pieces=len(pieces),
        size=sum(p.size for p in pieces),
        instructions=sum(p.instructions for p in pieces),
        indirect_jumps=sum(p.indirect_jumps for p in pieces),
        direct_calls=sum(p.direct_calls for p in pieces),
        indirect_calls=sum(p.indirect_calls for p in pieces),
        tail_jumps=sum(p.tail_jumps for p in pieces),
    )


def _calls(name: str, pieces: Sequence[FunctionFacts]) -> Counter[str]:
    """Calls and tail calls together, as an optimiser turns one into the other. Calls to pieces of
    the function itself are none, and an address without a name cannot be matched."""
    calls: Counter[str] = Counter()
    for piece in pieces:
        for callee, count in (*piece.callees, *piece.tail_callees):
            plain = base_name(callee.partition("+")[0])
            if plain != name and not plain.startswith("0x"):
                calls[plain] += count
    return calls


def _missing(here: Counter[str], there: Counter[str]) -> Calls:
    only = [(callee, count) for callee, count in here.items() if callee not in there]
    return tuple(sorted(only, key=lambda item: (-item[1], item[0])))


# ---- Calls that one build makes and another has inlined.
#
# A compiler that meets a very large function may stop inlining even small ones into it. The same
# source then calls a helper in one build and contains it in the other.

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
            calls.update(_calls_calls(facts, spec, within=where == DISPATCH))
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


def _calls_calls(facts: FunctionFacts, spec: EvidenceSpec, *, within: bool) -> Counter[str]:
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
