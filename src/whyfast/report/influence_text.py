"""Which single benchmark a geometric mean rests on, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from whyfast.model.question import Question
from whyfast.model.verdict import Carrier, Suite, Verdict
from whyfast.report.distribution import suite_carriers
from whyfast.report.names import shown
from whyfast.report.numbers import format_percent, ratio_text


def influence_sentences(suites: Sequence[Suite], study: Question) -> list[str]:
    """One for each mean against the main baseline, and for the claimed gain, of which a single
    benchmark makes more than a third, or without which another thing would be said."""
    sentences = []
    for suite in suites:
        verdict = suite.verdict
        claim = study.claim
        claimed = claim is not None and (claim.variant, claim.baseline) == (
            verdict.variant,
            verdict.baseline,
        )
        if verdict.baseline in study.baselines[:1] or claimed:
            for carrier in suite_carriers(suite, study.margin)[:1]:
                if verdict.word == "same" or carrier.share > 0:
                    sentences.append(_sentence(verdict, carrier, study))
    return sentences


def _sentence(verdict: Verdict, carrier: Carrier, study: Question) -> str:
    rest = ratio_text(carrier.without, carrier.without, carrier.without)
    mean = f"the geometric mean of {shown(verdict.variant)}"
    if verdict.baseline not in study.baselines[:1]:
        mean += f" against {shown(verdict.baseline)}"
    without = f"without it, {rest.value} {rest.direction}".rstrip()
    if verdict.word == "same":
        return (
            f"{shown(carrier.benchmark)} alone keeps {mean} within "
            f"{format_percent(study.margin)}: {without}."
        )
    return f"{shown(carrier.benchmark)} alone carries {carrier.share:.0%} of {mean}: {without}."
