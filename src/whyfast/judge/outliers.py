"""Does one side have processes that the other has not: one in twenty that is 30 % slower?

The verdict is about the typical process, and a tenth of processes that are slow leaves it "same".
What tells a variant with a slow mode from a machine that disturbs both alike is on which side the
outlying blocks are: under "no difference" each is as likely on either (the sign test).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import median as statistics_median

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.ratios import Ratios, median
from whyfast.model.sample import Block
from whyfast.model.verdict import AsymmetricOutliers, Confound, Modes, Verdict

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

#: A block is an outlier beyond this many robust standard deviations and the margin.
OUTLYING = 5.0

#: The sign test's level at which the sides differ, so that "same" is no verdict.
SURE = 0.05

#: The level from which more blocks should be taken before "same" is the last word.
SUSPECT = 0.25


def asymmetric_outliers_of(
    ratios: Ratios, variant: str, baseline: str, margin: float
) -> AsymmetricOutliers | None:
    """The side with more outlying blocks, and what they do to its mean; None where none has more.

    A block counts for the side whose process was slow in it, or fast, which the time of both sides
    together tells; where that is not known, outlying is taken for slow.
    """
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
    """Which of m comparisons, shape (n, m), have outlying blocks at all: far quicker than asking
    each."""
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


def _wilson(count: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927)."""
    share, extra = count / n, z * z / n
    middle = (share + extra / 2) / (1 + extra)
    half = z / (1 + extra) * math.sqrt(share * (1 - share) / n + extra / (4 * n))
    return max(0.0, middle - half), min(1.0, middle + half)


#: By at least this factor, so that a reader wonders.
_FACTOR = 1.25


def unlike_medians(verdicts: Sequence[Verdict], blocks: Iterable[Block]) -> tuple[Confound, ...]:
    """One note on the pair whose medians are furthest from its ratio, and outside of its interval.

    A ratio is of turns beside each other. Where some runs are held up and others are not, as on a
    busy machine, the median over all runs falls now among these and now among those.
    """
    times: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for block in blocks:
        for variant, values in block.values.items():
            times[block.benchmark, variant].extend(v / block.loops for v in values)
    medians = {key: statistics_median(seconds) for key, seconds in times.items()}
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
            f"{verdict.baseline} lie {max(apart, 1 / apart):.2f}x apart, turns beside each other "
            f"{max(verdict.ratio, 1 / verdict.ratio):.2f}x; the verdict is of the latter",
            "note",
            (verdict.variant, verdict.baseline),
        ),
    )


# Modes: whether a program has more than one speed, by a hash seed, page colours or a race of a JIT.
# They are a property of processes, so the times of processes are compared, without the drift of the
# machine. Two modes are two clusters with an empty gap between them.

#: The least number of processes that can show clusters.
FEWEST = 20

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
    """The modes of each variant that has more than one, on one benchmark.

    A process is a block's, its time the median of its turns but for the first ``skip``; with
    ``each_turn``, as of commands, every turn is a process. Modes nearer than ``margin`` are one.
    """
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
    if n < FEWEST:
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
