"""The penalties of ``whyfast.history.penalty``, and how often they find a step that is there.

    python -m bench.history_penalty            all tables; some minutes

Simulated: independent normal noise, no change. The penalty is the smallest at which at most one in
a hundred series is given a change, for series alone, for as few as are pooled, and for many.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from whyfast.history.noise import POOLED, difference_noise, pooled_noise
from whyfast.history.penalty import FALSE_STEP, PLENTY, penalty
from whyfast.history.segment import segment

Floats = NDArray[np.float64]

POINTS = (5, 6, 7, 8, 9, 10, 12, 15, 20, 30, 50, 100, 200)
#: Enough series for 200 false ones at the wanted rate, fewer where points are many.
_MOST = 20_000
_WORK = 2e8


def main() -> None:
    """Print the tables for the module, then the power."""
    for seed, sizes in ((1, (1, PLENTY)), (3, (POOLED,))):
        rng = np.random.default_rng(seed)
        for series in sizes:
            found = {n: round(needed(n, series, rng), 1) for n in POINTS}
            print(f"{series} series: {found}")
    rng = np.random.default_rng(2)
    print("found, of series with one step in the middle of so many times the noise:")
    for points in (6, 9, 20, 50):
        for series in (1, PLENTY):
            shares = [power(points, series, size, rng) for size in (2.0, 4.0, 8.0, 16.0)]
            print(points, series, [f"{share:.0%}" for share in shares])


def needed(points: int, series: int, rng: np.random.Generator) -> float:
    """The penalty for so many points, by bisection on its logarithm."""
    x = noisy(points, series, _count(points), rng)
    low, high = math.log(1.0), math.log(1e6)
    while high - low > 0.005:
        middle = (low + high) / 2
        if changed(x, math.exp(middle)).mean() > FALSE_STEP:
            low = middle
        else:
            high = middle
    return math.exp(high)


def power(points: int, series: int, size: float, rng: np.random.Generator) -> float:
    """Share of series whose step of ``size`` times the noise is found at the right place."""
    step = np.where(np.arange(points) >= points // 2, size, 0.0)
    x = noisy(points, series, 2000, rng, step)
    cut = np.diff(segment(x, penalty(points, series)), axis=1) != 0
    return float((cut[:, points // 2 - 1] & (cut.sum(axis=1) == 1)).mean())


def noisy(
    points: int, series: int, count: int, rng: np.random.Generator, step: Floats | float = 0.0
) -> Floats:
    """``count`` series in units of their estimated noise, estimated ``series`` together."""
    groups = []
    for _ in range(max(1, count // series)):
        y = rng.standard_normal((series, points)) + step
        own = np.array([difference_noise(row) for row in y])
        groups.append(y / (pooled_noise(own) if series >= POOLED else own)[:, None])
    return np.concatenate(groups)


def changed(x: Floats, penalty_: float) -> NDArray[np.bool_]:
    """Which series are given a change; in parts, to bound the memory."""
    parts = np.array_split(x, max(1, x.size * x.shape[1] // 20_000_000))
    return np.concatenate([segment(p, penalty_)[:, -1] > 0 for p in parts])


def _count(points: int) -> int:
    return max(1000, min(_MOST, int(_WORK / points**2 / 20)))


if __name__ == "__main__":
    main()
