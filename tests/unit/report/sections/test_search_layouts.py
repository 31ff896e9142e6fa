"""By how much placement scatters a program, told from the blocks of a search."""

from __future__ import annotations

import pytest

from whyfast.report.sections.search import scatter_of
from whyfast.search.subsets import Trial


def _blocks(linked: list[float], varied: list[float]) -> list[Trial]:
    return [*(Trial(x) for x in linked), *(Trial(x, layouts=True) for x in varied)]


@pytest.mark.parametrize(
    ("linked", "varied", "said"),
    [
        ([0.1] * 4, [0.08, 0.12, 0.08, 0.12], "scatters a program by 1.6 % (one standard"),
        ([0.1] * 4, [0.1] * 4, "scatters a program by 0 % (one standard"),
        ([0.08, 0.12, 0.08, 0.12], [0.1] * 4, "less than one block does by noise, 1.6 % (one"),
        ([0.1] * 3, [0.08, 0.12, 0.08, 0.12], ""),
    ],
)
def test_what_layouts_add_to_the_noise(linked: list[float], varied: list[float], said: str) -> None:
    told = scatter_of(_blocks(linked, varied))
    assert said in told
    assert bool(said) == bool(told)


def test_layouts_that_add_nothing_to_the_noise_tell_no_exact_difference() -> None:
    assert "± 0 %" not in scatter_of(_blocks([0.08, 0.12, 0.08, 0.12], [0.1] * 4))
