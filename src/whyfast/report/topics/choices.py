"""What a reader's choice of baseline and benchmarks makes of the answer: means judged anew, and the
sentences that go with them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from whyfast.judge.chosen import ChosenMeans, agrees
from whyfast.model.result import Result
from whyfast.model.verdict import Suite
from whyfast.report.document import Sentence
from whyfast.report.topics.distribution import interval_data

#: So many means are judged anew, which takes a hundredth of a second each.
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

    def told(of: Result) -> list[list[Any]]:
        return [[texts.setdefault(s.text, len(texts)), s.link] for s in say(of)]

    baselines = result.question.baselines[: 1 if result.question.along else None]
    answers = {}
    for i, baseline in enumerate(baselines):
        if i:
            answers[f"{i}|"] = told(_from(result, baseline))
        # Placement is judged over all benchmarks, and so is what it does to the answer.
        if not (result.judged.placements or result.judged.slopes):
            for out, suites in means.items():
                chosen = without(result, [names[n] for n in out], suites)
                answers[f"{i}|{_key(out)}"] = told(_from(chosen, baseline))
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
    recorded, judged, found = result.recorded, result.judged, result.found
    question = result.question
    observed = found.observed
    return replace(
        result,
        question=replace(
            question, benchmarks=tuple(b for b in question.benchmarks if b.name not in out)
        ),
        recorded=replace(
            recorded,
            blocks=tuple(b for b in recorded.blocks if b.benchmark not in out),
            failures=tuple(f for f in recorded.failures if f.benchmark not in out),
        ),
        judged=replace(
            judged,
            verdicts=tuple(v for v in judged.verdicts if v.benchmark not in out),
            suites=suites,
        ),
        found=replace(
            found,
            counted=tuple(c for c in found.counted if c.benchmark not in out),
            observed=replace(
                observed, figures=tuple(f for f in observed.figures if f.benchmark not in out)
            ),
        ),
    )


def _from(result: Result, baseline: str) -> Result:
    """The same with that baseline first."""
    others = (b for b in result.question.baselines if b != baseline)
    return replace(result, question=replace(result.question, baselines=(baseline, *others)))


def _key(out: Sequence[int]) -> str:
    return ",".join(map(str, out))


def _by_baseline(suites: Sequence[Suite]) -> dict[str, dict[str, list[Any]]]:
    found: dict[str, dict[str, list[Any]]] = {}
    for v in (s.verdict for s in suites):
        ends = interval_data(v)
        found.setdefault(v.baseline, {})[v.variant] = [
            v.word, ends["ratio"], ends["low"], ends["high"],
        ]  # fmt: skip
    return found
