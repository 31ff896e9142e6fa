"""How long a value and a block become, with scripted programs."""

import math
import random
import statistics

import pytest
from tests.unit.example_blocks import block
from tests.unit.measure.doubles import FakeClock

from whyfast.measure.calibrate import (
    COLD,
    LONGEST,
    LONGEST_COLD,
    SHORTEST,
    TRIES,
    WantedCalibration,
    WantedLengths,
    best_turns,
    calibrate,
    cost_of_round,
    first_turns,
    most_turns,
    next_loops,
)
from whyfast.measure.invocation import Invocation, InvocationFailed, Sample
from whyfast.model.sample import Block, Calibration


class Program:
    """A player whose value costs ``cold`` seconds once and ``warm`` seconds a loop."""

    peak_memory = None
    threads = 1

    def __init__(self, clock: FakeClock, cold: float, warm: float, noise: random.Random) -> None:
        self.clock, self.cold, self.warm, self.noise = clock, cold, warm, noise
        self.asked: list[int] = []

    def turn(self, loops: int) -> Sample:
        self.asked.append(loops)
        seconds = (self.cold + self.warm * loops) * (1 + self.noise.gauss(0, 0.002))
        self.clock.seconds += seconds
        return Sample(seconds)

    def close(self) -> None: ...


class Programs:
    """A runner of such programs; every start takes a millisecond. ``other`` is how cold a value of
    every variant but ``a`` begins."""

    loops_vary = True

    def __init__(self, cold: float, warm: float, other: float | None = None) -> None:
        self.clock = FakeClock()
        self.cold, self.warm = cold, warm
        self.other = cold if other is None else other
        self.made: list[Program] = []

    def enter(self, variant: str, *, cpu: int | None, pad: int, layout: int = 0) -> Invocation:
        self.clock.seconds += 1e-3
        cold = self.cold if variant == "a" else self.other
        self.made.append(Program(self.clock, cold, self.warm, random.Random(variant)))
        return self.made[-1]


def _calibrate(
    runner: Programs, variants: tuple[str, ...] = ("a", "b"), **lengths: float
) -> Calibration:
    wanted = WantedCalibration("work", variants, None, WantedLengths(**lengths))  # type: ignore
    return calibrate(runner, wanted, runner.clock)


@pytest.mark.parametrize(
    ("cold", "warm", "loops"),
    [
        (0.0, 30e-6, 1),  # a loop that is long enough and never cold
        (0.0, 10e-6, 4),  # the shortest value that the clock can bear: 25 µs
        (20e-6, 10e-6, 256),  # 1 % cold needs 200 loops; lengths double
        (5e-6, 30e-6, 16),
    ],
)
def test_the_shortest_turn_that_is_warm(cold: float, warm: float, loops: int) -> None:
    runner = Programs(cold, warm)
    found = _calibrate(runner)
    assert found.benchmark == "work"
    assert found.loops in (loops, loops * 2)
    assert found.loops * warm + cold >= SHORTEST * 0.95
    # the longest turn tried is itself a little cold, which the comparison cannot see
    assert cold / (found.loops * warm) < 2.2 * COLD


def test_lengths_between_are_tried_where_the_shortest_are_cold() -> None:
    warm, cold = Programs(0.0, 30e-6), Programs(5e-6, 30e-6)
    for runner in (warm, cold):
        _calibrate(runner)
    tried = [{n: runner.made[0].asked.count(n) for n in (1, 8, 64)} for runner in (warm, cold)]
    # once each to find the longest; a round of one loop at the begin, and some at the end
    assert tried[0] == {1: 2 + 2 * TRIES, 8: 1, 64: 1 + TRIES}
    assert tried[1] == {1: 2 + TRIES, 8: 1 + TRIES, 64: 1 + 2 * TRIES}


@pytest.mark.parametrize("order", [("a", "b", "c"), ("b", "a", "c")])
def test_no_variant_is_cold_whichever_is_the_first(order: tuple[str, ...]) -> None:
    """Tables of 8 KB and of 1 MB: the one that is loaded in no time decides nothing."""
    runner = Programs(0.0, 30e-6, other=0.2e-3)
    found = _calibrate(runner, order)
    assert 0.2e-3 / (found.loops * 30e-6) < 1.5 * COLD


def test_a_variant_with_much_to_load_gets_longer_values_than_the_longest_first_tried() -> None:
    runner = Programs(0.0, 30e-6, other=0.3e-3)
    found = _calibrate(runner)
    assert found.loops * 30e-6 > 2 * LONGEST
    assert 0.3e-3 / (found.loops * 30e-6) < 1.5 * COLD


def test_lengthening_has_an_end() -> None:
    runner = Programs(0.0, 30e-6, other=50e-3)
    found = _calibrate(runner)
    assert found.loops * 30e-6 <= 2 * LONGEST_COLD


def test_blocks_that_a_budget_wants_many_of_have_shorter_and_colder_turns() -> None:
    runner = Programs(0.0, 30e-6, other=0.3e-3)
    # Five rounds of 8 ms: two values of 128 loops at 30 µs, one with 0.3 ms of a cold start.
    found = _calibrate(runner, block=0.0402)
    assert found.loops == 128
    assert found.cold["b"] == pytest.approx(0.078, abs=0.01)
    assert found.cold["a"] <= COLD
    warm = _calibrate(runner)
    assert max(warm.cold.values()) <= COLD


def _blocks(
    rng: random.Random, number: int, turns: int, process: float, turn: float
) -> list[Block]:
    """Blocks of a program whose processes vary by ``process`` and turns by ``turn``; a round of
    turns takes a millisecond, starting ten."""
    made = []
    for _ in range(number):
        own = {v: rng.gauss(0, process) for v in "ab"}
        values = {v: [math.exp(own[v] + rng.gauss(0, turn)) for _ in range(turns)] for v in "ab"}
        made.append(block(values, seconds=0.01 + turns * 1e-3))
    return made


