"""Error rates by simulation: seeded, and with bounds that right code misses once in a million."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from whyfast.judge.eprocess import confidence_interval, log_e_value, scales

Floats = NDArray[np.float64]
Noise = Callable[[np.random.Generator, int], Floats]

RUNS = 120
BLOCKS = 60
ALPHA = 0.1


def _normal(rng: np.random.Generator, n: int) -> Floats:
    return rng.normal(0, 1, n)


def _heavy(rng: np.random.Generator, n: int) -> Floats:
    return rng.standard_t(2, n)


def _bimodal(rng: np.random.Generator, n: int) -> Floats:
    return rng.choice([-1.0, 1.0], n) + rng.normal(0, 0.05, n)


def _louder(rng: np.random.Generator, n: int) -> Floats:
    return rng.normal(0, 1, n) * np.geomspace(1, 100, n)


NOISES: list[Noise] = [_normal, _heavy, _bimodal, _louder]


def _stops(d: Floats) -> int | None:
    """The first number of blocks at which somebody who looks after each says "different"."""
    scale = scales(d)
    for n in range(1, len(d) + 1):
        if log_e_value(d[:n], 0.0, scale[:n]) >= np.log(1 / ALPHA):
            return n
    return None


@pytest.mark.parametrize("noise", NOISES)
def test_looking_after_every_block_raises_no_more_false_alarms_than_promised(noise: Noise) -> None:
    rng = np.random.default_rng(20)
    alarms = sum(_stops(noise(rng, BLOCKS)) is not None for _ in range(RUNS))
    assert alarms <= binom.isf(1e-6, RUNS, ALPHA)


@pytest.mark.parametrize("noise", [_normal, _heavy])
def test_a_difference_as_large_as_the_noise_is_found_soon(noise: Noise) -> None:
    rng = np.random.default_rng(21)
    found = [_stops(noise(rng, BLOCKS) + 1.0) for _ in range(50)]
    assert sum(n is not None for n in found) >= 45
    assert np.median([n for n in found if n]) <= 30


@pytest.mark.parametrize("noise", NOISES)
def test_the_interval_holds_the_truth_as_often_as_promised(noise: Noise) -> None:
    rng = np.random.default_rng(22)
    missed = 0
    for _ in range(200):
        low, high = confidence_interval(0.3 + noise(rng, 30), ALPHA)
        missed += not low <= 0.3 <= high
    assert missed <= binom.isf(1e-6, 200, ALPHA)


def test_the_interval_shortens_with_the_root_of_the_blocks() -> None:
    rng = np.random.default_rng(23)
    width = {
        n: np.median([np.ptp(confidence_interval(rng.normal(0, 1, n), 0.05)) for _ in range(20)])
        for n in (50, 200)
    }
    assert width[50] < 1.3
    assert 1.7 < width[50] / width[200] < 2.4
