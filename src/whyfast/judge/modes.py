"""Does a program have more than one speed: a hash seed, the colour of its pages, a race of a JIT?

A mode is a property of processes, so what is looked at is one number a process, with the drift of
the machine taken off. Two modes are two heaps with an empty stretch between them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.quantiles import median
from whyfast.model.sample import Block
from whyfast.model.verdict import Modes

Floats = NDArray[np.float64]

#: Fewer processes show no heaps.
FEWEST = 20

#: A heap is at least so many processes, and at least such a share of them.
LEAST, LEAST_SHARE = 3, 0.03

#: The means of two heaps lie so many of their (root mean square) standard deviations apart, and the
#: empty stretch between them is such a part of that. Where normal values are cut in two, the first
#: is 2.7; see bench/lopsided.py for how rarely noise of other kinds reaches both.
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
    found = []
    for variant in variants:
        own = times[variant]
        flat = np.concatenate([np.zeros(0), *(own[i] - drift[i] for i in own)])
        heaps = split(flat, math.log1p(margin))
        if len(heaps) > 1:
            counts = [len(h) for h in heaps]
            most = heaps[int(np.argmax(counts))].mean()
            found.append(
                Modes(
                    variant=variant,
                    benchmark=blocks[0].benchmark,
                    counts=tuple(counts),
                    ratios=tuple(math.exp(float(h.mean() - most)) for h in heaps),
                )
            )
    return tuple(found)


def _times(
    blocks: Sequence[Block], variant: str, skip: int, *, each_turn: bool
) -> dict[int, Floats]:
    """Log times of a loop of each process, by the place of its block."""
    found = {}
    for i, block in enumerate(blocks):
        if variant in block.values:
            values = np.asarray(block.values[variant], dtype=np.float64)
            logs = np.log(values[min(skip, len(values) // 2) :] / max(1, block.loops))
            found[i] = logs if each_turn else np.array([median(logs)])
    return found


def _drift(times: Mapping[str, Mapping[int, Floats]], count: int) -> Floats:
    """How slow the machine was at each block: the median, over all processes of the blocks nearby,
    of how much longer each took than processes of its variant mostly do."""
    away: list[list[float]] = [[] for _ in range(count)]
    for own in times.values():
        if own:
            usual = float(median(np.concatenate([*own.values()])))
            for i, values in own.items():
                away[i] += (values - usual).tolist()
    drift = np.zeros(count)
    for i in range(count):
        near = [x for some in away[max(0, i - _NEARBY) : i + _NEARBY + 1] for x in some]
        drift[i] = median(near) if near else 0.0
    return drift


def split(values: Floats, nearest: float) -> list[Floats]:
    """The heaps of values, in ascending order; one where they are not clearly apart by ``nearest``
    or more. Each heap is split again, so that three are found too."""
    ordered = np.sort(values)
    n = len(ordered)
    if n < FEWEST:
        return [ordered]
    least = max(LEAST, math.ceil(LEAST_SHARE * n))
    left = np.arange(least, n - least + 1)
    below, above = np.cumsum(ordered)[left - 1], ordered.sum() - np.cumsum(ordered)[left - 1]
    squares = np.cumsum((ordered - ordered.mean()) ** 2)
    lower, upper = below / left, above / (n - left)
    variances = [
        squares[left - 1] / left - (lower - ordered.mean()) ** 2,
        (squares[-1] - squares[left - 1]) / (n - left) - (upper - ordered.mean()) ** 2,
    ]
    distance = upper - lower
    within = np.sqrt(np.maximum((variances[0] + variances[1]) / 2, 0.0))
    empty = ordered[left] - ordered[left - 1]
    clear = (distance >= nearest) & (distance > APART * within) & (empty > EMPTY * distance)
    if not np.any(clear):
        return [ordered]
    at = int(left[np.argmax(np.where(clear, empty, -1.0))])
    return [*split(ordered[:at], nearest), *split(ordered[at:], nearest)]
