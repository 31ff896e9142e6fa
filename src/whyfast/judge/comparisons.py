"""Which comparisons an investigation makes: expectations, claims, pairs, interactions, and the
geometric mean over all benchmarks."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.decide import ALPHA, Sample, judge_family
from whyfast.judge.ratios import (
    Floats,
    Ratios,
    as_ratios,
    blocks_by_benchmark,
    pair_ratios,
    ratios_by_key,
)
from whyfast.judge.strategies import locations
from whyfast.model.build import Build, BuildOutcome
from whyfast.model.evidence import DispatchFacts, Evidence, FailedExpectation
from whyfast.model.result import Recorded
from whyfast.model.sample import Block
from whyfast.model.study import Claim, Commands, Question
from whyfast.model.verdict import Carrier, Interaction, Outcome, Suite, Verdict

_STYLES = ("loop", "tail-call")


def find_failed_expectations(
    study: Question, evidence: Sequence[Evidence]
) -> tuple[FailedExpectation, ...]:
    """One entry for each ``expect`` (``dispatch``: a style, a form or ``none``) that the evidence
    contradicts or cannot confirm. Variants without a program are passed over."""
    facts = {e.variant: e.dispatch for e in evidence}
    failed = []
    for variant in study.variants:
        for key, wanted in variant.expect.items() if variant.name in facts else ():
            shows, reason = _shows(key, wanted, facts[variant.name])
            if shows != wanted:
                failed.append(FailedExpectation(variant.name, key, wanted, shows, reason))
    return tuple(failed)


def refuted(study: Question, failed_expectations: Sequence[FailedExpectation]) -> frozenset[str]:
    """The variants that contradict their expectations, and their A/A controls."""
    names = {u.variant for u in failed_expectations if u.found is not None}
    return frozenset(v.name for v in study.variants if (v.control_of or v.name) in names)


def _shows(key: str, wanted: str, facts: DispatchFacts | None) -> tuple[str | None, str]:
    """What a program has, None where that cannot be seen; and where it was seen, or why not."""
    if key != "dispatch":
        return None, "the evidence does not tell"
    if facts is None:
        return None, "[evidence] names no dispatch functions"
    if facts.form == "unknown":
        return None, facts.reason
    return facts.style if wanted in _STYLES else facts.form, facts.reason


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

    names = [v.name for v in study.measured if not v.control_of and not makes_the_change(v.name)]
    candidates = dict.fromkeys([*study.baselines, *names])
    return tuple(name for name in candidates if name not in (claim.variant, claim.baseline))


def claim_pairs(study: Question, evidence: Iterable[Evidence]) -> tuple[tuple[str, str], ...]:
    """The comparisons that the audit of the study's claim needs: (variant, baseline)."""
    claim = study.claim
    if claim is None:
        return ()
    others = plausible_baselines(study, claim, evidence)
    return tuple((claim.variant, name) for name in (claim.baseline, *others))


def usable_builds(
    question: Question, builds: Sequence[BuildOutcome], evidence: Sequence[Evidence]
) -> list[Build]:
    """The successful builds to measure, without those for evidence alone and those that contradict
    the expectations of their variants."""
    failed = refuted(question, find_failed_expectations(question, evidence))
    names = {v.name for v in question.measured} - failed
    return [b for b in builds if isinstance(b, Build) and b.variant in names]


def measured_builds(
    question: Question, recorded: Recorded, evidence: Sequence[Evidence]
) -> list[Build]:
    """The usable builds without those for which a byte-identical one was measured."""
    builds = usable_builds(question, recorded.builds, evidence)
    return [b for b in builds if b.variant not in recorded.same]


