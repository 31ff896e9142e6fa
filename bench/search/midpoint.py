"""What searches by hand do: one measurement a candidate, against a threshold in the middle."""

from __future__ import annotations

import numpy as np

from bench.search.world import DRIFT


def midpoint_right(positions: int, effect: float, searches: int, rng: np.random.Generator) -> float:
    """Share of ``git bisect`` runs that end at the step.

    Each candidate is measured once, with noise 1, and called bad when it is beyond the middle of
    the ends as they were measured, without error, before the search. The machine drifts as in
    the other simulations: nothing else is measured beside a candidate that would show it.
    """
    steps = rng.integers(1, positions + 1, searches)
    low, high = np.zeros(searches, int), np.full(searches, positions)
    drift = np.zeros(searches)
    while np.any(high - low > 1):
        middle = (low + high) // 2
        drift += DRIFT * rng.standard_normal(searches)
        value = effect * (middle >= steps) + drift + rng.standard_normal(searches)
        bad, going = value > effect / 2, high - low > 1
        high = np.where(going & bad, middle, high)
        low = np.where(going & ~bad, middle, low)
    return float((high == steps).mean())
