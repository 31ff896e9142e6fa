"""Which candidate to measure next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from whyfast.search.posterior import Posterior
from whyfast.search.state import State, Task

Floats = NDArray[np.float64]

#: How strongly a candidate fails together with its neighbour, and over how many candidates that
#: falls off: code that does not build stays broken until somebody mends it.
TOGETHER = 0.8
STRETCH = 4.0
#: A build serves about this many measurements: the candidates beside the culprit are measured
#: again and again, so a build is charged to the first of them in part only.
SERVES = 10.0
#: Where :func:`information` is computed: at these log odds, by Gauss and Hermite's quadrature.
_ODDS: Floats = np.linspace(-20.0, 20.0, 401)
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(24)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
#: A witness is clear after (CLEAR · noise / effect)² blocks, but MOST_WITNESS are enough.
CLEAR = 2.5
MOST_WITNESS = 4.0


def below(posterior: Posterior, task: Task) -> Floats:
    """F(c), the probability that the largest step is at c or before, for c = 1 … positions − 1.

    Given that there is a step. Within a gap it spreads over the positions as it was beforehand.
    """
    share = np.ones(task.positions) if task.weights is None else np.array(task.weights)
    edges = np.array(posterior.bounds)
    within = np.add.reduceat(share, edges[:-1])
    mass = share * np.repeat(posterior.largest / within, np.diff(edges))
    return np.cumsum(mass)[:-1]


def next_candidate(posterior: Posterior, state: State) -> int | None:
    """The candidate whose measurement is expected to tell most for what it costs.

    A candidate tells whether the step is at it or before, or after it. What is to be learnt is most
    where the two are as likely, so among candidates of one cost it is k or k − 1 around the median
    of the posterior, whichever splits it nearer to half. The median itself would be asked for ever
    once it holds most of the posterior, with its answer known beforehand. None when no candidate
    can be measured.
    """
    share = below(posterior, state.task)
    told = information(share, posterior.effect / posterior.noise)
    worth = told * _succeeds(state) / _costs(state)
    for candidate in state.skipped:
        worth[candidate - 1] = -1.0
    best = int(np.argmax(worth)) if worth.size else 0
    return best + 1 if worth.size and worth[best] >= 0 else None


def witness(posterior: Posterior, state: State) -> int | None:
    """A candidate far from all that led to the step; None when every one is measured or skipped.

    It tells a step from candidates that are all different or change little by little, which those
    on the way to the step never do. One is measured until it is clear which end it is like.
    """
    blocks = max(1.0, min(MOST_WITNESS, (CLEAR * posterior.noise / posterior.effect) ** 2))
    last = state.observations[-1] if state.observations else None
    if last is not None and last.readings and not last.pair:
        candidate = last.readings[0].candidate
        readings = (r for o in state.observations for r in o.readings)
        taken = sum(r.candidate == candidate for r in readings)
        if taken < blocks and candidate in state.built:
            return candidate
    tried = np.array(sorted({*posterior.bounds, *state.skipped}))
    free = np.setdiff1d(np.arange(1, state.task.positions), tried)
    if not free.size:
        return None
    after = np.searchsorted(tried, free)
    away = np.minimum(free - tried[after - 1], tried[after] - free)
    return int(free[np.argmax(away)])


def witnesses(state: State) -> int:
    """How many candidates were measured for the first time after the first confirmation."""
    seen: set[int] = set()
    before: set[int] | None = None
    for block in state.observations:
        if block.pair is not None and before is None:
            before = set(seen)
            before.update((block.pair.parent, block.pair.culprit))
        seen.update(r.candidate for r in block.readings)
    return 0 if before is None else len(seen - before)


def information(share: Floats, effect: float) -> Floats:
    """What one measurement tells of a coin with this probability, in bits: its mutual information.

    Heads have the mean of tails plus ``effect`` standard deviations of normal noise. In much noise
    a coin that is nearly known is worth still less than its entropy says, next to an even one.
    """
    p = 1 / (1 + np.exp(-_ODDS))
    told = np.zeros_like(p)
    # By each side the mean of log(likelihood / likelihood of both), over the noise.
    for own in (p, 1 - p):
        other = np.exp(-effect * (_NODES + effect / 2))
        told -= own * (np.log2(own[:, None] + (1 - own[:, None]) * other) @ _WEIGHTS)
    return np.asarray(np.interp(share, p, told, left=0.0, right=0.0))


def entropy(share: Floats) -> Floats:
    """Of a coin with this probability, in bits."""
    p = np.clip(share, 1e-12, 1 - 1e-12)
    return -(p * np.log2(p) + (1 - p) * np.log2(1 - p))


def _costs(state: State) -> Floats:
    cost = state.task.costs
    costs = np.full(state.task.positions - 1, cost.block + cost.build / SERVES)
    for candidate in state.built:
        costs[candidate - 1] = cost.block
    return costs


def _succeeds(state: State) -> Floats:
    """How likely each candidate is to build: seldom beside one that did not."""
    out = np.ones(state.task.positions - 1)
    for candidate in state.skipped:
        away = np.abs(np.arange(1, state.task.positions) - candidate)
        out = np.minimum(out, 1 - TOGETHER * np.exp(-away / STRETCH))
    for candidate in state.built:
        out[candidate - 1] = 1.0
    return out
