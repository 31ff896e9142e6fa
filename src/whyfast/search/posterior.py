"""What the blocks say about every hypothesis and every position of the step.

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

from whyfast.search.hypotheses import GOOD, SCATTER, SHAPES, Hypothesis
from whyfast.search.logs import log_sum
from whyfast.search.nuisance import grid
from whyfast.search.shapes import StepShapes, masses, one_step, two_steps
from whyfast.search.state import Observation, Task
from whyfast.search.table import tabulate

Floats = NDArray[np.float64]


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

    ValueError when there are too few of them to know the noise (see ``nuisance.grid``). The last
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
        **{name: of.total for name, of in steps.items()},
        "gradual": slower.ramp.sum(axis=1),
        "scattered": log_sum(slower.level + np.log(SCATTER), axis=2).sum(axis=1),
    }
    prior = {name: base_slower + math.log(SHAPES[name]) for name in SHAPES}
    logs: dict[Hypothesis, Floats] = {name: prior[name] + shapes[name] for name in SHAPES}
    logs["none"] = base[equal] + table.at(equal).level[..., GOOD].sum(axis=1)
    logs["swapped"] = base[less] + one_step(table.at(less), mass).total
    every = float(np.logaddexp.reduce(np.concatenate(list(logs.values()))))
    lifted = {name: (prior[name] - every)[:, None] for name in steps}
    largest = np.exp([of.largest + lifted[name] for name, of in steps.items()]).sum((0, 1))
    some = np.exp([of.some + lifted[name] for name, of in steps.items()]).sum((0, 1))
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
