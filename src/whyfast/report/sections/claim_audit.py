"""The audit of a claimed gain: does it survive other baselines that could have been chosen?"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from whyfast.judge.comparisons import plausible_baselines
from whyfast.judge.judge_run import ChosenMeans, agrees
from whyfast.model.evidence import Evidence
from whyfast.model.result import Result
from whyfast.model.study import Claim, Question
from whyfast.model.verdict import Suite, Verdict
from whyfast.report.document import Sentence
from whyfast.report.formatting import (
    format_percent,
    format_verdict,
    join_words,
    quote,
    ratio_text,
    text_of,
)
from whyfast.report.sections.distribution import interval_data
from whyfast.report.sections.main_table import Comparisons

#: A gain that keeps less than this share of its logarithm against another baseline has vanished.
KEPT = 1 / 3
#: Baselines named in the headline before the rest is a number.
_NAMED = 3


@dataclass(frozen=True)
class Audit:
    """``claimed`` is the verdict on the claim itself, None when the pair was not measured.

    ``others`` are the verdicts on the same variant against every other plausible baseline, the
    least gain first; ``vanished`` are those of them that leave little or nothing of the gain, the
    fairest first: by the compiler of the claimed baseline, which differs least from it, then the
    baselines that the study names.
    """

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
    variant, baseline = quote(claim.variant), quote(claim.baseline)
    if claimed is None:
        return (
            f"The claim that {variant} beats {baseline} could not be tested: "
            "there is no result for the pair."
        )
    if claimed.outcome == "undecided":
        return f"Whether {variant} beats {baseline} is undecided: {text_of(claimed)}."
    whole = format_verdict(claimed, margin, "clause")
    if claimed.outcome != "faster":
        return f"The claim does not hold: {variant} is {whole}."
    gain = format_verdict(claimed, margin, "brief")
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
        f"{format_verdict(v, margin)} against {quote(v.baseline)}"
        for v in (audit.claimed, *audit.others)
    ]
    yield f"In figures, {quote(audit.claim.variant)} is {'; '.join(parts)}."


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
    names = [quote(v.baseline) for v in vanished if v.outcome == "same"]
    if len(names) > _NAMED:
        names = [*names[:_NAMED], f"{len(names) - _NAMED} more"]
    same = f"the same as {join_words(names)} within {format_percent(margin)}"
    if first.outcome == "same":
        return same
    text = format_verdict(first, margin, "brief")
    if first.outcome == "undecided" and first.low > 0:
        most = ratio_text(min(first.low, 1.0), first.low, first.high).value
        text = f"at most {most} faster than {quote(first.baseline)}"
    return f"{text} and {same}" if names else text


def _holds(claimed: Verdict, others: tuple[Verdict, ...]) -> str:
    open_ones = [quote(v.baseline) for v in others if v.outcome == "undecided"]
    held = [claimed, *(v for v in others if v.outcome == "faster")]
    if len(held) == 1:
        return f"against {join_words(open_ones)} it is undecided"
    gains = sorted(held, key=lambda v: -v.ratio)
    ends = [text_of(v).value for v in (gains[0], gains[-1])]
    which = "both" if len(held) == 2 else f"all {len(held)}"
    if open_ones:
        which = str(len(held))
    text = f"the gain holds against {which} baselines, between {ends[0]} and {ends[1]}"
    return f"{text}, and is undecided against {join_words(open_ones)}" if open_ones else text


# The answer for a reader's choice of baseline and benchmarks, with means judged anew.

#: The most means that are judged anew; each takes a hundredth of a second.
MOST_MEANS = 600

#: The sentences of a result, the headline first.
Say = Callable[[Result], Sequence[Sentence]]


def choices(result: Result, say: Say) -> Callable[[], dict[str, Any]] | None:
    """What makes the data of all choices that are embedded; None where there is nothing to choose,
    or nothing to judge by.

    ``means``: for the benchmarks that are left out, by their numbers ("2" or "0,3"), then for each
    baseline and variant word, ratio and ends (None: unbounded). Each benchmark alone is left out in
    them, and as many together as :data:`MOST_MEANS` allows. ``answers``: the number of the baseline
    and, after a bar, of what is left out → headline and sentences, each a number of ``texts`` and
    its link.
    """
    question = result.question
    several = len(question.benchmarks) > 1 or len(question.baselines) > 1
    measured = result.recorded.blocks and result.judged.about not in ("runs", "counts")
    if not several or not measured or not result.judged.verdicts:
        return None
    return lambda: _data(result, say)


def _data(result: Result, say: Say) -> dict[str, Any]:
    names = [b.name for b in result.question.benchmarks]
    means = dict(_means(result, names)) if len(names) > 1 else {}
    texts: dict[str, int] = {}

    def numbered(chosen: Result, baseline: str) -> list[list[Any]]:
        """The answer with that baseline first."""
        others = (b for b in result.question.baselines if b != baseline)
        question = replace(chosen.question, baselines=(baseline, *others))
        answer = say(replace(chosen, question=question))
        return [[texts.setdefault(s.text, len(texts)), s.link] for s in answer]

    baselines = result.question.baselines[: 1 if result.question.along else None]
    answers = {}
    for i, baseline in enumerate(baselines):
        if i:
            answers[f"{i}|"] = numbered(result, baseline)
        # Placement is judged over all benchmarks, and so is what it does to the answer.
        if not (result.judged.placements or result.judged.slopes):
            for out, suites in means.items():
                chosen = without(result, [names[n] for n in out], suites)
                answers[f"{i}|{_key(out)}"] = numbered(chosen, baseline)
    return {
        "benchmarks": names,
        "means": {_key(out): _by_baseline(suites) for out, suites in means.items()},
        "texts": list(texts),
        "answers": answers,
    }


def _means(
    result: Result, names: Sequence[str]
) -> Iterator[tuple[tuple[int, ...], tuple[Suite, ...]]]:
    """The means without some benchmarks; none at all where the blocks do not give the ones that the
    result has, as where several machines were pooled."""
    if not result.judged.suites:
        return
    again = ChosenMeans(result)
    if not agrees(again.over(names), result.judged.suites):
        return
    left = MOST_MEANS
    for size in range(1, len(names) - 1):
        sets = list(combinations(range(len(names)), size)) if size == 1 or left > 0 else []
        left -= len(sets) * len(result.judged.suites)
        if left < 0:
            return
        for out in sets:
            yield out, again.over([n for i, n in enumerate(names) if i not in out])


def without(result: Result, out: Collection[str], suites: tuple[Suite, ...]) -> Result:
    """The result without those benchmarks, with the means ``suites``; verdicts on single benchmarks
    stay as they were judged among all."""

    def trimmed(part: Any, *names: str, **changes: Any) -> Any:
        """A part of the result, with those of its fields without the benchmarks."""
        kept = {n: tuple(x for x in getattr(part, n) if x.benchmark not in out) for n in names}
        return replace(part, **kept, **changes)

    benchmarks = tuple(b for b in result.question.benchmarks if b.name not in out)
    observed = trimmed(result.found.observed, "figures")
    return replace(
        result,
        question=replace(result.question, benchmarks=benchmarks),
        recorded=trimmed(result.recorded, "blocks", "failures"),
        judged=trimmed(result.judged, "verdicts", suites=suites),
        found=trimmed(result.found, "counted", observed=observed),
    )


def _key(out: Sequence[int]) -> str:
    return ",".join(map(str, out))


def _by_baseline(suites: Sequence[Suite]) -> dict[str, dict[str, list[Any]]]:
    means: dict[str, dict[str, list[Any]]] = {}
    for v in (s.verdict for s in suites):
        figures = [v.outcome, *interval_data(v).values()]
        means.setdefault(v.baseline, {})[v.variant] = figures
    return means
