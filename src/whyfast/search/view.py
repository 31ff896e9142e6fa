"""The evidence of a search so far: confirmations, placement, the posterior, levels of subsets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import Literal

import numpy as np

from whyfast.judge.eprocess import confidence_interval, evidence
from whyfast.judge.placement import REMAINS
from whyfast.judge.ratios import Floats, as_ratios
from whyfast.judge.strategies import strategies
from whyfast.search.posterior import (
    ENDS_NOISE,
    FEWEST,
    Posterior,
    crossing,
    grid,
    log_block,
    log_disturbed,
    log_ends,
    posterior,
    robust_noise,
)
from whyfast.search.state import Interval, KnownEnds, Observation, State, Tested, Where

# Confirmation: culprit and parent side by side, in blocks that chose neither.

#: All attempts of one search together are wrong with at most this probability.
ALPHA = 0.01
#: A step that surely carries less than this share of the difference is not what was sought.
TOO_LITTLE = 1 / 3
#: After this many blocks an attempt ends unconfirmed.
MOST = 400

Outcome = Literal["confirmed", "refuted", "open", "unconfirmed"]


@dataclass(frozen=True)
class Attempt:
    """One confirmation so far. ``estimate``, ``low``, ``high``: the log ratio culprit / parent and
    its bounds, infinite while the attempt is open."""

    parent: int
    culprit: int
    number: int
    layouts: bool
    outcome: Outcome
    estimate: float
    low: float
    high: float
    blocks: int


def attempts(observations: Sequence[Observation], known: KnownEnds | None) -> tuple[Attempt, ...]:
    """Every confirmation so far, in order. The interval of attempt i is at level :data:`ALPHA` / 2ⁱ
    and valid at any time: it may be looked at after every block, and all attempts together err with
    at most :data:`ALPHA`."""
    taken = [(i, o.pair, o.layouts) for i, o in enumerate(observations) if o.pair is not None]
    tries = []
    for number, group in groupby(taken, key=lambda block: block[1].attempt):
        places, pairs, over_layouts = zip(*group, strict=True)
        jumps, layouts = tuple(p.jump for p in pairs), over_layouts[0]
        # As known then: later blocks must not change earlier decisions.
        effect = _effect(observations[: places[-1] + 1], layouts, known)
        outcome, (low, high) = _decided(jumps, ALPHA / 2**number, TOO_LITTLE * effect)
        estimate, ends = float(np.median(jumps)), (pairs[0].parent, pairs[0].culprit)
        tries.append(Attempt(*ends, number, layouts, outcome, estimate, low, high, len(jumps)))
    return tuple(tries)


@lru_cache(maxsize=64)
def _decided(
    jumps: tuple[float, ...], alpha: float, little: float
) -> tuple[Outcome, tuple[float, float]]:
    """The outcome of an attempt and its interval; the last ones are cached. It tests the two
    relevant shifts first: the ends of an interval take ten times as long."""
    if len(jumps) < MOST and not _refutes(jumps, alpha, little):
        return "open", (-math.inf, math.inf)
    low, high = interval(jumps, alpha)
    if low > 0:
        return "confirmed", (low, high)
    if high < little:
        return "refuted", (low, high)
    return ("unconfirmed", (low, high)) if len(jumps) >= MOST else ("open", (-math.inf, math.inf))


def _refutes(jumps: tuple[float, ...], alpha: float, little: float) -> bool:
    """Whether the interval may lie above 0 or below ``little``. Each block at most doubles the
    e-value, which must grow to 2/alpha."""
    if 2 ** len(jumps) < 2 / alpha:
        return False
    above, below = evidence(strategies([as_ratios(np.array(jumps))]), np.array([0.0, little]))
    return float(max(above[0], below[1])) >= math.log(2 / alpha)


def surely_above(values: Sequence[float], alpha: float) -> bool:
    """Whether the interval of these log ratios lies above 0; looked at after every block too."""
    jumps = tuple(values)
    return _refutes(jumps, alpha, 0.0) and interval(jumps, alpha)[0] > 0


def bounded(values: Sequence[float], alpha: float) -> bool:
    """Whether there are enough of these log ratios for a finite interval."""
    return all(math.isfinite(end) for end in interval(tuple(values), alpha))


@lru_cache(maxsize=64)
def interval(values: tuple[float, ...], alpha: float) -> tuple[float, float]:
    """The interval of a verdict for these log ratios, assumed independent, as in the model of the
    search; the last ones are cached."""
    if 2 ** len(values) < 2 / alpha:
        return -math.inf, math.inf
    return confidence_interval(np.array(values), alpha, independent=True)


def interval_of(values: Sequence[float]) -> Interval | None:
    """The median of log ratios and their interval at :data:`ALPHA`; None without any."""
    if not len(values):
        return None
    low, high = interval(tuple(values), ALPHA)
    return Interval(float(np.median(values)), low, high, len(values))


def _effect(observations: Sequence[Observation], layouts: bool, known: KnownEnds | None) -> float:
    """The log ratio of the ends, as linked or over layouts."""
    if known is not None and not layouts:
        return known.effect
    return float(np.median([o.ends for o in observations if o.layouts == layouts]))


# Placement: is the difference of the ends due to the change, or to the placement of code? Blocks
# as linked show the difference of two programs; blocks with new layouts of each end, that of the
# change. Unknown are the effect of the change, as a share κ of the difference as linked, and s, the
# standard deviation of a program's log time over layouts, in the same unit.


#: From this probability on, a question is decided.
SURE = 0.99
#: After this many blocks of the ends over layouts it is placement, too, when surely less than a
#: third of the difference remains, and probably less than the margin; else the search goes on.
MOST_LAYOUTS = 100
#: The grid of shares, finer around 0; beforehand, one in five differences is placement alone.
SHARES: Floats = np.unique(
    np.round(np.concatenate([np.arange(-2, 4.01, 0.1), np.arange(-0.1, 0.101, 0.01)]), 6)
)
PLACEMENT = 0.2
#: The grid of spreads over layouts, as shares of the difference as linked.
SPREADS: Floats = np.array([0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.55, 0.75, 1.0, 1.5, 2.0])
#: The difference over layouts equals that as linked when its share surely lies in this range.
ALIKE = (2 / 3, 3 / 2)


@dataclass(frozen=True)
class Belief:
    """Probabilities of the ends' difference over layouts. ``within``: less than the margin;
    ``little``: less than a third of that as linked; ``alike``: about all of it."""

    within: float
    little: float
    alike: float


def believe(linked: Floats, varied: Floats, margin: float, known: KnownEnds | None) -> Belief:
    """From the ends' log ratios as linked, shape (n,), n ≥ 1 unless known, and over layouts."""
    if known is None:
        effect, noise = float(np.median(linked)), robust_noise(linked) * ENDS_NOISE
        error = 1.2533 * noise / math.sqrt(len(linked))  # of a median
    else:
        effect, noise, error = known.effect, known.noise * ENDS_NOISE, 0.0
    unit = effect if effect != 0 else 1e-12
    share, spread = SHARES[:, None], SPREADS[None, :]
    width = 2 * spread**2  # the variance of the difference of two layouts
    # The likelihood of the difference as linked, given the effect of the change; never finer than
    # the steps of the grid.
    scale = np.sqrt(width + (error / unit) ** 2 + 0.05**2)
    fit = _prior() - 0.5 * ((1 - share) / scale) ** 2 - np.log(scale)
    fit = fit + sum((_block(float(v) / unit, noise / unit) for v in varied), np.zeros(1))
    weight = np.exp(fit - fit.max()).sum(axis=1)
    weight = weight / weight.sum()
    kappa = share[:, 0]
    return Belief(
        within=float(weight[np.abs(kappa) <= math.log1p(margin) / abs(unit)].sum()),
        little=float(weight[np.abs(kappa) <= REMAINS].sum()),
        alike=float(weight[(kappa >= ALIKE[0]) & (kappa <= ALIKE[1])].sum()),
    )


