"""What the processes of a variant do: outliers on one side, several speeds, changes by turn.

A tenth of processes that are slow leaves the verdict "same". On which side outlying blocks are
tells a slow mode from a machine that disturbs both alike (the sign test)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import median as statistics_median
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.ratios import Floats, Mask, Ratios, blocks_by_benchmark, median, tamed
from whyfast.judge.special import t_limit
from whyfast.model.sample import Block
from whyfast.model.variant import Benchmark
from whyfast.model.verdict import AsymmetricOutliers, Confound, Modes, NonStationary, Verdict

#: A block is an outlier beyond this many robust standard deviations and the margin.
OUTLYING = 5.0

#: The sign test's level at which the sides differ, so that "same" is no verdict.
SURE = 0.05

#: The level from which more blocks should be taken before "same" is the last word.
SUSPECT = 0.25


def asymmetric_outliers_of(
    ratios: Ratios, variant: str, baseline: str, margin: float
) -> AsymmetricOutliers | None:
    """The side with more outlying blocks, and what they do to its mean; None where none has more. A
    block counts for the side whose process was slow in it, or fast, which the time of both sides
    together tells; where that is not known, outlying is taken for slow."""
    d = ratios.medians
    n = len(d)
    if n == 0:
        return None
    away = d - median(d)
    limit = max(OUTLYING * 1.4826 * float(median(np.abs(away))), math.log1p(margin))
    up, down = away > limit, away < -limit
    counts = int(up.sum()), int(down.sum())
    if counts[0] == counts[1]:
        return None
    positive = counts[0] > counts[1]
    led = up if positive else down
    slow = True
    if ratios.level is not None:
        slow = float(median(ratios.level[led] - median(ratios.level))) >= 0
    count, other = max(counts), min(counts)
    size = float(median(np.abs(away[led])))
    low, high = _wilson(count, n)
    return AsymmetricOutliers(
        # Slow where the ratio is high is the variant; fast where it is high, the baseline.
        side=variant if positive == slow else baseline,
        slow=slow,
        count=count,
        other=other,
        of=n,
        low=low,
        high=high,
        ratio=math.exp(size if slow else -size),
        mean=_mean_effect(away, up, down, slow=slow),
        p_value=sign_test(count, other),
    )


def may_have_asymmetric_outliers(medians: Floats, margin: float) -> Mask:
    """Which of m comparisons, shape (n, m), have outlying blocks at all: a quick test."""
    away = np.abs(medians - median(medians, axis=0))
    limit = np.maximum(OUTLYING * 1.4826 * median(away, axis=0), math.log1p(margin))
    return np.asarray(np.any(away > limit, axis=0))


def sign_test(more: int, fewer: int) -> float:
    """Two-sided p-value of the heads and tails of a fair coin."""
    n = more + fewer
    tail = sum(math.comb(n, k) for k in range(max(more, fewer), n + 1))
    return float(min(1.0, 2 * tail / 2**n))


def _mean_effect(away: Floats, up: Mask, down: Mask, *, slow: bool) -> float:
    """By what the outlying processes multiply the ratio of mean times, variant over baseline."""
    variant, baseline = (away[up], -away[down]) if slow else (away[down], -away[up])
    of_variant, of_baseline = (
        1 + float(np.sum(np.expm1(outlying))) / len(away) for outlying in (variant, baseline)
    )
    return of_variant / of_baseline


def _wilson(count: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927)."""
    z = 1.96
    share, extra = count / n, z * z / n
    middle = (share + extra / 2) / (1 + extra)
    half = z / (1 + extra) * math.sqrt(share * (1 - share) / n + extra / (4 * n))
    return max(0.0, middle - half), min(1.0, middle + half)


#: By at least this factor, so that a reader wonders.
_FACTOR = 1.25


