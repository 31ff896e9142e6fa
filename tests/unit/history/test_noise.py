"""The noise of a series whatever steps it has."""

from __future__ import annotations

import numpy as np
import pytest

from whyfast.history.noise import difference_noise, pooled_noise, rounding_noise


def test_it_is_the_standard_deviation_of_normal_noise() -> None:
    y = 0.02 * np.random.default_rng(1).standard_normal(20_000)
    assert difference_noise(y) == pytest.approx(0.02, rel=0.03)


def test_steps_hardly_move_it() -> None:
    rng = np.random.default_rng(2)
    y = 0.02 * rng.standard_normal(2000) + np.repeat(rng.standard_normal(200), 10)
    assert difference_noise(y) == pytest.approx(0.02, rel=0.2)


def test_few_series_keep_their_own() -> None:
    assert pooled_noise(np.array([0.01, 0.02, 0.09])).tolist() == [0.01, 0.02, 0.09]


def test_of_many_none_is_quieter_than_the_median() -> None:
    own = np.array([0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.10, 0.11])
    expected = [0.06, 0.06, 0.06, 0.06, 0.06, 0.06, 0.07, 0.08, 0.09, 0.10, 0.11]
    assert pooled_noise(own).tolist() == expected


def test_rounding_to_a_nanosecond() -> None:
    assert rounding_noise(np.array([20e-9, 10e-9]), 1e-9) == pytest.approx(0.1 / 12**0.5)
