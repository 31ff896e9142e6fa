"""Single points that stand apart."""

from __future__ import annotations

import numpy as np

from whyfast.history.changes import single_chance
from whyfast.history.detect import find_outliers, judged


def outliers(y: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[int]:
    (pruned,) = judged([y], [0.0])
    level = np.concatenate([p.values() for p in pruned.pieces])
    return find_outliers(y - level, pruned, single_chance(len(y)))


def test_a_wild_point_in_a_short_series() -> None:
    y = np.random.default_rng(1).standard_normal(12)
    assert outliers(y) == []
    y[7] += 12
    assert outliers(y) == [7]


def test_noise_with_a_tail_has_to_be_exceeded_by_far() -> None:
    y = np.random.default_rng(2).laplace(size=1000)
    assert np.abs(y).max() > 6
    assert outliers(y) == []
    y[500] = 30
    assert outliers(y) == [500]


def test_of_two_points_neither_can_be_told() -> None:
    y = 0.01 * np.random.default_rng(3).standard_normal(20)
    y[18:] += (1.0, 2.0)
    assert outliers(y) == []


def test_one_in_a_hundred_series_of_normal_noise_has_one() -> None:
    y = np.random.default_rng(4).standard_normal((400, 30))
    assert sum(bool(outliers(row)) for row in y) <= 10
