"""Confirmations, and what layouts show of the ends' difference. The unit of replication is the
layout: what is said of few layouts, and of many blocks of few. Programs of one code, whose layouts
scatter by 2 % and blocks by 0.3 %; fixed seeds."""

import math

import numpy as np
import pytest
from tests.unit.search.worlds import Range, place, step_at

from whyfast.search.ddmin import Event, Try, ddmin
from whyfast.search.engine import Done
from whyfast.search.state import KnownEnds, Observation, Pair, Task
from whyfast.search.view import ALPHA, SHARES, Trial, attempts, believe, surely_above


def _blocks(jumps: list[float], attempt: int = 1, ends: float = 0.03) -> list[Observation]:
    return [Observation(ends, pair=Pair(6, 7, attempt, jump)) for jump in jumps]


_NOISE = [0.002, -0.001, 0.003, -0.002, 0.001, -0.003, 0.0, 0.002, -0.002, 0.001, -0.001, 0.003]


@pytest.mark.parametrize(
    ("jumps", "outcome", "low", "high"),
    [
        ([0.03] * 8, "open", (-math.inf, -math.inf), (math.inf, math.inf)),
        ([0.03 + x for x in _NOISE[:10]], "confirmed", (0, 0.03), (0.03, math.inf)),
        (_NOISE, "refuted", (-math.inf, 0), (0, 0.01)),
    ],
    ids=["too few blocks", "ten clear blocks", "no step"],
)
def test_a_first_attempt(
    jumps: list[float], outcome: str, low: tuple[float, float], high: tuple[float, float]
) -> None:
    (attempt,) = attempts(_blocks(jumps), None)
    assert (attempt.outcome, attempt.parent, attempt.culprit) == (outcome, 6, 7)
    assert attempt.blocks == len(jumps)
    assert low[0] <= attempt.low <= low[1]
    assert high[0] <= attempt.high <= high[1]
    assert (attempt.low > 0) == (outcome == "confirmed")


def test_a_second_attempt_takes_more_blocks_and_counts_for_itself() -> None:
    first, second = attempts(_blocks(_NOISE) + _blocks([0.03] * 9, attempt=2), None)
    assert (first.outcome, second.outcome) == ("refuted", "open")
    assert second.blocks == 9


def test_later_blocks_do_not_change_what_was_decided() -> None:
    refuted = _blocks(_NOISE, ends=0.03)
    later = [Observation(0.001)] * 40  # the ends look nearer to each other now
    assert attempts(refuted + later, None)[0].outcome == "refuted"


def test_known_ends_say_how_large_a_step_was_sought() -> None:
    half = [0.015 + x for x in _NOISE]
    assert attempts(_blocks(half), KnownEnds(0.03, 0.01))[0].outcome == "confirmed"
    none = _blocks([x + 0.004 for x in (-0.01, 0.004, -0.004, 0.01) * 3])
    assert attempts(none, KnownEnds(0.9, 0.01))[0].outcome == "refuted"
    assert attempts(none, KnownEnds(0.03, 0.01))[0].outcome == "open"


def _normal(center: float, spread: float, n: int, seed: int = 1) -> np.ndarray:
    return center + spread * np.random.default_rng(seed).standard_normal(n)


LINKED = _normal(0.06, 0.005, 12)


@pytest.mark.parametrize(
    ("varied", "within", "alike"),
    [
        (_normal(0.06, 0.007, 8, seed=2), (0, 0.001), (0.99, 1)),
        (np.append(_normal(0.06, 0.007, 8, seed=2), -1.0), (0, 0.1), (0.9, 1)),
        (_normal(0.0, 0.05, 60, seed=2), (0.95, 1), (0, 0.01)),
        (_normal(0.0, 0.01, 30, seed=2), (0.99, 1), (0, 0.01)),
        (_normal(0.03, 0.01, 60, seed=2), (0, 0.01), (0, 0.01)),
        (_normal(0.02, 0.05, 3, seed=2), (0.01, 0.99), (0, 1)),
    ],
    ids=["change", "one outlier", "placement", "clear placement", "half", "few layouts"],
)
def test_the_difference_over_layouts(
    varied: np.ndarray, within: tuple[float, float], alike: tuple[float, float]
) -> None:
    belief = believe(LINKED, varied, 0.01, None)
    assert within[0] <= belief.within <= within[1]
    assert alike[0] <= belief.alike <= alike[1]


def test_the_direction_does_not_matter() -> None:
    varied = _normal(0.03, 0.02, 20, seed=2)
    ahead, back = believe(LINKED, varied, 0.01, None), believe(-LINKED, -varied, 0.01, None)
    assert (ahead.within, ahead.alike) == pytest.approx((back.within, back.alike))


def test_known_ends_need_no_blocks_as_linked() -> None:
    belief = believe(np.array([]), _normal(0.06, 0.007, 8), 0.01, KnownEnds(0.06, 0.004))
    assert belief.alike > 0.99


def test_the_shares_hold_nothing_and_all() -> None:
    assert 0.0 in SHARES
    assert 1.0 in SHARES
    assert np.all(np.diff(SHARES) > 0)


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
