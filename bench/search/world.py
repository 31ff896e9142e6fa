"""A range of commits with known levels, and noise as machines have it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from whyfast.search.state import Observation, Pair, Reading

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Floats]

#: Noise of one program in a block for which one measurement, the candidate's log ratio to the
#: middle of the ends, has standard deviation 1.
ONE = math.sqrt(2 / 3)
#: The machine drifts: a random walk, so much from one block to the next.
DRIFT = 0.3


def normal(rng: np.random.Generator, n: int) -> Floats:
    """Normal noise of standard deviation 1."""
    return rng.standard_normal(n)


def heavy(rng: np.random.Generator, n: int) -> Floats:
    """Student's t with 3 degrees of freedom: its middle as wide as that of a normal of 1."""
    return rng.standard_t(3, n) / 1.1339  # ratio of the quartiles, 0.7649 / 0.6745


def disturbed(rng: np.random.Generator, n: int) -> Floats:
    """Normal noise; one value in twenty is 8 times as noisy."""
    return rng.standard_normal(n) * np.where(rng.random(n) < 0.05, 8.0, 1.0)


def bursts(rng: np.random.Generator, n: int) -> Floats:
    """Normal noise whose size differs by block: log-normal with standard deviation 0.5."""
    return rng.standard_normal(n) * math.exp(0.5 * rng.standard_normal())


@dataclass
class World:
    """``levels[c]`` is the log time of candidate c, 0 the good end, the last the bad one.

    ``broken``: candidates that do not build. ``linked[c]``: what the layout as linked adds;
    ``layout``: draws what a fresh layout adds, None where relinking is impossible. Units are
    standard deviations of one measurement times ``unit``.
    """

    rng: np.random.Generator
    levels: Sequence[float]
    noise: Draw = normal
    broken: frozenset[int] = frozenset()
    linked: Mapping[int, float] = field(default_factory=dict)
    layout: Draw | None = None
    unit: float = 1.0
    _drift: float = 0.0

    def block(self, candidates: Sequence[int], layouts: bool) -> Mapping[int, float]:
        """The log times of both ends and the candidates in one block."""
        self._drift += DRIFT * float(self.rng.standard_normal())
        programs = sorted({0, len(self.levels) - 1, *candidates})
        noise = ONE * self.noise(self.rng, len(programs))
        if layouts:
            assert self.layout is not None
            placed = dict(zip(programs, self.layout(self.rng, len(programs)), strict=True))
        else:
            placed = {p: self.linked.get(p, 0.0) for p in programs}
        return {
            p: self.unit * (self.levels[p] + placed[p] + self._drift + n)
            for p, n in zip(programs, noise, strict=True)
        }

    def observe(
        self, candidates: Sequence[int], layouts: bool, pair: tuple[int, int, int] | None = None
    ) -> Observation:
        """A block as the search sees it. ``pair``: parent, culprit and attempt."""
        times = self.block(candidates, layouts)
        good, bad = times[0], times[len(self.levels) - 1]
        inner = [c for c in candidates if 0 < c < len(self.levels) - 1]
        return Observation(
            ends=bad - good,
            readings=tuple(Reading(c, times[c] - good, times[c] - bad) for c in inner),
            layouts=layouts,
            pair=None
            if pair is None
            else Pair(pair[0], pair[1], pair[2], times[pair[1]] - times[pair[0]]),
        )
