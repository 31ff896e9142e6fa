"""Culprit and parent side by side."""

from __future__ import annotations

import math

from whyfast.search.confirm import attempts
from whyfast.search.state import KnownEnds, Observation, Pair


def _blocks(jumps: list[float], attempt: int = 1, ends: float = 0.03) -> list[Observation]:
    return [Observation(ends, pair=Pair(6, 7, attempt, jump)) for jump in jumps]


_NOISE = [0.002, -0.001, 0.003, -0.002, 0.001, -0.003, 0.0, 0.002, -0.002, 0.001, -0.001, 0.003]


def test_too_few_blocks_leave_it_open() -> None:
    (attempt,) = attempts(_blocks([0.03] * 8), None)
    assert attempt.outcome == "open"
    assert attempt.low == -math.inf


def test_ten_clear_blocks_confirm_the_first_attempt() -> None:
    (attempt,) = attempts(_blocks([0.03 + x for x in _NOISE[:10]]), None)
    assert (attempt.outcome, attempt.parent, attempt.culprit) == ("confirmed", 6, 7)
    assert 0 < attempt.low < 0.03 < attempt.high
    assert attempt.blocks == 10


def test_a_step_that_is_none_is_refuted() -> None:
    (attempt,) = attempts(_blocks(_NOISE), None)
    assert attempt.outcome == "refuted"
    assert attempt.high < 0.01


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