@dataclass(frozen=True)
class ComparisonPlan:
    """What is compared on which blocks. ``pairs`` are (variant, baseline), ``claimed`` those that
    only the audit of a claim needs; ``warming``: how many first values of each process to set
    aside, by benchmark; ``lacking``: the (benchmark, variant) that do not exist."""

    blocks: Sequence[Block]
    benchmarks: Sequence[str]
    pairs: Sequence[tuple[str, str]]
    margin: float
    variants: Sequence[str] = ()
    warming: Mapping[str, int] = field(default_factory=dict)
    claimed: Sequence[tuple[str, str]] = ()
    lacking: Collection[tuple[str, str]] = ()

    @property
    def families(self) -> tuple[Sequence[tuple[str, str]], Sequence[tuple[str, str]]]:
        """The pairs, and those claimed ones that are not among them either way round."""
        known = set(self.pairs)
        return self.pairs, [p for p in self.claimed if not {p, p[::-1]} & known]

    def samples(self, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str, str], Ratios]:
        """The ratios of each benchmark and pair that has blocks."""
        by_name = blocks_by_benchmark(self.blocks, self.benchmarks)
        return ratios_by_key(by_name, pairs, self.warming)

    def shared(self, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], list[str]]:
        """The benchmarks that both sides of each pair have."""
        lacking = set(self.lacking)
        return {
            (v, b): [n for n in self.benchmarks if not {(n, v), (n, b)} & lacking] for v, b in pairs
        }

    def suites(
        self,
        pairs: Sequence[tuple[str, str]],
        samples: Mapping[tuple[str, str, str], Ratios],
        **settings: Any,
    ) -> tuple[Suite, ...]:
        """The geometric means of ``samples``, by :func:`judge_suites` with the ``settings``."""
        return judge_suites(
            samples,
            margin=self.margin,
            rounds=rounds_of(self.blocks, self.benchmarks),
            benchmarks=self.shared(pairs),
            **settings,
        )


def comparisons_of(
    question: Question, recorded: Recorded, evidence: Sequence[Evidence]
) -> tuple[ComparisonPlan, list[str]]:
    """The plan of all measured pairs and claimed ones, and the baselines."""
    if isinstance(question, Commands):
        variants = [v.name for v in question.variants]
    else:
        variants = [b.variant for b in measured_builds(question, recorded, evidence)]
    # Where no baseline was built, nothing was measured either.
    baselines = [b for b in question.baselines if b in variants] or list(question.baselines)
    compared = ComparisonPlan(
        blocks=recorded.blocks,
        benchmarks=[b.name for b in question.benchmarks],
        pairs=question.compared(variants, baselines, recorded.same),
        margin=question.margin,
        variants=variants,
        claimed=[p for p in claim_pairs(question, evidence) if set(p) <= set(variants)],
        lacking={(f.benchmark, f.variant) for f in recorded.lacking},
    )
    return compared, baselines


# Does a change have the same effect in every context? In a block with all four programs, log(a/b) −
# log(c/d) of two pairs is judged. Without an interaction, exchanging a with b and c with d at once
# turns its sign and leaves the rest of the block as it was, so that the test and the interval are
# those of a single pair (docs/MATH.md).

#: (variant, baseline), twice, and the axis in which the two pairs differ.
_Two = tuple[tuple[str, str], tuple[str, str], str]


def judge_interactions(
    question: Question,
    blocks: Sequence[Block],
    pairs: Sequence[tuple[str, str]],
    warming: Mapping[str, int],
) -> tuple[Interaction, ...]:
    """Of each two ``pairs`` that are the same change and differ in one other axis: over the suite,
    if there is one, then on each benchmark, two families. Empty where baselines are not along
    axes."""
    twos = {(a[0], b[0]): (a, b, axis) for a, b, axis in _comparable(question, pairs)}
    names = [b.name for b in question.benchmarks]
    samples = {
        (name, *key): ratios
        for name, taken in blocks_by_benchmark(blocks, names).items()
        for key, two in twos.items()
        if (ratios := _ratios(taken, two, warming.get(name, 0))) is not None
    }
    verdicts = judge_family(dict(samples.items()), margin=question.margin)
    suites = judge_suites(
        samples,
        margin=question.margin,
        rounds=rounds_of(blocks, names),
        benchmarks=dict.fromkeys(twos, names),
        influence=False,
    )
    interactions = []
    for v in (*(s.verdict for s in suites), *verdicts):
        (_, here), (_, there), axis = twos[v.variant, v.baseline]
        interactions.append(Interaction(axis, v, (here, there)))
    return tuple(interactions)


def _comparable(question: Question, pairs: Sequence[tuple[str, str]]) -> Iterator[_Two]:
    if not question.along:
        return
    variants = {pair: question.variant(pair[0]) for pair in pairs}
    places = {pair: v.axes for pair, v in variants.items() if v.axes and not v.control_of}
    for (a, here), (b, there) in combinations(places.items(), 2):
        differing = [axis for axis in here if here[axis] != there[axis]]
        if len(differing) == 1 and differing[0] not in question.along:
            yield a, b, differing[0]


