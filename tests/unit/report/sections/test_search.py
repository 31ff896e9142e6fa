"""How the ends of a search compare, and what placement adds."""

from __future__ import annotations

import math

import pytest

from whyfast.report.sections.search import alike, scatter_of, surely_unlike
from whyfast.search.state import Interval, Quantity
from whyfast.search.subsets import Trial


@pytest.mark.parametrize(
    ("quantity", "ends", "unlike", "text"),
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
    quantity: Quantity, ends: Interval | None, unlike: bool, text: str
) -> None:
    assert surely_unlike(quantity, ends) is unlike
    sentence = alike(quantity, ends, "a", "b")
    assert text in sentence
    assert sentence.endswith("less than the margin") is unlike


@pytest.mark.parametrize(
    ("linked", "varied", "text"),
    [
        ([0.1] * 4, [0.08, 0.12, 0.08, 0.12], "scatters a program by 1.6 % (one standard"),
        ([0.1] * 4, [0.1] * 4, "scatters a program by 0 % (one standard"),
        ([0.08, 0.12, 0.08, 0.12], [0.1] * 4, "less than one block does by noise, 1.6 % (one"),
        ([0.1] * 3, [0.08, 0.12, 0.08, 0.12], ""),
    ],
)
def test_what_layouts_add_to_the_noise(linked: list[float], varied: list[float], text: str) -> None:
    scatter = scatter_of([*map(Trial, linked), *(Trial(x, layouts=True) for x in varied)])
    assert text in scatter
    assert bool(text) == bool(scatter)
    assert "± 0 %" not in scatter or "by 0 %" in scatter
