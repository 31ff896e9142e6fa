"""Student's distribution and the derivatives of the logarithm of the gamma function. scipy has
them, is as large as all else that whyfast needs, and takes half a second to import; tests
compare."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

#: Terms by which an argument is raised before an asymptotic series is used.
_RAISED = 10

#: From here on, ln Γ(a + 1/2) − ln Γ(a) is better by its series than by a difference.
_LARGE = 50.0

#: A continued fraction has converged where a further step changes it by less, relative to it.
_CONVERGED = 1e-15


def digamma(x: ArrayLike) -> Floats:
    """ψ(x) for x > 0: recurrence and asymptotic series, Abramowitz & Stegun 6.3.5 and 6.3.18."""
    x = np.asarray(x, dtype=np.float64)
    y = x + _RAISED
    w = 1 / (y * y)
    series = w * (1 / 12 - w * (1 / 120 - w * (1 / 252 - w * (1 / 240 - w / 132))))
    raised: Floats = sum((1 / (x + k) for k in range(_RAISED)), start=np.zeros_like(x))
    result: Floats = np.log(y) - 1 / (2 * y) - series - raised
    return result


def trigamma(x: ArrayLike) -> Floats:
    """ψ′(x) for x > 0: Abramowitz & Stegun 6.4.6 and 6.4.12."""
    x = np.asarray(x, dtype=np.float64)
    y = x + _RAISED
    w = 1 / (y * y)
    series = w / y * (1 / 6 - w * (1 / 30 - w * (1 / 42 - w * (1 / 30 - w * 5 / 66))))
    raised: Floats = sum((1 / (x + k) ** 2 for k in range(_RAISED)), start=np.zeros_like(x))
    result: Floats = 1 / y + w / 2 + series + raised
    return result


def inverse_trigamma(y: float) -> float:
    """x with ψ′(x) = y > 0, by bisection on its logarithm; ψ′ falls from ∞ to 0."""
    low, high = -20.0, 20.0
    for _ in range(80):
        middle = (low + high) / 2
        if float(trigamma(math.exp(middle))) > y:
            low = middle
        else:
            high = middle
    return math.exp((low + high) / 2)


def t_tail(t: float, freedom: float) -> float:
    """P(T > t) for t ≥ 0 of Student's distribution with ``freedom`` > 0 degrees: half of the
    regularised incomplete beta function at ν/(ν + t²), Abramowitz & Stegun 26.7.1."""
    a, ratio = freedom / 2, t * t / freedom
    if ratio in (0.0, math.inf):
        return 0.0 if ratio else 0.5
    x, rest = 1 / (1 + ratio), ratio / (1 + ratio)
    # x^a (1 − x)^(1/2) / B(a, 1/2)
    log = _log_gamma_step(a) - math.log(math.pi) / 2 - a * math.log1p(ratio) + math.log(rest) / 2
    front = math.exp(log)
    if x < (a + 1) / (a + 2.5):
        return front / a * _beta_fraction(a, 0.5, x) / 2
    return 0.5 - front * _beta_fraction(0.5, a, rest)


@lru_cache(maxsize=4096)
def t_limit(tail: float, freedom: float) -> float:
    """What Student's t of ``freedom`` degrees exceeds with the chance ``tail``, 0 < tail < 1/2.
    Newton's method on the logarithms of both, inside of a bracket that every step narrows."""
    if tail <= 0:
        return math.inf
    wanted = math.log(tail)
    low, high = 0.0, math.inf
    t = max(-NormalDist().inv_cdf(tail), 1e-9)
    for _ in range(200):
        chance = t_tail(t, freedom)
        low, high = (t, high) if chance > tail else (low, t)
        slope = t * _density(t, freedom) / chance if chance > 0 else 0.0
        step = (math.log(chance) - wanted) / slope if slope > 0 else math.inf
        new = t * math.exp(step) if abs(step) < 100 else math.nan
        if not low < new < high:
            new = t * 10 if math.isinf(high) else (low + high) / 2
        if abs(new - t) <= 1e-14 * t:
            return new
        t = new
    return t


def _density(t: float, freedom: float) -> float:
    a = freedom / 2
    log = _log_gamma_step(a) - math.log(math.pi * freedom) / 2
    return math.exp(log - (a + 0.5) * math.log1p(t * t / freedom))


def _log_gamma_step(a: float) -> float:
    """ln Γ(a + 1/2) − ln Γ(a)."""
    if a < _LARGE:
        return math.lgamma(a + 0.5) - math.lgamma(a)
    w = 1 / (a * a)
    return math.log(a) / 2 - (1 / 8 - w * (1 / 192 - w * (1 / 640 - w * 17 / 14336))) / a


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, DLMF 8.17.22, front factor left out:
    1/(1 + d₁/(1 + d₂/(1 + …))), its convergents by ratios of neighbouring numerators and
    denominators."""
    value = numerator = 1.0
    denominator = 0.0
    for step in range(1, 100_000):
        m = step // 2
        if step % 2:
            d = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            d = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        denominator = 1 / (1 + d * denominator)
        numerator = 1 + d / numerator
        value *= numerator * denominator
        if abs(numerator * denominator - 1) < _CONVERGED:
            break
    return 1 / value
