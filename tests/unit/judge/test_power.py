"""Small samples, detectable effects, and the cost of the margin."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from whyfast.judge.eprocess import confidence_interval, intervals
from whyfast.judge.power import (
    BLOCKS,
    LEVELS,
    detectable,
    half_width,
    needed_blocks,
    seconds_to_margin,
    small_sample,
)
from whyfast.judge.ratios import Ratios
from whyfast.judge.strategies import strategies

Floats = NDArray[np.float64]
TRIALS = 1000


def _normal(rng: np.random.Generator, n: int, trials: int = TRIALS) -> list[Ratios]:
    return [Ratios(x[None]) for x in rng.normal(0, 0.02, (trials, n))]


def _ends(series: list[Ratios], alpha: float) -> tuple[Floats, Floats]:
    low, high, _ = intervals(strategies(series), np.full(len(series), alpha))
    return low, high


@pytest.mark.parametrize("n", [12, 20, 60])
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_half_width_is_what_the_procedure_gives_for_normal_noise(n: int, alpha: float) -> None:
    low, high = _ends(_normal(np.random.default_rng(5), n), alpha)
    width = float(np.median(high - low)) / 2 / 0.02
    assert half_width(n, alpha) == pytest.approx(width, rel=0.06)


@pytest.mark.parametrize(("n", "alpha"), [(8, 0.01), (14, 1e-4)])
def test_half_width_is_unbounded_while_no_interval_is_bounded(n: int, alpha: float) -> None:
    assert half_width(n, alpha) == half_width(0, alpha) == math.inf
    assert half_width(n + 3, alpha) < math.inf


def test_half_width_falls_with_the_blocks_and_the_level() -> None:
    widths = [half_width(n, 0.01) for n in range(9, 600)]
    assert widths == sorted(widths, reverse=True)
    levels = [half_width(100, alpha) for alpha in (0.1, 0.05, 0.02, 0.01, 1e-3, 1e-4, 1e-6, 1e-8)]
    assert levels == sorted(levels)
    assert half_width(1920, 0.05) == pytest.approx(half_width(480, 0.05) / 2)


def test_the_tables_are_read_where_they_stand() -> None:
    assert half_width(48, LEVELS[1]) * math.sqrt(48) == pytest.approx(4.269)
    assert half_width(BLOCKS[-1], LEVELS[2]) * math.sqrt(BLOCKS[-1]) == pytest.approx(5.095)


@pytest.mark.parametrize("n", [12, 20, 50, 100])
def test_an_effect_that_is_detectable_is_found_nine_times_in_ten(n: int) -> None:
    """Of comparisons that say so, each about its own noise; the bounds are missed once in 10⁴."""
    rng = np.random.default_rng(6)
    low, high = _ends(_normal(rng, n), 0.01)
    said = [
        detectable(r.medians, (a, b), 0.01)
        for r, a, b in zip(_normal(np.random.default_rng(6), n), low, high, strict=True)
    ]
    other_low, _ = _ends(_normal(rng, n), 0.01)
    # A series shifted by what is called detectable is found if the shift passes its lower end.
    found = int(np.sum(np.array(said) > -other_low))
    least, most = binom.ppf(0.5e-4, TRIALS, 0.88), binom.isf(0.5e-4, TRIALS, 0.92)
    assert least <= found <= most
    assert np.isfinite(said).all()


def test_of_turns_too() -> None:
    """Four statistics and two kinds of weights make the interval narrower, and what it can tell."""

    def made(rng: np.random.Generator) -> list[Ratios]:
        common = 0.8 * rng.standard_normal((TRIALS, 1, 40))
        logs = common + 0.6 * rng.standard_normal((TRIALS, 4, 40))
        return [Ratios(x, rng.uniform(0.7, 1.4, 40), rng.standard_normal(40)) for x in logs]

    rng = np.random.default_rng(8)
    series = made(rng)
    low, high = _ends(series, 0.01)
    said = [detectable(r.medians, (a, b), 0.01) for r, a, b in zip(series, low, high, strict=True)]
    found = float(np.mean(np.array(said) > -_ends(made(rng), 0.01)[0]))
    assert 0.86 < found < 0.94


def test_what_is_detectable_is_no_less_than_the_interval_shows() -> None:
    # Seven bad blocks of twenty do not move the median absolute deviation much.
    d = np.random.default_rng(3).normal(0, 0.001, 20)
    d[::3] = [0.05, -0.05, 0.06, -0.06, 0.05, -0.06, 0.05]
    low, high = confidence_interval(d, 0.01)
    assert detectable(d, (low, high), 0.01) > (high - low) / 2


@pytest.mark.parametrize("d", [[], [0.1], [0.1, 0.1], [0.0] * 6, [0.1, 0.2, 0.3]])
def test_too_few_blocks_could_have_told_nothing(d: list[float]) -> None:
    blocks = np.array(d)
    assert detectable(blocks, confidence_interval(blocks, 0.05), 0.05) == math.inf


def _seconds(d: Floats, margin: float) -> tuple[float, float] | None:
    return seconds_to_margin(d, confidence_interval(d, 0.01), 0.01, margin, 0.5)


@pytest.mark.parametrize("n", [12, 40])
def test_the_margin_by_seconds_half_of_the_time_and_nine_times_in_ten(n: int) -> None:
    rng = np.random.default_rng(9)
    trials, margin = 80, 0.01
    by_half = by_most = 0
    for _ in range(trials):
        d = rng.normal(0, 0.02, n)
        seconds = _seconds(d, margin)
        assert seconds
        blocks = [n + round(s / 0.5) for s in seconds]
        # What n blocks say, and then a variant that is slower by the margin.
        more = rng.normal(math.log1p(margin), 0.02, blocks[1])
        by_half += confidence_interval(more[: blocks[0]], 0.01)[0] > 0
        by_most += confidence_interval(more, 0.01)[0] > 0
    assert 0.36 < by_half / trials < 0.64
    assert 0.8 < by_most / trials < 0.97


def test_a_finer_margin_costs_more() -> None:
    d = np.random.default_rng(7).normal(0, 0.02, 20)
    found = [_seconds(d, margin) for margin in (0.05, 0.02, 0.01, 0.002)]
    costs = [x for x in found if x]
    assert len(costs) == 4
    assert costs == sorted(costs)
    assert costs[0] != costs[3]


def test_a_block_that_takes_twice_as_long_makes_it_twice_as_dear() -> None:
    d = np.random.default_rng(7).normal(0, 0.02, 20)
    once, twice = (
        seconds_to_margin(d, confidence_interval(d, 0.01), 0.01, 0.01, cost) for cost in (0.5, 1.0)
    )
    assert once
    assert twice
    assert twice == pytest.approx((2 * once[0], 2 * once[1]))


@pytest.mark.parametrize(("n", "margin", "seconds"), [(60, 0.01, 0.0), (5, 0.05, 2.0)])
def test_blocks_are_added_until_they_bound_something(n: int, margin: float, seconds: float) -> None:
    d = np.random.default_rng(8).normal(0, 0.0005, n)
    assert _seconds(d, margin) == (seconds, seconds)


@pytest.mark.parametrize("d", [[], [0.1, 0.2], [0.1] * 20])
def test_the_cost_is_unknown_while_the_noise_is(d: list[float]) -> None:
    assert _seconds(np.array(d), 0.01) is None


def test_a_margin_out_of_reach_has_no_cost() -> None:
    assert _seconds(np.random.default_rng(9).normal(0, 10.0, 30), 1e-4) is None


def test_where_most_blocks_are_equal_nothing_is_known_to_be_detectable() -> None:
    steps = np.array([0.0, 0.1] * 11 + [0.0])
    assert confidence_interval(steps, 0.01)[1] > 0.05
    assert detectable(steps, confidence_interval(steps, 0.01), 0.01) == math.inf


def test_an_interval_that_is_bounded_sooner_than_most_tells_its_noise_by_the_blocks() -> None:
    d = np.array([0.10, 0.11, 0.09, 0.12, 0.10, 0.08, 0.11, 0.10])
    assert half_width(len(d), 0.01) == math.inf
    found = seconds_to_margin(d, (0.05, 0.15), 0.01, 0.01, 1.0)
    assert found == seconds_to_margin(d, (-math.inf, math.inf), 0.01, 0.01, 1.0)
    assert found is not None
    assert 0 < found[0] <= found[1]


def test_an_interval_without_width_is_no_division_by_zero() -> None:
    d = np.array([0.1] * 6 + [0.2, 0.3, 0.05, 0.04, 0.15, 0.11, 0.13])
    assert seconds_to_margin(d, (0.1, 0.1), 0.01, 0.01, 1.0) is not None


@pytest.mark.parametrize(("alpha", "blocks"), [(0.05, 7), (0.01, 9), (0.001, 13), (1e-4, 16)])
def test_the_least_number_of_blocks_follows_from_the_level(alpha: float, blocks: int) -> None:
    assert needed_blocks(alpha) == blocks


def test_three_blocks_of_83x_are_not_nothing() -> None:
    few = small_sample(np.log([83.0, 82.5, 83.4]), 0.01)
    assert few
    assert few.outcome == "slower"
    assert (few.low, few.high) == pytest.approx((82.5, 83.4))
    assert (few.confidence, few.needed) == (0.75, 9)
    assert 79 < few.normal_low < 82.5
    assert 83.4 < few.normal_high < 87


@pytest.mark.parametrize(
    ("ratios", "said"),
    [
        ([0.012, 0.0121, 0.0119], "faster"),
        ([1.1, 1.2, 0.9], "undecided"),  # blocks on both sides
        ([1.01, 1.2, 1.1], "undecided"),  # all on one side, and too different
        ([83.0, 83.0], "undecided"),  # two could be anything
    ],
)
def test_a_word_needs_every_block_and_normal_noise_to_agree(ratios: list[float], said: str) -> None:
    few = small_sample(np.log(ratios), 0.01)
    assert few
    assert few.outcome == said


def test_enough_blocks_are_not_few_and_none_say_nothing() -> None:
    assert small_sample(np.full(9, 0.1), 0.01) is None
    assert small_sample(np.array([]), 0.01) is None
    one = small_sample(np.array([0.1]), 0.01)
    assert one
    assert (one.confidence, one.normal_low, one.normal_high) == (0.0, 0.0, math.inf)


def test_the_range_of_blocks_holds_the_median_as_often_as_is_said() -> None:
    rng = np.random.default_rng(1)
    for n, confidence in ((3, 0.75), (6, 0.96875)):
        d = np.exp(rng.standard_normal((40_000, n)))  # lopsided, with median 1
        held = np.mean((d.min(axis=1) < 1) & (d.max(axis=1) > 1))
        assert held == pytest.approx(confidence, abs=0.01)
        few = small_sample(np.arange(float(n)), 0.01)
        assert few
        assert few.confidence == confidence
