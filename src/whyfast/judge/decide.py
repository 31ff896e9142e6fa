"""From intervals to the four outcomes, with the share of wrong verdicts under control."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import NamedTuple

import numpy as np

from whyfast.judge import power
from whyfast.judge.correlation import EVEN, is_clear, lag_ones, likelihood
from whyfast.judge.eprocess import counted, intervals
from whyfast.judge.processes import (
    SURE,
    SUSPECT,
    asymmetric_outliers_of,
    may_have_asymmetric_outliers,
)
from whyfast.judge.ratios import STATISTICS, Floats, Ratios, as_ratios
from whyfast.judge.strategies import Strategies, location, locations, strategies
from whyfast.measure.calibrate import COLD
from whyfast.model.sample import Calibration
from whyfast.model.variant import Benchmark
from whyfast.model.verdict import AsymmetricOutliers, Outcome, Suite, Verdict


def coverage_level(least: Sequence[float], alpha: float) -> float:
    """alpha·k/(m·H) for m intervals of which k give a verdict at that level, the largest such k, H
    = 1 + 1/2 + … + 1/m. ``least[i]``: the strictest level at which interval i gives one, 1 for
    none.

    At most alpha of the intervals with a verdict then miss the truth on average: the false coverage
    rate of Benjamini & Yekutieli (2005), under any dependence by H (theorem 4 there). E-values, of
    blocks that whyfast measures itself, need no such factor."""
    m = len(least)
    if m == 0:
        return alpha
    unit = alpha / (m * math.fsum(1 / i for i in range(1, m + 1)))
    held = [k for k, level in enumerate(sorted(least), 1) if level <= unit * k]
    return unit * max(held, default=1)


Key = tuple[str | None, str, str]
Sample = Ratios | Floats

#: A verdict is wrong with at most this probability, and so is at most this share of many.
ALPHA = 0.01

#: To each side no interval is wider when measuring ends before its budget: of 12 times one wants to
#: know whether it is 11 or 13.
COARSEST = 0.1

#: Numbers worked on at once: blocks × strategies × comparisons, as many as fit into a cache.
_AT_ONCE = 100_000

#: At most this many of them are kept between choosing the level and the intervals: 24 bytes each.
_KEPT = 4_000_000


def outcome_of(low: float, high: float, margin: float) -> Outcome:
    """The verdict that an interval of log ratios supports. ``same`` comes first: an interval inside
    ±log(1 + margin) says that whatever difference there is does not matter to the user, also when
    it excludes 0."""
    limit = math.log1p(margin)
    if -limit <= low and high <= limit:
        return "same"
    if low > 0:
        return "slower"
    if high < 0:
        return "faster"
    return "undecided"


def exact_verdict(
    key: Key, low: float, high: float, margin: float, *, blocks: int, metric: str = "time"
) -> Verdict:
    """What needs no statistics: the ratio lies between ``low`` and ``high`` for certain."""
    return Verdict(
        variant=key[1],
        baseline=key[2],
        benchmark=key[0],
        outcome=outcome_of(math.log(low), math.log(high), margin),
        ratio=low if low == high else math.sqrt(low * high),
        low=low,
        high=high,
        confidence=1.0,
        log_e=0.0,
        blocks=blocks,
        metric=metric,
    )


def outcome_beside(
    low: float, high: float, margin: float, side: AsymmetricOutliers | None
) -> Outcome:
    """:func:`outcome_of`, but not ``same`` where one side surely has asymmetric outliers."""
    outcome = outcome_of(low, high, margin)
    return outcome_of(low, high, 0.0) if outcome == "same" and _forbids_same(side) else outcome


@dataclass(frozen=True, eq=False)
class _Batch:
    """Comparisons with equally many blocks, and what of them does not depend on the level, all of
    shape (m,). ``refuted`` maps a log ratio (0 and both limits of the margin) to the log wealth
    against it from above and from below; ``firmly`` is that against 0 where correlation of blocks
    is as likely as none. ``kept``: the strategies, where there is room for them."""

    keys: Sequence[Key]
    series: Sequence[Ratios]
    correlation: Floats
    refuted: Mapping[float, tuple[Floats, Floats]]
    firmly: Floats
    sides: Sequence[AsymmetricOutliers | None]
    kept: Strategies | None = None

    def least(self, margin: float) -> Floats:
        """The log wealth at which a word other than undecided is first supported."""
        limit = math.log1p(margin)
        differs = np.maximum(*self.refuted[0.0])
        within = np.minimum(self.refuted[-limit][0], self.refuted[limit][1])
        # What forbids to say "same" leaves only a difference to be said.
        forbidden = [_forbids_same(side) for side in self.sides]
        return np.asarray(np.where(forbidden, differs, np.maximum(differs, within)))


def _level(batches: Sequence[_Batch], margin: float, alpha: float) -> float:
    """The level of all intervals of a family, by the e-BY procedure (Xu, Wang & Ramdas 2022):
    alpha·k/m with the largest k for which k of the m comparisons are decided at it. At most alpha
    of the verdicts are wrong on average, under any dependence."""
    least = np.sort(np.concatenate([np.zeros(0), *(b.least(margin) for b in batches)]))[::-1]
    m = len(least)
    if m == 0:
        return alpha
    decided = np.nonzero(least >= np.log(2 * m / (alpha * np.arange(1, m + 1))))[0]
    return alpha * (int(decided[-1]) + 1 if len(decided) else 1) / m


def judge_family(
    samples: Mapping[Key, Sample],
    *,
    margin: float,
    cost: Mapping[Key, float] | None = None,
    alpha: float = ALPHA,
    all_right: bool = False,
) -> tuple[Verdict, ...]:
    """Verdicts on a family of comparisons, keyed by (benchmark, variant, baseline). At most a share
    ``alpha`` of them is wrong on average; with ``all_right``, any is wrong with at most that
    probability (Bonferroni), as a headline should have it. ``cost``: seconds of measuring that a
    block of the comparison takes, to estimate what a decision would cost."""
    m = len(samples)
    batches = [*_batches(samples, margin)]
    level = alpha / max(1, m) if all_right else _level(batches, margin, alpha)
    while True:
        verdicts: dict[Key, Verdict] = {}
        for batch in batches:
            verdicts.update(_judge(batch, margin, level, cost or {}))
        decided = sum(v.outcome != "undecided" for v in verdicts.values())
        if all_right or decided == 0 or level <= alpha * decided / m * (1 + 1e-9):
            return tuple(verdicts[key] for key in samples)
        level = alpha * decided / m  # some statistics disagree: fewer verdicts buy a stricter level


def judge_each(
    samples: Mapping[Key, Sample], *, margin: float, alpha: float = ALPHA
) -> tuple[Verdict, ...]:
    """Verdicts on comparisons each at full level, as if it were the only one."""
    verdicts: dict[Key, Verdict] = {}
    for batch in _batches(samples, margin):
        verdicts.update(_judge(batch, margin, alpha, {}))
    return tuple(verdicts[key] for key in samples)


def _batches(samples: Mapping[Key, Sample], margin: float) -> Iterator[_Batch]:
    room = _KEPT
    alike: dict[tuple[int, int, bool], list[tuple[Key, Ratios]]] = defaultdict(list)
    for key, sample in samples.items():
        r = as_ratios(sample)
        alike[len(r), r.logs.shape[0], r.level is not None].append((key, r))
    for (n, rows, _), members in alike.items():
        together = max(1, _AT_ONCE // max(1, n * (2 * rows + 1)))
        for at in range(0, len(members), together):
            some = members[at : at + together]
            room -= n * (2 * rows + 1) * len(some)
            yield _batch(some, margin, keep=room >= 0)


def _batch(members: Sequence[tuple[Key, Ratios]], margin: float, *, keep: bool) -> _Batch:
    keys, series = [key for key, _ in members], [r for _, r in members]
    m, n = len(members), len(series[0])
    limit = math.log1p(margin)
    if n == 0:
        none = np.zeros(m)
        known = dict.fromkeys((0.0, -limit, limit), (none, none))
        return _Batch(keys, series, none, known, none, [None] * m)
    s = strategies(series)
    correlation, blocks = lag_ones(s.x[:, -1]), likelihood(s.x[:, -1])
    refuted = {theta: counted(s, np.full(m, theta), blocks) for theta in (0.0, -limit, limit)}
    even, zero = likelihood(s.x[:, -1], odds=EVEN), np.zeros(m)
    above, below = refuted[0.0]
    firmly = np.maximum(even.discounted(above, zero, 1), even.discounted(below, zero, -1))
    maybe = may_have_asymmetric_outliers(s.x[:, -1], margin)
    sides = [
        asymmetric_outliers_of(r, key[1], key[2], margin) if ask else None
        for (key, r), ask in zip(members, maybe, strict=True)
    ]
    return _Batch(keys, series, correlation, refuted, firmly, sides, s if keep else None)


def _forbids_same(side: AsymmetricOutliers | None) -> bool:
    return side is not None and side.p_value <= SURE


class _Interval(NamedTuple):
    """``apart``: the statistics of a block disagree."""

    low: float
    high: float
    center: float
    apart: bool


def _intervals(batch: _Batch, level: float) -> Iterator[_Interval]:
    m, n = len(batch.keys), len(batch.series[0])
    if n < power.needed_blocks(level):  # they bound nothing
        for center in locations(batch.series) if n else [math.nan] * m:
            yield _Interval(-math.inf, math.inf, float(center), False)
        return
    low, high, apart = intervals(batch.kept or strategies(batch.series), np.full(m, level))
    # The ends are rounded outwards; what is known to be refuted is not let in again by that.
    wanted = math.log(2 / level)
    for theta, (above, below) in batch.refuted.items():
        low = np.where(~apart & (above >= wanted), np.maximum(low, np.nextafter(theta, 1)), low)
        high = np.where(~apart & (below >= wanted), np.minimum(high, np.nextafter(theta, -1)), high)
    centers = np.clip(locations(batch.series), low, high)
    yield from map(_Interval, low.tolist(), high.tolist(), centers.tolist(), apart.tolist())


def _judge(
    batch: _Batch, margin: float, level: float, cost: Mapping[Key, float]
) -> Iterator[tuple[Key, Verdict]]:
    n = len(batch.series[0])
    log_e = np.maximum(*batch.refuted[0.0]) - math.log(2)
    clear = is_clear(batch.correlation, n)
    firm = batch.firmly >= math.log(2 / level)
    for i, (key, interval) in enumerate(zip(batch.keys, _intervals(batch, level), strict=True)):
        outcome = outcome_beside(interval.low, interval.high, margin, batch.sides[i])
        series = batch.series[i]
        verdict = Verdict(
            variant=key[1],
            baseline=key[2],
            benchmark=key[0],
            outcome=outcome,
            ratio=math.exp(interval.center),
            low=power.exp_or_inf(interval.low),
            high=power.exp_or_inf(interval.high),
            confidence=1 - level,
            log_e=float(log_e[i]),
            blocks=n,
            asymmetric_outliers=batch.sides[i],
            correlation=float(batch.correlation[i]) if clear[i] else None,
            assumes_independence=outcome in ("faster", "slower") and not firm[i],
            statistics={
                name: math.exp(location(Ratios(row[None], series.spread, series.level)))
                for name, row in zip(STATISTICS, series.logs, strict=False)
                if interval.apart
            },
        )
        if outcome == "undecided" and n:
            verdict = _undecided(verdict, series.medians, interval, margin, cost.get(key))
        yield key, verdict


def _undecided(
    verdict: Verdict, d: Floats, interval: _Interval, margin: float, cost: float | None
) -> Verdict:
    """With the effect that this many blocks could detect, and the cost of resolving the margin."""
    level, ends = 1 - verdict.confidence, (interval.low, interval.high)
    seconds = None if cost is None else power.seconds_to_margin(d, ends, level, margin, cost)
    return replace(
        verdict,
        detectable=power.exp_or_inf(power.detectable(d, ends, level)),
        seconds_to_margin=seconds[0] if seconds else None,
        seconds_to_margin_90=seconds[1] if seconds else None,
        small_sample=power.small_sample(d, level),
    )


def precise_enough(verdict: Verdict, margin: float, *, rough: bool = False) -> bool:
    """Whether more blocks would tell nothing that matters: the verdict is decided, its interval no
    wider than the margin to each side, or than a fifth of the effect but at most :data:`COARSEST`;
    ``rough``: or than a third, which is enough to look for its cause.

    Not if unlike processes of one side forbid "same", or if it assumes that blocks are
    independent."""
    outliers = verdict.asymmetric_outliers
    suspect = verdict.outcome == "same" and outliers and outliers.p_value <= SUSPECT
    if verdict.outcome == "undecided" or suspect or verdict.assumes_independence:
        return False
    half = (math.log(verdict.high) - math.log(verdict.low)) / 2
    effect = abs(math.log(verdict.ratio))
    part = effect / 3 if rough else min(effect / 5, math.log1p(COARSEST))
    return half <= max(math.log1p(margin), part)


# The cold-start correction.
#
# A turn begins with caches and predictors that other processes left behind. Where that costs both
# sides the same time, a share s of a value, a ratio r of the work shows as m = s + (1 − s)·r, so
# that r = m + (m − 1)·s/(1 − s). Calibration bounds s; docs/MATH.md has the whole.


def correct_cold_start(
    verdicts: Sequence[Verdict],
    benchmarks: Sequence[Benchmark],
    calibrations: Sequence[Calibration],
) -> tuple[Verdict, ...]:
    """The verdicts with the ends of intervals moved away from 1 by as much as may be hidden, where
    the benchmark takes turns; of a mean over benchmarks, by the mean of theirs. No word changes:
    the end nearer to 1 stays, and "same" as it is."""
    cold = {c.benchmark: c.cold for c in calibrations}

    def hidden(verdict: Verdict) -> float:
        concerned = [b for b in benchmarks if verdict.benchmark in (None, b.name)]
        shares = [_hidden(b, cold.get(b.name, {}), verdict) for b in concerned]
        return fmean(shares) if shares else 0.0

    return tuple(_moved(v, hidden(v)) for v in verdicts)


def correct_suites(
    suites: Sequence[Suite], benchmarks: Sequence[Benchmark], calibrations: Sequence[Calibration]
) -> tuple[Suite, ...]:
    """The same for geometric means."""
    verdicts = correct_cold_start([s.verdict for s in suites], benchmarks, calibrations)
    return tuple(replace(s, verdict=v) for s, v in zip(suites, verdicts, strict=True))


def _hidden(benchmark: Benchmark, cold: Mapping[str, float], verdict: Verdict) -> float:
    """How much further from 1 than it shows an end of an interval may lie, by its distance from 1.
    Calibration finds shares of at most :data:`COLD`, or says which; that of the colder side counts.
    """
    share = max(COLD, *(cold.get(v, 0.0) for v in (verdict.variant, verdict.baseline)))
    return share / (1 - share) if benchmark.kind.takes_turns and share < 1 else 0.0


def _moved(verdict: Verdict, hidden: float) -> Verdict:
    if verdict.outcome == "same" or not hidden:
        return verdict
    low, high = verdict.low, verdict.high
    return replace(
        verdict,
        low=max(0.0, low - max(0.0, 1 - low) * hidden) if low > 0 else low,
        high=high + max(0.0, high - 1) * hidden,
    )