@pytest.mark.parametrize("disturbed", [0, 3])
@pytest.mark.parametrize(
    ("process", "turn", "least", "most"),
    [
        (0.001, 0.016, 30, 100),  # best is √(w C / b c) = √(10 π/2) · 16 = 63
        (0.004, 0.016, 10, 26),  # 16
        (0.016, 0.016, 5, 9),  # 4
    ],
)
def test_turns_come_near_the_best_review_by_review_and_no_bad_block_moves_them(
    process: float, turn: float, least: int, most: int, disturbed: int
) -> None:
    rng = random.Random(1)
    reached = []
    for _ in range(20):
        turns, blocks = first_turns(0.01, 1e-3), _blocks(rng, disturbed, 15, 1.0, 0.016)
        for number in (8, 16, 32, 64, 128):
            blocks += _blocks(rng, number - len(blocks), turns, process, turn)
            turns = best_turns(blocks, "b", "a", 0.01) or turns
        reached.append(turns)
    assert least <= statistics.median(reached) <= most


def test_of_few_blocks_costs_have_more_to_say_than_variances() -> None:
    """Eight blocks that happen to be alike, or to differ, hardly move what costs want: 15."""
    rng = random.Random(2)
    turns = [best_turns(_blocks(rng, 8, 15, 0.004, 0.016), "b", "a", 0.01) for _ in range(100)]
    assert sum(t is not None and 8 <= t <= 34 for t in turns) >= 98


def test_too_few_blocks_or_turns_want_nothing() -> None:
    rng = random.Random(3)
    assert best_turns(_blocks(rng, 4, 15, 0.01, 0.01), "b", "a", 0.01) is None
    assert best_turns(_blocks(rng, 30, 3, 0.01, 0.01), "b", "a", 0.01) is None
    assert best_turns(_blocks(rng, 30, 15, 0.01, 0.01), "c", "a", 0.01) is None


def test_a_program_whose_time_does_not_grow_with_the_loops() -> None:
    runner = Programs(30e-9, 0.0)  # as when the compiler has taken the work out of the loop
    with pytest.raises(InvocationFailed, match="does not grow with the loops granted") as caught:
        _calibrate(runner)
    assert caught.value.variant == "a"
    assert max(runner.made[0].asked) < 2**64  # as many as programs can be granted


def test_a_long_loop_is_not_tried_again_and_again() -> None:
    runner = Programs(0.0, 0.1)
    found = _calibrate(runner)
    assert found.loops == 1
    assert all(len(p.asked) < TRIES for p in runner.made)


def test_a_turn_that_is_asked_for_is_kept_to() -> None:
    runner = Programs(0.0, 10e-6)
    found = _calibrate(runner, turn=1e-3, turns=7)
    assert 0.9e-3 <= found.loops * 10e-6 <= 2.1e-3
    assert found.turns == 7


def test_the_variant_that_fails_is_named() -> None:
    class Failing(Programs):
        def enter(self, variant: str, *, cpu: int | None, pad: int, layout: int = 0) -> Invocation:
            if variant == "b":
                raise InvocationFailed("ended early")
            return super().enter(variant, cpu=cpu, pad=pad, layout=layout)

    runner = Failing(0.0, 1e-5)
    with pytest.raises(InvocationFailed) as failed:
        _calibrate(runner)
    assert failed.value.variant == "b"


@pytest.mark.parametrize(
    ("start", "round_cost", "turns"),
    [(0.03, 1e-3, 45), (0.03, 1.0, 5), (1.0, 1e-4, 100), (0.0, 1e-3, 50), (0.0, 0.2, 1)],
)
def test_first_blocks_by_cost_of_starting(start: float, round_cost: float, turns: int) -> None:
    assert first_turns(start, round_cost) == turns


def test_loops_that_are_given_are_not_searched_for() -> None:
    runner = Programs(cold=0.0, warm=30e-6)
    found = _calibrate(runner, loops=7)
    assert (found.loops, set(runner.made[0].asked)) == (7, {1, 7})


@pytest.mark.parametrize(
    ("block", "turns"),
    [
        (None, 400),
        (1.5 / 60, 35),  # 1.5 s for blocks of 75 ms, of which 40 ms are the start
        (1 / 60, 20),  # no less than half as long in turns as in starting
        (10 / 60, 460),
    ],
)
def test_a_block_has_no_more_turns_than_leave_room_for_twenty(
    block: float | None, turns: int
) -> None:
    assert most_turns(0.04, 1e-3, block) == turns


def test_a_start_that_was_slow_once_does_not_make_rounds_free() -> None:
    blocks = [block({"a": [1e-3] * 10, "b": [1e-3] * 10}, seconds=s) for s in (0.08, 0.1, 0.12)]
    assert cost_of_round(blocks, 0.04) == pytest.approx(6e-3)
    assert cost_of_round(blocks, 0.5) == pytest.approx(2.5e-3)


def test_a_short_budget_has_blocks_of_few_turns() -> None:
    start = 2e-3  # of both processes
    wanted = WantedLengths(block=1.0, loops=1), WantedLengths(block=1e-3, loops=1)
    long, short = (
        calibrate(p, WantedCalibration("work", ("a", "b"), None, w), p.clock)
        for w in wanted
        for p in [Programs(cold=0.0, warm=30e-6)]
    )
    assert long.turns == round(1.5 * start / 60e-6)
    assert short.turns == round((3e-3 - start) / 60e-6)


def test_loops_grow_towards_the_goal() -> None:
    assert next_loops(1, 1e-6, 25e-6) == 12
    assert next_loops(8, 20e-6, 25e-6) == 16
