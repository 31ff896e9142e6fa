"""Which changes are believed, in noise of a standard deviation of 1."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from whyfast.history.changes import left_over, threshold
from whyfast.history.detect import judged

Floats = NDArray[np.float64]


def noise(points: int, seed: int = 1) -> Floats:
    return np.random.default_rng(seed).standard_normal(points)


def pieces(y: Floats) -> list[tuple[int, bool]]:
    """The first point of each piece, and whether it is a line."""
    (pruned,) = judged([y], [0.0])
    return [(p.start, p.slope != 0) for p in pruned.pieces]


def test_the_square_of_a_t_statistic() -> None:
    # Student's t of 10 degrees exceeds 3.169 on either side in 1 % of cases; of many, 2.576.
    assert threshold(0.01, 10.0) == pytest.approx(3.169**2, rel=1e-3)
    assert threshold(0.01, 1e9) == pytest.approx(2.576**2, rel=1e-3)


def test_a_level_and_nothing_else() -> None:
    assert pieces(noise(200)) == [(0, False)]


def test_a_step() -> None:
    y = noise(60)
    y[30:] += 4
    assert pieces(y) == [(0, False), (30, False)]


def test_a_drift_is_a_line_and_not_a_staircase() -> None:
    assert pieces(noise(100) + 0.2 * np.arange(100)) == [(0, True)]


def test_a_step_in_a_drift() -> None:
    y = noise(100) + 0.1 * np.arange(100)
    y[50:] += 8
    assert pieces(y) == [(0, True), (50, True)]


def test_a_drift_that_ends() -> None:
    y = noise(120) + 0.2 * np.minimum(np.arange(120), 60)
    (_, first), (end, second) = pieces(y)
    assert (first, second) == (True, False)
    assert abs(end - 60) <= 8


def test_three_steps_up_are_no_drift() -> None:
    y = noise(120) + np.repeat([0.0, 6.0, 12.0, 18.0], 30)
    assert pieces(y) == [(0, False), (30, False), (60, False), (90, False)]


def test_a_few_wild_points_together_are_no_level() -> None:
    y = np.random.default_rng(5).standard_t(3, 200)
    y[100:102] += 9
    assert pieces(y) == [(0, False)]


def test_far_enough_they_are() -> None:
    y = noise(200)
    y[100:104] += 90
    assert pieces(y) == [(0, False), (100, False), (104, False)]


def test_two_modes_that_alternate_by_chance_are_no_levels() -> None:
    rng = np.random.default_rng(2)
    y = 0.3 * rng.standard_normal(100) + 5.0 * (rng.random(100) < 0.3)
    assert pieces(y) == [(0, False)]


def test_a_random_walk_is_no_staircase() -> None:
    for seed in range(3, 8):
        assert len(pieces(np.cumsum(noise(2000, seed)))) <= 2


def test_a_jump_out_of_a_wandering_level_is_found() -> None:
    y = noise(2000) + 0.05 * np.cumsum(noise(2000, 3))
    y[1200:] += 12
    assert [start for start, _ in pieces(y)] == [0, 1200]


def test_a_series_whose_every_point_is_a_candidate_can_be_judged() -> None:
    (pruned,) = judged([np.array([0.0, 5.0, 1.0, 7.0, 2.0])], [0.0])
    assert len(pruned.pieces) == 1


def test_what_is_left_over_leaves_wild_points_aside() -> None:
    y = np.array([0.0, 1.0, 0.0, 1.0, 50.0, 10.0, 11.0, 10.0, 11.0])
    sd, freedom = left_over(y, [0, 5], 1.0)
    assert freedom == 6.0
    assert sd == pytest.approx((8 * 0.25 / 6) ** 0.5)
