"""From blocks to a table: log likelihood by grid point, candidate and level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whyfast.search.hypotheses import LEVELS
from whyfast.search.likelihood import log_block, log_candidate, log_ends
from whyfast.search.nuisance import Grid
from whyfast.search.state import Observation

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class BlockTable:
    """Log likelihoods of all blocks.

    ``candidates``: those measured, in order. ``level[p, i, l]``: of all blocks of candidate i if
    it has level l of :data:`LEVELS` at grid point p. ``ramp[p, i]``: if its level is its share of
    the range. ``ends[p]``: of the blocks in which the ends ran alone.
    """

    candidates: tuple[int, ...]
    level: Floats
    ramp: Floats
    ends: Floats

    def at(self, points: NDArray[np.bool_]) -> BlockTable:
        """The table of some of the grid points."""
        return BlockTable(self.candidates, self.level[points], self.ramp[points], self.ends[points])


def tabulate(observations: Sequence[Observation], points: Grid, positions: int) -> BlockTable:
    """The table. Of a block with two candidates the ends count once, with the first."""
    effect, noise = points.effect[:, None], points.noise[:, None]
    alone = np.array([o.ends for o in observations if not o.readings])
    first = [(o.readings[0], o.ends) for o in observations if o.readings]
    later = [r for o in observations for r in o.readings[1:]]
    readings = [r for r, _ in first] + later
    candidates = tuple(sorted({r.candidate for r in readings}))
    u = np.array([r.offset for r in readings])
    w = np.array([ends for _, ends in first])
    of = np.array([r.candidate for r in readings], dtype=np.float64)
    # Shape (points, readings, levels + 1): the last level is that of a ramp, another for each.
    levels = np.column_stack([np.tile(LEVELS, (len(u), 1)), of / positions])
    mean = (levels[None] - 0.5) * effect[..., None]
    n, sd = len(first), noise[..., None]
    fit = np.concatenate(
        [
            log_block(u[:n, None], w[:, None], mean[:, :n], effect[..., None], sd),
            log_candidate(u[n:, None], mean[:, n:], sd),
        ],
        axis=1,
    )
    summed = _by_candidate(of, fit)
    return BlockTable(
        candidates,
        summed[..., :-1],
        summed[..., -1],
        log_ends(alone, effect, noise).sum(axis=1),
    )


def _by_candidate(of: Floats, fit: Floats) -> Floats:
    """Sums over the readings of each candidate, in order; (points, readings, levels) to (points,
    candidates, levels)."""
    if not of.size:
        return np.zeros((fit.shape[0], 0, fit.shape[2]))
    order = np.argsort(of, kind="stable")
    first = np.flatnonzero(np.diff(of[order], prepend=-1.0))
    return np.asarray(np.add.reduceat(fit[:, order], first, axis=1))
