"""What blocks show of a program that has some of the differences between two ends. A subset
*carries* the difference when its level, 0 at the good end and 1 at the bad one, is above
:data:`CARRIES`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whyfast.search.posterior import crossing, grid, log_block, log_ends, robust_noise

Floats = NDArray[np.float64]
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
