"""Rows of simulated searches that were made in parts."""

import pytest
from bench.search.join import joined


def _row(
    scene: str, searches: int, measured: float, error: float, **words: int
) -> dict[str, object]:
    return {
        "scene": scene,
        "bound": 22.9,
        "searches": searches,
        "right": 1.0 if measured < 15 else 0.5,
        "measured": measured,
        "measured_error": error,
        "measured_most": measured * 2,
        "words": words,
        "cpu_seconds": 2.0,
    }


def test_parts_are_weighted_by_their_searches() -> None:
    # 1, 1, 3, 3 and 5: a mean of 2.6 and a standard deviation of √2.24.
    one, two = _row("a", 4, 2.0, 1 / 2, culprit=4), _row("a", 1, 5.0, 0.0, culprit=0, none=1)
    other = _row("b", 2, 20.0, 0.0, none=2)
    found, alone = joined([[one, other], [two]])
    assert alone == other
    assert found == {
        "scene": "a",
        "bound": 22.9,
        "searches": 5,
        "right": 1.0,
        "measured": pytest.approx(2.6),
        "measured_error": pytest.approx((2.24 / 5) ** 0.5),
        "measured_most": 10.0,
        "words": {"culprit": 4, "none": 1},
        "cpu_seconds": 4.0,
    }
