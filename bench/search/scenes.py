"""The scenes: worlds with a known answer, and what counts as right in each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bench.search.play import Played
from bench.search.world import Draw, World, normal
from whyfast.search.state import KnownEnds, Task

POSITIONS = 1024
#: With unknown ends, the effect that one standard deviation of noise stands for is chosen so that
#: the whole effect is this log ratio: three times the margin.
EFFECT = 0.03
#: Searches that have not ended by then are counted as wrong.
BUDGET = 3000


@dataclass(frozen=True)
class Case:
    """A world, what is asked of it, what is right of an answer, and where its steps are."""

    world: World
    task: Task
    right: Callable[[Played], bool]
    steps: tuple[int, ...] = ()


@dataclass(frozen=True)
class Scene:
    """One kind of world. ``effect``: the bound for this effect applies."""

    name: str
    make: Callable[[np.random.Generator], Case]
    effect: float | None = None


def step_at(at: int, effect: float, positions: int = POSITIONS) -> list[float]:
    """Levels of one step."""
    return [effect if c >= at else 0.0 for c in range(positions + 1)]


def holds(at: int) -> Callable[[Played], bool]:
    """Right: the answer is a confirmed place that holds the step."""

    def right(played: Played) -> bool:
        where = played.answer.where
        confirmed = played.answer.outcome in ("culprit", "one of")
        return confirmed and where is not None and where.first <= at <= where.last

    return right


def says(*words: str) -> Callable[[Played], bool]:
    """Right: the answer is one of these words."""
    return lambda played: played.answer.outcome in words


def task(known: KnownEnds | None = None, *, relinkable: bool = False) -> Task:
    """A task as all scenes have it: a build costs as much as a block."""
    return Task(
        POSITIONS,
        margin=0.01,
        relinkable=relinkable,
        known=known,
        budget=BUDGET,
    )


def known_ends(effect: float, assumed: float = 1.0) -> Scene:
    """The scene of the bound. ``assumed``: the effect is taken for so many times what it is."""

    def make(rng: np.random.Generator) -> Case:
        at = int(rng.integers(1, POSITIONS + 1))
        world = World(rng, step_at(at, effect))
        return Case(world, task(KnownEnds(effect * assumed, 1.0)), holds(at), (at,))

    name = f"{effect:g}σ" if assumed == 1 else f"{effect:g}σ, taken for {effect * assumed:g}σ"
    return Scene(name, make, effect)


def learnt_ends(effect: float, noise: Draw = normal) -> Scene:
    """Neither the effect nor the noise is known."""

    def make(rng: np.random.Generator) -> Case:
        at = int(rng.integers(1, POSITIONS + 1))
        world = World(rng, step_at(at, effect), noise, unit=EFFECT / effect)
        return Case(world, task(), holds(at), (at,))

    return Scene(f"{effect:g}σ, {noise.__name__}", make, effect if noise is normal else None)


def unbuildable(effect: float, stretch: int) -> Scene:
    """One commit in five does not build: each by itself, or in stretches of mean ``stretch``."""

    def make(rng: np.random.Generator) -> Case:
        at = int(rng.integers(1, POSITIONS + 1))
        broken = _broken(rng, stretch)
        world = World(rng, step_at(at, effect), broken=broken)
        return Case(world, task(KnownEnds(effect, 1.0)), holds(at), (at,))

    how = "one by one" if stretch == 1 else f"in stretches of {stretch}"
    return Scene(f"{effect:g}σ, a fifth broken {how}", make, effect)


def _broken(rng: np.random.Generator, stretch: int) -> frozenset[int]:
    """A two-state chain whose broken state lasts ``stretch`` on average and has share 1/5."""
    if stretch == 1:
        return frozenset(int(c) for c in np.flatnonzero(rng.random(POSITIONS - 1) < 0.2) + 1)
    mend, spoil = 1 / stretch, 1 / (4 * stretch)
    out, bad = [], rng.random() < 0.2
    for c in range(1, POSITIONS):
        if bad:
            out.append(c)
        bad = rng.random() >= mend if bad else rng.random() < spoil
    return frozenset(out)


def no_step(effect: float, *, known: bool) -> Scene:
    """The ends are the same; somebody was sure that they differ by ``effect``."""

    def make(rng: np.random.Generator) -> Case:
        world = World(rng, step_at(POSITIONS + 1, 0.0), unit=1.0 if known else EFFECT / effect)
        return Case(world, task(KnownEnds(effect, 1.0) if known else None), says("none"))

    return Scene(f"{effect:g}σ {'claimed' if known else 'would be 3 times the margin'}", make)