def test_of(linked: Floats, varied: Floats, margin: float, known: KnownEnds | None) -> Tested:
    """What layouts show of the difference of the ends; ``undecided`` while more are needed."""
    if not len(varied):
        return "undecided"
    belief = believe(linked, varied, margin, known)
    enough = len(varied) >= MOST_LAYOUTS
    if belief.within >= SURE or (enough and belief.little >= SURE and belief.within > 0.5):
        return "placement"
    if belief.within > 1 - SURE and not enough:
        return "undecided"
    return "change" if belief.alike >= 0.5 else "partly"


@lru_cache(maxsize=1024)
def _block(ratio: float, noise: float) -> Floats:
    """Log likelihood of one block over layouts by share and spread, (shares, spreads). Both in
    units of the difference as linked. The same blocks come again after each new one."""
    scale = np.sqrt(2 * SPREADS[None, :] ** 2 + noise**2)
    return np.asarray(log_disturbed((ratio - SHARES[:, None]) / scale) - np.log(scale))


@lru_cache(maxsize=1)
def _prior() -> Floats:
    """Log prior of the shares: :data:`PLACEMENT` at 0, the rest even between the outermost."""
    width = np.gradient(SHARES)
    prior = (1 - PLACEMENT) * width / width.sum()
    prior[np.abs(SHARES) < 1e-9] += PLACEMENT
    out: Floats = np.log(prior)[:, None]
    return out


