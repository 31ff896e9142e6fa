"""Levels and lines from sums, against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyfast.history.evidence import Segment, Sums, fit, robust_values
from whyfast.history.noise import ScaledNoise

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
