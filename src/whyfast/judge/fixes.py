"""Does a fix of placement take away what layouts do?

A layout moves the time of every variant of a block, each by its own draw, and a block gives only
ratios. With three variants or more the ratios of all pairs tell how far each of them moves alone
(Grubbs, On estimating precision of measuring instruments and product variability, JASA 1948).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.estimate import as_linked, log_ratios, over_layouts
from whyfast.judge.placement import robust_variance
from whyfast.judge.quantiles import median
from whyfast.judge.suite import suite_series
from whyfast.model.sample import Block
from whyfast.model.verdict import Fix, FixWord

Floats = NDArray[np.float64]
#: Log ratios of every pair of variants, each of shape (blocks,).
Series = Mapping[tuple[str, str], Floats]

#: A spread is removed when it is surely below this share of what it was.
REMOVED = 1 / 3
#: Fewer blocks of either kind bound nothing.
FEWEST = 8
#: A block further away than so many robust standard deviations is a disturbance.
FAR = 4.0
#: Bootstrap samples, and the share of them on each side of the interval.
SAMPLES, TAIL = 1999, 0.005


def judge_fixes(
    blocks: Sequence[Block],
    *,
    fixes: Mapping[str, str],
    benchmarks: Sequence[str],
    variants: Sequence[str],
    margin: float,
    warming: Mapping[str, int] | None = None,
) -> tuple[Fix, ...]:
    """What each fix does to the spread over layouts; ``fixes`` maps it to the variant it fixes.

    Of the suite where there is one, then of each benchmark. Empty without blocks in layouts.
    ``warming`` says for a benchmark how many first values of each process are set aside.
    """
    linked, varied = as_linked(blocks), over_layouts(blocks)
    wanted = {f: o for f, o in fixes.items() if f in variants and o in variants}
    if not varied or not wanted:
        return ()
    skip = {name: (warming or {}).get(name, 0) for name in benchmarks}
    each = {
        n: (_series(linked, n, variants, skip[n]), _series(varied, n, variants, skip[n]))
        for n in benchmarks
    }
    groups: dict[str | None, tuple[Series, Series]] = {}
    if len(benchmarks) > 1:
        groups[None] = (
            _joined([pair[0] for pair in each.values()]),
            _joined([pair[1] for pair in each.values()]),
        )
    groups.update(each)
    return tuple(
        _fix(fix, of, name, variants, margin, *pair)
        for name, pair in groups.items()
        for fix, of in wanted.items()
    )


def alone(variances: Floats, k: int) -> Floats:
    """The variance of each variant's log time apart from what moves all of them alike.

    ``variances`` are those of the log ratios of all pairs of ``k`` ≥ 3 variants, in the order of
    ``itertools.combinations``, along the last axis; so are the k results. The variance of a ratio
    is the sum of its two sides', so the least squares solution for one side is
    (its sum − all / (k − 1)) / (k − 2). By chance it may be negative.
    """
    part = np.array([[float(v in pair) for pair in combinations(range(k), 2)] for v in range(k)])
    return np.asarray(
        (variances @ part.T - variances.sum(axis=-1, keepdims=True) / (k - 1)) / (k - 2)
    )


def _series(blocks: Sequence[Block], benchmark: str, variants: Sequence[str], skip: int) -> Series:
    own = [b for b in blocks if all(v in b.values for v in variants)]
    return {
        (a, b): _tamed(log_ratios(own, benchmark, a, b, skip)) for a, b in combinations(variants, 2)
    }


def _tamed(d: Floats) -> Floats:
    """Without what no layout does: values beyond some standard deviations are moved there.

    Robust variances would do so too, but those of different pairs do not add up.
    """
    if len(d) == 0:
        return d
    middle, reach = float(median(d)), FAR * math.sqrt(robust_variance(d))
    return np.clip(d, middle - reach, middle + reach) if reach > 0 else d


def _joined(each: Sequence[Series]) -> Series:
    """The mean over the benchmarks, round by round."""
    return {pair: suite_series({str(i): s[pair] for i, s in enumerate(each)}) for pair in each[0]}


def _fix(
    fix: str,
    of: str,
    benchmark: str | None,
    variants: Sequence[str],
    margin: float,
    linked: Series,
    varied: Series,
) -> Fix:
    layouts = len(next(iter(varied.values()), ()))
    if len(variants) < 3 or min(layouts, len(next(iter(linked.values()), ()))) < FEWEST:
        nan = math.nan
        return Fix(fix, of, benchmark, "undecided", nan, nan, nan, nan, layouts)
    k, sides = len(variants), (variants.index(fix), variants.index(of))
    d, e = np.array([*linked.values()]), np.array([*varied.values()])
    # What blocks in layouts vary more than those as linked.
    found = (alone(np.var(e, axis=1, ddof=1), k) - alone(np.var(d, axis=1, ddof=1), k))[[*sides]]
    rng = np.random.default_rng(layouts)  # the same blocks are judged the same
    drawn = alone(_resampled(e, rng), k) - alone(_resampled(d, rng), k)
    with_fix, without = (np.maximum(0.0, drawn[:, side]) for side in sides)
    with np.errstate(divide="ignore", invalid="ignore"):
        # Nothing to remove and nothing left is no change.
        share = np.where(
            without > 0, np.sqrt(with_fix / without), np.where(with_fix > 0, np.inf, 1)
        )
    low, high = (_quantile(share, tail) for tail in (TAIL, 1 - TAIL))
    small = all(_quantile(x, 1 - TAIL) < math.log1p(margin) ** 2 for x in (without, with_fix))
    word = _word(low, high, small=small)
    own, other = (math.sqrt(max(0.0, float(x))) for x in found)
    return Fix(fix, of, benchmark, word, own, other, low, high, layouts)


def _word(low: float, high: float, *, small: bool) -> FixWord:
    """``small``: neither spread reaches the margin."""
    if small:
        return "none"
    if high <= REMOVED:
        return "removed"
    if high < 1:
        return "reduced"
    return "larger" if low > 1 else "undecided"


def _resampled(d: Floats, rng: np.random.Generator) -> Floats:
    """Variances of each pair (columns) in bootstrap samples of the blocks (rows), the same blocks
    for every pair."""
    number = d.shape[1]
    chosen = rng.integers(0, number, (SAMPLES, number))
    return np.stack([np.var(pair[chosen], axis=1, ddof=1) for pair in d], axis=1)


def _quantile(x: Floats, share: float) -> float:
    return float(np.quantile(x, share, method="inverted_cdf"))