def unlike_medians(verdicts: Sequence[Verdict], blocks: Iterable[Block]) -> tuple[Confound, ...]:
    """One note on the pair whose medians are furthest from its ratio, and outside of its interval.
    A ratio is of turns beside each other. Where some runs are held up and others are not, as on a
    busy machine, the median over all runs falls now among these and now among those."""
    times: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for block in blocks:
        for variant, values in block.values.items():
            times[block.benchmark, variant].extend(v / block.loops for v in values)
    medians = {key: statistics_median(seconds) for key, seconds in times.items() if seconds}
    furthest, worst = math.log(_FACTOR), None
    for verdict in verdicts:
        head = medians.get((verdict.benchmark or "", verdict.variant), 0.0)
        base = medians.get((verdict.benchmark or "", verdict.baseline), 0.0)
        if min(head, base, verdict.ratio) <= 0:
            continue
        apart = head / base
        far = abs(math.log(apart / verdict.ratio))
        if not verdict.low <= apart <= verdict.high and far > furthest:
            furthest, worst = far, (verdict, apart)
    if worst is None:
        return ()
    verdict, apart = worst
    return (
        Confound(
            "unlike-medians",
            f"single times of {verdict.benchmark} are uneven: the medians of {verdict.variant} and "
            f"{verdict.baseline} lie {max(apart, 1 / apart):.2f}x apart, neighbouring turns "
            f"{max(verdict.ratio, 1 / verdict.ratio):.2f}x; the verdict is about the latter",
            "note",
            (verdict.variant, verdict.baseline),
        ),
    )


# Modes: whether a program has more than one speed, by a hash seed, page colours or a race of a JIT.
# They are a property of processes, so the times of processes are compared, without the drift of the
# machine. Two modes are two clusters with an empty gap between them.

#: The least number of processes that can show clusters.
FEWEST_PROCESSES = 20

#: The least number of processes in a cluster, and their least share.
LEAST, LEAST_SHARE = 3, 0.03

#: The means of two clusters are at least APART of their (root mean square) standard deviations
#: apart, and the empty gap between them is at least EMPTY of that distance. Where normal values are
#: cut in two, the first is 2.7. What they find, and how often noise passes for modes, is measured
#: by bench/broken_models.py (docs/ACCURACY.md).
APART, EMPTY = 5.0, 0.4

#: Blocks on either side whose processes tell how fast the machine was.
_NEARBY = 5


def process_modes(
    blocks: Sequence[Block],
    variants: Sequence[str],
    margin: float,
    *,
    skip: int = 0,
    each_turn: bool = False,
) -> tuple[Modes, ...]:
    """The modes of each variant that has more than one, on one benchmark. A process is a block's,
    its time the median of its turns but for the first ``skip``; with ``each_turn``, as of commands,
    every turn is a process. Modes nearer than ``margin`` are one."""
    times = {v: _times(blocks, v, skip, each_turn=each_turn) for v in variants}
    drift = _drift(times, len(blocks))
    modes = []
    for variant in variants:
        processes = times[variant]
        flat = np.concatenate([np.zeros(0), *(processes[i] - drift[i] for i in processes)])
        clusters = split(flat, math.log1p(margin))
        if len(clusters) > 1:
            most = max(clusters, key=len).mean()
            counts = tuple(len(cluster) for cluster in clusters)
            ratios = tuple(math.exp(float(cluster.mean() - most)) for cluster in clusters)
            modes.append(Modes(variant, blocks[0].benchmark, counts, ratios))
    return tuple(modes)


