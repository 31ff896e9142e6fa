"""The audit of a claimed gain: does it survive other baselines that could have been chosen?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from whyfast.judge.comparisons import plausible_baselines
from whyfast.model.evidence import Evidence
from whyfast.model.study import Claim, Question
from whyfast.model.verdict import Verdict
from whyfast.report import formatting as fmt
from whyfast.report.sections.main_table import Comparisons

#: A gain that keeps less than this share of its logarithm against another baseline has vanished.
KEPT = 1 / 3
#: Baselines named in the headline before the rest is a number.
_NAMED = 3


@dataclass(frozen=True)
class Audit:
    """``claimed``: the verdict on the claim itself, None if not measured. ``others``: on the same
    variant against every other plausible baseline, the least gain first; ``vanished``: those that
    leave little of the gain, the fairest first (by the compiler of the claimed baseline, then named
    baselines)."""

    claim: Claim
    claimed: Verdict | None
    others: tuple[Verdict, ...]
    vanished: tuple[Verdict, ...]


def audit_claim(
    study: Question, comparisons: Comparisons, evidence: Iterable[Evidence]
) -> Audit | None:
    """Holds the study's claim against its other baselines; None when it makes no claim."""
    claim = study.claim
    if claim is None:
        return None
    claimed = comparisons.of(claim.variant, claim.baseline)
    names = plausible_baselines(study, claim, evidence)
    others = [v for name in names if (v := comparisons.of(claim.variant, name)) is not None]
    others.sort(key=lambda verdict: -verdict.ratio)
    vanished: tuple[Verdict, ...] = ()
    if claimed is not None and claimed.outcome == "faster":
        fair = sorted(others, key=lambda verdict: _unlike(study, claim, verdict.baseline))
        vanished = tuple(v for v in fair if _vanishes(claimed, v))
    return Audit(claim, claimed, tuple(others), vanished)


def audit_headline(audit: Audit, margin: float) -> str:
    """The outcome of the audit in one sentence; ``margin`` is relative."""
    claim, claimed = audit.claim, audit.claimed
    variant, baseline = fmt.quote(claim.variant), fmt.quote(claim.baseline)
    if claimed is None:
        return (
            f"The claim that {variant} beats {baseline} could not be tested: "
            "there is no result for the pair."
        )
    if claimed.outcome == "undecided":
        return f"Whether {variant} beats {baseline} is undecided: {fmt.text_of(claimed)}."
    whole = fmt.verdict(claimed, margin, "clause")
    if claimed.outcome != "faster":
        return f"The claim does not hold: {variant} is {whole}."
    gain = fmt.verdict(claimed, margin, "brief")
    if audit.vanished:
        first = audit.vanished[0]
        nothing = first.outcome in ("same", "slower") or first.low >= 1 / (1 + margin)
        share = "the" if nothing else "most of the"
        return (
            f"{variant} is {gain}, but {_against_all(audit.vanished, margin)}: "
            f"{share} gain is a slow baseline."
        )
    if not audit.others:
        return f"{variant} is {whole}; no other baseline was measured."
    return f"{variant} is {gain}; {_holds(claimed, audit.others)}."


def audit_intervals(audit: Audit, margin: float) -> Iterator[str]:
    """The figures behind the headline, with their intervals, where there are several."""
    if audit.claimed is None or not audit.others:
        return
    parts = [
        f"{fmt.verdict(v, margin)} against {fmt.quote(v.baseline)}"
        for v in (audit.claimed, *audit.others)
    ]
    yield f"In figures, {fmt.quote(audit.claim.variant)} is {'; '.join(parts)}."


def _unlike(study: Question, claim: Claim, name: str) -> int:
    """How far a baseline is from the claimed one: another build by the same compiler is nearest."""
    toolchains = {v.name: v.toolchain for v in study.variants}
    if toolchains.get(name) == toolchains.get(claim.baseline):
        return 0
    return 1 if name in study.baselines else 2


def _vanishes(claimed: Verdict, other: Verdict) -> bool:
    if other.outcome in ("same", "slower"):
        return True
    small = -math.log(other.ratio) < KEPT * -math.log(claimed.ratio)
    return small and not other.low <= claimed.ratio <= other.high


def _against_all(vanished: tuple[Verdict, ...], margin: float) -> str:
    """The fairest comparison; with it those others that are the same."""
    first = vanished[0]
    names = [fmt.quote(v.baseline) for v in vanished if v.outcome == "same"]
    same = f"the same as {fmt.join(names, _NAMED)} within {fmt.percent(margin)}"
    if first.outcome == "same":
        return same
    text = fmt.verdict(first, margin, "brief")
    if first.outcome == "faster":
        text = f"only {text}"
    if first.outcome == "undecided" and first.low > 0:
        most = fmt.ratio_text(min(first.low, 1.0), first.low, first.high).value
        text = f"at most {most} faster than {fmt.quote(first.baseline)}"
    return f"{text} and {same}" if names else text


def _holds(claimed: Verdict, others: tuple[Verdict, ...]) -> str:
    open_ones = [fmt.quote(v.baseline) for v in others if v.outcome == "undecided"]
    held = [claimed, *(v for v in others if v.outcome == "faster")]
    if len(held) == 1:
        return f"against {fmt.join(open_ones)} it is undecided"
    gains = sorted(held, key=lambda v: -v.ratio)
    ends = [fmt.text_of(v).value for v in (gains[0], gains[-1])]
    which = "both" if len(held) == 2 else f"all {len(held)}"
    if open_ones:
        which = str(len(held))
    text = f"the gain holds against {which} baselines, between {ends[0]} and {ends[1]}"
    return f"{text}, and is undecided against {fmt.join(open_ones)}" if open_ones else text
