"""What a point of a history is made of: how points are wanted, and the value that a point has."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Literal

Order = Literal["given", "run", "commit"]


#: What ``--machine`` names to tell machines apart by the folders of the files, and not at all.
FOLDER, NO_MACHINE = "folder", "none"


@dataclass(frozen=True)
class Wanted:
    """``by`` is the column whose values are points; ``order`` that of the points, by when they were
    measured (``run``) or by the date of their commit; ``machine`` the key or column that tells
    machines apart, None for whatever the files show; ``higher`` are patterns of the series in which
    more is better."""

    by: str | None = None
    order: Order | None = None
    machine: str | None = None
    higher: tuple[str, ...] = ()


@dataclass(frozen=True)
class PointValue:
    """``value`` is the mean over processes of their means, as ``compare`` takes it; ``spread`` its
    standard error, relative, from the processes, or from the values of a single one; None where
    there is but one value."""

    value: float
    spread: float | None


def point_value(processes: Iterable[Sequence[float]]) -> PointValue:
    """The value of a point from what its processes measured."""
    kept = [tuple(p) for p in processes]
    means = [fmean(p) for p in kept]
    units = means if len(means) > 1 else list(kept[0])
    value = fmean(means)
    spread = stdev(units) / math.sqrt(len(units)) / value if len(units) > 1 else None
    return PointValue(value, spread)


def merged(sequences: Iterable[Sequence[str]]) -> list[str]:
    """One order of the points of several machines: that of the first; what another one has beside
    goes behind what it has before it there."""
    order: list[str] = []
    for sequence in sequences:
        place = 0
        for point in dict.fromkeys(sequence):
            if point in order:
                place = order.index(point) + 1
            else:
                order.insert(place, point)
                place += 1
    return order


def tells_apart(values: Sequence[str | None], fewest: int) -> bool:
    """Whether ``values``, one a point, name a few things that each come back: machines, say."""
    if any(v is None for v in values):
        return False
    counts: Collection[int] = [values.count(v) for v in set(values)]
    return len(counts) > 1 and min(counts) >= fewest
