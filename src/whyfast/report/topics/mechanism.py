"""What the machine code says about a difference, worded as strongly as the variants allow."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from whyfast.model.differences import differences
from whyfast.model.evidence import DispatchFacts, Evidence
from whyfast.model.question import Question
from whyfast.model.variant import Variant
from whyfast.model.verdict import Verdict
from whyfast.report.names import count, shown
from whyfast.report.numbers import ratio_text
from whyfast.report.topics.summary import Comparisons

_MERGED = ("merged", "partly merged")


@dataclass(frozen=True)
class Witness:
    """A variant that shows the cause: it differs from ``slow`` in compiler flags only, has
    replicated dispatch and is fast again. ``regained`` is the share of the loss that it wins
    back, as a ratio of logarithms."""

    name: str
    slow: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    jumps: int
    gain: str
    regained: float


def dispatch_of(evidence: Mapping[str, Evidence], name: str) -> DispatchFacts | None:
    """The dispatch of that variant's build, if its form is known."""
    found = evidence.get(name)
    if found is None or found.dispatch is None or found.dispatch.form in ("none", "unknown"):
        return None
    return found.dispatch


def dispatch_contrast(verdict: Verdict, evidence: Mapping[str, Evidence]) -> str | None:
    """ "its dispatch is merged (6 indirect jumps where b has 168)", if the two forms differ."""
    own, other = (dispatch_of(evidence, n) for n in (verdict.variant, verdict.baseline))
    if own is None or other is None or own.form == other.form:
        return None
    return (
        f"its dispatch is {own.form} ({count(own.indirect_jumps, 'indirect jump')} where "
        f"{shown(verdict.baseline)} has {other.indirect_jumps})"
    )


def runs_against(verdict: Verdict, evidence: Mapping[str, Evidence]) -> bool:
    """Whether the side with merged dispatch is the faster one, so that it explains nothing."""
    slow = verdict.variant if verdict.word == "slower" else verdict.baseline
    facts = dispatch_of(evidence, slow)
    return facts is None or facts.form not in _MERGED


def find_witness(
    verdict: Verdict, study: Question, comparisons: Comparisons, evidence: Mapping[str, Evidence]
) -> Witness | None:
    """The variant that wins back most of what the slow side of ``verdict`` has lost, by flags."""
    if verdict.word not in ("faster", "slower") or runs_against(verdict, evidence):
        return None
    pair = (verdict.variant, verdict.baseline)
    slow, fast = pair if verdict.word == "slower" else pair[::-1]
    variants = {v.name: v for v in study.variants}
    if slow not in variants:
        return None
    found = [
        witness
        for other in study.variants
        if (witness := _testify(other, variants[slow], fast, verdict, comparisons, evidence))
    ]
    return max(found, key=lambda w: w.regained, default=None)


def witness_sentence(witness: Witness) -> str:
    """What the witness shows, in one sentence."""
    parts = []
    if witness.added:
        parts.append(f"with `{' '.join(witness.added)}`")
    if witness.removed:
        parts.append(f"without `{' '.join(witness.removed)}`")
    jumps = count(witness.jumps, "indirect jump")
    cost = "what costs" if witness.regained >= 2 / 3 else "part of what costs"
    return (
        f"The same source {' and '.join(parts)} ({shown(witness.name)}) keeps {jumps} "
        f"and is {witness.gain} than {shown(witness.slow)}: "
        f"the merging is {cost}."
    )


def _testify(
    other: Variant,
    slow: Variant,
    fast: str,
    verdict: Verdict,
    comparisons: Comparisons,
    evidence: Mapping[str, Evidence],
) -> Witness | None:
    flags = _flag_difference(other, slow)
    facts, slow_facts = dispatch_of(evidence, other.name), dispatch_of(evidence, slow.name)
    if flags is None or facts is None or slow_facts is None:
        return None
    if facts.form != "replicated" or facts.style != slow_facts.style:
        return None
    gain = _gain(other.name, slow.name, fast, comparisons)
    if gain is None:
        return None
    text, log_gain = gain
    regained = log_gain / abs(math.log(verdict.ratio))
    if regained < 1 / 3:
        return None
    return Witness(other.name, slow.name, *flags, facts.indirect_jumps, text, regained)


def _gain(name: str, slow: str, fast: str, comparisons: Comparisons) -> tuple[str, float] | None:
    """By how much ``name`` is certainly faster than ``slow``: in words, and as a logarithm."""
    direct = comparisons.of(name, slow)
    if direct is not None:
        if direct.word != "faster":
            return None
        return ratio_text(direct.ratio, direct.low, direct.high).factor, -math.log(direct.ratio)
    one, two = comparisons.of(name, fast), comparisons.of(slow, fast)
    if one is None or two is None or one.high >= two.low:
        return None
    # Not judged against each other, but apart beyond both intervals.
    ratio = one.ratio / two.ratio
    return f"about {ratio_text(ratio, 0.0, math.inf).factor}", -math.log(ratio)


def _flag_difference(
    other: Variant, slow: Variant
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Compiler flags that ``other`` adds and leaves out; None if anything else differs too."""
    found = {d.aspect: d for d in differences(slow, other)}
    if not found or found.keys() - {"cflags", "ldflags"}:
        return None
    # The linker repeats the flag when it generates the code; saying it once is enough.
    flags = found.get("cflags") or found["ldflags"]
    source = any(d.changes_source for d in found.values())
    return None if source or not flags.words else (flags.added, flags.removed)
