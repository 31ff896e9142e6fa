"""From the values of a block to one number a pair: the block's log ratio."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.ratios import Ratios, as_ratios, median
from whyfast.judge.strategies import CLIP, Strategies, strategies_in_hindsight
from whyfast.model.sample import Block

Floats = NDArray[np.float64]

#: The most steps towards the estimate; Newton's need three or four, halving some fifty.
_STEPS = 80


def turn_log_ratios(block: Block, variant: str, baseline: str, skip: int = 0) -> Floats:
    """log(variant / baseline) of each turn of a block; shape (turns,).

    The first ``skip`` turns are set aside where processes have to warm up, but never more than half
    of them.
    """
    skip = min(skip, len(block.values[variant]) // 2)
    a: Floats = np.log(np.asarray(block.values[variant][skip:], dtype=np.float64))
    b: Floats = np.log(np.asarray(block.values[baseline][skip:], dtype=np.float64))
    return a - b


def block_log_ratio(block: Block, variant: str, baseline: str, skip: int = 0) -> float:
    """log(variant / baseline) of one block: the median over its turns.

    In each turn every variant yields one value, milliseconds apart, so that drift of the machine
    cancels in the ratio of neighbours; the median sets aside turns that an interrupt hit.
    Exchanging the two variants changes the sign and nothing else. ``skip``: see
    :func:`turn_log_ratios`.
    """
    return float(median(turn_log_ratios(block, variant, baseline, skip)))


def log_ratios(
    blocks: Iterable[Block], benchmark: str, variant: str, baseline: str, skip: int = 0
) -> Floats:
    """The log ratios of all blocks of a benchmark that hold both variants, in order; shape (n,).

    ``skip``: see :func:`turn_log_ratios`.
    """
    return np.array(
        [
            block_log_ratio(b, variant, baseline, skip)
            for b in blocks
            if b.benchmark == benchmark and variant in b.values and baseline in b.values
        ],
        dtype=np.float64,
    )


def as_linked(blocks: Iterable[Block]) -> list[Block]:
    """The blocks in which every build ran as it was linked."""
    return [b for b in blocks if not b.layouts]


def over_layouts(blocks: Iterable[Block]) -> list[Block]:
    """The blocks in which builds ran in drawn layouts."""
    return [b for b in blocks if b.layouts]


def location(d: Ratios | Floats) -> float:
    """The point estimate of the log ratio; NaN for no blocks. See :func:`locations`."""
    series = as_ratios(d)
    return float(locations([series])[0]) if len(series) else float("nan")


def locations(series: Sequence[Ratios]) -> Floats:
    """The estimates of comparisons with equally many blocks and statistics, shape (m,).

    Huber's M-estimator (1964) over all statistics of all blocks: the θ at which the scores that
    the tests bet with sum to 0, each divided by its scale, so that the sharper statistic counts
    for more. The scales are those of all blocks. Where no scale is known, the median.
    """
    s = strategies_in_hindsight(series)
    theta = median(s.x.reshape(-1, s.x.shape[-1]), axis=0)
    at = np.nonzero((s.inverse > 0).any(axis=(0, 1)))[0]
    s = s.one(at)
    low, high, middle = s.x.min(axis=(0, 1)), s.x.max(axis=(0, 1)), theta[at]
    enough = 1e-10 * (high - low)
    for _ in range(_STEPS):
        pull, fall = _pull(s, middle)
        low, high = np.where(pull >= 0, middle, low), np.where(pull <= 0, middle, high)
        with np.errstate(divide="ignore", invalid="ignore"):
            following = middle + pull / fall
        inside = (following > low) & (following < high)
        following = np.where(low == high, low, np.where(inside, following, (low + high) / 2))
        theta[at] = following
        open_ = np.abs(following - middle) > enough
        if not np.any(open_):
            break
        middle = following
        if np.mean(open_) < 0.5:
            s, at, middle = s.one(open_), at[open_], middle[open_]
            low, high, enough = low[open_], high[open_], enough[open_]
    return np.asarray(theta)


def _pull(s: Strategies, theta: Floats) -> tuple[Floats, Floats]:
    """The sum of all scores over their scales, and how fast it falls as ``theta`` grows."""
    slope = s.inverse * s.share[:, None]
    psi = s.scores(theta)
    # Within its limits a score falls by weight / scale for each unit of θ.
    inner = np.abs(psi) < CLIP * s.weight
    fall = np.sum(np.where(inner, slope * s.inverse * s.weight, 0.0), axis=(0, 1))
    pull = np.sum(psi * slope, axis=(0, 1))
    # Where scores at their limits cancel, what is left is rounding.
    rounding = 1e-12 * CLIP * np.sum(slope * s.weight, axis=(0, 1))
    return np.where(np.abs(pull) <= rounding, 0.0, pull), fall
