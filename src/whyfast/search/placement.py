"""Does the difference of the ends lie in the change, or in where the linker put the code?

Blocks of the ends as linked show the difference of two programs; blocks in which each end is
linked anew, in another layout, show that of the change. Two layouts of one code differ by chance,
so a difference as linked may be nothing else. Unknown are what the change itself makes, as a
share κ of the difference as linked, and s, the standard deviation that layouts alone make of one
program's log time, in the same unit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.placement import REMAINS
from whyfast.search.answer import Tested
from whyfast.search.likelihood import ENDS_NOISE, log_disturbed
from whyfast.search.nuisance import robust_noise
from whyfast.search.state import KnownEnds

Floats = NDArray[np.float64]

#: What has this probability is taken for decided.
SURE = 0.99
#: After so many blocks of the ends over layouts it is placement too when surely less than a third
#: of the difference remains, and rather less than the margin; else the search goes on.
MOST_LAYOUTS = 100
#: The shares that are weighed, finely around 0, and that one in five differences is placement
#: alone, beforehand.
SHARES: Floats = np.unique(
    np.round(np.concatenate([np.arange(-2, 4.01, 0.1), np.arange(-0.1, 0.101, 0.01)]), 6)
)
PLACEMENT = 0.2
#: The spreads of layouts that are weighed, as shares of the difference as linked.
SPREADS: Floats = np.array([0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.55, 0.75, 1.0, 1.5, 2.0])
#: The difference is taken for the one as linked when what remains surely lies in this range.
ALIKE = (2 / 3, 3 / 2)


@dataclass(frozen=True)
class Belief:
    """Probabilities of what remains of the ends' difference over layouts.

    ``within``: less than the margin. ``little``: less than a third of what it is as linked.
    ``alike``: about all of it.
    """

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
    # How likely the difference as linked is, given what the change makes; never finer than the
    # steps of the grid.
    made = np.sqrt(width + (error / unit) ** 2 + 0.05**2)
    fit = _prior() - 0.5 * ((1 - share) / made) ** 2 - np.log(made)
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
    """What layouts say of the difference of the ends; ``undecided`` as long as more are needed."""
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
    """Log likelihood of one block over layouts by share and spread, (shares, spreads).

    Both in units of the difference as linked. The same blocks come again after each new one.
    """
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
