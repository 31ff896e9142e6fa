"""The geometric mean of a suite, with an interval of its own."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.decide import ALPHA, judge_family
from whyfast.judge.ratios import Ratios, as_ratios
from whyfast.judge.strategies import locations
from whyfast.model.sample import Block
from whyfast.model.verdict import Carrier, Outcome, Suite, Verdict

Floats = NDArray[np.float64]
Sample = Ratios | Floats

#: For each benchmark and round the places of its blocks.
Rounds = Mapping[str, Sequence[Sequence[int]]]


def rounds_of(blocks: Sequence[Block], benchmarks: Sequence[str]) -> Rounds:
    """Which blocks of each benchmark belong together.

    ``blocks`` are in the order in which they were taken. A round ends as soon as every benchmark
    has had a block in it. So one in which a settled benchmark is measured less often than the
    others has several blocks of these. All blocks are used but those after the last full round.
    """
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
    """The ratios of the whole suite, round by round: the mean over benchmarks of the mean over
    their blocks in that round.

    Each block is symmetric about its benchmark's log ratio and the blocks are drawn apart, so the
    mean is symmetric about the log of the geometric mean, and the procedure for single benchmarks
    holds for it unchanged. Without ``rounds`` the r-th blocks make the r-th round, as far as every
    benchmark has one.
    """
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
    """One verdict for each (variant, baseline) on the geometric mean over all benchmarks, or over
    those that ``benchmarks`` has for that pair.

    ``samples`` is keyed by (benchmark, variant, baseline). A pair for which some benchmark of the
    study has no block at all is left out, and ``rounds`` are ignored for one that lacks blocks
    which others have. With a single benchmark there is no suite: (). The ``influence`` of each
    benchmark takes several times as long as the verdicts.
    """
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
    changes the verdict; the most influential first.

    ``without`` has the log ratio and the verdict of the suite without each benchmark. Of a suite
    that is near 1, every benchmark is a large part: moves of less than a third of ``margin`` are
    passed over, and changes of the verdict that come of moves below a tenth of it, where an
    interval only grazes a limit.
    """
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
