"""What is said of the ends of a search that do not differ by what matters."""

from __future__ import annotations

import math

import pytest

from whyfast.report.sections.search import alike, surely_unlike
from whyfast.search.state import Interval, Quantity


@pytest.mark.parametrize(
    ("quantity", "ends", "unlike", "said"),
    [
        ("time", None, False, "b takes as long as a"),
        ("time", Interval(0.001, -0.002, 0.004, 9), False, "b takes as long as a (it is"),
        ("time", Interval(0.003, 0.002, 0.004, 9), True, "than a, less than the margin"),
        ("time", Interval(0.1, -math.inf, math.inf, 2), False, "(it is about 1.1"),
        ("instructions", Interval(0.0, 0.0, 0.0, 4), False, "b costs as much as a"),
        ("instructions", Interval(1e-9, 1e-9, 1e-9, 4), False, "b costs as much as a"),
        ("instructions", Interval(0.01, 0.01, 0.01, 4), True, "b has 1.01x more instructions"),
    ],
)
def test_ends_that_are_alike_and_those_that_differ_by_too_little(
    quantity: Quantity, ends: Interval | None, unlike: bool, said: str
) -> None:
    assert surely_unlike(quantity, ends) is unlike
    sentence = alike(quantity, ends, "a", "b")
    assert said in sentence
    assert sentence.endswith("less than the margin") is unlike