def _ratios(blocks: Sequence[Block], two: _Two, skip: int) -> Ratios | None:
    """The difference of both pairs' log ratios, in the blocks that hold all four programs.
    ``spread`` and ``level`` are those of both together: exchanging the sides of both pairs leaves
    them as they are."""
    a, b, _ = two
    by_pair = pair_ratios([x for x in blocks if {*a, *b} <= x.values.keys()], (a, b), skip)
    if not by_pair:
        return None
    first, second = by_pair[a], by_pair[b]
    spread = level = None
    if first.spread is not None and second.spread is not None:
        spread = np.hypot(first.spread, second.spread)
    if first.level is not None and second.level is not None:
        level = first.level + second.level
    return Ratios(first.logs - second.logs, spread, level)


# The geometric mean of a suite, with an interval of its own.

#: For each benchmark and round the places of its blocks.
Rounds = Mapping[str, Sequence[Sequence[int]]]


def rounds_of(blocks: Sequence[Block], benchmarks: Sequence[str]) -> Rounds:
    """The blocks, in the order taken, that belong together: a round ends once every benchmark has
    had a block in it, and may have several of one. Those after the last full round are left out."""
    groups: dict[str, list[list[int]]] = {name: [[]] for name in benchmarks}
    counts = dict.fromkeys(benchmarks, 0)
    for name in (b.benchmark for b in blocks if b.benchmark in groups):
        groups[name][-1].append(counts[name])
        counts[name] += 1
        if all(rounds[-1] for rounds in groups.values()):
            for rounds in groups.values():
                rounds.append([])
    return {name: rounds[:-1] for name, rounds in groups.items()}


def suite_ratios(each: Mapping[str, Sample], rounds: Rounds | None = None) -> Ratios:
    """The ratios of the whole suite: in each round the mean over benchmarks of the means of their
    blocks. Each block is symmetric about its benchmark's log ratio, so these are about the log of
    the geometric mean. Without ``rounds`` the r-th blocks of all benchmarks make the r-th round."""
    return _mean(each, _all_places(rounds)).ratios()


@dataclass(frozen=True, eq=False)
class _Places:
    """The blocks of one benchmark that are used: ``places`` in order, ``starts`` of each round's
    among them, and ``counts`` of how many these are; None where every round has one block."""

    places: NDArray[np.int_]
    starts: NDArray[np.int_]
    counts: Floats | None

    def means(self, values: Floats) -> Floats:
        """Of each round, along the last axis."""
        taken = values[..., self.places]
        if self.counts is None:
            return taken
        return np.asarray(np.add.reduceat(taken, self.starts, axis=-1) / self.counts)

    def variances(self, values: Floats) -> Floats:
        """Of the mean of each round, from those of its blocks."""
        return self.means(values) if self.counts is None else self.means(values) / self.counts


def _places(groups: Sequence[Sequence[int]]) -> _Places:
    counts = np.array([len(group) for group in groups], dtype=float)
    places = np.array([i for group in groups for i in group], dtype=int)
    starts = np.concatenate([[0], np.cumsum(counts)])[:-1].astype(int)
    return _Places(places, starts, counts if np.any(counts != 1) else None)


def _all_places(rounds: Rounds | None) -> Mapping[str, _Places] | None:
    return None if rounds is None else {name: _places(groups) for name, groups in rounds.items()}


@dataclass(frozen=True, eq=False)
class _Mean:
    """The benchmarks of a geometric mean by round: log ratios (benchmarks, statistics, rounds), the
    variances of the medians that the scatter of turns suggests (benchmarks, rounds), and levels
    (rounds,)."""

    names: Sequence[str]
    logs: Floats
    variances: Floats
    levels: Floats | None

    def ratios(self) -> Ratios:
        if self.logs.shape[-1] == 0:
            return Ratios(np.zeros((self.logs.shape[1], 0)))
        return Ratios(self.logs.mean(axis=0), np.sqrt(self.variances.mean(axis=0)), self.levels)

    def influence(self) -> dict[str, float]:
        """For each benchmark, the mean ratio without it."""
        if len(self.names) < 2 or self.logs.shape[-1] == 0:
            return {}
        others = len(self.names) - 1
        total, total_variance = self.logs.sum(axis=0), self.variances.sum(axis=0)
        without = [
            Ratios(
                (total - logs) / others,
                np.sqrt(np.maximum(0.0, total_variance - variance) / others),
                self.levels,
            )
            for logs, variance in zip(self.logs, self.variances, strict=True)
        ]
        logs = locations(without)
        return {name: math.exp(log) for name, log in zip(self.names, logs, strict=True)}