@dataclass(frozen=True)
class View:
    """The evidence of a state. ``layouts``: whether to measure candidates over layouts; ``seen``:
    the blocks of that kind, ``belief`` their posterior, None for too few. ``differ``: whether the
    bad end as linked may be slower; ``tested``: what layouts show of that."""

    layouts: bool
    seen: tuple[Observation, ...]
    belief: Posterior | None
    differ: bool
    tested: Tested
    tries: tuple[Attempt, ...]


def view(state: State, tries: tuple[Attempt, ...]) -> View:
    """Everything that the next step and the answer depend on; ``tries`` are all confirmations.
    Candidates are measured as linked, unless the ends differ otherwise over layouts: then a step as
    linked may be a matter of placement."""
    seen = _counted(state, tries, layouts=False)
    belief = _believed(seen, state, layouts=False)
    if not state.task.relinkable:
        return View(False, seen, belief, True, "not tested", tries)
    if belief is None:
        return View(False, seen, belief, True, "undecided", tries)
    varied = _counted(state, tries, layouts=True)
    differ = max(belief.hypotheses["none"], belief.hypotheses["swapped"]) < SURE
    known = state.task.known
    tested: Tested = "change"
    if differ:
        tested = test_of(_ends(seen), _ends(varied), state.task.margin, known)
    if differ and not _misled(belief, tries) and tested != "partly":
        return View(False, seen, belief, True, tested, tries)
    return View(True, varied, _believed(varied, state, layouts=True), differ, tested, tries)


def _misled(belief: Posterior, tries: Sequence[Attempt]) -> bool:
    """Whether candidates as linked are no guide: there is no step, or one that is placement."""
    failed = any(t.outcome == "refuted" and t.layouts for t in tries)
    return failed or max(belief.hypotheses["gradual"], belief.hypotheses["scattered"]) >= SURE


def located(belief: Posterior, state: State) -> Where | None:
    """The place of a step, when it is sure and no candidate is left that could narrow it down. A
    gap cannot be narrowed down when all candidates inside it are skipped."""
    best = int(np.argmax(belief.some))
    low, high = belief.bounds[best], belief.bounds[best + 1]
    share = float(belief.some[best]) / max(belief.step, 1e-300)
    if share < SURE or any(c not in state.skipped for c in range(low + 1, high)):
        return None
    return Where(low + 1, high, min(share, 1.0))


def likely(belief: Posterior) -> Where:
    """The fewest neighbouring gaps that hold a step with 95 %: where it is, if not yet found."""
    order = np.argsort(-belief.largest, kind="stable")
    enough = int(np.searchsorted(np.cumsum(belief.largest[order]), 0.95)) + 1
    first, last = int(order[:enough].min()), int(order[:enough].max())
    held = float(belief.largest[first : last + 1].sum())
    return Where(belief.bounds[first] + 1, belief.bounds[last + 1], min(held, 1.0))


def _counted(state: State, tries: Sequence[Attempt], *, layouts: bool) -> tuple[Observation, ...]:
    """The blocks that the posterior may use. Those of a confirmation are kept apart until it has
    failed. Of candidates that turned out not to be measurable only the ends count."""
    failed = {t.number for t in tries if t.outcome in ("refuted", "unconfirmed")}
    return tuple(
        replace(o, readings=tuple(r for r in o.readings if r.candidate not in state.skipped))
        for o in state.observations
        if o.layouts == layouts and (o.pair is None or o.pair.attempt in failed)
    )


def _believed(seen: tuple[Observation, ...], state: State, *, layouts: bool) -> Posterior | None:
    """Known ends are known as linked; over layouts the noise is another."""
    task = replace(state.task, known=None) if layouts else state.task
    if task.known is None and len(seen) < FEWEST:
        return None
    return posterior(seen, task)


def _ends(blocks: Sequence[Observation]) -> Floats:
    return np.array([o.ends for o in blocks])


# What blocks show of a program that has some of the differences between two ends. A subset carries
# the difference when its level, 0 at the good end and 1 at the bad one, is above CARRIES.

Subset = frozenset[int]

#: Levels that a subset may have, and the line between two of them.
LEVELS: Floats = np.arange(-1.0, 2.01, 0.125)
CARRIES = 0.7
#: How likely levels are beforehand: half of the subsets are like one end or the other.
PRIOR: Floats = np.full(len(LEVELS), 0.5 / (len(LEVELS) - 2))
PRIOR[np.isin(LEVELS, (0.0, 1.0))] = 0.25


@dataclass(frozen=True)
class Trial:
    """One block: the ends, and beside them a subset, or none. ``offset``: log ratio of the subset's
    program to the middle of the ends; ``ends``: log(bad / good). ``fresh``: taken to verify, and
    kept apart from what chose the subset. ``layouts``: every program ran in a fresh layout."""

    ends: float
    subset: Subset | None = None
    offset: float = 0.0
    fresh: bool = False
    layouts: bool = False


