"""From the values of a block to one number a pair: the block's log ratio."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from whyfast.model.sample import Block

Floats = NDArray[np.float64]


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
    return float(np.median(turn_log_ratios(block, variant, baseline, skip)))


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


def location(d: Floats) -> float:
    """The point estimate of the log ratio: the Hodges–Lehmann estimator of the blocks.

    The median of all pairwise means; nearly as efficient as the mean for normal noise, and not
    moved by a few bad blocks (Hodges & Lehmann 1963). NaN for no blocks.
    """
    n = len(d)
    if n == 0:
        return float("nan")
    if n > 600:  # the time of all pairs grows with n²; the mean of the middle half is as robust
        low, high = np.quantile(d, [0.25, 0.75])
        return float(np.mean(d[(d >= low) & (d <= high)]))
    i, j = np.triu_indices(n)
    return float(np.median((d[i] + d[j]) / 2))
