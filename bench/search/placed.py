"""Scenes in which the placement of code matters."""

from __future__ import annotations

import numpy as np

from bench.search.scenes import EFFECT, POSITIONS, Case, Scene, holds, says, step_at, task
from bench.search.world import Draw, Floats, World


def spread(size: float) -> Draw:
    """Layouts whose log times are normal with standard deviation ``size``."""
    return lambda rng, n: size * rng.standard_normal(n)


def lucky(size: float, share: float) -> Draw:
    """Layouts that are ``size`` slower with probability ``share``, and else alike."""
    return lambda rng, n: np.asarray(size * (rng.random(n) < share), dtype=np.float64)


def decoy(effect: float, layout: Draw, name: str) -> Scene:
    """A commit in the range only moves code: as linked the level steps there, and no work does.

    Which two layouts the ends have is drawn until they are 0.8 to 1.25 times ``effect`` apart: a
    search is begun because a difference was seen.
    """

    def make(rng: np.random.Generator) -> Case:
        at = int(rng.integers(1, POSITIONS + 1))
        before, after = pair_of(rng, layout, effect)
        linked = {c: after if c >= at else before for c in range(POSITIONS + 1)}
        world = World(
            rng, step_at(POSITIONS + 1, 0.0), linked=linked, layout=layout, unit=EFFECT / effect
        )
        return Case(world, task(relinkable=True), says("placement"))

    return Scene(f"{effect:g}σ, {name}", make)


def change(effect: float, layout: Draw, name: str) -> Scene:
    """A true step; every build as linked has the luck of its own layout, as the ends do."""

    def make(rng: np.random.Generator) -> Case:
        at = int(rng.integers(1, POSITIONS + 1))
        luck = layout(rng, POSITIONS + 1)
        world = World(
            rng,
            step_at(at, effect),
            linked=dict(enumerate(luck.tolist())),
            layout=layout,
            unit=EFFECT / effect,
        )
        return Case(world, task(relinkable=True), holds(at), (at,))

    return Scene(f"{effect:g}σ, {name}", make)


def change_and_decoy(effect: float, move: float, layout: Draw, name: str) -> Scene:
    """A true step and, elsewhere, a commit that moves code by ``move``; both orders."""

    def make(rng: np.random.Generator) -> Case:
        at, moved = (int(c) for c in rng.choice(np.arange(1, POSITIONS + 1), 2, replace=False))
        linked = {c: move if c >= moved else 0.0 for c in range(POSITIONS + 1)}
        world = World(rng, step_at(at, effect), linked=linked, layout=layout, unit=EFFECT / effect)
        return Case(world, task(relinkable=True), holds(at), (at,))

    return Scene(f"{effect:g}σ and a decoy of {move:g}σ, {name}", make)


def pair_of(rng: np.random.Generator, layout: Draw, effect: float) -> tuple[float, float]:
    """Two layouts that are 0.8 to 1.25 times ``effect`` apart."""
    while True:
        pairs: Floats = layout(rng, 2000).reshape(-1, 2)
        gaps = pairs[:, 1] - pairs[:, 0]
        fit = np.flatnonzero((gaps > effect * 0.8) & (gaps < effect * 1.25))
        if fit.size:
            return float(pairs[fit[0], 0]), float(pairs[fit[0], 1])
