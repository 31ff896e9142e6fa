"""How well changes that a method found agree with those that people marked.

F1 is that of van den Burg and Williams (2020): a change counts as found within five points;
precision against the marks of all people together, recall as the mean over them; the first point
counts as a change that everybody knows. So "no change ever" has a score too: 1 where nobody marked
anything.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: A change counts as found within so many points.
NEAR = 5

_SAMPLES = 10_000


def f1(marks: Sequence[Sequence[int]], found: Sequence[int]) -> float:
    """F1 of changes ``found`` against the ``marks`` of several people, as above."""
    changes = {0, *(int(at) for at in found)}
    people = [{0, *person} for person in marks]
    precision = _hits(set().union(*people), changes) / len(changes)
    recall = float(np.mean([_hits(person, changes) / len(person) for person in people]))
    return 2.0 * precision * recall / (precision + recall)


def _hits(marks: set[int], found: set[int]) -> int:
    """How many marks have a change near them; each change is near one mark only."""
    left = set(found)
    hits = 0
    for mark in sorted(marks):
        near = [(abs(mark - at), at) for at in left if abs(mark - at) <= NEAR]
        if near:
            left.remove(min(near)[1])
            hits += 1
    return hits


def bootstrap(values: Floats) -> tuple[float, float]:
    """The 95 % interval of the mean of ``values``, by 10,000 bootstrap samples."""
    rng = np.random.default_rng(1)
    means = np.concatenate(
        [
            values[rng.integers(0, len(values), (100, len(values)))].mean(axis=1)
            for _ in range(_SAMPLES // 100)
        ]
    )
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)
