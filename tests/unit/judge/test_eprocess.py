"""Validity and power of the e-process, and where its intervals end."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from whyfast.judge import eprocess
from whyfast.judge.correlation import likelihood
from whyfast.judge.ratios import Ratios, as_ratios, median, quantile, quantiles
from whyfast.judge.strategies import Strategies, location, strategies

Floats = NDArray[np.float64]

#: Log ratios as they occur, with ties, zeros and wild ones.
_RATIO = st.one_of(
    st.integers(-400, 400).map(lambda n: n / 2048),
    st.floats(-1, 1).map(lambda x: round(x, 9)),
    st.sampled_from([0.0, 0.01, -0.01, 3.0, -40.0]),
)


def _series(least: int, most: int) -> st.SearchStrategy[Floats]:
    return st.lists(_RATIO, min_size=least, max_size=most).map(np.array)


@st.composite
def _ratios(draw: st.DrawFn, least: int, most: int) -> Ratios:
    """Four statistics that mostly say about the same, blocks of which some are noisy."""
    n = draw(st.integers(least, most))
    first = draw(st.lists(_RATIO, min_size=n, max_size=n).map(np.array))
    beside = [
        draw(st.lists(st.integers(-8, 8), min_size=n, max_size=n).map(np.array)) / 4096
        for _ in range(3)
    ]
    spread = draw(st.lists(st.integers(0, 20), min_size=n, max_size=n).map(np.array)) / 1024
    level = draw(st.lists(st.integers(-9, 9), min_size=n, max_size=n).map(np.array)) / 8
    return Ratios(np.array([first, *(first + b for b in beside)]), spread, level)


def _rounding(d: Floats) -> float:
    """How far an end may lie outside the set of log ratios that are not refuted."""
    deviation = float(np.median(np.abs(d - np.median(d))))
    return max(1e-3 * deviation, 1e-9 * float(np.ptp(d)), 1e-12)


def _against(d: Ratios | Floats, theta: float) -> tuple[float, float]:
    """log wealth against the log ratio from above and from below."""
    series = d if isinstance(d, Ratios) else Ratios(d[None])
    above, below = eprocess.evidence(strategies([series]), np.array([theta]))
    return float(above[0]), float(below[0])


def _counted(d: Ratios | Floats, theta: float) -> tuple[float, float]:
    s = strategies([as_ratios(d)])
    above, below = eprocess.counted(s, np.array([theta]), likelihood(s.x[:, -1]))
    return float(above[0]), float(below[0])


def _log_e(d: Ratios | Floats, theta: float = 0.0) -> float:
    return (max(_counted(d, theta)) if len(d) else 0.0) - math.log(2)


def _wealth_by_hand(psi: list[float]) -> float:
    total = 0.0
    for bet, weight in zip(eprocess.LAMBDAS, eprocess.WEIGHTS, strict=True):
        product = 1.0
        for score in psi:
            product *= math.exp(bet * score) / math.cosh(bet * score)
        total += weight * product
    return total


def test_wealth_is_the_weighted_product_of_the_bets_for_either_side() -> None:
    psi = [1.5, -0.25, 0.75, 1.5, 0.0]
    above, below = eprocess.log_wealth(np.array(psi))
    assert math.exp(above) == pytest.approx(_wealth_by_hand(psi), rel=1e-12)
    assert math.exp(below) == pytest.approx(_wealth_by_hand([-x for x in psi]), rel=1e-12)


def test_wealth_of_many_blocks_neither_overflows_nor_vanishes() -> None:
    above, below = eprocess.log_wealth(np.full(5000, 1.5))
    # The boldest bet wins most, the shyest loses least.
    wins, loses = (sum(eprocess.WEIGHTS[i] for i in at) for at in ([-1], [0]))
    assert above == pytest.approx(5000 * math.log(1 + math.tanh(3)) + math.log(wins), rel=1e-9)
    lost = 5000 * math.log(1 - math.tanh(1.5 / 64)) + math.log(loses)
    assert below == pytest.approx(lost, rel=1e-9)


@pytest.mark.parametrize("psi", [np.zeros((0, 1)), np.array([0.0, 0.0])])
def test_no_block_and_one_equal_to_the_hypothesis_are_evidence_of_nothing(psi: Floats) -> None:
    assert eprocess.log_wealth(psi)[0] == pytest.approx(0.0, abs=1e-15)


@given(past=_series(0, 30), size=st.floats(0, 10), theta=_RATIO)
@example(past=np.array([0.0] * 20), size=1e-9, theta=0.0)
@example(past=np.array([0.01] * 30), size=0.01, theta=0.0)
def test_wealth_is_a_martingale_over_the_signs(past: Floats, size: float, theta: float) -> None:
    before = _against(past - theta, 0.0) if len(past) else (0.0, 0.0)
    after = [_against(np.append(past - theta, sign * size), 0.0) for sign in (1, -1)]
    for side in (0, 1):
        mean = sum(math.exp(a[side] - before[side]) for a in after) / 2
        assert mean == pytest.approx(1.0, abs=1e-11)


@given(past=_ratios(1, 30), data=st.data())
def test_wealth_is_a_martingale_over_the_two_ways_round(past: Ratios, data: st.DataObject) -> None:
    """All statistics change their signs together; how noisy the block was stays."""
    size = np.array(data.draw(st.lists(_RATIO, min_size=4, max_size=4)))
    spread, level = data.draw(st.integers(0, 40)) / 1024, data.draw(st.integers(-9, 9)) / 8
    assert past.spread is not None
    assert past.level is not None
    both = [
        Ratios(
            np.column_stack([past.logs, sign * size]),
            np.append(past.spread, spread),
            np.append(past.level, level),
        )
        for sign in (1, -1)
    ]
    before = _against(past, 0.0)
    after = [_against(ratios, 0.0) for ratios in both]
    for side in (0, 1):
        mean = sum(math.exp(a[side] - before[side]) for a in after) / 2
        assert mean == pytest.approx(1.0, abs=1e-11)


@given(d=_series(1, 30), alpha=st.sampled_from([0.2, 0.05, 0.01]), theta=_RATIO)
@example(d=np.arange(1.0, 9.0) / 100, alpha=0.05, theta=0.0)
def test_a_log_ratio_is_outside_where_it_is_refuted(d: Floats, alpha: float, theta: float) -> None:
    low, high = eprocess.confidence_interval(d, alpha)
    refuted = _log_e(d, theta) >= math.log(1 / alpha)
    if theta <= low or theta >= high:
        assert refuted
    elif low + _rounding(d) < theta < high - _rounding(d):
        assert not refuted


@settings(max_examples=15)
@given(d=_series(13, 40), alpha=st.sampled_from([0.2, 0.05, 0.01]))
@example(d=np.array([0.0, 0.0, 3.0, -40.0, 3.0, *[0.0] * 8]), alpha=0.2)
def test_each_end_is_refuted_and_the_next_log_ratio_inside_is_not(d: Floats, alpha: float) -> None:
    limit, step = math.log(2 / alpha), _rounding(d)
    low, high = eprocess.confidence_interval(d, alpha)
    # Sums of logarithms are rounded: the end itself may be refuted by all but 1e-12.
    assert _counted(d, low)[0] >= limit - 1e-12
    assert _counted(d, high)[1] >= limit - 1e-12
    assert limit > _counted(d, low + step)[0]
    assert limit > _counted(d, high - step)[1]


@settings(max_examples=15)
@given(d=_ratios(0, 40), alpha=st.sampled_from([0.2, 0.05, 0.01]))
def test_exchanging_variant_and_baseline_mirrors_everything(d: Ratios, alpha: float) -> None:
    low, high = eprocess.confidence_interval(d, alpha)
    other = Ratios(-d.logs, d.spread, d.level)
    assert eprocess.confidence_interval(other, alpha) == (-high, -low)
    assert _log_e(other) == pytest.approx(_log_e(d), rel=1e-12, abs=1e-12)


@settings(max_examples=15)
@given(d=_ratios(0, 40))
def test_more_certainty_never_makes_an_interval_shorter(d: Ratios) -> None:
    """But for the rounding of each end, and where the statistics disagree."""
    s = strategies([d]) if len(d) else None
    found = []
    for alpha in (0.2, 0.05, 0.01, 0.001):
        if s is None or eprocess.intervals(s, np.array([alpha]))[2][0]:
            return
        found.append(eprocess.confidence_interval(d, alpha))
    step = _rounding(d.medians)
    for (low, high), (lower, higher) in pairwise(found):
        assert lower <= low + step
        assert higher >= high - step


@settings(max_examples=15)
@given(d=_ratios(7, 40), exponent=st.integers(-30, 30))
def test_the_interval_knows_no_unit(d: Ratios, exponent: int) -> None:
    low, high = eprocess.confidence_interval(d, 0.05)
    c = 2.0**exponent  # multiplying by it rounds nothing
    assert d.spread is not None
    assert eprocess.confidence_interval(Ratios(d.logs * c, d.spread * c, d.level), 0.05) == (
        low * c,
        high * c,
    )


@settings(max_examples=15)
@given(d=_series(7, 40), c=st.floats(0.01, 100))
def test_the_interval_grows_with_the_data(d: Floats, c: float) -> None:
    low, high = eprocess.confidence_interval(d, 0.05)
    assert eprocess.confidence_interval(d * c, 0.05) == pytest.approx(
        (low * c, high * c), abs=2 * c * _rounding(d), rel=1e-9
    )


@pytest.mark.parametrize(("alpha", "least"), [(0.05, 7), (0.01, 9), (0.001, 13)])
def test_the_interval_is_unbounded_below_so_many_blocks(alpha: float, least: int) -> None:
    d = np.random.default_rng(3).normal(0, 0.01, least)
    assert eprocess.confidence_interval(d[:-1], alpha) == (-math.inf, math.inf)
    assert np.isfinite(eprocess.confidence_interval(d, alpha)).all()
    assert eprocess.confidence_interval(np.array([]), alpha) == (-math.inf, math.inf)


@pytest.mark.parametrize("value", [0.0, 0.3, -1e-300, 40.0])
def test_equal_blocks_leave_their_own_value_alone(value: float) -> None:
    low, high = eprocess.confidence_interval(np.full(12, value), 0.01)
    assert low < value < high
    assert high - low <= 8 * np.spacing(abs(value))


@pytest.mark.parametrize("at", [0, 1, 20, 39])
@pytest.mark.parametrize("wild", [1e6, -1e6])
def test_one_wild_block_hardly_moves_the_interval(at: int, wild: float) -> None:
    d = np.random.default_rng(1).normal(0, 0.01, 40)
    low, high = eprocess.confidence_interval(d, 0.05)
    d[at] = wild
    assert eprocess.confidence_interval(d, 0.05) == pytest.approx((low, high), abs=0.002)


@given(
    d=st.lists(st.floats(-1e200, 1e200, allow_subnormal=True), max_size=25).map(np.array),
    theta=st.floats(-1e200, 1e200),
)
def test_nothing_is_ever_nan(d: Floats, theta: float) -> None:
    low, high = eprocess.confidence_interval(d, 0.05)
    assert low <= high
    assert not math.isnan(_log_e(d, theta))


def _disagreeing(n: int, apart: float) -> Ratios:
    """The variant is slower in its median turn and not in its quickest."""
    rng = np.random.default_rng(11)
    base = rng.normal(0, 0.002, n)
    centers = np.array([apart, apart, 0.0, 0.0])
    return Ratios(base + centers[:, None] + rng.normal(0, 0.001, (4, n)))


def test_where_the_statistics_disagree_the_interval_holds_what_each_of_them_says() -> None:
    d = _disagreeing(60, 0.05)
    low, high = eprocess.confidence_interval(d, 0.01)
    assert low < 0.0 < 0.05 < high
    assert high - low < 0.06
    for row in d.logs:
        own_low, own_high = eprocess.confidence_interval(row, 0.01 / 4)
        assert low <= own_low
        assert own_high <= high


def test_where_they_agree_the_common_interval_is_the_narrower_for_them() -> None:
    rng = np.random.default_rng(12)
    common = rng.normal(0, 0.001, 60)
    d = Ratios(common + 0.02 + rng.normal(0, 0.004, (4, 60)))
    low, high = eprocess.confidence_interval(d, 0.01)
    assert low < 0.02 < high
    assert all(high - low < np.ptp(eprocess.confidence_interval(row, 0.01)) for row in d.logs)
    assert not eprocess.intervals(strategies([d]), np.array([0.01]))[2][0]


def test_what_is_slower_at_its_best_and_not_as_a_rule_is_no_shift() -> None:
    # Medians and minima (per cent) of a call in two interpreters; the interval holds both centres.
    medians = [-1.41, -0.39, -5.06, -4.34, 4.15, 4.71, 0.32, 0.56, 3.07, -0.07, -2.46, -3.52, 2.14]
    minima = [2.31, 7.58, 4.12, 3.52, 7.19, 8.06, 6.7, 2.23, 7.66, 6.08, 6.12, 6.49, 7.82]
    d = Ratios(np.array([medians, minima]) / 100)
    low, high, apart = eprocess.intervals(strategies([d]), np.array([0.01]))
    assert apart[0]
    assert low[0] < 0 < 0.0612 < high[0]


def test_a_shift_is_seldom_taken_for_none() -> None:
    rng = np.random.default_rng(21)
    series = []
    for _ in range(1000):
        block = rng.standard_t(3, 60) * 0.01
        series.append(
            Ratios(0.05 + block + rng.laplace(0, [[0.001], [0.01], [0.02], [0.04]], (4, 60)))
        )
    wrong = eprocess.intervals(strategies(series), np.full(1000, 0.01))[2].sum()
    assert wrong <= 15


@settings(max_examples=15)
@given(d=_ratios(9, 40))
def test_many_comparisons_at_once_are_each_what_it_is_alone(d: Ratios) -> None:
    assert d.spread is not None
    assert d.level is not None
    others = [Ratios(d.logs[:, ::-1] * f, d.spread[::-1], d.level[::-1]) for f in (0.5, 3.0)]
    series = [others[0], d, others[1]]
    low, high, apart = eprocess.intervals(strategies(series), np.full(3, 0.05))
    for i, one in enumerate(series):
        alone = eprocess.intervals(strategies([one]), np.array([0.05]))
        tolerance = _rounding(one.medians)
        assert (low[i], high[i]) == pytest.approx((alone[0][0], alone[1][0]), abs=2 * tolerance)
        assert apart[i] == alone[2][0]


@given(d=_ratios(1, 40), theta=_RATIO)
def test_no_more_counts_than_there_is(d: Ratios, theta: float) -> None:
    for counts, wealth in zip(_counted(d, theta), _against(d, theta), strict=True):
        assert counts <= wealth


@settings(max_examples=20)
@given(d=_ratios(1, 40))
def test_the_estimate_is_within_what_all_statistics_say(d: Ratios) -> None:
    assert d.logs.min() <= location(d) <= d.logs.max()


def _part(s: Strategies, n: int) -> Strategies:
    return Strategies(s.x[:n], s.inverse[:n], s.weight[:n], s.share, s.statistic)


@settings(max_examples=15)
@given(d=_ratios(2, 30), data=st.data())
def test_the_strategies_of_fewer_are_the_first_of_more(d: Ratios, data: st.DataObject) -> None:
    n = data.draw(st.integers(1, len(d) - 1))
    fewer, more = strategies([d.first(n)]), _part(strategies([d]), n)
    assert fewer.inverse.tolist() == more.inverse.tolist()
    assert fewer.weight.tolist() == more.weight.tolist()


Mask = NDArray[np.bool_]


@settings(max_examples=30)
@given(
    roots=st.lists(st.integers(-9000, 9000).map(lambda n: n / 100), min_size=1, max_size=6),
    power=st.sampled_from([0.5, 1.0, 3.0]),
    guess=st.floats(-200, 200),
    step=st.floats(1e-3, 50),
)
def test_the_end_is_on_the_refuted_side_and_within_the_tolerance(
    roots: list[float], power: float, guess: float, step: float
) -> None:
    root = np.array(roots)
    calls = 0

    def value(t: Floats, which: Mask) -> Floats:
        nonlocal calls
        calls += 1
        away = root[which] - t
        return np.asarray(5 + np.sign(away) * np.abs(away) ** power)

    m = len(root)
    found = eprocess.last_above(
        value,
        np.full(m, 5.0),
        (np.full(m, -100.0), np.full(m, 100.0)),
        np.full(m, guess),
        np.full(m, step),
        np.full(m, 1e-3),
    )
    assert np.all(value(found, np.ones(m, dtype=bool)) >= 5)
    assert np.all(root - found <= 1e-3)
    assert calls < 150


def test_a_smooth_function_takes_a_handful_of_looks() -> None:
    calls = 0

    def value(t: Floats, which: Mask) -> Floats:
        nonlocal calls
        calls += 1
        return np.asarray(np.where(t < 3, (t - 3) ** 2 / 2, 0.0) - 2)

    found = eprocess.last_above(
        value,
        np.array([5.3]),
        (np.array([-1000.0]), np.array([1000.0])),
        np.array([-2.0]),
        np.array([1.0]),
        np.array([1e-3]),
    )
    assert 0 <= 3 - np.sqrt(2 * 7.3) - found[0] <= 1e-3
    assert calls <= 8


def test_a_step_is_found_by_halving() -> None:
    found = eprocess.last_above(
        lambda t, which: np.where(t < 0.3, 9.0, -9.0),
        np.array([5.0]),
        (np.array([-1.0]), np.array([1.0])),
        np.array([0.0]),
        np.array([0.5]),
        np.array([1e-9]),
    )
    assert 0.3 - 1e-9 <= found[0] < 0.3


def test_between_two_values_linearly() -> None:
    assert quantile(np.array([4.0, 1.0, 2.0, 3.0]), 0.25) == 1.75
    assert quantiles(np.array([[3.0, 1.0], [5.0, 9.0]]), (0.0, 0.5, 1.0)).tolist() == [
        [1.0, 5.0],
        [2.0, 7.0],
        [3.0, 9.0],
    ]


@given(
    arrays(np.float64, (3, 7), elements=st.floats(-1e9, 1e9)),
    st.lists(st.floats(0, 1), min_size=1, max_size=3),
    st.integers(0, 1),
)
def test_what_numpy_computes(x: np.ndarray, shares: list[float], axis: int) -> None:
    assert quantiles(x, shares, axis).tolist() == np.quantile(x, shares, axis=axis).tolist()


@given(
    arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 9))),
    st.sampled_from([None, 0, 1, -1]),
    st.booleans(),
)
def test_wild_medians_are_numpys(x: np.ndarray, axis: int | None, keepdims: bool) -> None:
    with np.errstate(all="ignore"):
        found = median(x, axis, keepdims=keepdims and axis is not None)
        wanted = np.median(x, axis=axis, keepdims=keepdims and axis is not None)
    np.testing.assert_array_equal(found, wanted)
    assert np.shape(found) == np.shape(wanted)


def test_nothing_has_no_median() -> None:
    assert np.isnan(median([]))
    assert np.isnan(median(np.empty((0, 2)), axis=0)).tolist() == [True, True]


@pytest.mark.parametrize(("blocks", "differs"), [(9, False), (10, True)])
def test_a_statistic_that_is_always_above_the_median_is_no_shift(
    blocks: int, differs: bool
) -> None:
    """n heads of n have the e-value C(2n, n)/2ⁿ: 95 of 9 and 180 of 10, where 100 are asked for."""
    x = np.array([(-1) ** n * n / 100 for n in range(1, blocks + 1)])
    series = Ratios(np.array([x, x + 1e-6]), np.zeros(blocks), np.zeros(blocks))
    assert eprocess.intervals(strategies([series]), np.array([0.01]))[2][0] == differs