def _mean(each: Mapping[str, Sample], rounds: Mapping[str, _Places] | None) -> _Mean:
    """Where the turns of some benchmark say nothing, all blocks are taken to be alike, so that only
    their number in a round counts."""
    ratios = [as_ratios(sample) for sample in each.values()]
    if not ratios:
        return _Mean((), np.zeros((0, 1, 0)), np.zeros((0, 0)), None)
    rows = max(r.logs.shape[0] for r in ratios)
    if rounds is None:
        first = _places([[i] for i in range(min(len(r) for r in ratios))])
        places = [first] * len(ratios)
    else:
        places = [rounds[name] for name in each]
    scattered = all(r.spread is not None and np.all(r.spread > 0) for r in ratios)
    logs, variances, levels = [], [], []
    for r, blocks in zip(ratios, places, strict=True):
        logs.append(blocks.means(np.broadcast_to(r.logs, (rows, len(r)))))
        spread = r.spread if scattered and r.spread is not None else np.ones(len(r))
        variances.append(blocks.variances(spread**2))
        if r.level is not None:
            levels.append(blocks.means(r.level))
    level = np.mean(levels, axis=0) if len(levels) == len(ratios) else None
    return _Mean(list(each), np.array(logs), np.array(variances), level)


def judge_suites(
    samples: Mapping[tuple[str, str, str], Sample],
    *,
    margin: float,
    alpha: float = ALPHA,
    rounds: Rounds | None = None,
    benchmarks: Mapping[tuple[str, str], Sequence[str]] | None = None,
    influence: bool = True,
) -> tuple[Suite, ...]:
    """One verdict for each (variant, baseline) on the geometric mean over two or more benchmarks:
    all, or those that ``benchmarks`` has for the pair. ``samples``: by (benchmark, variant,
    baseline). A pair without blocks of some benchmark is left out; ``rounds`` are ignored for one
    that lacks blocks which others have. ``influence`` takes several times as long as the
    verdicts."""
    every = list(dict.fromkeys(key[0] for key in samples))
    places = _all_places(rounds)
    means: dict[tuple[str, str], _Mean] = {}
    for pair in dict.fromkeys((key[1], key[2]) for key in samples):
        names = every if benchmarks is None else benchmarks.get(pair, ())
        group = {name: samples[name, *pair] for name in names if (name, *pair) in samples}
        if len(names) > 1 and len(group) == len(names) and all(len(d) for d in group.values()):
            means[pair] = _mean(group, places if fitting(group, rounds) else None)
    verdicts = judge_family(
        {(None, *pair): mean.ratios() for pair, mean in means.items()},
        margin=margin,
        alpha=alpha,
        all_right=True,
    )
    return tuple(
        Suite(verdict, mean.influence() if influence else {})
        for verdict, mean in zip(verdicts, means.values(), strict=True)
    )


def fitting(group: Mapping[str, Sample], rounds: Rounds | None) -> Rounds | None:
    """The rounds, where they speak of as many blocks as there are."""
    if rounds is None:
        return None
    known = {name: sum(len(g) for g in rounds[name]) for name in group}
    return rounds if all(len(d) >= known[name] for name, d in group.items()) else None


def carriers(
    suite: Verdict, without: Mapping[str, tuple[float, Outcome]], margin: float
) -> tuple[Carrier, ...]:
    """The benchmarks whose removal moves the suite's log ratio by more than a third of it, or
    changes the verdict; the most influential first. ``without``: log ratio and verdict without
    each. Moves of less than a third of ``margin`` do not count, nor changes of the verdict by less
    than a tenth."""
    whole, limit = math.log(suite.ratio), math.log1p(margin)
    carrying = []
    for benchmark, (ratio, outcome) in without.items():
        moved = abs(ratio - whole)
        much = moved > max(abs(whole), limit) / 3
        if much or (outcome != suite.outcome and moved > limit / 10):
            share = (whole - ratio) / whole if whole else math.inf
            carrying.append((moved, Carrier(benchmark, share, math.exp(ratio), outcome)))
    carrying.sort(key=lambda pair: -pair[0])
    return tuple(carrier for _, carrier in carrying)
