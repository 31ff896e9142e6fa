"""Processes of one side that are unlike the others."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from whyfast.judge.outliers import (
    SURE,
    asymmetric_outliers_of,
    may_have_asymmetric_outliers,
    sign_test,
)
from whyfast.judge.ratios import Ratios
from whyfast.model.verdict import AsymmetricOutliers

Floats = NDArray[np.float64]


def _blocks(n: int, variant: Floats, baseline: Floats, seed: int = 1) -> Ratios:
    """Log times of both sides, and noise of 0.2 %."""
    noise = np.random.default_rng(seed).normal(0, 0.002, (2, n))
    a, b = noise[0] + variant, noise[1] + baseline
    return Ratios((a - b)[None], None, a + b)


def _some(n: int, places: slice, by: float) -> Floats:
    values = np.zeros(n)
    values[places] = by
    return values


def _found(ratios: Ratios) -> AsymmetricOutliers:
    found = asymmetric_outliers_of(ratios, "new", "old", 0.01)
    assert found
    return found


def test_a_tenth_of_slow_processes_of_the_variant() -> None:
    found = _found(_blocks(100, _some(100, slice(0, 100, 10), math.log(1.3)), np.zeros(100)))
    assert (found.side, found.slow) == ("new", True)
    assert (found.count, found.other, found.of) == (10, 0, 100)
    assert found.low == pytest.approx(0.055, abs=0.001)
    assert found.high == pytest.approx(0.174, abs=0.001)
    assert found.ratio == pytest.approx(1.3, abs=0.005)
    assert found.mean == pytest.approx(1.03, abs=0.001)
    assert found.p_value == pytest.approx(2 / 2**10)


@pytest.mark.parametrize(
    ("variant", "baseline", "side", "slow", "mean"),
    [
        (0.2, 0.0, "new", True, 1 + 0.1 * math.expm1(0.2)),
        (0.0, 0.2, "old", True, 1 / (1 + 0.1 * math.expm1(0.2))),
        (-0.2, 0.0, "new", False, 1 + 0.1 * math.expm1(-0.2)),
        (0.0, -0.2, "old", False, 1 / (1 + 0.1 * math.expm1(-0.2))),
    ],
)
def test_the_time_of_both_sides_tells_whose_processes_they_are(
    variant: float, baseline: float, side: str, slow: bool, mean: float
) -> None:
    at = slice(0, 100, 10)
    found = _found(_blocks(100, _some(100, at, variant), _some(100, at, baseline)))
    assert (found.side, found.slow) == (side, slow)
    assert found.mean == pytest.approx(mean, abs=0.002)
    assert (found.ratio > 1) is slow


def test_a_machine_that_disturbs_both_sides_is_not_lopsided() -> None:
    rng = np.random.default_rng(3)
    sure = 0
    for seed in range(200):
        hit = rng.random((2, 60)) < 0.1
        ratios = _blocks(60, 0.3 * hit[0], 0.3 * hit[1], seed)
        found = asymmetric_outliers_of(ratios, "new", "old", 0.01)
        sure += found is not None and found.p_value <= SURE
    assert sure <= 14  # 4 % expected of a discrete test at 5 %


def test_noise_alone_has_no_outlying_blocks() -> None:
    assert (
        asymmetric_outliers_of(_blocks(200, np.zeros(200), np.zeros(200)), "new", "old", 0.01)
        is None
    )
    assert asymmetric_outliers_of(Ratios(np.zeros((1, 0))), "new", "old", 0.01) is None


def test_less_than_the_margin_matters_to_nobody() -> None:
    ratios = Ratios(np.array([[0.0] * 50 + [0.005] * 5]))
    assert asymmetric_outliers_of(ratios, "new", "old", 0.01) is None
    assert asymmetric_outliers_of(ratios, "new", "old", 0.001)


def test_many_are_asked_at_once_whether_there_is_anything_to_ask() -> None:
    slow = _blocks(40, _some(40, slice(0, 1), 0.3), np.zeros(40))
    quiet = _blocks(40, np.zeros(40), np.zeros(40))
    both = np.column_stack([slow.medians, quiet.medians])
    assert may_have_asymmetric_outliers(both, 0.01).tolist() == [True, False]


@pytest.mark.parametrize(("more", "fewer"), [(0, 0), (1, 0), (3, 3), (6, 0), (8, 1), (300, 250)])
def test_the_sign_test_is_the_binomial_one(more: int, fewer: int) -> None:
    n = more + fewer
    wanted = stats.binomtest(more, n).pvalue if n else 1.0
    assert sign_test(more, fewer) == pytest.approx(wanted)
