"""Does a comparison come out the same on several machines?

Each machine has its own interval of the log ratio. All of them, over all comparisons of a family
and all machines, are taken at the level α/m, m their number (Bonferroni), so that with probability
at least 1 − α every one of them holds its true log ratio, whenever each machine stopped. Where two
do not overlap the true ratios differ, and how much lies between the ends: [l₁ − h₂, h₁ − l₂]. So no
difference that is named is wrong with more than that probability, however many pairs of machines
were looked at. Nothing is asked of how machines depend on each other. docs/MATH.md has the rest.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from whyfast.judge.cold import allowing_for_cold
from whyfast.judge.decide import ALPHA, judge_family
from whyfast.judge.estimate import over_layouts
from whyfast.judge.few import needed_blocks
from whyfast.judge.samples import blocks_by_benchmark, ratios_by_key
from whyfast.judge.steadiness import set_aside
from whyfast.judge.suite import rounds_of, suite_verdicts
from whyfast.model.merged import MachineDifference, NeededBlocks
from whyfast.model.result import Result
from whyfast.model.verdict import Verdict

#: Benchmark (None: the suite), variant, baseline.
Key = tuple[str | None, str, str]


def judge_between(results: Mapping[str, Result]) -> tuple[MachineDifference, ...]:
    """The comparisons that do not come out the same, suites first; ``results`` by machine.

    Two families, as in a study: geometric means, and single benchmarks.
    """
    if len(results) < 2:
        return ()
    margin = next(iter(results.values())).question.margin
    found: dict[Key, dict[str, Verdict]] = defaultdict(dict)
    levels = _levels(results)
    alike = means_alike(results)
    for name, result in results.items():
        for v in verdicts_at(result, suites=levels[0], benchmarks=levels[1]):
            if v.benchmark is not None or name in alike[v.variant, v.baseline]:
                found[v.benchmark, v.variant, v.baseline][name] = v
    made = (_difference(key, by_machine, margin) for key, by_machine in found.items())
    return tuple(sorted((d for d in made if d), key=lambda d: d.benchmark is not None))


def blocks_to_tell(results: Mapping[str, Result]) -> NeededBlocks:
    """From how many blocks on an interval is bounded at the level of the differences."""
    return NeededBlocks(*map(needed_blocks, _levels(results)))


def _levels(results: Mapping[str, Result]) -> tuple[float, float]:
    """Of suites, and of single benchmarks: α over the number of intervals."""
    suites = sum(len(r.judged.suites) for r in results.values())
    benchmarks = sum(len(r.judged.verdicts) for r in results.values())
    return ALPHA / max(1, suites), ALPHA / max(1, benchmarks)


def means_alike(results: Mapping[str, Result]) -> dict[tuple[str, str], frozenset[str]]:
    """For each pair (variant, baseline) with a geometric mean the machines where it is over the
    same benchmarks, those that most have: means over others are other quantities."""
    over: dict[tuple[str, str], dict[frozenset[str | None], list[str]]] = {}
    for name, result in results.items():
        for suite in result.judged.suites:
            pair = suite.verdict.variant, suite.verdict.baseline
            own = (v for v in result.judged.verdicts if (v.variant, v.baseline) == pair)
            sets = over.setdefault(pair, {})
            sets.setdefault(frozenset(v.benchmark for v in own), []).append(name)
    most = {pair: max(sets.values(), key=len) for pair, sets in over.items()}
    return {pair: frozenset(names) for pair, names in most.items()}


def verdicts_at(result: Result, *, suites: float, benchmarks: float) -> Iterator[Verdict]:
    """The verdicts of a result once more, those of suites first, each interval at the level given
    and none at another for the number of them. Exact counts stay as they are."""
    judged, question, recorded = result.judged, result.question, result.recorded
    if judged.about == "counts":
        yield from judged.verdicts
        return
    pairs = list(dict.fromkeys((v.variant, v.baseline) for v in judged.verdicts))
    names = [b.name for b in question.benchmarks]
    blocks = over_layouts(recorded.blocks) or recorded.blocks
    samples = ratios_by_key(blocks_by_benchmark(blocks, names), pairs, set_aside(judged.unsteady))
    lacking = {(f.benchmark, f.variant) for f in recorded.lacking}
    both = {(v, b): [n for n in names if not {(n, v), (n, b)} & lacking] for v, b in pairs}
    calibrations = recorded.calibrations
    # The family divides what it is given by its number.
    means = (
        suite_verdicts(
            samples,
            margin=question.margin,
            alpha=suites * len(judged.suites),
            rounds=rounds_of(blocks, names),
            benchmarks=both,
        )
        if judged.suites
        else ()
    )
    yield from allowing_for_cold(means, question.benchmarks, calibrations)
    each = judge_family(
        dict(samples.items()),
        margin=question.margin,
        alpha=benchmarks * len(samples),
        all_right=True,
    )
    yield from allowing_for_cold(each, question.benchmarks, calibrations)


@dataclass(frozen=True)
class _Place:
    """A machine's interval of the log ratio, and its estimate."""

    machine: str
    low: float
    high: float
    log: float


def _difference(
    key: Key, by_machine: Mapping[str, Verdict], margin: float
) -> MachineDifference | None:
    """None where all intervals overlap, or what lies between them cannot matter."""
    places = [
        _Place(
            name, math.log(v.low) if v.low > 0 else -math.inf, math.log(v.high), math.log(v.ratio)
        )
        for name, v in by_machine.items()
        if 0 < v.ratio < math.inf
    ]
    groups = _groups(places)
    between: list[str] = []
    if len(groups) < 2:
        if not places:
            return None
        lowest, highest = (
            min(places, key=lambda p: p.high),
            max(places, key=lambda p: p.low),
        )
        if highest.low <= lowest.high:
            return None
        groups = [[lowest], [highest]]
        between = [p.machine for p in places if p not in (lowest, highest)]
    first, last = groups[0], groups[-1]
    low = min(p.low for p in last) - max(p.high for p in first)
    high = max(p.high for p in last) - min(p.low for p in first)
    if high <= math.log1p(margin):
        return None
    return MachineDifference(
        variant=key[1],
        baseline=key[2],
        benchmark=key[0],
        groups=tuple(tuple(p.machine for p in group) for group in groups),
        between=tuple(between),
        ratio=math.exp(_mean(last) - _mean(first)),
        low=math.exp(low),
        high=math.exp(high) if high < 700 else math.inf,
        confidence=1 - ALPHA,
    )


def _groups(places: Sequence[_Place]) -> list[list[_Place]]:
    """Parted wherever all intervals on one side lie wholly below all on the other."""
    ordered = sorted(places, key=lambda p: (p.log, p.machine))
    below = list(accumulate((p.high for p in ordered), max))
    above = list(accumulate((p.low for p in reversed(ordered)), min))[::-1]
    groups: list[list[_Place]] = []
    for i, place in enumerate(ordered):
        if i == 0 or below[i - 1] < above[i]:
            groups.append([])
        groups[-1].append(place)
    return groups


def _mean(group: Sequence[_Place]) -> float:
    return sum(p.log for p in group) / len(group)
