"""What a number of blocks can tell, and what telling more would cost."""

from __future__ import annotations

import math

import numpy as np
import pytest

from whyfast.judge.eprocess import confidence_interval
from whyfast.judge.power import detectable, half_width, noise, seconds_to_margin


def test_noise_is_the_median_absolute_deviation_as_a_standard_deviation() -> None:
    assert noise(np.array([1.0, 2.0, 3.0, 4.0, 100.0])) == pytest.approx(1.4826)
    assert noise(np.array([1.0, 5.0])) == 0.0


@pytest.mark.parametrize("n", [10, 40, 160])
def test_half_width_is_what_the_procedure_gives_for_normal_noise(n: int) -> None:
    rng = np.random.default_rng(5)
    widths = [np.ptp(confidence_interval(rng.normal(0, 1, n), 0.05)) / 2 for _ in range(40)]
    assert half_width(n, 0.05) == pytest.approx(float(np.median(widths)), rel=0.35)


def test_half_width_is_unbounded_while_no_interval_is_bounded() -> None:
    assert half_width(6, 0.05) == math.inf
    assert half_width(7, 0.05) < math.inf
    assert half_width(0, 0.05) == math.inf


def test_half_width_of_very_many_blocks_shrinks_with_their_root() -> None:
    assert half_width(1600, 0.05) == pytest.approx(half_width(400, 0.05) / 2)
    assert half_width(400, 0.05) < half_width(40, 0.05) / 2


def test_an_effect_that_is_detectable_is_found_nine_times_in_ten() -> None:
    rng = np.random.default_rng(6)
    said = []
    for _ in range(40):
        d = rng.normal(0, 0.02, 30)
        said.append(detectable(d, confidence_interval(d, 0.01)))
    effect = float(np.median(said))
    found = sum(confidence_interval(rng.normal(effect, 0.02, 30), 0.01)[0] > 0 for _ in range(200))
    assert 0.01 < effect < 0.04
    assert 160 <= found <= 198


def test_what_is_detectable_is_no_less_than_the_interval_shows() -> None:
    # Seven bad blocks of twenty do not move the median absolute deviation much.
    d = np.random.default_rng(3).normal(0, 0.001, 20)
    d[::3] = [0.05, -0.05, 0.06, -0.06, 0.05, -0.06, 0.05]
    low, high = confidence_interval(d, 0.01)
    assert detectable(d, (low, high)) > (high - low) / 2 > 3 * half_width(20, 0.01) * noise(d)


@pytest.mark.parametrize("d", [[], [0.1], [0.1, 0.1], [0.0] * 6, [0.1, 0.2, 0.3]])
def test_too_few_blocks_could_have_told_nothing(d: list[float]) -> None:
    blocks = np.array(d)
    assert detectable(blocks, confidence_interval(blocks, 0.05)) == math.inf


def test_the_cost_of_the_margin_is_that_of_the_blocks_still_missing() -> None:
    d = np.random.default_rng(7).normal(0, 0.02, 20)
    cost = seconds_to_margin(d, 0.01, 0.01, 0.5)
    assert cost is not None
    blocks = 20 + cost / 0.5
    goal = math.log(1.01) / 2
    assert half_width(round(blocks), 0.01) * noise(d) <= goal
    assert half_width(round(blocks * 0.7), 0.01) * noise(d) > goal
    assert seconds_to_margin(d, 0.01, 0.01, 1.0) == pytest.approx(2 * cost)


def test_a_finer_margin_costs_more() -> None:
    d = np.random.default_rng(7).normal(0, 0.02, 20)
    costs = [seconds_to_margin(d, 0.01, margin, 0.5) for margin in (0.05, 0.02, 0.01, 0.002)]
    assert None not in costs
    assert costs == sorted(c for c in costs if c is not None)
    assert costs[0] != costs[3]


def test_enough_blocks_cost_nothing_more() -> None:
    d = np.random.default_rng(8).normal(0, 0.0005, 60)
    assert seconds_to_margin(d, 0.01, 0.01, 0.5) == 0.0


@pytest.mark.parametrize("d", [[], [0.1, 0.2], [0.1] * 20])
def test_the_cost_is_unknown_while_the_noise_is(d: list[float]) -> None:
    assert seconds_to_margin(np.array(d), 0.01, 0.01, 0.5) is None


def test_a_margin_out_of_reach_has_no_cost() -> None:
    d = np.random.default_rng(9).normal(0, 10.0, 30)
    assert seconds_to_margin(d, 0.01, 1e-4, 0.5) is None


def test_where_most_blocks_are_equal_nothing_is_known_to_be_detectable() -> None:
    steps = np.array([0.0, 0.1] * 11 + [0.0])
    assert confidence_interval(steps, 0.01)[1] > 0.05
    assert detectable(steps, confidence_interval(steps, 0.01)) == math.inf
