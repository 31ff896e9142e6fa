"""Known series, cut where a person would cut them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyfast.history.segment import OUTLIER, segment


def cut(*values: float, penalty: float = 9.0) -> list[int]:
    return [int(part) for part in segment(np.array([values], dtype=float), penalty)[0]]


def test_a_level_that_changes_for_good_is_cut_once() -> None:
    assert cut(0, 0, 0, 10, 10, 10) == [0, 0, 0, 1, 1, 1]


def test_a_single_point_between_equal_levels_is_not_cut_out() -> None:
    assert cut(0, 0, 0, 50, 0, 0, 0) == [0, 0, 0, 0, 0, 0, 0]


def test_two_points_that_agree_are_a_level() -> None:
    assert cut(0, 0, 0, 50, 50, 0, 0, 0) == [0, 0, 0, 1, 1, 2, 2, 2]


def test_an_odd_point_does_not_hide_a_step() -> None:
    assert cut(20, 20, 0, 9, 0, 0, 0, 20, 20) == [0, 0, 1, 1, 1, 1, 1, 2, 2]


def test_what_explains_less_than_the_penalty_is_noise() -> None:
    # A level is one of the values: a second one saves two squares of 2.
    assert cut(0, 0, 2, 2, penalty=8.5) == [0, 0, 0, 0]
    assert cut(0, 0, 2, 2, penalty=7.5) == [0, 0, 1, 1]


def test_series_are_cut_independently() -> None:
    both = segment(np.array([[0.0, 0, 0, 9, 9, 9], [9.0, 9, 0, 0, 0, 0]]), 9.0)
    assert both.tolist() == [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]]


def _cost(x: list[float], parts: list[int], penalty: float) -> float:
    """The cost of a segmentation by definition, with levels among the values."""
    total = penalty * (max(parts))
    for number in set(parts):
        inside = [v for v, p in zip(x, parts, strict=True) if p == number]
        total += min(sum(min((v - m) ** 2, OUTLIER * penalty) for v in inside) for m in x)
    return total


def _every(points: int) -> list[list[int]]:
    made = [[0]]
    for _ in range(points - 1):
        made = [[*p, p[-1] + new] for p in made for new in (0, 1)]
    return made


@given(
    st.lists(st.integers(-30, 30).map(float), min_size=2, max_size=7),
    st.sampled_from([1.0, 4.0, 20.0]),
)
def test_no_other_way_to_cut_is_cheaper(x: list[float], penalty: float) -> None:
    found = _cost(x, cut(*x, penalty=penalty), penalty)
    assert found == pytest.approx(min(_cost(x, parts, penalty) for parts in _every(len(x))))
