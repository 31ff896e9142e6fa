"""What was counted, in sentences of the answer."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from whyfast.model.counted import ChangedFunctions, Counted
from whyfast.model.question import Question
from whyfast.report.comparisons import Comparisons
from whyfast.report.counted_totals import CountTotals, function_changes, totals
from whyfast.report.names import listed, printable, sentence, shown

#: Relative difference of two counts below which they are called as many.
ALIKE = 0.005

#: Share of a change that one function must make to be named as its place.
MOST_OF_IT = 0.5

#: Functions that are named of those that a change touches.
_NAMED = 6


def counted_sentences(
    study: Question, comparisons: Comparisons, counted: Sequence[Counted]
) -> list[str]:
    """What goes with the largest difference from the main baseline, and with the claim; and what
    could not be counted."""
    said = []
    found = totals(counted, "measured") or totals(counted, "simulated")
    if found is not None:
        pairs = dict.fromkeys(_pairs(study, comparisons))
        said += [s for pair in pairs if (s := _pair(found, counted, *pair))]
    return [*said, *_failures(counted)]


def touched_sentences(touched: Sequence[ChangedFunctions]) -> list[str]:
    """Whether commits touch hot functions, as a fact, and what they touch."""
    return [
        sentence(
            f"From {printable(t.base)} to {printable(t.head)}, {printable(t.statement)}; {_all(t)}"
        )
        for t in touched
    ]


def _all(touched: ChangedFunctions) -> str:
    names = [printable(name) for name in touched.functions]
    if not names:
        return "it touches no function of the program"
    if names[_NAMED:]:
        return f"it touches {len(names)} functions, among them {listed(names[:_NAMED])}"
    return f"it touches {listed(names)}"


def _pairs(study: Question, comparisons: Comparisons) -> Iterator[tuple[str, str]]:
    main = study.baselines[0]
    if study.claim is not None:
        yield study.claim.variant, study.claim.baseline
    verdicts = [
        v
        for variant in study.measured
        if variant.name != main and not variant.twin_of
        if (v := comparisons.of(variant.name, main)) and v.word in ("faster", "slower")
    ]
    if verdicts:
        largest = max(verdicts, key=lambda v: abs(math.log(v.ratio)))
        slow = [v for v in verdicts if v.word == "slower"]
        for v in (largest, *(sorted(slow, key=lambda v: -v.ratio)[:1])):
            yield v.variant, main


def _pair(
    found: CountTotals, counted: Sequence[Counted], variant: str, baseline: str
) -> str | None:
    executed = found.ratio("instructions", variant, baseline)
    if executed is None:
        return None
    how = "Counted apart from the timed runs" if found.source == "measured" else "In simulation"
    alike = abs(executed - 1) < ALIKE
    parts = [
        f"as many instructions as {shown(baseline)}"
        if alike
        else f"{executed:.2f}x the instructions of {shown(baseline)}"
    ]
    text = f"{how}, {shown(variant)} executes {parts[0]}"
    shares = [
        found.share("indirect branch misses", "indirect branches", name)
        for name in (variant, baseline)
    ]
    missed = found.ratio("branch-misses", variant, baseline)
    if shares[0] is not None and shares[1] is not None:
        text += (
            f" and mispredicts {shares[0] * 100:.1f} % of its indirect branches, where "
            f"{shown(baseline)} mispredicts {shares[1] * 100:.1f} %"
        )
    elif missed is not None:
        text += f" and mispredicts {missed:.2f}x as many branches"
    place = _place(found, counted, variant, baseline)
    return f"{text}{place}."


def _place(found: CountTotals, counted: Sequence[Counted], variant: str, baseline: str) -> str:
    """Which function has most of the further mispredictions, if one has."""
    own, other = (found.sums[name].get("branch-misses") for name in (variant, baseline))
    if own is None or not other or abs(own - other) < ALIKE * other:
        return ""
    changes = function_changes(counted, found.benchmarks, variant, baseline, "misses")
    name, change = changes[0] if changes else ("", 0.0)
    share = change / (own - other)
    if not MOST_OF_IT <= share <= 1 / MOST_OF_IT:
        return ""
    kind = "further" if own > other else "spared"
    return f"; of all {kind} mispredictions {min(share, 1.0) * 100:.0f} % are in {printable(name)}"


def _failures(counted: Sequence[Counted]) -> list[str]:
    reasons: dict[str, list[tuple[str, str]]] = {}
    number = sum(len(one.counts) for one in counted)
    for one in counted:
        for counts in one.counts:
            if counts.failed:
                why = counts.notes[0] if counts.notes else "no reason is known"
                reasons.setdefault(why, []).append((one.benchmark, counts.variant))
    said = []
    for why, pairs in reasons.items():
        if len(pairs) == number:
            said.append(sentence(f"Nothing could be counted: {printable(why)}"))
            continue
        variants = list(dict.fromkeys(shown(v) for _, v in pairs))
        benchmarks = list(dict.fromkeys(shown(b) for b, _ in pairs))
        said.append(
            sentence(f"Not counted: {listed(variants)} in {listed(benchmarks)}: {printable(why)}")
        )
    return said
