"""Processes that warm up, drift or shift; the cold-start correction."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.unit.example_blocks import block

from whyfast.judge.comparisons import ComparisonPlan
from whyfast.judge.decide import correct_cold_start, correct_suites
from whyfast.judge.placement import judge_levels
from whyfast.judge.processes import judge_stationarity, non_stationary, set_aside
from whyfast.measure.calibrate import COLD
from whyfast.model.sample import Block, Calibration
from whyfast.model.variant import Benchmark
from whyfast.model.verdict import NonStationary, Suite, Verdict

Floats = NDArray[np.float64]


def _blocks(
    number: int, turns: int, shape: Callable[[Floats], Any], *, noise: float = 0.01, seed: int = 1
) -> list[Block]:
    """``a`` is steady, the log times of ``b`` have a ``shape`` over the turns."""
    rng = np.random.default_rng(seed)
    at = np.arange(float(turns))
    return [
        block(
            {
                "a": list(np.exp(noise * rng.standard_normal(turns))),
                "b": list(np.exp(shape(at) + noise * rng.standard_normal(turns))),
            }
        )
        for _ in range(number)
    ]


def _only(blocks: list[Block]) -> NonStationary:
    (found,) = non_stationary(blocks, ["a", "b"])
    assert found.variant == "b"
    assert non_stationary(blocks, ["b", "a"]) == (found,)
    return found


@pytest.mark.parametrize("first", [1, 4, 9])
def test_slow_first_values_are_set_aside(first: int) -> None:
    found = _only(_blocks(12, 20, lambda t: 0.26 * (t < first)))
    assert (found.kind, found.at, found.turns, found.lasts) == ("warms up", first, 20, False)
    assert found.ratio == pytest.approx(1.3, abs=0.02)
    assert set_aside([found]) == {"fib": first}


def test_the_tail_of_warming_up_goes_with_it() -> None:
    """Place by place it is too small to see, all of it together is not."""
    found = _only(_blocks(40, 40, lambda t: 0.2 * (t < 2) + 0.012 * (t < 12), noise=0.02))
    assert (found.kind, found.at) == ("warms up", 12)


@pytest.mark.parametrize(
    ("turns", "shape", "kind", "at", "ratio"),
    [
        (30, lambda t: 0.01 * t, "drifts", 0, math.exp(0.29)),
        (30, lambda t: 0.05 * (t >= 10), "shifts", 10, 1.05),
        # Two thirds of a process cannot be set aside.
        (3, lambda t: 0.4 * (t < 2), "shifts", 2, math.exp(-0.4)),
        (20, lambda t: -0.05 * t, "drifts", 0, math.exp(-0.95)),  # never settles
    ],
)
def test_drifts_and_shifts_last(
    turns: int, shape: Callable[[Floats], Any], kind: str, at: int, ratio: float
) -> None:
    found = _only(_blocks(10, turns, shape))
    assert (found.kind, found.at, found.turns, found.lasts) == (kind, at, turns, True)
    assert found.ratio == pytest.approx(ratio, abs=0.01)
    assert set_aside([found]) == {}


def test_what_one_variant_warms_up_by_is_set_aside_in_all_and_then_the_rest_is_looked_at() -> None:
    rng = np.random.default_rng(3)
    t = np.arange(20.0)
    blocks = [
        block(
            {
                "a": list(np.exp(0.3 * (t < 3) + 0.01 * rng.standard_normal(20))),
                "b": list(np.exp(0.05 * (t >= 12) + 0.01 * rng.standard_normal(20))),
            }
        )
        for _ in range(12)
    ]
    found = {u.variant: (u.kind, u.at) for u in non_stationary(blocks, ["a", "b"])}
    assert found == {"a": ("warms up", 3), "b": ("shifts", 12)}
    assert set_aside(non_stationary(blocks, ["a", "b"])) == {"fib": 3}


@pytest.mark.parametrize(("number", "turns"), [(5, 20), (40, 20), (40, 3), (12, 60)])
@pytest.mark.parametrize("heavy", [False, True])
def test_noise_alone_is_steady(number: int, turns: int, heavy: bool) -> None:
    rng = np.random.default_rng(9)
    found = 0
    for _ in range(100):
        shape = (number, 2, turns)
        logs = 0.01 * (rng.standard_t(2, shape) if heavy else rng.standard_normal(shape))
        # Drift of the machine goes its own way in each block.
        logs += 0.003 * np.cumsum(rng.standard_normal((number, 1, turns)), axis=2)
        blocks = [block({"a": list(np.exp(a)), "b": list(np.exp(b))}) for a, b in logs]
        found += bool(non_stationary(blocks, ["a", "b"]))
    assert found <= 8


def test_too_few_blocks_or_turns_tell_nothing() -> None:
    assert non_stationary(_blocks(4, 20, lambda t: 0.3 * (t < 5)), ["a", "b"]) == ()
    assert non_stationary(_blocks(20, 1, lambda t: 0 * t), ["a", "b"]) == ()
    assert non_stationary([], ["a"]) == ()
    assert non_stationary(_blocks(20, 20, lambda t: 0.3 * (t < 5)), ["c"]) == ()


WARM = [1.3, 1.2, *[1.0] * 8]


def test_a_benchmark_without_the_main_baseline_still_warms_up() -> None:
    blocks = [block({"b": WARM, "c": WARM}, benchmark="loop", index=i) for i in range(6)]
    benchmarks = [Benchmark("loop", "turn", ("loop",))]
    non_stationary = judge_stationarity(blocks, benchmarks=benchmarks, variants=("a", "b", "c"))
    assert non_stationary == tuple(
        NonStationary(v, "loop", "warms up", 2, 10, 1.3) for v in ("b", "c")
    )
    found = {
        baseline: judge_levels(
            ComparisonPlan(blocks, ["loop"], [], 0.01, ("a", "b", "c")), baseline, non_stationary
        )
        for baseline in ("a", "b")
    }
    assert found["a"] == ()
    assert [(x.variant, x.non_stationary, x.drifts) for x in found["b"]] == [("c", 2, False)]


def test_commands_cannot_warm_up() -> None:
    blocks = [block({"a": WARM, "b": WARM}, benchmark="ls", index=i) for i in range(6)]
    benchmarks = [Benchmark("ls", "command", ("ls",))]
    assert judge_stationarity(blocks, benchmarks=benchmarks, variants=("a", "b")) == ()


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
