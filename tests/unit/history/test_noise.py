"""The noise of a series whatever steps it has."""

from __future__ import annotations

import math

import numpy as np
import pytest

from whyfast.history.noise import (
    Prior,
    difference_noise,
    lower_quartile,
    rounding_noise,
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


def test_rounded_values_have_noise() -> None:
    # Half of the distances are nothing: what a rounded value hides is half of its last digit.
    assert lower_quartile(np.array([0.0, 0.0, 0.0, 1.0, 1.0, 2.0])) == 0.5


def test_values_that_hardly_ever_change_have_none() -> None:
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
