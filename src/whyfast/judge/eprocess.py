"""Evidence against "no difference" that may be looked at after every block.

One block yields d = log(time of variant / time of baseline). When nothing but the variant
distinguishes the two sides of a block, d is symmetric about the true log ratio θ, given the past.
For an odd score ψ whose scale depends on the past alone,

    M(λ) = Π 2 / (1 + exp(−2 λ ψ(d − θ)))

is then a martingale with start 1, exactly, for every λ: for a given size |ψ| the two signs are
equally likely, and the two factors average to 1. A fixed mixture over λ > 0 is one too, so by
Ville's inequality it ever exceeds 1/a with probability at most a. The factor equals
exp(λψ)/cosh(λψ) and is never below the better known exp(λψ − λ²ψ²/2) of de la Peña (1999).
docs/MATH.md has the derivation.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: The score is linear up to this many scale units and constant beyond, so that one bad block
#: weighs no more than a clearly different one.
CLIP = 1.5

#: Bets λ, geometric from "a shift of a fiftieth of the noise" to "the sign decides", and their
#: weights. Chosen by simulation for narrow intervals at 9 to 10,000 blocks (bench/intervals.py);
#: validity does not depend on them.
LAMBDAS: Floats = np.geomspace(0.02, 2.7, 14)
WEIGHTS: Floats = LAMBDAS**0.5 / np.sum(LAMBDAS**0.5)

#: Blocks before the scale is estimated; until then only the sign of a block counts.
SCALE_AFTER = 3

_LOG_WEIGHTS = np.log(WEIGHTS)


def scales(d: Floats) -> Floats:
    """The noise scale used for each block, from the blocks before it alone.

    ``d``: shape (n,), log ratios in the order taken. Returns shape (n,): 1.4826 times the median
    absolute deviation of the earlier blocks (consistent for a normal standard deviation), and 0,
    meaning "use the sign", for the first blocks or while most of the earlier ones are equal. From
    16 blocks on it is renewed when they have grown by an eighth: as predictable, and far cheaper.
    """
    out = np.zeros(len(d))
    renewed, scale = 0, 0.0
    for i in range(SCALE_AFTER, len(d)):
        if i < 16 or i >= renewed * 9 / 8:
            past = d[:i]
            renewed, scale = i, float(1.4826 * np.median(np.abs(past - np.median(past))))
        out[i] = scale
    return out


def scores(d: Floats, theta: float, scale: Floats) -> Floats:
    """ψ(d − θ), shape (n,), odd in d − θ and within ±:data:`CLIP`."""
    x = d - theta
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        linear = np.where(scale > 0, x / scale, np.sign(x) * CLIP)
    return np.clip(linear, -CLIP, CLIP)


def log_wealth(psi: Floats) -> float:
    """Natural logarithm of the mixture over λ > 0 of M(λ), for scores ``psi`` of shape (n,).

    Large when the scores are mostly positive. For the other side pass ``-psi``.
    """
    per_lambda = np.sum(math.log(2) - np.logaddexp(0.0, -2.0 * np.outer(LAMBDAS, psi)), axis=1)
    terms = per_lambda + _LOG_WEIGHTS
    top = float(np.max(terms))
    return top + math.log(float(np.sum(np.exp(terms - top))))


def log_e_value(d: Floats, theta: float = 0.0, scale: Floats | None = None) -> float:
    """log of an e-value against "the log ratio is ``theta``", both directions counted.

    Half of the larger of the two one-sided mixtures; below their average, so an e-value as well.
    It reaches 1/α exactly when :func:`confidence_interval` at level α leaves ``theta`` out.
    """
    if len(d) == 0:
        return -math.log(2)
    psi = scores(d, theta, scales(d) if scale is None else scale)
    return max(log_wealth(psi), log_wealth(-psi)) - math.log(2)


def confidence_interval(d: Floats, alpha: float) -> tuple[float, float]:
    """The log ratios that the blocks do not refute at level ``alpha``: (low, high).

    Valid at all times together: over the whole run, with probability at least 1 − alpha, no
    interval ever excludes the truth. An end is infinite while too few blocks bound it (below 7
    at alpha = 0.05). Each side is the inversion of a one-sided mixture, which is monotone in θ,
    so bisection finds it; each end is rounded outwards by up to a 1,000th of the blocks' median
    absolute deviation.
    """
    n = len(d)
    threshold = math.log(2.0 / alpha)
    if n == 0 or n * math.log(2) < threshold:
        return -math.inf, math.inf
    scale = scales(d)
    center = float(np.median(d))
    deviation = float(np.median(np.abs(d - center)))
    # Farther from the center than this, every score is at its limit. Never 0: equal blocks.
    span = 2.0 * (float(np.max(d) - np.min(d)) + float(np.max(scale)) * CLIP)
    span = max(span, 4.0 * float(np.spacing(abs(center))))
    tolerance = max(1e-3 * deviation, 1e-12 * span, float(np.spacing(abs(center) + span)))
    ends = []
    for side in (1.0, -1.0):  # side 1 finds the lower end: far below, all scores are positive

        def refuted(theta: float, side: float = side) -> bool:
            return log_wealth(side * scores(d, theta, scale)) >= threshold

        outside = center - side * span
        inside = center + side * span
        if not refuted(outside):
            ends.append(-side * math.inf)
            continue
        while abs(inside - outside) > tolerance:
            middle = (inside + outside) / 2
            if refuted(middle):
                outside = middle
            else:
                inside = middle
        ends.append(outside)
    return ends[0], ends[1]