def _sides(
    trials: Sequence[Trial],
    subsets: Sequence[Subset],
    margin: float,
    *,
    fresh: bool = False,
    line: float = CARRIES,
) -> tuple[Floats, Floats, Floats]:
    """Log likelihoods at the points of a grid: of the ends in all blocks, with the prior, shape
    (points,); of each subset if it does not carry the difference, and if it does, (points,
    subsets). ``line``: the level from which on a subset carries it."""
    ends = np.array([t.ends for t in trials])
    points = grid(ends, margin, None)
    kept = points.effect > 0
    effect, noise = points.effect[kept, None], points.noise[kept, None]
    base = points.log_prior[kept] + log_ends(ends, effect, noise).sum(axis=1)
    effect, noise = effect[..., None], noise[..., None]
    levels = []  # of each subset beyond the likelihood of the ends, by point and level
    for subset in subsets:
        chosen = [t for t in trials if t.subset == subset and t.fresh == fresh]
        u, w = (np.array([getattr(t, n) for t in chosen])[:, None] for n in ("offset", "ends"))
        fit = log_block(u, w, (LEVELS - 0.5) * effect, effect, noise) - log_ends(w, effect, noise)
        levels.append(fit.sum(axis=1))
    weighted, above = np.stack(levels, axis=1) + np.log(PRIOR), line < LEVELS
    return (
        base,
        np.logaddexp.reduce(weighted[..., ~above], axis=2) - math.log(PRIOR[~above].sum()),
        np.logaddexp.reduce(weighted[..., above], axis=2) - math.log(PRIOR[above].sum()),
    )


def carries(
    trials: Sequence[Trial],
    subset: Subset,
    margin: float,
    *,
    fresh: bool = False,
    line: float = CARRIES,
) -> float:
    """The probability that a subset carries the difference, ½ before any block of it."""
    base, without, carrying = _sides(trials, [subset], margin, fresh=fresh, line=line)
    yes = np.logaddexp.reduce(base + carrying[:, 0])
    no = np.logaddexp.reduce(base + without[:, 0])
    return float(1 / (1 + np.exp(np.clip(no - yes, -700, 700))))


def first_carrying(trials: Sequence[Trial], chain: Sequence[Subset], margin: float) -> Floats:
    """For subsets that grow: the probability of each that it is the first to carry. ``chain[0]``
    does not carry the difference and the last one does, so the first entry is left out: shape
    (subsets − 1,), sums to 1."""
    tried = {t.subset for t in trials if not t.fresh}
    inner = [i for i in range(1, len(chain) - 1) if chain[i] in tried]
    bounds = np.array([0, *inner, len(chain) - 1])
    if not inner:
        return np.full(len(chain) - 1, 1 / (len(chain) - 1))
    base, without, carrying = _sides(trials, [chain[i] for i in inner], margin)
    at = np.logaddexp.reduce(base[:, None] + crossing(without, carrying), axis=0)
    weight = np.repeat(np.exp(at - at.max()), np.diff(bounds))
    out: Floats = weight / weight.sum()
    return out


def level(trials: Sequence[Trial], subset: Subset) -> tuple[float, float]:
    """The level of a subset and its standard error, from all of its blocks: (nan, inf) of none. The
    median, whose error is 1.2533 times that of a mean; the noise is that of the ends."""
    offsets = np.array([t.offset for t in trials if t.subset == subset])
    if not offsets.size:
        return math.nan, math.inf
    ends = np.array([t.ends for t in trials])
    effect = float(np.median(ends))
    error = 1.2533 * robust_noise(ends) / math.sqrt(len(offsets))
    return 0.5 + float(np.median(offsets)) / effect, error / abs(effect)


#: At most this many present or missing differences are named; more are given by numbers.
MOST_NAMED = 2


def label(titles: Sequence[str], subset: Subset) -> str:
    """What a mixture has from the bad end: by titles, as all but some, or by numbers from 1."""
    missing = frozenset(range(len(titles))) - subset
    if len(subset) <= MOST_NAMED:
        return _names(titles, subset)
    if len(missing) <= MOST_NAMED:
        return f"all but {_names(titles, missing)}" if missing else "all"
    return _ranges([n + 1 for n in sorted(subset)])


def numbered(titles: Sequence[str], subset: Subset) -> bool:
    """Whether the label is of numbers."""
    return min(len(subset), len(titles) - len(subset)) > MOST_NAMED


def _names(titles: Sequence[str], subset: Subset) -> str:
    return "; ".join(titles[n] for n in sorted(subset))


def _ranges(numbers: Sequence[int]) -> str:
    """``1–3, 7``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(f"{a}–{b}" if b > a else f"{a}" for a, b in runs)
