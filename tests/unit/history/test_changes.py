"""Candidates, and which of them are changes."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from whyfast.history.changes import LEVELS, OUTLIER, left_over, segment, threshold
from whyfast.history.detect import judged
from whyfast.history.evidence import ScaledNoise, Segment, Sums, fit, robust_values


def cut(*values: float, penalty: float = 10.0) -> list[int]:
    return segment(np.array([values], dtype=float), penalty)[0]


@pytest.mark.parametrize(
    ("values", "starts"),
    [
        ((0, 0, 0, 10, 10, 10), [0, 3]),
        # A single point between equal levels, or at an end.
        ((0, 0, 0, 50, 0, 0, 0), [0]),
        ((0, 0, 0, 0, 0, 50), [0]),
        # An outlier does not hide a step.
        ((20, 20, 0, 9, 0, 0, 0, 20, 20), [0, 2, 7]),
        # Wild points at an end may be a level even if they scatter.
        ((60, 40, 0, 0, 0, 0), [0, 2]),
        ((0, 0, 0, 0, 40, 60), [0, 4]),
        ((60, -40, 0, 0, 0, 0), [0]),
    ],
)
def test_where_a_series_is_cut(values: tuple[float, ...], starts: list[int]) -> None:
    assert cut(*values) == starts


def test_a_wild_point_beside_a_small_step_does_not_swallow_it() -> None:
    assert cut(*[0.0] * 8, 70, *[5.0] * 8) in ([0, 8], [0, 9])


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


@pytest.mark.parametrize(
    ("points", "shape", "expected"),
    [
        (200, lambda t: 0 * t, [(0, False)]),
        (60, lambda t: 4 * (t >= 30), [(0, False), (30, False)]),
        # A drift is a line and not a staircase; three steps up are no drift.
        (100, lambda t: 0.2 * t, [(0, True)]),
        (100, lambda t: 0.1 * t + 8 * (t >= 50), [(0, True), (50, True)]),
        (120, lambda t: 6 * (t // 30), [(0, False), (30, False), (60, False), (90, False)]),
        # A few points are a level where they are far enough.
        (200, lambda t: 90 * ((t >= 100) & (t < 104)), [(0, False), (100, False), (104, False)]),
    ],
)
def test_levels_and_lines(
    points: int, shape: Callable[[Floats], Floats], expected: list[tuple[int, bool]]
) -> None:
    assert pieces(noise(points) + shape(np.arange(float(points)))) == expected


def test_a_drift_that_ends() -> None:
    y = noise(120) + 0.2 * np.minimum(np.arange(120), 60)
    (_, first), (end, second) = pieces(y)
    assert (first, second) == (True, False)
    assert abs(end - 60) <= 8


def test_a_few_wild_points_together_are_no_level() -> None:
    y = np.random.default_rng(5).standard_t(3, 200)
    y[100:102] += 9
    assert pieces(y) == [(0, False)]


def test_two_modes_that_alternate_by_chance_are_no_levels() -> None:
    rng = np.random.default_rng(2)
    y = 0.3 * rng.standard_normal(100) + 5.0 * (rng.random(100) < 0.3)
    assert pieces(y) == [(0, False)]


def test_a_random_walk_is_no_staircase() -> None:
    for seed in (3, 4):
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


KNOWN = ScaledNoise(1.0, 0.0, np.zeros(1), np.zeros(1), 0.0)


@given(st.lists(st.floats(-1e3, 1e3), min_size=4, max_size=20), st.data())
def test_a_line_is_that_of_least_squares(values: list[float], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(values) - 3))
    end = data.draw(st.integers(start + 3, len(values)))
    y = np.array(values)[start:end]
    slope, _ = np.polyfit(np.arange(end - start), y, 1)
    piece = Sums.of(np.array(values)).line(start, end)
    assert piece.slope == pytest.approx(slope, abs=1e-6)
    assert piece.middle == pytest.approx(y.mean(), abs=1e-6)
    assert piece.square == pytest.approx(((y - piece.values()) ** 2).sum(), abs=1e-3)


def test_a_level() -> None:
    piece = Sums.of(np.array([1.0, 2.0, 3.0, 10.0])).level(0, 3)
    assert (piece.points, piece.slope) == (3, 0.0)
    assert piece.middle == pytest.approx(2.0)
    assert piece.square == pytest.approx(2.0)
    assert piece.values().tolist() == pytest.approx([2.0, 2.0, 2.0])


def test_a_line_has_to_explain_more_than_noise_would() -> None:
    sums = Sums.of(np.arange(10.0))
    assert fit(sums, 0, 10, KNOWN, 80.0).slope == pytest.approx(1.0)
    assert fit(sums, 0, 10, KNOWN, 90.0).slope == 0.0
    # Seven points are too few for a line.
    assert fit(sums, 0, 7, KNOWN, 1.0).slope == 0.0


def test_a_wild_point_does_not_move_a_level() -> None:
    y = np.array([1.0, 1.2, 0.8, 9.0, 1.0])
    level = robust_values(y, [Segment(0, 5, 0.0, 0.0, 0.0)], 2.0)
    assert level.tolist() == pytest.approx([1.0] * 5)
