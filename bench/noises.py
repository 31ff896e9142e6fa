"""Noise to simulate blocks with: what a block says about two equal programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.ratios import Ratios, turn_ratios

Floats = NDArray[np.float64]
Rng = np.random.Generator


def _plain(values: Callable[[Rng, int], Floats]) -> Callable[[Rng, int], Ratios]:
    return lambda rng, n: Ratios(values(rng, n)[None])


def _turns(
    process: float, turn: Callable[[Rng, tuple[int, int]], Floats], turns: int
) -> Callable[[Rng, int], Ratios]:
    """Blocks of two processes, whose log times vary by ``process`` and, turn by turn, ``turn``."""

    def made(rng: Rng, n: int) -> Ratios:
        logs = [process * rng.standard_normal((n, 1)) + turn(rng, (n, turns)) for _ in range(2)]
        return turn_ratios(logs[0], logs[1])

    return made


def _spiky(rng: Rng, shape: tuple[int, int]) -> Floats:
    """Times that are never shorter than some least, and one in ten turns interrupted."""
    away = rng.exponential(0.004, shape)
    return away + np.where(rng.random(shape) < 0.1, rng.exponential(0.2, shape), 0.0)


def _neighbours(rng: Rng, shape: tuple[int, int]) -> Floats:
    """As above, and in half of the blocks a neighbour that slows down three turns of ten."""
    loud = rng.random((shape[0], 1)) < 0.5
    return _spiky(rng, shape) + np.where(loud & (rng.random(shape) < 0.3), 0.3, 0.0)


#: Each gives n blocks of two equal programs.
KINDS: Mapping[str, Callable[[Rng, int], Ratios]] = {
    "normal": _plain(lambda rng, n: 0.01 * rng.standard_normal(n)),
    "t with 2 degrees of freedom": _plain(lambda rng, n: 0.01 * rng.standard_t(2, n) / 1.22),
    "two heaps": _plain(
        lambda rng, n: 0.01 * (rng.choice([-1.0, 1.0], n) + 0.1 * rng.standard_normal(n))
    ),
    "20 turns, interrupted": _turns(0.002, _spiky, 20),
    "20 turns, busy neighbours": _turns(0.002, _neighbours, 20),
    "commands, one turn": _turns(0.0, _neighbours, 1),
}


def draw(rng: Rng, kind: str, n: int) -> Ratios:
    """``n`` blocks of the noise that is called ``kind``."""
    return KINDS[kind](rng, n)
