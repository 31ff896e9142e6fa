"""Noise and effect of the ends, which no one knows beforehand: a weighted grid of both.

Nothing is fitted and then taken for true: every conclusion is averaged over the grid, weighted by
how well the blocks agree with each point. With known ends the grid is one point a sign.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whyfast.search.hypotheses import ENDS
from whyfast.search.likelihood import ENDS_NOISE, log_ends
from whyfast.search.state import KnownEnds

Floats = NDArray[np.float64]

#: Blocks of the ends before anything can be said without knowing the noise.
FEWEST = 4
#: Effects are thought of between the margin and this log ratio, a factor of 20.
LARGEST = math.log(20)
#: The noise is sought from a sixth to twelve times its robust estimate, in these ratios.
NOISES: Floats = 1.25 ** np.arange(-8.0, 12.0)
#: Effects are sought around the median of the ends, in so many half standard errors to each side.
EFFECTS: Floats = np.arange(-12.0, 13.0)
#: With fewer blocks than this the estimate of the noise is so poor that the steps are wider.
POOR = 8
#: The least noise, as a share of the effect. Counted instructions have none, but then a level
#: between two of :data:`whyfast.search.hypotheses.LEVELS`, up to an eighth off, would be refuted.
LEAST = 1 / 16
#: At most this many points of each sign are kept, those with most weight.
KEPT = 48


@dataclass(frozen=True)
class Grid:
    """Points of (effect, noise) with the log of their prior weight; each of shape (points,).

    The effect is 0 in points that stand for "no difference".
    """

    effect: Floats
    noise: Floats
    log_prior: Floats


def grid(ends: Floats, margin: float, known: KnownEnds | None) -> Grid:
    """The grid for the ends' log ratios seen so far, shape (n,).

    ValueError with fewer than :data:`FEWEST` of them, unless the ends are ``known``.
    """
    prior = {k: math.log(v) for k, v in ENDS.items()}
    if known is not None:
        return Grid(
            np.array([known.effect, 0.0, -known.effect]),
            np.full(3, known.noise),
            np.array([prior["differ"], prior["none"], prior["swapped"]]),
        )
    if len(ends) < FEWEST:
        raise ValueError(f"{len(ends)} blocks of the ends, at least {FEWEST} are needed")
    noise = robust_noise(ends)
    low = math.log1p(margin)
    error = 1.2533 * ENDS_NOISE * noise / math.sqrt(len(ends))  # of a median
    step = error / 2 * max(1.0, POOR / len(ends))
    effect = float(np.median(ends)) + step * EFFECTS
    # Log-uniform between the margin and LARGEST: density 1 / (effect · span).
    effect = effect[np.abs(effect) >= low]
    density = np.log(step / (np.abs(effect) * math.log(LARGEST / low)))
    sign = np.where(effect > 0, prior["differ"], prior["swapped"])
    parts = [
        _points(np.array([0.0]), noise * NOISES, np.array([prior["none"]])),
        _points(effect[effect > 0], noise * NOISES, (density + sign)[effect > 0]),
        _points(effect[effect < 0], noise * NOISES, (density + sign)[effect < 0]),
    ]
    return _join([_trim(part, ends) for part in parts if part.effect.size])


def doubt(ends: Floats, margin: float) -> tuple[float, float]:
    """From the ends alone: the probabilities that they do not differ, and that they are swapped.

    (nan, nan) with fewer than :data:`FEWEST` blocks.
    """
    if len(ends) < FEWEST:
        return math.nan, math.nan
    points = grid(ends, margin, None)
    fit = log_ends(ends, points.effect[:, None], points.noise[:, None]).sum(axis=1)
    weight = np.exp(points.log_prior + fit - (points.log_prior + fit).max())
    weight = weight / weight.sum()
    return float(weight[points.effect == 0].sum()), float(weight[points.effect < 0].sum())


def robust_noise(ends: Floats) -> float:
    """Standard deviation of one measurement from the ends' own log ratios, shape (n,), n ≥ 1.

    1.4826 × MAD / :data:`ENDS_NOISE`, but at least :data:`LEAST` of the effect, and above 0.
    """
    center = float(np.median(ends))
    spread = 1.4826 * float(np.median(np.abs(ends - center))) / ENDS_NOISE
    return max(spread, LEAST * abs(center), 1e-9)


def _points(effect: Floats, noise: Floats, log_prior: Floats) -> Grid:
    """Every effect with every noise; all noises are alike beforehand."""
    both = np.meshgrid(effect, noise, indexing="ij")
    prior = np.repeat(log_prior - math.log(len(noise)), len(noise))
    return Grid(both[0].ravel(), both[1].ravel(), prior)


def _trim(part: Grid, ends: Floats) -> Grid:
    """The points that the ends alone like best, with the weight of the others shared out."""
    fit = part.log_prior + log_ends(ends, part.effect[:, None], part.noise[:, None]).sum(axis=1)
    order = np.argsort(-fit, kind="stable")[:KEPT]
    lost = np.logaddexp.reduce(fit) - np.logaddexp.reduce(fit[order])
    return Grid(part.effect[order], part.noise[order], part.log_prior[order] + lost)


def _join(parts: list[Grid]) -> Grid:
    return Grid(
        np.concatenate([p.effect for p in parts]),
        np.concatenate([p.noise for p in parts]),
        np.concatenate([p.log_prior for p in parts]),
    )
