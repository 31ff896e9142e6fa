"""Error rates by simulation: seeded, and with bounds that right code misses once in a million."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from whyfast.judge.eprocess import evidence, intervals
from whyfast.judge.ratios import Ratios, turn_ratios
from whyfast.judge.strategies import Strategies, strategies

Floats = NDArray[np.float64]
Noise = Callable[[np.random.Generator, int], Ratios]

RUNS = 600
BLOCKS = 60
ALPHA = 0.1


def _normal(rng: np.random.Generator, n: int) -> Ratios:
    return Ratios(rng.normal(0, 1, (1, n)))


def _heavy(rng: np.random.Generator, n: int) -> Ratios:
    return Ratios(rng.standard_t(2, (1, n)))


def _bimodal(rng: np.random.Generator, n: int) -> Ratios:
    return Ratios(rng.choice([-1.0, 1.0], (1, n)) + rng.normal(0, 0.05, (1, n)))


def _louder(rng: np.random.Generator, n: int) -> Ratios:
    return Ratios(rng.normal(0, 1, (1, n)) * np.geomspace(1, 100, n))


def _turns(rng: np.random.Generator, n: int) -> Ratios:
    """Lopsided turns, processes of their own speed, and half of the blocks disturbed: everything
    that the strategies look at has something to see."""
    disturbed = rng.choice([0.3, 3.0], (n, 1))
    a, b = (rng.normal(0, 0.3, (n, 1)) + disturbed * rng.exponential(1.0, (n, 8)) for _ in range(2))
    return turn_ratios(a, b)


def _one_turn(rng: np.random.Generator, n: int) -> Ratios:
    return turn_ratios(rng.exponential(1.0, (n, 1)), rng.exponential(1.0, (n, 1)))


def _second(rng: np.random.Generator, n: int) -> Ratios:
    """Whoever runs second is slower by an amount that wanders: by the drawn order, no effect."""
    late = np.zeros(n)
    for i in range(1, n):
        late[i] = 0.95 * late[i - 1] + rng.normal(0, 0.3)
    second, late = rng.random((n, 1)) < 0.5, 2 + late[:, None]
    a, b = rng.normal(0, 0.1, (2, n, 1))
    return turn_ratios(a + np.where(second, late, 0.0), b + np.where(second, 0.0, late))


NOISES: list[Noise] = [_normal, _heavy, _bimodal, _louder, _turns, _one_turn, _second]


def _stops(series: Sequence[Ratios], theta: float = 0.0) -> Floats:
    """The first number of blocks at which somebody who looks after each says "not ``theta``"."""
    s = strategies(series)
    n, _, m = s.x.shape
    found = np.full(m, math.inf)
    for end in range(1, n + 1):
        part = Strategies(s.x[:end], s.inverse[:end], s.weight[:end], s.share, s.statistic)
        wealth = np.maximum(*evidence(part, np.full(m, theta)))
        found[(wealth >= math.log(2 / ALPHA)) & np.isinf(found)] = end
    return found


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("shift", [0.0, 0.7])
def test_looking_after_every_block_keeps_the_error_promised(noise: Noise, shift: float) -> None:
    rng = np.random.default_rng(20)
    series = [noise(rng, BLOCKS).shifted(shift) for _ in range(RUNS)]
    assert np.sum(np.isfinite(_stops(series, shift))) <= binom.isf(1e-6, RUNS, ALPHA)


@pytest.mark.parametrize("noise", [_normal, _heavy])
def test_a_difference_as_large_as_the_noise_is_found_soon(noise: Noise) -> None:
    rng = np.random.default_rng(21)
    found = _stops([noise(rng, BLOCKS).shifted(1.0) for _ in range(200)])
    assert np.mean(np.isfinite(found)) >= 0.9
    assert np.median(found) <= 30


def test_turns_say_more_than_the_medians_of_their_ratios() -> None:
    rng = np.random.default_rng(24)
    series = [_turns(rng, BLOCKS).shifted(0.4) for _ in range(200)]
    alone = [Ratios(r.medians[None]) for r in series]
    assert np.median(_stops(series)) < 0.6 * np.median(_stops(alone))


@pytest.mark.parametrize("noise", NOISES)
def test_the_interval_holds_the_truth_as_often_as_promised(noise: Noise) -> None:
    rng = np.random.default_rng(22)
    series = [noise(rng, 30).shifted(0.3) for _ in range(RUNS)]
    low, high, _ = intervals(strategies(series), np.full(RUNS, ALPHA))
    assert np.sum((low > 0.3) | (high < 0.3)) <= binom.isf(1e-6, RUNS, ALPHA)


def test_two_heaps_cost_twice_the_blocks_of_normal_noise_and_not_ever_more() -> None:
    """The median deviation collapses to the width of one heap; the wide scale does not."""
    rng = np.random.default_rng(25)
    series = [_bimodal(rng, 400).shifted(0.5) for _ in range(100)]
    found = _stops(series)
    assert np.all(np.isfinite(found))
    assert np.median(found) < 100


def test_the_interval_shortens_with_the_root_of_the_blocks() -> None:
    rng = np.random.default_rng(23)
    width = {}
    for n in (50, 200):
        low, high, _ = intervals(
            strategies([_normal(rng, n) for _ in range(50)]), np.full(50, 0.05)
        )
        width[n] = float(np.median(high - low))
    assert width[50] < 1.3
    assert 1.7 < width[50] / width[200] < 2.4
