"""Known series, cut where a level may have changed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyfast.history.changes import LEVELS, OUTLIER, segment


def cut(*values: float, penalty: float = 10.0) -> list[int]:
    return segment(np.array([values], dtype=float), penalty)[0]


def test_a_level_that_changes_for_good_is_cut_once() -> None:
    assert cut(0, 0, 0, 10, 10, 10) == [0, 3]


def test_a_single_point_between_equal_levels_is_not_cut_out() -> None:
    assert cut(0, 0, 0, 50, 0, 0, 0) == [0]


def test_a_single_point_at_an_end_is_not_cut_off() -> None:
    assert cut(0, 0, 0, 0, 0, 50) == [0]


def test_a_wild_point_beside_a_small_step_does_not_swallow_it() -> None:
    assert cut(*[0.0] * 8, 70, *[5.0] * 8) in ([0, 8], [0, 9])


def test_an_outlier_does_not_hide_a_step() -> None:
    assert cut(20, 20, 0, 9, 0, 0, 0, 20, 20) == [0, 2, 7]


def test_wild_points_at_an_end_may_be_a_level_even_if_they_scatter() -> None:
    assert cut(60, 40, 0, 0, 0, 0) == [0, 2]
    assert cut(0, 0, 0, 0, 40, 60) == [0, 4]
    assert cut(60, -40, 0, 0, 0, 0) == [0]


def test_series_are_cut_independently() -> None:
    both = segment(np.array([[0.0, 0, 0, 9, 9, 9], [9.0, 9, 0, 0, 0, 0]]))
    assert both == [[0, 3], [0, 2]]


def test_long_series_are_cut_where_levels_change() -> None:
    points = 20 * LEVELS
    level = np.repeat(np.tile([0.0, 6.0], 8), points // 16)
    noise = np.random.default_rng(1).standard_normal(points)
    found = segment((level + noise)[None])[0]
    steps = np.arange(points // 16, points, points // 16)
    assert len(found) <= 25
    assert all(min(abs(s - f) for f in found) <= 2 for s in steps)


def _cost(x: list[float], starts: list[int], penalty: float) -> float:
    """The cost of a segmentation by definition, with levels among the values."""
    total = penalty * (len(starts) - 1)
    for a, b in zip(starts, [*starts[1:], len(x)], strict=True):
        total += min(sum(min((v - m) ** 2, OUTLIER**2) for v in x[a:b]) for m in x)
    return total


def _every(points: int) -> list[list[int]]:
    made = [[0]]
    for t in range(1, points):
        made += [[*starts, t] for starts in made]
    return made


@given(
    st.lists(st.integers(-30, 30).map(float), min_size=2, max_size=7),
    st.sampled_from([8.0, 10.0, 20.0]),
)
def test_no_other_way_to_cut_is_cheaper(x: list[float], penalty: float) -> None:
    found = segment(np.array([x]), penalty)[0]
    cheapest = min(_cost(x, starts, penalty) for starts in _every(len(x)))
    # What wild points at an end add is for others to judge.
    without = [[s for s in found if s in kept] for kept in _every(len(x))]
    assert min(_cost(x, starts, penalty) for starts in without) == pytest.approx(cheapest)
