"""Which other variants could have been the baseline of a claim."""

from __future__ import annotations

from collections.abc import Iterable

from whyfast.model.evidence import Evidence
from whyfast.model.question import Claim, Question


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
