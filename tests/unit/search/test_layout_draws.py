"""The unit of replication is the layout: what is said of few layouts, and of many blocks of few.

Programs of one code, whose layouts scatter by 2 % and blocks by 0.3 %; fixed seeds."""

from __future__ import annotations

import numpy as np
import pytest
from tests.unit.search.worlds import Range, place, step_at

from whyfast.search.ddmin import Event, Try, ddmin
from whyfast.search.engine import Done
from whyfast.search.state import Task
from whyfast.search.subsets import Trial
from whyfast.search.view import ALPHA, surely_above

SPREAD, NOISE = 0.02, 0.003


def _claims(layouts: int, blocks: int, effect: float, series: int) -> float:
    """Share of series in which the bad end is surely slower; each block draws one of ``layouts`` of
    both ends, or the next one where there are as many as blocks."""
    claimed = 0
    for seed in range(series):
        rng = np.random.default_rng([layouts, blocks, seed])
        good, bad = SPREAD * rng.standard_normal((2, layouts))
        if layouts == blocks:
            ends = bad - good
        else:
            ends = (
                bad[rng.integers(layouts, size=blocks)] - good[rng.integers(layouts, size=blocks)]
            )
        noise = NOISE * np.sqrt(2) * rng.standard_normal(blocks)
        claimed += surely_above((effect + ends + noise).tolist(), ALPHA)
    return claimed / series


@pytest.mark.parametrize("layouts", [12, 24])
def test_each_layout_once_claims_nothing_that_is_not_there(layouts: int) -> None:
    assert _claims(layouts, layouts, 0.0, 100) <= ALPHA


def test_many_blocks_of_few_layouts_would() -> None:
    assert _claims(12, 100, 0.0, 30) > 5 * ALPHA


def test_a_difference_larger_than_the_scatter_is_found() -> None:
    assert _claims(12, 12, 0.08, 20) > 0.9
    assert _claims(24, 24, 0.04, 20) > 0.9


@pytest.mark.parametrize("either", [True, False])
def test_a_set_of_what_only_moves_code_is_placement(either: bool) -> None:
    for seed in range(2):
        rng = np.random.default_rng([9, seed])

        def oracle(wanted: Try, rng: np.random.Generator = rng) -> Event:
            luck = 2 * SPREAD * rng.integers(0, 2, 3) if either else SPREAD * rng.standard_normal(3)
            if not wanted.layouts:
                luck = np.array([0.0, 0.04, 0.04 if wanted.subset and 1 in wanted.subset else 0.0])
            good, bad, own = (luck + NOISE * rng.standard_normal(3)).tolist()
            offset = 0.0 if wanted.subset is None else own - (good + bad) / 2
            return Trial(bad - good, wanted.subset, offset, wanted.fresh, wanted.layouts)

        found = ddmin(Task(4, budget=400, relinkable=True), oracle)
        assert (found.outcome, found.tested) == ("placement", "placement")


def test_a_step_under_a_large_scatter_is_found() -> None:
    world = Range(step_at(90, 128, 0.04), noise=NOISE, seed=3, spread=SPREAD / 2)
    step = world.search(Task(128, relinkable=True))[1]
    assert isinstance(step, Done)
    assert (place(step.answer), step.answer.tested) == (("culprit", 90, 90), "change")
