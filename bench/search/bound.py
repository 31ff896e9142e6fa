"""The least number of measurements that can find one step among N positions.

With known ends and normal noise of standard deviation 1, a measurement of a candidate is a use of
a channel: one bit goes in (before the step or after it), a normal number of mean ±effect/2 comes
out. No search can learn more than the channel's capacity C bits from each; and to be wrong at most
with probability δ, the last doubt between the two sides takes log(1/δ) / D more, with D the
divergence of one side from the other (Burnashev 1976).
"""

from __future__ import annotations

import math

import numpy as np

DELTA = 0.01


def capacity(effect: float) -> float:
    """Bits that one measurement can tell, C: the entropy of what comes out, less that of noise."""
    half = effect / 2
    x = np.linspace(-half - 10, half + 10, 20001)
    density = (_normal(x - half) + _normal(x + half)) / 2
    entropy = -float(np.trapezoid(density * np.log2(density), x))
    return entropy - 0.5 * math.log2(2 * math.pi * math.e)


def bound(positions: int, effect: float, delta: float = DELTA) -> float:
    """log2 N / C + log(1/δ) / D, in measurements; D = effect² / 2 in nats."""
    return math.log2(positions) / capacity(effect) + math.log(1 / delta) / (effect**2 / 2)


def _normal(
    x: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
