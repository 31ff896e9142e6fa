"""Penalties between the sizes that were simulated."""

from __future__ import annotations

import math

import pytest

from whyfast.history.penalty import penalty


@pytest.mark.parametrize(
    ("points", "series", "expected"),
    [
        (9, 1, 58.8),
        (9, 9, 58.8),
        (9, 10, 8.1),
        (9, 50, 6.8),
        (9, 68, 6.8),
        (300, 10, 12.5),
        # Between the tables of 10 and 50 series, on a logarithmic scale.
        (9, 22, 6.8 + 1.3 * math.log(50 / 22) / math.log(5)),
        (11, 50, 7.1 + 0.4 * math.log(11 / 10) / math.log(12 / 10)),
    ],
)
def test_the_penalty_lies_between_those_of_its_neighbours(
    points: int, series: int, expected: float
) -> None:
    assert penalty(points, series) == pytest.approx(expected)
