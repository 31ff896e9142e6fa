"""Confirmations, and what layouts show of the ends' difference."""

from __future__ import annotations

import math

import numpy as np
import pytest

from whyfast.search.state import KnownEnds, Observation, Pair
from whyfast.search.view import SHARES, attempts, believe


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


def test_the_same_difference_over_layouts_is_the_change() -> None:
    belief = believe(LINKED, _normal(0.06, 0.007, 8, seed=2), 0.01, None)
    assert belief.alike > 0.99
    assert belief.within < 0.001


def test_a_difference_that_vanishes_over_layouts_is_placement() -> None:
    belief = believe(LINKED, _normal(0.0, 0.05, 60, seed=2), 0.01, None)
    assert belief.within > 0.95
    assert belief.alike < 0.01
    assert believe(LINKED, _normal(0.0, 0.01, 30, seed=2), 0.01, None).within > 0.99


def test_half_of_a_difference_is_neither() -> None:
    belief = believe(LINKED, _normal(0.03, 0.01, 60, seed=2), 0.01, None)
    assert belief.within < 0.01
    assert belief.alike < 0.01


def test_few_layouts_decide_nothing() -> None:
    belief = believe(LINKED, _normal(0.02, 0.05, 3, seed=2), 0.01, None)
    assert 0.01 < belief.within < 0.99


def test_one_odd_layout_of_many_decides_nothing() -> None:
    varied = np.append(_normal(0.06, 0.007, 8, seed=2), -1.0)
    assert believe(LINKED, varied, 0.01, None).alike > 0.9


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
