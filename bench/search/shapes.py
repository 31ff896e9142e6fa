"""Scenes with more than one step, and with none that is one."""

from __future__ import annotations

import numpy as np

from bench.search.play import Played
from bench.search.scenes import EFFECT, POSITIONS, Case, Scene, says, task
from bench.search.world import World


def two_steps(effect: float, middle: float) -> Scene:
    """Levels 0, ``middle`` and 1 times ``effect``. Right: either step, told to be not all."""

    def make(rng: np.random.Generator) -> Case:
        first, second = sorted(
            int(c) for c in rng.choice(np.arange(1, POSITIONS + 1), 2, replace=False)
        )
        levels = [
            effect * (0.0 if c < first else middle if c < second else 1.0)
            for c in range(POSITIONS + 1)
        ]

        def right(played: Played) -> bool:
            where = played.answer.where
            return (
                played.answer.outcome == "culprit"
                and where is not None
                and where.first in (first, second)
            )

        return Case(World(rng, levels, unit=EFFECT / effect), task(), right, (first, second))

    return Scene(f"{effect:g}σ, 0 → {middle:g} → 1", make)


def gradual(effect: float) -> Scene:
    """Every commit costs a little. Right: no commit is named."""

    def make(rng: np.random.Generator) -> Case:
        levels = [effect * c / POSITIONS for c in range(POSITIONS + 1)]
        return Case(World(rng, levels, unit=EFFECT / effect), task(), says("gradual"))

    return Scene(f"{effect:g}σ, a little with each commit", make)


def scattered(effect: float, *, either: bool) -> Scene:
    """Every build has its own luck, relinking is impossible. Right: no commit is named.

    With ``either`` a level is that of one end or the other, else normal around their middle.
    """

    def make(rng: np.random.Generator) -> Case:
        luck = rng.integers(0, 2, POSITIONS + 1) if either else None
        drawn = 0.5 + 0.5 * rng.standard_normal(POSITIONS + 1) if luck is None else luck
        levels = (effect * drawn).tolist()
        levels[0], levels[-1] = 0.0, effect
        return Case(World(rng, levels, unit=EFFECT / effect), task(), says("scattered"))

    return Scene(f"{effect:g}σ, each build {'either level' if either else 'a level'}", make)
