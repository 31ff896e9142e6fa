"""Where the noise comes from: values, processes, layouts; and when a process is warm.

The levels are nested as in Kalibera & Jones (ISMM 2013): a layout is run by processes, a process
yields values. What is compared is a ratio, so all of them are of log ratios.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.estimate import as_linked, over_layouts, turn_log_ratios
from whyfast.model.sample import Block
from whyfast.model.verdict import VarianceComponents

Floats = NDArray[np.float64]

#: Fewer blocks than this tell nothing about levels or warming up.
FEWEST = 5

#: A first value is not steady when it is slower than the later ones by more than this (in
#: logarithms) in the median over blocks, and by more than three of its standard errors.
UNSTEADY = 0.01

#: At most this share of a process's values is set aside; with more, it has no steady state.
MOST = 0.5


def levels(
    blocks: Sequence[Block], variant: str, baseline: str, *, unsteady: int = 0, drifts: bool = False
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
    turns = [turn_log_ratios(b, variant, baseline, unsteady) for b in first]
    medians = np.array([np.median(t) for t in turns])
    split = np.array([np.median(t[::2]) - np.median(t[1::2]) for t in turns if len(t) > 1])
    within = _variance(split) / 4 if len(split) else 0.0
    total = _variance(medians)
    layout = None
    if linked and len(varied) >= FEWEST:
        further = _variance(
            np.array([np.median(turn_log_ratios(b, variant, baseline, unsteady)) for b in varied])
        )
        layout = math.sqrt(max(0.0, further - total))
    return VarianceComponents(
        variant=variant,
        baseline=baseline,
        benchmark=first[0].benchmark,
        value=float(np.median([_deviation(t) for t in turns])),
        process=math.sqrt(max(0.0, total - within)),
        layout=layout,
        turns=int(np.median([len(b.values[variant]) for b in first])),
        unsteady=unsteady,
        drifts=drifts,
    )


def unsteady_values(blocks: Sequence[Block], variants: Sequence[str]) -> tuple[int, bool]:
    """How many first values of a process to set aside, and whether even the last are unsteady.

    For each variant and place in the process, the median over blocks of log(value / median of the
    process's second half) is compared with 0. The count is the largest over the variants, so that
    it does not depend on which of two is called the baseline. Values set aside stay in the raw
    data.
    """
    most, drifts = 0, False
    for variant in variants:
        own = [b for b in blocks if variant in b.values]
        if len(own) < FEWEST:
            continue
        count = min(len(b.values[variant]) for b in own)
        if count < 4:
            continue
        profile = np.array([_profile(b.values[variant][:count]) for b in own])
        steady = _first_steady(profile)
        if steady > count * MOST:
            drifts = True
        else:
            most = max(most, steady)
    return most, drifts


def _profile(values: Sequence[float]) -> Floats:
    logs: Floats = np.log(np.asarray(values, dtype=np.float64))
    profile: Floats = np.subtract(logs, np.median(logs[len(logs) // 2 :]))
    return profile


def _first_steady(profile: Floats) -> int:
    """The first place from which on no value is slower than the later ones; shape (blocks, n)."""
    middle = np.median(profile, axis=0)
    spread = 1.4826 * np.median(np.abs(profile - middle), axis=0)
    # 1.25 standard deviations over √n is the standard error of a median of normal values.
    error = 1.25 * spread / math.sqrt(len(profile))
    slow = (middle > UNSTEADY) & (middle > 3 * error)
    places = np.nonzero(slow)[0]
    # Only an unbroken run from the start is warming up; a single slow place later is chance.
    steady = 0
    while steady < len(middle) and steady in places:
        steady += 1
    return steady


def _variance(x: Floats) -> float:
    return _deviation(x) ** 2


def _deviation(x: Floats) -> float:
    """Robust standard deviation (1.4826 × MAD)."""
    return float(1.4826 * np.median(np.abs(x - np.median(x)))) if len(x) else 0.0
