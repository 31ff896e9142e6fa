"""Does each program have what the name of its variant promises?"""

from __future__ import annotations

from collections.abc import Sequence

from whyfast.model.evidence import DispatchFacts, Evidence, Unmet
from whyfast.model.question import Question

_STYLES = ("loop", "tail-call")


def find_unmet(study: Question, evidence: Sequence[Evidence]) -> tuple[Unmet, ...]:
    """One entry for each ``expect`` of a variant that the evidence contradicts or cannot confirm.

    ``expect = {dispatch = …}`` names a style (``loop``, ``tail-call``), a form (``replicated``,
    ``merged``, ``partly merged``) or ``none``. A variant without a program is passed over. A twin
    is as true as its original.
    """
    facts = {e.variant: e for e in evidence}
    found = []
    for variant in study.variants:
        own = facts.get(variant.name)
        if own is None:
            continue
        for key, wanted in variant.expect.items():
            unmet = _unmet(variant.name, key, wanted, own.dispatch)
            if unmet is not None:
                found.append(unmet)
    return tuple(found)


def refuted(study: Question, unmet: Sequence[Unmet]) -> frozenset[str]:
    """The variants that are not what they are called, and their twins: no verdict about them would
    be one about their names."""
    names = {u.variant for u in unmet if u.found is not None}
    return frozenset(v.name for v in study.variants if (v.twin_of or v.name) in names)


def _unmet(variant: str, key: str, wanted: str, facts: DispatchFacts | None) -> Unmet | None:
    if key != "dispatch":
        return Unmet(variant, key, wanted, None, "the evidence does not tell")
    if facts is None:
        return Unmet(variant, key, wanted, None, "[evidence] names no dispatch functions")
    if facts.form == "unknown":
        return Unmet(variant, key, wanted, None, facts.reason)
    shows = facts.style if wanted in _STYLES else facts.form
    return None if shows == wanted else Unmet(variant, key, wanted, shows, facts.reason)
