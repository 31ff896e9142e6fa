"""Blocks that are like their neighbours."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from whyfast.judge.correlation import inflations, is_clear, lag_one, lag_ones

Floats = NDArray[np.float64]


def _autoregression(rng: np.random.Generator, r: float, n: int) -> Floats:
    d = np.zeros(n)
    for i in range(1, n):
        d[i] = r * d[i - 1] + rng.standard_normal()
    return d


@pytest.mark.parametrize("r", [0.0, 0.5, 0.9])
def test_the_correlation_of_an_autoregression_is_found(r: float) -> None:
    d = _autoregression(np.random.default_rng(1), r, 4000)
    assert lag_one(d) == pytest.approx(r, abs=0.05)


def test_two_wild_neighbours_are_no_correlation() -> None:
    d = np.random.default_rng(2).standard_normal(60)
    d[20:22] = 1e6
    assert abs(lag_one(d)) < 0.3


@pytest.mark.parametrize("d", [[], [1.0, 2.0], [0.0] * 20, [0.0] * 19 + [1.0]])
def test_of_too_few_or_equal_blocks_none_is_known(d: list[float]) -> None:
    assert lag_one(np.array(d)) == 0.0


def test_what_is_within_chance_is_not_discounted() -> None:
    assert inflations(np.array([0.1, -0.9, 0.2, 0.5]), 40).tolist() == [1.0, 1.0, 1.0, 3.0]
    assert inflations(np.array([1.0]), 40)[0] < 100


def test_one_in_a_hundred_independent_series_is_warned_of() -> None:
    d = np.random.default_rng(3).standard_normal((60, 20_000))
    found = lag_ones(d)
    assert np.mean(is_clear(found, 60)) < 0.012
    assert np.mean(inflations(found, 60) > 1) < 0.012


def test_a_series_that_wanders_is_warned_of() -> None:
    rng = np.random.default_rng(4)
    found = [lag_one(_autoregression(rng, 0.5, 60)) for _ in range(100)]
    assert np.mean(is_clear(np.array(found), 60)) > 0.9
