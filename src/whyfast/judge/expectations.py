"""Does each program have what the name of its variant promises?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from whyfast.model.evidence import DispatchFacts, Evidence, FailedExpectation
from whyfast.model.study import Claim, Question

_STYLES = ("loop", "tail-call")


def find_failed_expectations(
    study: Question, evidence: Sequence[Evidence]
) -> tuple[FailedExpectation, ...]:
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
            failed_expectations = _unmet(variant.name, key, wanted, own.dispatch)
            if failed_expectations is not None:
                found.append(failed_expectations)
    return tuple(found)


def refuted(study: Question, failed_expectations: Sequence[FailedExpectation]) -> frozenset[str]:
    """The variants that are not what they are called, and their twins: no verdict about them would
    be one about their names."""
    names = {u.variant for u in failed_expectations if u.found is not None}
    return frozenset(v.name for v in study.variants if (v.twin_of or v.name) in names)


def _unmet(
    variant: str, key: str, wanted: str, facts: DispatchFacts | None
) -> FailedExpectation | None:
    if key != "dispatch":
        return FailedExpectation(variant, key, wanted, None, "the evidence does not tell")
    if facts is None:
        return FailedExpectation(
            variant, key, wanted, None, "[evidence] names no dispatch functions"
        )
    if facts.form == "unknown":
        return FailedExpectation(variant, key, wanted, None, facts.reason)
    shows = facts.style if wanted in _STYLES else facts.form
    return None if shows == wanted else FailedExpectation(variant, key, wanted, shows, facts.reason)


# ---- Which other variants could have been the baseline of a claim.


def plausible_baselines(
    study: Question, claim: Claim, evidence: Iterable[Evidence]
) -> tuple[str, ...]:
    """All named baselines, and variants that do not themselves make the claimed change."""
    kinds: dict[str, object] = {e.variant: e.dispatch.style for e in evidence if e.dispatch}
    expected = {v.name: v.expect for v in study.variants}

    def makes_the_change(name: str) -> bool:
        return any(
            facts.get(name)
            and facts.get(name) == facts.get(claim.variant) != facts.get(claim.baseline)
            for facts in (kinds, expected)
        )

    names = [v.name for v in study.measured if not v.twin_of and not makes_the_change(v.name)]
    found = dict.fromkeys([*study.baselines, *names])
    return tuple(name for name in found if name not in (claim.variant, claim.baseline))


def claim_pairs(study: Question, evidence: Iterable[Evidence]) -> tuple[tuple[str, str], ...]:
    """The comparisons that the audit of the study's claim needs: (variant, baseline)."""
    claim = study.claim
    if claim is None:
        return ()
    others = plausible_baselines(study, claim, evidence)
    return tuple((claim.variant, name) for name in (claim.baseline, *others))
