"""How likely each hypothesis and each position of the step is, given the blocks.

A block yields u, the candidate's log ratio to the middle of the ends, and w, the ends' own. With
equal, independent noise of the three programs they are independent, of 3/2 and 2 times the variance
of one; each has a normal core with wide shoulders. Positions are kept as *gaps* between measured
neighbours, (low, high], so that a range of a hundred thousand commits costs no more."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.ratios import Floats
from whyfast.search import state

# Sums of numbers that are kept as logarithms: ten times as fast as ``numpy.logaddexp``, which takes
# its terms one by one.

#: exp of numbers nearer together than this, the largest being 0, is above 0 with full precision.
_SAFE = 700.0


def log_sum(terms: Floats, axis: int) -> Floats:
    """log Σ exp along the axis; −∞ where every term is."""
    top = terms.max(axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(terms - top).sum(axis=axis)) + top.squeeze(axis))


def log_running(terms: Floats) -> Floats:
    """log of the running sums of exp along the second axis; every term is finite."""
    top = terms.max(axis=1, keepdims=True)
    away = terms - top
    if away.size and away.min() < -_SAFE:
        return np.asarray(np.logaddexp.accumulate(terms, axis=1))
    return np.asarray(np.log(np.cumsum(np.exp(away), axis=1)) + top)


#: Standard deviation of w over that of u: √(2 / (3/2)).
ENDS_NOISE = math.sqrt(4 / 3)

#: One block in thirty is disturbed: half of these in the candidate alone, half in the ends, and
#: then both numbers are off.
DISTURBED = 1 / 30
#: A disturbed number has Student's t distribution with 2 degrees of freedom, this many times as
#: wide: it decides nothing and refutes nothing.
WIDE = 4.0


def normal(z: Floats) -> Floats:
    """Density of the standard normal distribution."""
    return np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)


def wide(z: Floats) -> Floats:
    """Density of :data:`WIDE` times a t distribution with 2 degrees of freedom; never 0."""
    x = 1 + z * z / (2 * WIDE**2)
    return 1 / (x * np.sqrt(x) * (2 * math.sqrt(2) * WIDE))


def log_disturbed(z: Floats) -> Floats:
    """Log density of the standard normal distribution with :data:`DISTURBED` of its wide one."""
    return np.log((1 - DISTURBED) * normal(z) + DISTURBED * wide(z))


def log_ends(w: Floats, effect: Floats, noise: Floats) -> Floats:
    """Log likelihood of the ends' own log ratio alone; arguments broadcast. ``noise`` is the
    standard deviation of u, as everywhere."""
    scale = ENDS_NOISE * noise
    z = (w - effect) / scale
    return np.log((1 - DISTURBED / 2) * normal(z) + DISTURBED / 2 * wide(z)) - np.log(scale)


def log_candidate(u: Floats, mean: Floats, noise: Floats) -> Floats:
    """Log likelihood of a candidate's number alone, the ends' being counted elsewhere."""
    return log_disturbed((u - mean) / noise) - np.log(noise)


def log_block(u: Floats, w: Floats, mean: Floats, effect: Floats, noise: Floats) -> Floats:
    """Log likelihood of both numbers of one block; arguments broadcast. ``mean`` is that of u:
    (level − ½) · effect. Where w is far off, the ends were disturbed, and u is unreliable, too."""
    scale = ENDS_NOISE * noise
    zu, zw = (u - mean) / noise, (w - effect) / scale
    core, far = normal(zw), wide(zw)
    both = (1 - DISTURBED) * core * normal(zu) + DISTURBED / 2 * (core + far) * wide(zu)
    return np.log(both) - np.log(noise * scale)


# The unknown noise and effect of the ends: a weighted grid of both. Every conclusion is averaged
# over it, weighted by the fit of the blocks at each point. Known ends have one point for each sign.

#: The blocks of the ends that are necessary to estimate the noise.
FEWEST = 4
#: Effects lie between the margin and this log ratio, a factor of 20.
LARGEST = math.log(20)
#: The noise is sought from a sixth to twelve times its robust estimate, in these ratios.
NOISES: Floats = 1.25 ** np.arange(-8.0, 12.0)
#: Effects are sought around the median of the ends, in this many half standard errors to each side.
EFFECTS: Floats = np.arange(-12.0, 13.0)
#: With fewer blocks than this the estimate of the noise is so poor that the steps are wider.
POOR = 8
#: The least noise, as a share of the effect. Counted instructions have none, but then a level
#: between two of :data:`whyfast.search.state.LEVELS`, up to an eighth off, would be refuted.
LEAST = 1 / 16
#: At most this many points of each sign are kept, those with most weight.
KEPT = 48


@dataclass(frozen=True)
class Grid:
    """Points of (effect, noise) with the log of their prior weight; each of shape (points,). The
    effect is 0 in points that stand for "no difference"."""

    effect: Floats
    noise: Floats
    log_prior: Floats


def grid(ends: Floats, margin: float, known: state.KnownEnds | None) -> Grid:
    """The grid for the ends' log ratios seen so far, shape (n,). ValueError with fewer than
    :data:`FEWEST` of them, unless the ends are ``known``."""
    prior = {k: math.log(v) for k, v in state.ENDS.items()}
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
    kept = [_trim(part, ends) for part in parts if part.effect.size]
    columns = ("effect", "noise", "log_prior")
    return Grid(*(np.concatenate([getattr(k, column) for k in kept]) for column in columns))


def doubt(ends: Floats, margin: float) -> tuple[float, float]:
    """From the ends alone: the probabilities that they do not differ, and that they are swapped.
    (nan, nan) with fewer than :data:`FEWEST` blocks."""
    if len(ends) < FEWEST:
        return math.nan, math.nan
    points = grid(ends, margin, None)
    fit = log_ends(ends, points.effect[:, None], points.noise[:, None]).sum(axis=1)
    weight = np.exp(points.log_prior + fit - (points.log_prior + fit).max())
    weight = weight / weight.sum()
    return float(weight[points.effect == 0].sum()), float(weight[points.effect < 0].sum())


def robust_noise(ends: Floats) -> float:
    """Standard deviation of one measurement from the ends' own log ratios, shape (n,), n ≥ 1:
    1.4826 × MAD / :data:`ENDS_NOISE`, but at least :data:`LEAST` of the effect, and above 0."""
    center = float(np.median(ends))
    spread = 1.4826 * float(np.median(np.abs(ends - center))) / ENDS_NOISE
    return max(spread, LEAST * abs(center), 1e-9)


def _points(effect: Floats, noise: Floats, log_prior: Floats) -> Grid:
    """Every effect with every noise; all noises are equally likely beforehand."""
    both = np.meshgrid(effect, noise, indexing="ij")
    prior = np.repeat(log_prior - math.log(len(noise)), len(noise))
    return Grid(both[0].ravel(), both[1].ravel(), prior)


def _trim(part: Grid, ends: Floats) -> Grid:
    """The points that fit the ends best, with the weight of the others shared among them."""
    fit = part.log_prior + log_ends(ends, part.effect[:, None], part.noise[:, None]).sum(axis=1)
    order = np.argsort(-fit, kind="stable")[:KEPT]
    lost = np.logaddexp.reduce(fit) - np.logaddexp.reduce(fit[order])
    return Grid(part.effect[order], part.noise[order], part.log_prior[order] + lost)


@dataclass(frozen=True)
class BlockTable:
    """Log likelihoods of all blocks. ``candidates``: those measured, in order. ``level[p, i, l]``:
    of candidate i at level l of :data:`LEVELS`, at grid point p; ``ramp[p, i]``: at its share of
    the range; ``ends[p]``: of the blocks in which the ends ran alone."""

    candidates: tuple[int, ...]
    level: Floats
    ramp: Floats
    ends: Floats

    def at(self, points: NDArray[np.bool_]) -> BlockTable:
        """The table of some of the grid points."""
        return BlockTable(self.candidates, self.level[points], self.ramp[points], self.ends[points])


def tabulate(observations: Sequence[state.Observation], points: Grid, positions: int) -> BlockTable:
    """The table. In a block with two candidates the ends count once, with the first."""
    effect, noise = points.effect[:, None], points.noise[:, None]
    alone = np.array([o.ends for o in observations if not o.readings])
    first = [(o.readings[0], o.ends) for o in observations if o.readings]
    later = [r for o in observations for r in o.readings[1:]]
    readings = [r for r, _ in first] + later
    candidates = tuple(sorted({r.candidate for r in readings}))
    u = np.array([r.offset for r in readings])
    w = np.array([ends for _, ends in first])
    numbers = np.array([r.candidate for r in readings], dtype=np.float64)
    # Shape (points, readings, levels + 1): the last level is that of a ramp, another for each.
    levels = np.column_stack([np.tile(state.LEVELS, (len(u), 1)), numbers / positions])
    mean = (levels[None] - 0.5) * effect[..., None]
    n, sd = len(first), noise[..., None]
    fit = np.concatenate(
        [
            log_block(u[:n, None], w[:, None], mean[:, :n], effect[..., None], sd),
            log_candidate(u[n:, None], mean[:, n:], sd),
        ],
        axis=1,
    )
    summed = _by_candidate(numbers, fit)
    return BlockTable(
        candidates, summed[..., :-1], summed[..., -1], log_ends(alone, effect, noise).sum(axis=1)
    )


def _by_candidate(numbers: Floats, fit: Floats) -> Floats:
    """Sums over the readings of each candidate, in order; (points, readings, levels) to (points,
    candidates, levels)."""
    if not numbers.size:
        return np.zeros((fit.shape[0], 0, fit.shape[2]))
    order = np.argsort(numbers, kind="stable")
    first = np.flatnonzero(np.diff(numbers[order], prepend=-1.0))
    return np.asarray(np.add.reduceat(fit[:, order], first, axis=1))


@dataclass(frozen=True)
class Masses:
    """Logarithms of how likely the gaps are beforehand, each of shape (gaps,). ``one``: that the
    step lies in the gap, if there is one. If there are two: ``pair`` of one gap and of another sum
    to that of a step in each, ``both`` is that both lie in the gap."""

    one: Floats
    pair: Floats
    both: Floats


@dataclass(frozen=True)
class StepShapes:
    """Log of likelihood times prior, by grid point and gap: both of shape (points, gaps).
    ``largest``: the largest step lies in the gap. ``some``: any step does; with two steps its sum
    over the gaps exceeds that of ``largest``."""

    largest: Floats
    some: Floats

    @property
    def total(self) -> Floats:
        """Shape (points,): all places together."""
        return log_sum(self.largest, axis=1)


def masses(bounds: tuple[int, ...]) -> Masses:
    """The prior over the gaps between ``bounds``: a step lies at any position, a pair of steps at
    any two different ones."""
    width, positions = np.diff(bounds), bounds[-1]
    one = width / positions
    pairs = max((1 - 1 / positions) / 2, 1e-300)
    with np.errstate(divide="ignore"):
        both = np.log(one * (width - 1) / positions / 2 / pairs)
        return Masses(np.log(one), np.log(one) - np.log(pairs) / 2, both)


def one_step(table: BlockTable, mass: Masses) -> StepShapes:
    """0 before the step, 1 from it on."""
    at = crossing(table.level[..., state.GOOD], table.level[..., state.BAD]) + mass.one
    return StepShapes(at, at)


def crossing(before: Floats, after: Floats) -> Floats:
    """Log likelihood of one change in each gap, shape (points, gaps). From the log likelihoods,
    each of shape (points, candidates), of a candidate that lies before the change and of one that
    lies after it."""
    return _before(before) + _after(after)


def two_steps(table: BlockTable, mass: Masses) -> StepShapes:
    """0, a level between, and 1; all levels of ``MIDDLE`` are as likely. For steps in the gaps a <
    b the likelihood is a product of what depends on a and what depends on b, so running sums cover
    all pairs."""
    good = _before(table.level[..., state.GOOD])[..., None]
    bad = _after(table.level[..., state.BAD])[..., None]
    middle = state.LEVELS[list(state.MIDDLE)]
    run = np.stack([_before(table.level[..., i]) for i in state.MIDDLE], axis=-1)
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
    """Probabilities after some blocks. ``hypotheses`` sum to 1. Gap i reaches from ``bounds[i]``
    (not included) to ``bounds[i + 1]``; bounds are measured candidates. ``largest[i]``: that the
    largest step is in gap i, given one; ``some[i]``: that any is, all hypotheses counted.
    ``effect`` and ``noise``: means, given a difference."""

    hypotheses: Mapping[state.Hypothesis, float]
    bounds: tuple[int, ...]
    largest: Floats
    some: Floats
    effect: float
    noise: float

    @property
    def step(self) -> float:
        """The probability that there is a step, or two."""
        return self.hypotheses["single"] + self.hypotheses["several"]


@lru_cache(maxsize=16)
def posterior(observations: tuple[state.Observation, ...], task: state.Task) -> Posterior:
    """The posterior after these blocks, which must all be as linked or all over layouts. ValueError
    when there are too few of them to know the noise (see :func:`grid`). The last ones are cached,
    as builds do not change them."""
    points = grid(np.array([o.ends for o in observations]), task.margin, task.known)
    table = tabulate(observations, points, task.positions)
    bounds = (0, *table.candidates, task.positions)
    mass = masses(bounds)
    base = points.log_prior + table.ends
    more, less, equal = points.effect > 0, points.effect < 0, points.effect == 0
    slower, base_slower = table.at(more), base[more]
    steps: dict[state.Hypothesis, StepShapes] = {
        "single": one_step(slower, mass),
        "several": two_steps(slower, mass),
    }
    shapes: dict[state.Hypothesis, Floats] = {
        **{name: step.total for name, step in steps.items()},
        "gradual": slower.ramp.sum(axis=1),
        "scattered": log_sum(slower.level + np.log(state.SCATTER), axis=2).sum(axis=1),
    }
    prior = {name: base_slower + math.log(state.SHAPES[name]) for name in state.SHAPES}
    logs: dict[state.Hypothesis, Floats] = {
        name: prior[name] + shapes[name] for name in state.SHAPES
    }
    logs["none"] = base[equal] + table.at(equal).level[..., state.GOOD].sum(axis=1)
    logs["swapped"] = base[less] + one_step(table.at(less), mass).total
    every = float(np.logaddexp.reduce(np.concatenate(list(logs.values()))))
    lifted = {name: (prior[name] - every)[:, None] for name in steps}
    largest = np.exp([step.largest + lifted[name] for name, step in steps.items()]).sum((0, 1))
    some = np.exp([step.some + lifted[name] for name, step in steps.items()]).sum((0, 1))
    weight = np.exp([logs[name] - every for name in state.SHAPES]).sum(axis=0)
    return Posterior(
        hypotheses={name: float(np.exp(part - every).sum()) for name, part in logs.items()},
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