def _times(
    blocks: Sequence[Block], variant: str, skip: int, *, each_turn: bool
) -> dict[int, Floats]:
    """Log times of a loop of each process, by the place of its block."""
    times = {}
    for i, block in enumerate(blocks):
        if variant in block.values:
            values = np.asarray(block.values[variant], dtype=np.float64)
            logs = np.log(values[min(skip, len(values) // 2) :] / max(1, block.loops))
            times[i] = logs if each_turn else np.array([median(logs)])
    return times


def _drift(times: Mapping[str, Mapping[int, Floats]], count: int) -> Floats:
    """How slow the machine was at each block: the median, over all processes of the blocks nearby,
    of how much longer each took than processes of its variant mostly do."""
    away: list[list[float]] = [[] for _ in range(count)]
    for processes in times.values():
        if processes:
            usual = float(median(np.concatenate([*processes.values()])))
            for i, values in processes.items():
                away[i] += (values - usual).tolist()
    drift = np.zeros(count)
    for i in range(count):
        near = [x for some in away[max(0, i - _NEARBY) : i + _NEARBY + 1] for x in some]
        drift[i] = median(near) if near else 0.0
    return drift


def split(values: Floats, nearest: float) -> list[Floats]:
    """The clusters of values, in ascending order; one where they are not clearly ``nearest`` apart
    or more. Each cluster is split again, so that three are found too."""
    ordered = np.sort(values)
    n = len(ordered)
    if n < FEWEST_PROCESSES:
        return [ordered]
    least = max(LEAST, math.ceil(LEAST_SHARE * n))
    left = np.arange(least, n - least + 1)
    below, mean = np.cumsum(ordered)[left - 1], ordered.mean()
    squares = np.cumsum((ordered - mean) ** 2)
    lower, upper = below / left, (ordered.sum() - below) / (n - left)
    lower_variance = squares[left - 1] / left - (lower - mean) ** 2
    upper_variance = (squares[-1] - squares[left - 1]) / (n - left) - (upper - mean) ** 2
    distance = upper - lower
    within = np.sqrt(np.maximum((lower_variance + upper_variance) / 2, 0.0))
    empty = ordered[left] - ordered[left - 1]
    clear = (distance >= nearest) & (distance > APART * within) & (empty > EMPTY * distance)
    if not np.any(clear):
        return [ordered]
    at = int(left[np.argmax(np.where(clear, empty, -1.0))])
    return [*split(ordered[:at], nearest), *split(ordered[at:], nearest)]


# Non-stationary processes.
#
# Each block gives, of each variant, the times of one fresh process, turn by turn. What all blocks
# have in common along the turns is a property of the program: it warms up, it slows down at some
# turn, or it grows slower for ever. The first turns of a warming process are set aside. In other
# cases the ratio depends on how many turns a process takes, and the report says so.

#: Fewer blocks than this tell nothing.
FEWEST_BLOCKS = 5

#: Turns differ when they do by more than this (in logarithms) and beyond chance.
SIZE = 0.01

#: How often a value is called slower than later ones by chance: three standard errors.
SLOWER = 0.00135

#: How often each variant of a benchmark is called non-stationary by chance.
LEVEL = 0.001

#: At most this share of a process's values is set aside; with more, it has no steady state.
MOST = 0.5

#: The least number of turns whose outliers are moved in: two of three may be the effect itself.
FEWEST_TAMED = 8

#: Degrees of freedom from which on Student's distribution is taken for the normal one.
_MANY = 60


def set_aside(changes: Iterable[NonStationary]) -> dict[str, int]:
    """How many first values of each process to set aside, for each benchmark that warms up. The
    largest count over the variants, so that it does not depend on which of two is called the
    baseline. Values set aside stay in the raw data."""
    skip: dict[str, int] = {}
    for change in changes:
        if not change.lasts:
            skip[change.benchmark] = max(skip.get(change.benchmark, 0), change.at)
    return skip


def non_stationary(blocks: Sequence[Block], variants: Sequence[str]) -> tuple[NonStationary, ...]:
    """How the processes of each variant are non-stationary, on one benchmark."""
    tables = {v: table for v in variants if (table := _table(blocks, v)) is not None}
    warm = {v: _warming(table) for v, table in tables.items()}
    skip = max(warm.values(), default=0)
    changes: list[NonStationary] = []
    for variant, table in tables.items():
        name, turns, first = blocks[0].benchmark, table.shape[1], warm[variant]
        if first:
            change = float(median(table[:, 0] - median(table[:, first:], axis=1)))
            changes.append(NonStationary(variant, name, "warms up", first, turns, math.exp(change)))
        aside = min(skip, turns // 2)
        rest = _rest(table[:, aside:])
        if rest is not None:
            kind, at, change = rest
            changes.append(NonStationary(variant, name, kind, at + aside, turns, math.exp(change)))
    return tuple(changes)


def _warming(table: Floats) -> int:
    """How many first values of a process to set aside: those that are slower one by one, and what
    is then left of getting faster, up to :data:`MOST` of all; 0 where that does not do."""
    turns = table.shape[1]
    skip = _first_steady(table)
    while skip <= turns * MOST:
        rest = _rest(table[:, skip:])
        if rest is None or rest[2] > 0:
            return skip
        skip += rest[1] or max(1, turns // 8)
    # Not steady by then: the first values go all the same where they are clearly slower.
    first = _first_steady(table)
    return first if first <= turns * MOST else 0


def _table(blocks: Sequence[Block], variant: str) -> Floats | None:
    """Log times by block and turn; None where there are too few of either."""
    series = [b.values[variant] for b in blocks if variant in b.values]
    if len(series) < FEWEST_BLOCKS:
        return None
    turns = min(len(values) for values in series)
    if turns < 2:
        return None
    return np.log(np.array([values[:turns] for values in series], dtype=np.float64))


def _first_steady(table: Floats) -> int:
    """The first turn from which on no value is slower than those of the process's second half. Of
    each place in the process the median over blocks is compared. Only an unbroken run from the
    start is warming up; a single slow place later is chance."""
    turns = table.shape[1]
    if turns < 4:
        return 0
    profile = table - median(table[:, turns // 2 :], axis=1, keepdims=True)
    middle = median(profile, axis=0)
    # 1.25 standard deviations over √n is the standard error of a median of normal values.
    error = 1.25 * 1.4826 * median(np.abs(profile - middle), axis=0) / math.sqrt(len(table))
    limit = t_limit(SLOWER, min(len(table) - 1, _MANY))
    slow = (middle > SIZE) & (middle > limit * error)
    return int(np.argmin(slow)) if not slow.all() else turns


def _rest(table: Floats) -> tuple[Literal["drifts", "shifts"], int, float] | None:
    """What is not steady in the turns that are left: its kind, its turn, and the log ratio of the
    last turns to the first; None where nothing is. A trend is the slope over the turns, a shift the
    mean from turn k on less that before: one number a block, tamed, tested with Student's t."""
    turns = table.shape[1]
    if turns < 2:
        return None
    away = table - median(table, axis=1, keepdims=True)
    if turns >= FEWEST_TAMED:
        away = tamed(away, axis=1)
    place = np.arange(turns) - (turns - 1) / 2
    trend = away @ place / np.sum(place**2) * (turns - 1)
    total = np.cumsum(away, axis=1)
    before = np.arange(1, turns)
    shifts = (total[:, -1:] - total[:, :-1]) / (turns - before) - total[:, :-1] / before
    contrasts = tamed(np.column_stack([trend, shifts]), axis=0)
    size = contrasts.mean(axis=0)
    error = contrasts.std(axis=0, ddof=1) / math.sqrt(len(table))
    limit = t_limit(LEVEL / 2 / (len(size) + 1), min(len(table) - 1, _MANY))
    clear = (np.abs(size) > SIZE) & (np.abs(size) > limit * error)
    if not np.any(clear):
        return None
    # The shape that leaves the least of the profile unexplained.
    profile = median(away, axis=0)
    step = 1 + int(np.argmin([_left(profile, np.arange(turns) >= k) for k in before]))
    if turns > 2 and _left(profile, place) < _left(profile, np.arange(turns) >= step):
        return "drifts", 0, float(size[0])
    return "shifts", step, float(size[step])


def _left(profile: Floats, shape: Floats | NDArray[np.bool_]) -> float:
    """The sum of squares that a straight multiple of the shape does not explain."""
    along = shape - np.mean(shape)
    away = profile - profile.mean()
    return float(np.sum(away**2) - np.sum(along * away) ** 2 / np.sum(along**2))


def judge_stationarity(
    blocks: Sequence[Block], *, benchmarks: Sequence[Benchmark], variants: Sequence[str]
) -> tuple[NonStationary, ...]:
    """How the processes of each benchmark warm up, drift or shift, see :func:`non_stationary`.
    Commands run anew for each value, so that they cannot warm up."""
    by_name = blocks_by_benchmark(blocks, [b.name for b in benchmarks if b.kind.takes_turns])
    return tuple(u for taken in by_name.values() for u in non_stationary(taken, variants))
