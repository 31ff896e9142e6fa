"""Interim analyses while blocks come in, and the final analysis when a budget is used up.

The level is split (group sequential trials: Jennison & Turnbull 2000), half for looks at any time,
half for the end. How many blocks fit into a budget does not depend on which side is quicker, so
where only the budget ends the measurement, signs are independent coins and the distribution of
their sum is known exactly. docs/MATH.md has the whole."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.correlation import is_clear, lag_one
from whyfast.judge.decide import ALPHA, Key, Sample, judge_each, outcome_beside, precise_enough
from whyfast.judge.power import needed_blocks, small_sample
from whyfast.judge.processes import non_stationary, set_aside
from whyfast.judge.ratios import Ratios, RatioTable, deciding
from whyfast.judge.strategies import location, strategies_in_hindsight
from whyfast.model.sample import Block
from whyfast.model.study import Commands, Question
from whyfast.model.verdict import NonStationary, Verdict

#: The largest growth of the blocks between two looks, where far more are still needed.
MOST_GROWTH = 0.5

#: The most turns that are requested because processes may still be warming up.
MOST_TO_WARM = 40


@dataclass(frozen=True)
class Looks:
    """When a benchmark is judged: when it has ``first`` blocks, then with each up to ``each``, then
    only when they have grown by at least the share ``growth``. As valid as with every block, and
    judging does not take quadratic time. While the blocks are too few for any verdict, a look comes
    only once those since the last one took ``apart`` seconds: nobody reads faster."""

    first: int = 1
    each: int = 16
    growth: float = 0.06
    apart: float = 0.25


#: Where one machine judges many: fewer than nine blocks never decide anything.
FEW_LOOKS = Looks(first=9, each=9, growth=1 / 3)


class TogetherJudge:
    """Looks at many benchmarks, of many machines, taken at once: side by side a look costs a tenth.
    The verdicts of a look come with the next :meth:`judge`, and the benchmark takes further blocks
    until then. That is valid, since looks may come at any time."""

    def __init__(self, margin: float, alpha: float = ALPHA) -> None:
        self._margin, self._alpha = margin, alpha
        self._waiting: list[tuple[Mapping[Key, Sample], Callable[[tuple[Verdict, ...]], None]]] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def add(
        self, samples: Mapping[Key, Sample], receive: Callable[[tuple[Verdict, ...]], None]
    ) -> None:
        """``receive`` gets the verdicts on these samples, each at ``alpha``."""
        self._waiting.append((samples, receive))

    def judge(self) -> None:
        """Take all looks that wait."""
        waiting, self._waiting = self._waiting, []
        joined: dict[Key, Sample] = {
            (f"{number} {key[0]}", key[1], key[2]): ratios
            for number, (samples, _) in enumerate(waiting)
            for key, ratios in samples.items()
        }
        verdicts = iter(judge_each(joined, margin=self._margin, alpha=self._alpha))
        for samples, receive in waiting:
            receive(tuple(replace(next(verdicts), benchmark=key[0]) for key in samples))


#: From variants and the main baseline to pairs (variant, baseline).
Compared = Callable[[Sequence[str], str], Sequence[tuple[str, str]]]


def _every(variants: Sequence[str], baseline: str) -> Sequence[tuple[str, str]]:
    return [(v, baseline) for v in variants if v != baseline]


@dataclass
class _BenchmarkLooks:
    """Of one benchmark: the ratios of the first ``seen`` blocks, and the verdicts of the last
    look, which hold until there are ``next_look`` blocks. ``waiting``: for a look at those."""

    table: RatioTable
    varied: tuple[bool, bool]
    baseline: str
    non_stationary: tuple[NonStationary, ...] = ()
    skip: int = 0
    seen: int = 0
    next_look: int = 0
    verdicts: tuple[Verdict, ...] = ()
    waiting: bool = False


@dataclass
class LiveJudge:
    """How one benchmark stands against its main baseline, kept up to date as blocks come in, at
    ``alpha`` as if each comparison were the only one. ``compared``: what else is compared, given
    the variants and the main baseline. ``together`` takes the looks of several, where there is
    one."""

    margin: float
    compared: Compared = _every
    looks: Looks = Looks()
    alpha: float = ALPHA
    together: TogetherJudge | None = None
    _standing: dict[str, _BenchmarkLooks] = field(default_factory=dict)

    def update(
        self,
        benchmark: str,
        blocks: Sequence[Block],
        variants: Sequence[str],
        baseline: str,
        *,
        takes_turns: bool = False,
    ) -> tuple[Verdict, ...]:
        """Verdicts of all ``variants`` against ``baseline``, as of the last look. ``blocks``: all
        of this benchmark so far, in order; only new ones are worked on. With ``takes_turns`` the
        first values of processes that warm up are set aside, as they will be in the end."""
        # Where layouts are varied, the blocks that vary them are what the verdict will be about.
        blocks = deciding(blocks)
        varied = bool(blocks and blocks[-1].layouts), bool(blocks and blocks[-1].profiles)
        pairs = self.compared(variants, baseline)
        standing = self._standing.get(benchmark)
        # The blocks as linked that came before the first drawn one no longer count.
        if (
            standing is None
            or varied != standing.varied
            or baseline != standing.baseline
            or len(blocks) < standing.seen
        ):
            standing = self._standing[benchmark] = _BenchmarkLooks(
                RatioTable(pairs), varied, baseline
            )
        known = {v.variant for v in standing.verdicts}  # each variant has one baseline at most
        if standing.waiting or len(blocks) < self.looks.first:
            return standing.verdicts
        if known == {v for v, _ in pairs} and self._too_soon(standing, blocks):
            return standing.verdicts
        standing.non_stationary = non_stationary(blocks, variants) if takes_turns else ()
        skip = set_aside(standing.non_stationary).get(benchmark, 0)
        if skip != standing.skip:
            standing.table, standing.skip, standing.seen = RatioTable(pairs, skip), skip, 0
        standing.table.add(blocks[standing.seen :])
        standing.seen = len(blocks)
        ratios = standing.table.ratios()
        samples: dict[Key, Sample] = {
            (benchmark, *pair): ratios[pair] for pair in pairs if pair in ratios
        }
        if self.together is None:
            self._tell(standing, judge_each(samples, margin=self.margin, alpha=self.alpha))
        else:
            standing.waiting = True
            self.together.add(samples, partial(self._tell, standing))
        return standing.verdicts

    def verdicts(self, benchmark: str) -> tuple[Verdict, ...]:
        """As of the last look."""
        standing = self._standing.get(benchmark)
        return standing.verdicts if standing else ()

    def _tell(self, standing: _BenchmarkLooks, verdicts: tuple[Verdict, ...]) -> None:
        standing.verdicts, standing.waiting = verdicts, False
        standing.next_look = self._next_look(standing)

    def _too_soon(self, standing: _BenchmarkLooks, blocks: Sequence[Block]) -> bool:
        if len(blocks) >= needed_blocks(self.alpha):
            return len(blocks) < standing.next_look
        return sum(block.seconds for block in blocks[standing.seen :]) < self.looks.apart

    def _next_look(self, standing: _BenchmarkLooks) -> int:
        if standing.seen < self.looks.each:
            return standing.seen + 1
        # The width falls with the root of the blocks.
        most = max((_excess(v, self.margin) for v in standing.verdicts), default=1.0)
        growth = min(max(self.looks.growth, (most**2 - 1) / 4), MOST_GROWTH)
        return standing.seen + max(1, round(growth * standing.seen))

    def least_turns(self, benchmark: str) -> int:
        """How many turns a block should have at least, going by how its processes warm up: three
        for each that is set aside, and twice as many as now where they are not warm by half."""
        standing = self._standing.get(benchmark)
        turns = 0
        for change in standing.non_stationary if standing else ():
            if not change.lasts:
                turns = max(turns, 3 * change.at)
            elif change.ratio < 1:
                turns = max(turns, min(2 * change.turns, MOST_TO_WARM))
        return turns

    def settled(self, verdicts: Sequence[Verdict], *, rough: bool = False) -> bool:
        """Whether every one of these verdicts is decided and precise."""
        return bool(verdicts) and all(precise_enough(v, self.margin, rough=rough) for v in verdicts)


def _excess(verdict: Verdict, margin: float) -> float:
    """How many times as wide an interval is as it has to become for its verdict to settle."""
    if not 0 < verdict.low <= verdict.high < math.inf:
        return 1.0
    half = math.log(verdict.high / verdict.low) / 2
    return half / max(math.log1p(margin), abs(math.log(verdict.ratio)) / 5)


#: The part of the level that is kept for the last look.
KEPT = 0.5

#: Scores are whole numbers up to the first, for the second number of blocks and fewer; for four
#: times as many blocks half as large, and not below the third: the sums of coins are then cheap.
_FINEST, _FINE_UP_TO, _COARSEST = 16, 64, 4

#: Places that are tried from the outside in, and halvings after that.
_PLACES, _HALVINGS = 24, 12

#: The largest correlation of neighbours that is allowed for.
_MOST_ALIKE = 0.95

#: The difference found nine times in ten, over half the width of the interval, of n normal blocks:
#: the first plus the second over n (python -m bench.last_look).
_NINE_IN_TEN = 1.47, 4.0


def level_of_looks(question: Question) -> float:
    """The level at which blocks may be looked at one after the other: half of it where the other
    half is kept for the end, as it is for commands that do not take turns."""
    whole_runs = isinstance(question, Commands) and not any(
        b.kind.takes_turns for b in question.benchmarks
    )
    return ALPHA * (1 - KEPT) if whole_runs else ALPHA


def fewest_draws(question: Question) -> tuple[int, int]:
    """The least number of blocks, each with a layout or profile of its own, that can decide a mean
    over the benchmarks, and one benchmark, when nothing else is decided."""
    variants = [v.name for v in question.variants]
    pairs = max(1, len(question.compared(variants, question.baselines)))
    each = needed_blocks(ALPHA / (pairs * len(question.benchmarks)))
    return needed_blocks(ALPHA / pairs), each


def final_analysis(
    verdicts: Sequence[Verdict],
    samples: Mapping[Key, Ratios],
    *,
    margin: float,
    cost: Mapping[Key, float],
    ended: bool,
) -> tuple[Verdict, ...]:
    """Verdicts at :func:`level_of_looks`, with what the kept half adds when a budget has ``ended``
    by itself: an m-th of it for each of m comparisons. Nothing where the statistics of a block
    disagree or neighbouring blocks are clearly alike. See
    :func:`whyfast.judge.decide.judge_family`."""
    kept = ALPHA * KEPT / max(1, len(verdicts))
    final = []
    for v in verdicts:
        key = (v.benchmark, v.variant, v.baseline)
        series = samples[key]
        level = 1 - v.confidence + kept
        few = v.small_sample and small_sample(series.medians, level)
        v = replace(v, confidence=1 - level, small_sample=few)
        final.append(_narrowed(v, series, margin, cost.get(key), kept) if ended else v)
    return tuple(final)


def _narrowed(
    v: Verdict, series: Ratios, margin: float, cost: float | None, alpha: float
) -> Verdict:
    if v.statistics or v.correlation is not None:
        return v
    before = (math.log(v.low) if v.low > 0 else -math.inf), math.log(v.high)
    planned = planned_interval(series, alpha)
    low, high = max(before[0], planned[0]), min(before[1], planned[1])
    if low > high:  # either of them errs, or the effect is no shift: both are shown
        low, high = min(before[0], planned[0]), max(before[1], planned[1])
    if math.isinf(low) or math.isinf(high):
        return v
    outcome = outcome_beside(low, high, margin, v.asymmetric_outliers)
    ratio = math.exp(min(max(math.log(v.ratio), low), high))
    v = replace(
        v,
        outcome=outcome,
        ratio=ratio,
        low=math.exp(low),
        high=math.exp(high),
        small_sample=None,
        assumes_independence=v.assumes_independence and outcome != "same",
    )
    if outcome != "undecided":
        return replace(v, detectable=None, seconds_to_margin=None, seconds_to_margin_90=None)
    n, half = len(series), (high - low) / 2
    if half == 0:
        return replace(v, detectable=math.inf, seconds_to_margin=None, seconds_to_margin_90=None)
    usual, likely = (
        None if cost is None else cost * max(0.0, n * ((width / math.log1p(margin)) ** 2 - 1))
        for width in (half, half * nine_in_ten(n))
    )
    detectable = math.exp(half * nine_in_ten(n))
    return replace(v, detectable=detectable, seconds_to_margin=usual, seconds_to_margin_90=likely)


def nine_in_ten(blocks: int) -> float:
    """By what half the width is multiplied for a difference found nine times in ten."""
    always, few = _NINE_IN_TEN
    return always + few / blocks


def planned_interval(series: Ratios, alpha: float) -> tuple[float, float]:
    """The log ratios that blocks do not refute at level ``alpha``, if their number was not chosen
    by what they say. Infinite for fewer blocks than 1 + log2(1/alpha), and where neighbours are
    clearly alike. Where they are somewhat alike, it is as much wider as the mean of a first-order
    autoregression is, the correlation rid of its bias (Kendall 1954; Marriott and Pope 1954)."""
    n = len(series)
    lag = lag_one(series.medians)
    if 2.0**-n >= alpha / 2 or bool(is_clear(np.array([lag]), n)[0]):
        return -math.inf, math.inf
    likely = min(max(0.0, lag + (1 + 4 * lag) / n), _MOST_ALIKE)
    wider = math.sqrt((1 + likely) / (1 - likely))
    center = location(series)
    exchanged = Ratios(-series.logs, series.spread, series.level)
    low, high = _end(series, center, alpha / 2), -_end(exchanged, -center, alpha / 2)
    return center - (center - low) * wider, center + (high - center) * wider


def _end(series: Ratios, center: float, alpha: float) -> float:
    """The lower end: from the outside in, the first log ratio that is not refuted, and between it
    and the one before the place where that begins."""
    # Beyond all blocks every coin shows the same side.
    outside = float(np.min(series.logs))
    outside -= 1e-9 * (abs(outside) + center - outside)
    refuted = outside
    for place in np.linspace(outside, center, _PLACES)[1:]:
        if _chance(series, float(place)) > alpha:
            break
        refuted = float(place)
    held = refuted + (center - outside) / (_PLACES - 1)
    for _ in range(_HALVINGS):
        middle = (refuted + held) / 2
        if _chance(series, middle) > alpha:
            held = middle
        else:
            refuted = middle
    return refuted


def _chance(series: Ratios, theta: float) -> float:
    """How often coins for signs would make the sum of the blocks' scores about ``theta`` as large
    as it is. A score is that of the estimate, in whole numbers."""
    s = strategies_in_hindsight([series], theta)
    slope = s.inverse * s.share[:, None]
    scores = np.sum(s.scores(np.array([theta])) * slope, axis=(1, 2))
    most = float(np.max(np.abs(scores)))
    if most == 0 or not math.isfinite(most):
        return 1.0
    n = len(scores)
    fine = max(_COARSEST, min(_FINEST, round(_FINEST * math.sqrt(_FINE_UP_TO / n))))
    whole = np.rint(scores / most * fine).astype(np.int64)
    return _tail(np.abs(whole), int(whole.sum()))


def _tail(sizes: NDArray[np.int64], least: int) -> float:
    """The probability that the sum of ``sizes``, each with the sign of a coin, is ``least`` or
    more: from the characteristic function of the sum, the product of cosines."""
    total = int(sizes.sum())
    if least <= -total:
        return 1.0
    period = 2 ** math.ceil(math.log2(2 * total + 2))
    angle = 2 * math.pi / period * np.arange(period // 2 + 1)
    product = np.ones(len(angle))
    for size, count in enumerate(np.bincount(sizes)):
        if size and count:
            product *= np.cos(size * angle) ** int(count)
    shares = np.fft.irfft(product, period)
    at = np.arange(least, total + 1) % period
    return float(np.sum(shares[at]))
