"""From values to one number a block, and from blocks to one number."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.example_blocks import block

from whyfast.judge.ratios import Ratios, block_log_ratio, log_ratios
from whyfast.judge.strategies import location

_SECONDS = st.floats(1e-6, 10)
_TURNS = st.lists(st.tuples(_SECONDS, _SECONDS), min_size=1, max_size=20)


def test_a_block_is_the_median_over_its_turns_of_the_log_ratio() -> None:
    b = block({"new": [2.0, 3.0, 8.0], "old": [1.0, 1.0, 1.0]})
    assert block_log_ratio(b, "new", "old") == pytest.approx(math.log(3))


def test_drift_that_hits_neighbours_alike_leaves_no_trace() -> None:
    drift = [1.0, 10.0, 0.2, 5.0]
    b = block({"new": [1.25 * x for x in drift], "old": drift})
    assert block_log_ratio(b, "new", "old") == pytest.approx(math.log(1.25))


@given(_TURNS)
def test_exchanging_the_variants_changes_the_sign_and_nothing_else(
    turns: list[tuple[float, float]],
) -> None:
    b = block({"a": [a for a, _ in turns], "b": [b for _, b in turns]})
    assert block_log_ratio(b, "a", "b") == -block_log_ratio(b, "b", "a")


def test_log_ratios_are_of_one_benchmark_in_order_where_both_variants_ran() -> None:
    blocks = [
        block({"a": [2.0], "b": [1.0]}),
        block({"a": [9.0], "b": [1.0]}, benchmark="other"),
        block({"b": [1.0], "c": [1.0]}),
        block({"c": [1.0], "b": [2.0], "a": [1.0]}),
    ]
    assert log_ratios(blocks, "fib", "a", "b").tolist() == [math.log(2), -math.log(2)]
    assert log_ratios(blocks, "fib", "a", "c").tolist() == [0.0]
    assert log_ratios(blocks, "fib", "d", "a").shape == (0,)


def test_location_is_where_the_scores_cancel() -> None:
    # Of 0, 1 and 3 the median deviation is 1: all are within 1.5 · 1.4826 of 4/3, their mean.
    assert location(np.array([0.0, 1.0, 3.0])) == pytest.approx(4 / 3)
    assert location(np.array([5.0])) == 5.0
    assert location(np.array([0.1, 0.1, 0.1, 0.5])) == pytest.approx(0.1, abs=0.07)
    assert math.isnan(location(np.array([])))


def test_the_sharper_statistic_counts_for_more() -> None:
    rng = np.random.default_rng(5)
    sharp, blunt = rng.normal(0.01, 0.001, 40), rng.normal(0.02, 0.02, 40)
    d = Ratios(np.array([sharp, blunt, blunt, blunt]))
    assert location(d) == pytest.approx(location(sharp), abs=5e-4)


def test_a_few_bad_blocks_hardly_move_the_location() -> None:
    d = np.random.default_rng(0).normal(0.1, 0.01, 40)
    spoilt = d.copy()
    spoilt[:3] = 100.0
    assert location(spoilt) == pytest.approx(location(d), abs=0.005)


@pytest.mark.parametrize("n", [600, 601])
def test_location_of_many_blocks_is_that_of_few(n: int) -> None:
    d = np.random.default_rng(1).normal(0.5, 0.1, n)
    d[0] = 1e9
    assert location(d) == pytest.approx(0.5, abs=0.015)


_GRID = st.integers(-2000, 2000).map(lambda n: n / 1024)


@given(st.lists(_GRID, min_size=1, max_size=30), _GRID)
def test_location_moves_with_the_blocks_and_changes_sign_with_them(
    values: list[float], shift: float
) -> None:
    d = np.array(values)
    assert location(-d) == -location(d)
    assert location(d + shift) == pytest.approx(location(d) + shift, abs=1e-9)
