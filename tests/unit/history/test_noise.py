"""Noise of values and of segments."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyfast.history.evidence import (
    Prior,
    ScaledNoise,
    adjoining,
    difference_noise,
    increasing,
    lag_one,
    lengths,
    lower_quartile,
    rounding_noise,
    scaled_noise,
    shared_prior,
)


def test_it_is_the_standard_deviation_of_normal_noise() -> None:
    y = 0.02 * np.random.default_rng(1).standard_normal(20_000)
    assert difference_noise(y) == pytest.approx(0.02, rel=0.03)


def test_steps_hardly_move_it() -> None:
    rng = np.random.default_rng(2)
    y = 0.02 * rng.standard_normal(2000) + np.repeat(rng.standard_normal(200), 10)
    assert difference_noise(y) == pytest.approx(0.02, rel=0.2)


def test_a_drift_does_not_move_it() -> None:
    y = 0.02 * np.random.default_rng(1).standard_normal(20_000)
    drifting = difference_noise(y + 0.5 * np.arange(20_000))
    assert drifting == pytest.approx(difference_noise(y), rel=0.01)


def test_differences_that_are_alike_by_chance_are_not_taken_for_a_drift() -> None:
    # Half of the differences are the same; about that one, most lie at nothing.
    y = np.log([1.006, 1.012, 1.003, 1.009, 1.0, 2.012, 2.024, 2.006, 2.018, 2.0])
    assert 0.002 < difference_noise(y) < 0.02


def test_rounded_values_have_noise_unless_they_hardly_ever_change() -> None:
    # Half of the distances are 0: what a rounded value hides is half of its last digit.
    assert lower_quartile(np.array([0.0, 0.0, 0.0, 1.0, 1.0, 2.0])) == 0.5
    assert lower_quartile(np.array([0.0, 0.0, 0.0, 0.0, 1.0])) == 0.0


def test_few_series_say_nothing_of_each_other() -> None:
    assert shared_prior(np.full(9, 0.02), np.full(9, 10.0)) == Prior()


def test_series_of_one_noise_know_it_well() -> None:
    rng = np.random.default_rng(3)
    own = 0.02 * np.sqrt(rng.chisquare(8, 200) / 8)
    prior = shared_prior(own, np.full(200, 8.0))
    assert math.sqrt(prior.variance) == pytest.approx(0.02, rel=0.05)
    assert prior.freedom == 60.0


def test_series_of_very_different_noise_know_little_of_each_other() -> None:
    rng = np.random.default_rng(4)
    own = 0.02 * np.exp(rng.standard_normal(500)) * np.sqrt(rng.chisquare(8, 500) / 8)
    assert 0.5 < shared_prior(own, np.full(500, 8.0)).freedom < 2.0


def test_rounding_to_a_nanosecond() -> None:
    assert rounding_noise(np.array([20e-9, 10e-9]), 1e-9) == pytest.approx(0.1 / 12**0.5)


RNG = np.random.default_rng(1)
WHITE = RNG.standard_normal(20_000)
TIMES = np.arange(20_000)


def wandering() -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return WHITE + 0.1 * np.cumsum(np.random.default_rng(2).standard_normal(20_000))


def test_lengths_are_two_to_an_octave() -> None:
    assert lengths(20).tolist() == [1, 2, 3, 4, 6, 8, 12, 16]
    assert lengths(1).tolist() == [1]
    assert lengths(5).tolist() == [1, 2, 3, 4]


def test_independent_noise_averages_out() -> None:
    noise = scaled_noise(1.0, 0.0, len(WHITE), adjoining(WHITE))
    assert noise.of_mean(np.array([100.0]))[0] == pytest.approx(0.01, rel=0.2)
    # Beyond the longest measured length, too, if less surely.
    assert 1e-4 <= noise.of_mean(np.array([1e4]))[0] < 3e-4


def test_noise_that_wanders_does_not() -> None:
    noise = scaled_noise(1.0, 0.0, len(WHITE), adjoining(wandering()))
    # A random walk of 0.1 a point adds 0.1² · m / 3, a mean of m values by itself 1 / m.
    assert noise.of_mean(np.array([128.0]))[0] == pytest.approx(0.01 * 128 / 3 + 1 / 128, rel=0.2)


@pytest.mark.parametrize("change", [0.01 * TIMES, 5.0 * (TIMES > 7000)], ids=["drift", "step"])
def test_a_change_is_not_noise(change: np.ndarray) -> None:
    noise = scaled_noise(1.0, 0.0, len(WHITE), adjoining(WHITE + change))
    assert noise.of_mean(np.array([64.0]))[0] == pytest.approx(1 / 64, rel=0.1)


def test_correlated_neighbours_average_out_later() -> None:
    noise = ScaledNoise(1.0, 0.5, np.zeros(1), np.zeros(1), 0.0)
    assert noise.factor_at(1) == pytest.approx(1.0)
    assert noise.factor_at(2) == pytest.approx(1.5)
    assert noise.factor_at(1e6) == pytest.approx(3.0, rel=1e-3)


def test_short_series_are_taken_to_be_independent() -> None:
    assert adjoining(np.arange(15.0))[1].tolist() == [0.0]


def test_the_correlation_of_neighbours() -> None:
    y = np.zeros(5000)
    for i in range(1, 5000):
        y[i] = 0.6 * y[i - 1] + WHITE[i]
    assert lag_one(y, 1) == pytest.approx(0.6, abs=0.03)
    assert lag_one(np.zeros(9), 1) == 0.0


@given(st.lists(st.tuples(st.floats(0, 9), st.floats(0.1, 9)), min_size=1, max_size=8))
def test_pooling_never_falls_and_keeps_the_mean(known: list[tuple[float, float]]) -> None:
    values, weights = (np.array(column) for column in zip(*known, strict=True))
    found = increasing(values, weights)
    assert (np.diff(found) >= -1e-9).all()
    assert found @ weights == pytest.approx(values @ weights)
