"""Where the noise comes from: values, processes, layouts.

The levels are nested as in Kalibera & Jones (ISMM 2013): a layout is run by processes, a process
yields values. What is compared is a ratio, so all of them are of log ratios.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.estimate import as_linked, over_layouts, turn_log_ratios
from whyfast.judge.ratios import median
from whyfast.model.sample import Block
from whyfast.model.verdict import VarianceComponents

Floats = NDArray[np.float64]

#: Fewer blocks than this tell nothing about levels.
FEWEST = 5


def levels(
    blocks: Sequence[Block],
    variant: str,
    baseline: str,
    *,
    non_stationary: int = 0,
    drifts: bool = False,
) -> VarianceComponents | None:
    """The levels of one comparison on one benchmark; None with fewer than :data:`FEWEST` blocks.

    The variance of a block's median splits into that of its turns, seen between its odd and even
    turns, and the rest, which is the processes'; layouts add what varied blocks have more.
    """
    own = [b for b in blocks if variant in b.values and baseline in b.values]
    linked, varied = as_linked(own), over_layouts(own)
    first = linked or varied
    if len(first) < FEWEST:
        return None
    turns = [turn_log_ratios(b, variant, baseline, non_stationary) for b in first]
    medians = np.array([median(t) for t in turns])
    split = np.array([median(t[::2]) - median(t[1::2]) for t in turns if len(t) > 1])
    within = _variance(split) / 4 if len(split) else 0.0
    total = _variance(medians)
    layout = None
    if linked and len(varied) >= FEWEST:
        further = _variance(
            np.array(
                [median(turn_log_ratios(b, variant, baseline, non_stationary)) for b in varied]
            )
        )
        layout = math.sqrt(max(0.0, further - total))
    return VarianceComponents(
        variant=variant,
        baseline=baseline,
        benchmark=first[0].benchmark,
        value=float(median([_deviation(t) for t in turns])),
        process=math.sqrt(max(0.0, total - within)),
        layout=layout,
        turns=int(median([len(b.values[variant]) for b in first])),
        non_stationary=non_stationary,
        drifts=drifts,
    )


def _variance(x: Floats) -> float:
    return _deviation(x) ** 2


def _deviation(x: Floats) -> float:
    """Robust standard deviation (1.4826 × MAD)."""
    return float(1.4826 * median(np.abs(x - median(x)))) if len(x) else 0.0
