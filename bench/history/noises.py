"""Series of noise of many kinds, without any change."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, tuple[int, int]], Floats]

#: Points that an autoregressive series runs before it is looked at.
_BEFORE = 50


def autoregressive(correlation: float) -> Draw:
    """An AR(1) process of normal innovations."""

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
        fresh = rng.standard_normal((shape[0], shape[1] + _BEFORE))
        made = np.zeros_like(fresh)
        for t in range(1, made.shape[1]):
            made[:, t] = correlation * made[:, t - 1] + fresh[:, t]
        return made[:, _BEFORE:]

    return draw


def _two_modes(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return 0.3 * rng.standard_normal(shape) + 5.0 * (rng.random(shape) < 0.3)


def _walk(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return np.cumsum(rng.standard_normal(shape), axis=1)


#: What it is called → how it is drawn, in shape (series, points).
NOISES: Mapping[str, Draw] = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "t5": lambda rng, shape: rng.standard_t(5, shape),
    "t3": lambda rng, shape: rng.standard_t(3, shape),
    "exponential": lambda rng, shape: rng.exponential(size=shape),
    "AR .3": autoregressive(0.3),
    "AR .6": autoregressive(0.6),
    "two modes": _two_modes,
    "random walk": _walk,
}
