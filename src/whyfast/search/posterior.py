"""The posterior of every hypothesis and every position of the step.

The likelihood of a step depends only on between which measured candidates it lies, so positions
are kept as *gaps* between neighbouring measured candidates: (low, high] holds the positions
low + 1 … high. A range of a hundred thousand commits costs no more than one of a hundred.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from whyfast.search.likelihood import BlockTable, grid, log_running, log_sum, tabulate
from whyfast.search.state import (
    BAD,
    GOOD,
    LEVELS,
    MIDDLE,
    SCATTER,
    SHAPES,
    Hypothesis,
    Observation,
    Task,
)

# ---- The likelihood of one step and of two, over all their places at once.

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Masses:
    """Logarithms of how likely the gaps are beforehand, each of shape (gaps,).

    ``one``: that the step lies in the gap, if there is one. If there are two: ``pair`` of one gap
    and of another sum to that of a step in each, ``both`` is that both lie in the gap.
    """

    one: Floats
    pair: Floats
    both: Floats


@dataclass(frozen=True)
class StepShapes:
    """Log of likelihood times prior, by grid point and gap: both of shape (points, gaps).

    ``largest``: the largest step lies in the gap. ``some``: any step does; with two steps its sum
    over the gaps exceeds that of ``largest``.
    """

    largest: Floats
    some: Floats

    @property
    def total(self) -> Floats:
        """Shape (points,): all places together."""
        return log_sum(self.largest, axis=1)


def masses(bounds: tuple[int, ...], weights: tuple[float, ...] | None) -> Masses:
    """The prior over the gaps between ``bounds``; a pair lies at any two different positions."""
    share = np.ones(bounds[-1]) if weights is None else np.array(weights)
    share = share / share.sum()
    one = np.add.reduceat(share, bounds[:-1])
    square = np.add.reduceat(share**2, bounds[:-1])
    same = np.where(np.diff(bounds) == 1, 0.0, np.maximum(one**2 - square, 0.0) / 2)
    pairs = max((1 - float(square.sum())) / 2, 1e-300)
    with np.errstate(divide="ignore"):
        return Masses(np.log(one), np.log(one) - np.log(pairs) / 2, np.log(same / pairs))


def one_step(table: BlockTable, mass: Masses) -> StepShapes:
    """0 before the step, 1 from it on."""
    at = crossing(table.level[..., GOOD], table.level[..., BAD]) + mass.one
    return StepShapes(at, at)


def crossing(before: Floats, after: Floats) -> Floats:
    """Log likelihood of one change in each gap, shape (points, gaps).

    From the log likelihoods, each of shape (points, candidates), of a candidate that lies before
    the change and of one that lies after it.
    """
    return _before(before) + _after(after)


def two_steps(table: BlockTable, mass: Masses) -> StepShapes:
    """0, a level between, and 1; all levels of ``MIDDLE`` are as likely.

    For steps in the gaps a < b the likelihood is a product of what depends on a and what depends
    on b, so running sums cover all pairs.
    """
    good = _before(table.level[..., GOOD])[..., None]
    bad = _after(table.level[..., BAD])[..., None]
    middle = LEVELS[list(MIDDLE)]
    run = np.stack([_before(table.level[..., i]) for i in MIDDLE], axis=-1)
    a = good - run + mass.pair[:, None]
    b = bad + run + mass.pair[:, None]
    none = np.full_like(a[:, :1], -np.inf)
    later, earlier = np.flip(log_running(np.flip(b, 1)), 1), log_running(a)
    first = a + np.concatenate([later[:, 1:], none], axis=1)
    second = b + np.concatenate([none, earlier[:, :-1]], axis=1)
    larger = np.where(np.abs(middle) >= np.abs(1 - middle), first, second)
    same = (good + bad)[..., 0] + mass.both
    even = np.log(len(middle))
    return StepShapes(
        np.logaddexp(log_sum(larger, axis=2) - even, same),
        np.logaddexp(log_sum(np.concatenate([first, second], axis=2), axis=2) - even, same),
    )


def _before(by_candidate: Floats) -> Floats:
    """Sums over the candidates below each gap; (points, candidates) to (points, gaps)."""
    out = np.zeros((by_candidate.shape[0], by_candidate.shape[1] + 1))
    np.cumsum(by_candidate, axis=1, out=out[:, 1:])
    return out


def _after(by_candidate: Floats) -> Floats:
    """Sums over the candidates above each gap; (points, candidates) to (points, gaps)."""
    return np.flip(_before(np.flip(by_candidate, 1)), 1)


@dataclass(frozen=True)
class Posterior:
    """Probabilities after some blocks.

    ``of``: of each hypothesis; they sum to 1. Gap i reaches from ``bounds[i]`` (not included) to
    ``bounds[i + 1]``; the bounds between are the candidates measured. ``largest[i]``: that the
    largest step is in gap i, given that there is one; it sums to 1. ``some[i]``: that any step is
    in gap i, all hypotheses counted. ``effect`` and ``noise``: their means, given a difference.
    """

    of: Mapping[Hypothesis, float]
    bounds: tuple[int, ...]
    largest: Floats
    some: Floats
    effect: float
    noise: float

    @property
    def step(self) -> float:
        """The probability that there is a step, or two."""
        return self.of["single"] + self.of["several"]


@lru_cache(maxsize=16)
def posterior(observations: tuple[Observation, ...], task: Task) -> Posterior:
    """The posterior after these blocks, which must all be as linked or all over layouts.

    ValueError when there are too few of them to know the noise (see :func:`grid`). The last
    ones are remembered: a build changes nothing of what the blocks say.
    """
    points = grid(np.array([o.ends for o in observations]), task.margin, task.known)
    table = tabulate(observations, points, task.positions)
    bounds = (0, *table.candidates, task.positions)
    mass = masses(bounds, task.weights)
    base = points.log_prior + table.ends
    more, less, equal = points.effect > 0, points.effect < 0, points.effect == 0
    slower, base_slower = table.at(more), base[more]
    steps: dict[Hypothesis, StepShapes] = {
        "single": one_step(slower, mass),
        "several": two_steps(slower, mass),
    }
    shapes: dict[Hypothesis, Floats] = {
        **{name: step.total for name, step in steps.items()},
        "gradual": slower.ramp.sum(axis=1),
        "scattered": log_sum(slower.level + np.log(SCATTER), axis=2).sum(axis=1),
    }
    prior = {name: base_slower + math.log(SHAPES[name]) for name in SHAPES}
    logs: dict[Hypothesis, Floats] = {name: prior[name] + shapes[name] for name in SHAPES}
    logs["none"] = base[equal] + table.at(equal).level[..., GOOD].sum(axis=1)
    logs["swapped"] = base[less] + one_step(table.at(less), mass).total
    every = float(np.logaddexp.reduce(np.concatenate(list(logs.values()))))
    lifted = {name: (prior[name] - every)[:, None] for name in steps}
    largest = np.exp([step.largest + lifted[name] for name, step in steps.items()]).sum((0, 1))
    some = np.exp([step.some + lifted[name] for name, step in steps.items()]).sum((0, 1))
    weight = np.exp([logs[name] - every for name in SHAPES]).sum(axis=0)
    return Posterior(
        of={name: float(np.exp(part - every).sum()) for name, part in logs.items()},
        bounds=bounds,
        largest=_shares(largest, np.exp(mass.one)),
        some=some,
        effect=_mean(points.effect[more], weight),
        noise=_mean(points.noise[more], weight),
    )


def _shares(mass: Floats, otherwise: Floats) -> Floats:
    """``mass`` made to sum to 1, or ``otherwise`` where nothing is left of it."""
    total = float(mass.sum())
    return mass / total if total > 0 else otherwise


def _mean(values: Floats, weight: Floats) -> float:
    total = float(weight.sum())
    return float(values @ weight) / total if total > 0 else math.nan
