"""What a cold start hides, given back to the interval."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from whyfast.judge.stationarity import correct_cold_start, correct_suites
from whyfast.measure.calibrate import COLD
from whyfast.model.sample import Calibration
from whyfast.model.variant import Benchmark
from whyfast.model.verdict import Suite, Verdict

TURN = Benchmark("work", runner="turn", command=("{program}",))
WHOLE = Benchmark("work", runner="command", command=("{program}",))
SLOWER = Verdict("new", "old", "work", "slower", 1.0496, 1.0494, 1.0498, 0.99, 9.0, 30)


def test_the_end_away_from_one_moves_by_a_hundredth_of_its_distance() -> None:
    (moved,) = correct_cold_start([SLOWER], [TURN], ())
    assert (moved.low, moved.ratio) == (1.0494, 1.0496)
    assert moved.high == pytest.approx(1.0498 + 0.0498 / 99)
    faster = replace(SLOWER, outcome="faster", ratio=0.8, low=0.79, high=0.81)
    (moved,) = correct_cold_start([faster], [TURN], ())
    assert (moved.ratio, moved.high) == (0.8, 0.81)
    assert moved.low == pytest.approx(0.79 - 0.21 / 99)


def test_a_true_ratio_that_a_cold_start_hides_is_inside() -> None:
    # 1 % of a value is the same on both sides; the rest takes 1.05 times as long.
    shown = COLD + (1 - COLD) * 1.05
    exact = replace(SLOWER, ratio=shown, low=shown, high=shown)
    (moved,) = correct_cold_start([exact], [TURN], ())
    assert moved.high == pytest.approx(1.05)


def test_words_and_whole_processes_and_unknown_ends_stay() -> None:
    same = replace(SLOWER, outcome="same", ratio=1.0, low=0.991, high=1.0099)
    open_ended = replace(SLOWER, outcome="undecided", low=0.0, high=math.inf)
    assert correct_cold_start([SLOWER], [WHOLE], ()) == (SLOWER,)
    assert correct_cold_start([same, open_ended], [TURN], ()) == (same, open_ended)


def test_means_move_where_any_benchmark_takes_turns() -> None:
    mean = Suite(replace(SLOWER, benchmark=None))
    (kept,) = correct_suites([mean], [WHOLE], ())
    assert kept == mean
    (moved,) = correct_suites([mean], [WHOLE, replace(TURN, name="other")], ())
    assert moved.verdict.high == pytest.approx(1.0498 + 0.0498 / 99 / 2)


def test_a_colder_turn_hides_more() -> None:
    calibration = Calibration("work", loops=8, turns=5, value=1e-3, start=1e-2, cold={"new": 0.2})
    (moved,) = correct_cold_start([SLOWER], [TURN], [calibration])
    assert moved.high == pytest.approx(1.0498 + 0.0498 / 4)
    other = replace(calibration, cold={"third": 0.2})
    (moved,) = correct_cold_start([SLOWER], [TURN], [other])
    assert moved.high == pytest.approx(1.0498 + 0.0498 / 99)
