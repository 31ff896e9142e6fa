"""What is said from fewer blocks than a verdict takes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from whyfast.judge.power import needed_blocks, small_sample, t_quantile


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


@pytest.mark.parametrize("freedom", range(1, 12))
@pytest.mark.parametrize("p", [0.6, 0.975, 0.995, 0.99999])
def test_quantiles_are_those_of_students_distribution(freedom: int, p: float) -> None:
    assert t_quantile(p, freedom) == pytest.approx(stats.t.ppf(p, freedom), rel=1e-9)
