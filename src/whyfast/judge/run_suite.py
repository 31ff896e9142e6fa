"""The geometric mean of recorded runs, with and without each benchmark, from sums."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.noise import Noise
from whyfast.judge.prior import FREEDOM, SHARED
from whyfast.judge.processes import Contrast

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Member:
    """A benchmark of the mean: its log ratio, what bounds it within the runs (None where nothing
    does), with drift allowed for, and the drift ``a`` of its pair."""

    benchmark: str
    point: float
    within: Contrast | None
    drifted: Contrast
    drift: float


class Mean:
    """Sums over members, from which the mean of all and of all but one follow in constant time.

    Within the runs, errors of benchmarks are taken as independent, which processes started one
    after the other are. Of drift, the share SHARED is the whole run's and does not average out.
    """

    def __init__(self, members: Sequence[Member], noise: Noise | None, *, prior: bool) -> None:
        self.members = members
        self._prior = prior
        self._noise = None if noise is None else noise.suite([m.benchmark for m in members])
        # point; within: location, variance, its square over the freedom; the same with drift; a.
        self._rows = np.array([_row(m) for m in members])
        self._total = np.array([math.fsum(column) for column in self._rows.T])
        self._lacks = sum(m.within is None for m in members)

    @property
    def shared(self) -> int:
        """How many of the members the reruns have."""
        return 0 if self._noise is None else self._noise.number

    def of_all(self) -> tuple[float, tuple[Contrast, ...]]:
        """The mean log ratio, and the contrasts whose union is its interval."""
        return self._mean(self._total, len(self.members), self._lacks, None)

    def without(self, i: int) -> tuple[float, tuple[Contrast, ...]]:
        """The same without member ``i``."""
        member = self.members[i]
        lacks = self._lacks - (member.within is None)
        return self._mean(
            self._total - self._rows[i], len(self.members) - 1, lacks, member.benchmark
        )

    def _mean(
        self, total: Floats, number: int, lacks: int, left_out: str | None
    ) -> tuple[float, tuple[Contrast, ...]]:
        point, *rest = (float(x) for x in total)
        parts = []
        if self._prior:
            shared = (SHARED * rest[6] / number) ** 2
            parts.append(_contrast(point, rest[3:6], number, shared))
        elif not lacks:
            parts.append(_contrast(point, rest[:3], number, 0.0))
        if self._noise is not None:
            spread = self._noise.spread(left_out)
            if spread is not None:
                mean = point / number
                parts.append(Contrast(mean, mean, spread.error, spread.freedom))
        return point / number, tuple(parts)


def _row(member: Member) -> tuple[float, ...]:
    within = member.within
    inner = (0.0, 0.0, 0.0) if within is None else _sums(within, within.error**2)
    own = max(member.drifted.error**2 - (SHARED * member.drift) ** 2, 1e-30)
    return (member.point, *inner, *_sums(member.drifted, own), member.drift)


def _sums(contrast: Contrast, variance: float) -> tuple[float, float, float]:
    return contrast.location, variance, variance**2 / contrast.freedom


def _contrast(point: float, sums: Sequence[float], number: int, shared: float) -> Contrast:
    """Welch–Satterthwaite over the members and what they share."""
    location, variance, squares = sums
    own = max(variance, 0.0) / number**2
    total = own + shared
    below = max(squares, 0.0) / number**4 + shared**2 / FREEDOM
    freedom = total**2 / below if below > 0 else math.inf
    return Contrast(point / number, location / number, math.sqrt(total), freedom)
