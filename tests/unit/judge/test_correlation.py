"""What evidence counts where blocks may be like their neighbours, and the warning."""

import numpy as np
import pytest
from numpy.typing import NDArray

from whyfast.judge.correlation import ENOUGH, EVEN, FEWEST, is_clear, lag_one, lag_ones, likelihood

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


def _counts(d: Floats, wealth: float, theta: float, side: int = 1) -> float:
    counts = likelihood(d[:, None]).discounted(np.array([wealth]), np.array([theta]), side)
    return float(counts[0])


def test_blocks_that_wander_count_for_less_than_the_same_blocks_mixed() -> None:
    d = 2 + 2 * np.sin(np.arange(30) / 5)
    assert _counts(d, 12.0, 0.0) == pytest.approx(3.153, abs=1e-3)
    assert _counts(np.random.default_rng(6).permutation(d), 12.0, 0.0) == 12.0


def test_where_correlation_is_no_explanation_all_counts_however_strict_the_level() -> None:
    d = 4 + 2 * np.sin(np.arange(30) / 5)
    assert likelihood(d[:, None]).ratio(np.array([-4 / 1.6]), 1)[0] > ENOUGH
    assert _counts(d, 40.0, 0.0) == 40.0


def test_a_difference_beyond_what_correlation_could_make_counts_from_the_first() -> None:
    d = np.random.default_rng(0).standard_normal(9)
    assert _counts(d + 1, 5.3, 0.0) < 5
    assert _counts(d + 3, 5.3, 0.0) == 5.3


def test_the_likelihood_is_that_of_an_autoregression() -> None:
    d = np.array([0.3, -0.2, 0.5, 0.1, -0.4, 0.2, -0.3])
    made = likelihood(d[:, None])
    n = len(d)
    z = (d - made.center) / made.unit
    assert np.max(np.abs(z)) < 2  # nothing is moved
    for k, r in ((0, 0.0), (5, 0.5), (11, 0.95)):
        # Up to its variance, the covariance of a stationary autoregression of first order.
        lag = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
        inverse = np.linalg.inv(r**lag / (1 - r * r))
        ones = np.ones(n)
        peak = (ones @ inverse @ z) / (ones @ inverse @ ones)
        assert made.peak[k, 0] == pytest.approx(peak)
        assert made.bend[k, 0] == pytest.approx(ones @ inverse @ ones)
        assert made.least[k, 0] == pytest.approx((z - peak) @ inverse @ (z - peak))


@pytest.mark.parametrize("side", [1, -1])
def test_what_counts_is_never_more_and_grows_with_the_distance(side: int) -> None:
    rng = np.random.default_rng(8)
    d = np.array([_autoregression(rng, r, 20) for r in (0.0, 0.5, 0.9) for _ in range(50)]).T
    found = likelihood(d)
    thetas = np.linspace(0, 9, 200) * -side
    ratios = [found.ratio(np.full(d.shape[1], x), side) for x in thetas]
    assert np.min(np.diff(ratios, axis=0)) >= -1e-9
    for wealth in (-1.0, 3.0, 20.0):
        counts = found.discounted(np.full(d.shape[1], wealth), np.zeros(d.shape[1]), side)
        assert np.all(counts <= wealth)


def test_equal_blocks_and_too_few_are_not_discounted() -> None:
    assert _counts(np.full(12, 0.3), 7.0, 0.0) == 7.0
    assert _counts(np.linspace(1, 2, FEWEST - 1), 7.0, 0.0) == 7.0


def test_one_in_a_hundred_independent_series_is_warned_of() -> None:
    d = np.random.default_rng(3).standard_normal((60, 20_000))
    found = lag_ones(d)
    assert np.mean(is_clear(found, 60)) < 0.012


def test_a_series_that_wanders_is_warned_of() -> None:
    rng = np.random.default_rng(4)
    found = [lag_one(_autoregression(rng, 0.5, 60)) for _ in range(100)]
    assert np.mean(is_clear(np.array(found), 60)) > 0.9


def test_both_ways_is_the_likelihood_of_the_blocks_and_of_their_negatives() -> None:
    d = np.random.default_rng(7).normal(0.01, 0.02, (12, 3)).cumsum(axis=0)
    both, wanted = likelihood(d).both_ways(), likelihood(np.concatenate([d, -d], axis=1))
    theta, wealth = np.linspace(-0.1, 0.1, 6), np.full(6, 4.0)
    for side in (1, -1):
        discounted = both.discounted(wealth, theta, side)
        assert discounted == pytest.approx(wanted.discounted(wealth, theta, side), rel=1e-12)
        assert np.any(discounted < 4)
    assert both.reach() == pytest.approx(wanted.reach(), rel=1e-12)


@pytest.mark.parametrize(("odds", "counts"), [(1e9, 13.570), (10.0, 6.129), (EVEN, 3.827)])
def test_the_likelier_correlation_is_beforehand_the_less_counts(odds: float, counts: float) -> None:
    d = 2.5 + np.random.default_rng(0).standard_normal(9)
    found = likelihood(d[:, None], odds=odds)
    assert found.ratio(-found.center / found.unit, 1)[0] == pytest.approx(counts, abs=0.001)
