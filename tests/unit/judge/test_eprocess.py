"""The e-process and the interval that is its inversion: what holds exactly, for any data."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from whyfast.judge.eprocess import (
    CLIP,
    LAMBDAS,
    WEIGHTS,
    confidence_interval,
    log_e_value,
    log_wealth,
    scales,
    scores,
)

Floats = NDArray[np.float64]

#: Log ratios as they occur, with ties, zeros and wild ones.
_RATIO = st.one_of(
    st.integers(-400, 400).map(lambda n: n / 2048),
    st.floats(-1, 1).map(lambda x: round(x, 9)),
    st.sampled_from([0.0, 0.01, -0.01, 3.0, -40.0]),
)


def _series(least: int, most: int) -> st.SearchStrategy[Floats]:
    return st.lists(_RATIO, min_size=least, max_size=most).map(np.array)


def _rounding(d: Floats) -> float:
    """How far an end may lie outside the set of log ratios that are not refuted."""
    deviation = float(np.median(np.abs(d - np.median(d))))
    return max(1e-3 * deviation, 1e-9 * float(np.ptp(d)), 1e-12)


def _wealth_by_hand(psi: list[float]) -> float:
    total = 0.0
    for bet, weight in zip(LAMBDAS, WEIGHTS, strict=True):
        product = 1.0
        for score in psi:
            product *= math.exp(bet * score) / math.cosh(bet * score)
        total += weight * product
    return total


def test_wealth_is_the_weighted_product_of_the_bets() -> None:
    psi = [1.5, -0.25, 0.75, 1.5, 0.0]
    assert math.exp(log_wealth(np.array(psi))) == pytest.approx(_wealth_by_hand(psi), rel=1e-12)


def test_wealth_begins_at_one() -> None:
    assert log_wealth(np.array([])) == pytest.approx(0.0, abs=1e-15)
    assert log_e_value(np.array([])) == -math.log(2)


def test_a_block_equal_to_the_hypothesis_is_evidence_of_nothing() -> None:
    assert log_wealth(np.array([0.0, 0.0])) == pytest.approx(0.0, abs=1e-15)


@given(past=_series(0, 30), size=st.floats(0, 10), theta=_RATIO)
@example(past=np.array([0.0] * 20), size=1e-9, theta=0.0)
@example(past=np.array([0.01] * 30), size=0.01, theta=0.0)
def test_wealth_stays_the_same_on_average_over_the_two_signs_of_the_next_block(
    past: Floats, size: float, theta: float
) -> None:
    plus, minus = (np.append(past - theta, sign * size) for sign in (1, -1))
    for side in (1.0, -1.0):
        before = log_wealth(side * scores(past - theta, 0.0, scales(past - theta)))
        after = [
            math.exp(log_wealth(side * scores(d, 0.0, scales(d))) - before) for d in (plus, minus)
        ]
        assert sum(after) / 2 == pytest.approx(1.0, abs=1e-12)


@given(d=_series(4, 20), other=_RATIO, data=st.data())
def test_the_scale_of_a_block_knows_earlier_blocks_only(
    d: Floats, other: float, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(d) - 1))
    changed = d.copy()
    changed[at:] = other
    assert scales(changed)[: at + 1].tolist() == scales(d)[: at + 1].tolist()


def test_the_scale_is_the_median_absolute_deviation_after_three_blocks() -> None:
    d = np.array([0.0, 1.0, 3.0, 2.0, 100.0, 5.0])
    wanted = [0.0, 0.0, 0.0, 1.4826, 1.4826, 1.4826]
    assert scales(d).tolist() == pytest.approx(wanted)


def test_scores_are_linear_then_limited_and_signs_without_a_scale() -> None:
    d = np.array([0.5, -0.5, 4.0, -1e300, 0.3, -0.3, 0.1])
    scale = np.array([1.0, 1.0, 1.0, 1e-10, 0.0, 0.0, 0.0])
    wanted = [0.4, -0.6, CLIP, -CLIP, CLIP, -CLIP, 0.0]
    assert scores(d, 0.1, scale).tolist() == pytest.approx(wanted)


@given(d=_series(1, 30), alpha=st.sampled_from([0.2, 0.05, 0.01]), theta=_RATIO)
@example(d=np.arange(1.0, 9.0) / 100, alpha=0.05, theta=0.0)
def test_a_log_ratio_outside_the_interval_is_one_that_the_e_value_refutes(
    d: Floats, alpha: float, theta: float
) -> None:
    low, high = confidence_interval(d, alpha)
    refuted = log_e_value(d, theta) >= math.log(1 / alpha)
    if theta <= low or theta >= high:
        assert refuted
    elif low + _rounding(d) < theta < high - _rounding(d):
        assert not refuted


@settings(max_examples=50)
@given(d=_series(13, 40), alpha=st.sampled_from([0.2, 0.05, 0.01]))
def test_each_end_is_refuted_and_the_next_log_ratio_inside_is_not(d: Floats, alpha: float) -> None:
    scale, limit, step = scales(d), math.log(2 / alpha), _rounding(d)
    low, high = confidence_interval(d, alpha)
    assert log_wealth(scores(d, low, scale)) >= limit > log_wealth(scores(d, low + step, scale))
    assert log_wealth(-scores(d, high, scale)) >= limit > log_wealth(-scores(d, high - step, scale))


@settings(max_examples=50)
@given(d=_series(0, 40), alpha=st.sampled_from([0.2, 0.05, 0.01]))
def test_exchanging_variant_and_baseline_mirrors_everything(d: Floats, alpha: float) -> None:
    low, high = confidence_interval(d, alpha)
    assert confidence_interval(-d, alpha) == (-high, -low)
    assert log_e_value(-d) == log_e_value(d)


@settings(max_examples=50)
@given(d=_series(0, 40))
def test_more_certainty_never_makes_an_interval_shorter(d: Floats) -> None:
    ends = [confidence_interval(d, alpha) for alpha in (0.2, 0.05, 0.01, 0.001)]
    assert sorted((low for low, _ in ends), reverse=True) == [low for low, _ in ends]
    assert sorted(high for _, high in ends) == [high for _, high in ends]


@settings(max_examples=50)
@given(d=_series(7, 40), exponent=st.integers(-30, 30))
def test_the_interval_knows_no_unit(d: Floats, exponent: int) -> None:
    low, high = confidence_interval(d, 0.05)
    c = 2.0**exponent  # multiplying by it rounds nothing
    assert confidence_interval(d * c, 0.05) == (low * c, high * c)


@settings(max_examples=50)
@given(d=_series(7, 40), c=st.floats(0.01, 100))
def test_the_interval_grows_with_the_data(d: Floats, c: float) -> None:
    low, high = confidence_interval(d, 0.05)
    assert confidence_interval(d * c, 0.05) == pytest.approx(
        (low * c, high * c), abs=2 * c * _rounding(d), rel=1e-9
    )


@pytest.mark.parametrize(("alpha", "least"), [(0.05, 7), (0.01, 9), (0.001, 12)])
def test_the_interval_is_unbounded_below_so_many_blocks(alpha: float, least: int) -> None:
    d = np.random.default_rng(3).normal(0, 0.01, least)
    assert confidence_interval(d[:-1], alpha) == (-math.inf, math.inf)
    assert np.isfinite(confidence_interval(d, alpha)).all()


def test_no_blocks_refute_nothing() -> None:
    assert confidence_interval(np.array([]), 0.05) == (-math.inf, math.inf)


@pytest.mark.parametrize("value", [0.0, 0.3, -1e-300, 40.0])
def test_equal_blocks_leave_their_own_value_alone(value: float) -> None:
    low, high = confidence_interval(np.full(12, value), 0.01)
    assert low < value < high
    assert high - low <= 8 * np.spacing(abs(value))


@pytest.mark.parametrize("at", [0, 1, 20, 39])
@pytest.mark.parametrize("wild", [1e6, -1e6])
def test_one_wild_block_hardly_moves_the_interval(at: int, wild: float) -> None:
    d = np.random.default_rng(1).normal(0, 0.01, 40)
    low, high = confidence_interval(d, 0.05)
    d[at] = wild
    assert confidence_interval(d, 0.05) == pytest.approx((low, high), abs=0.002)


@given(
    d=st.lists(st.floats(-1e200, 1e200, allow_subnormal=True), max_size=25).map(np.array),
    theta=st.floats(-1e200, 1e200),
)
def test_nothing_is_ever_nan(d: Floats, theta: float) -> None:
    low, high = confidence_interval(d, 0.05)
    assert low <= high
    assert not math.isnan(log_e_value(d, theta))
