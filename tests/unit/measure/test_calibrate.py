"""How long a value and a block become, with scripted programs."""

from __future__ import annotations

import random

import pytest
from tests.unit.measure.doubles import FakeClock

from whyfast.measure.calibrate import COLD, SHORTEST, TRIES, calibrate, first_turns, next_loops
from whyfast.measure.invocation import Invocation, InvocationFailed, Sample


class Program:
    """A player whose value costs ``cold`` seconds once and ``warm`` seconds a loop."""

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
    """A runner of such programs; every start takes a millisecond."""

    loops_vary = True

    def __init__(self, cold: float, warm: float) -> None:
        self.clock = FakeClock()
        self.cold, self.warm = cold, warm
        self.made: list[Program] = []

    def enter(self, variant: str, *, cpu: int | None, pad: int, layout: int = 0) -> Invocation:
        self.clock.seconds += 1e-3
        self.made.append(Program(self.clock, self.cold, self.warm, random.Random(variant)))
        return self.made[-1]


@pytest.mark.parametrize(
    ("cold", "warm", "loops"),
    [
        (0.0, 30e-6, 1),  # a loop that is long enough and never cold
        (0.0, 10e-6, 4),  # the shortest value that the clock can bear: 25 µs
        (20e-6, 10e-6, 128),  # 2 % cold needs 100 loops; lengths double
        (5e-6, 30e-6, 8),
    ],
)
def test_the_shortest_turn_that_is_warm(cold: float, warm: float, loops: int) -> None:
    runner = Programs(cold, warm)
    found = calibrate("work", runner, ["a", "b"], cpu=None, clock=runner.clock)
    assert found.benchmark == "work"
    assert found.loops in (loops, loops * 2)
    assert found.loops * warm + cold >= SHORTEST * 0.95
    # the longest turn tried is itself a little cold, which the comparison cannot see
    assert cold / (found.loops * warm) < 2.2 * COLD


def test_a_program_whose_time_does_not_grow_with_the_loops() -> None:
    runner = Programs(30e-9, 0.0)  # as when the compiler has taken the work out of the loop
    with pytest.raises(InvocationFailed, match="does not grow with the loops granted") as caught:
        calibrate("work", runner, ["a", "b"], cpu=None, clock=runner.clock)
    assert caught.value.variant == "a"
    assert max(runner.made[0].asked) < 2**64  # as many as programs can be granted


def test_a_long_loop_is_not_tried_again_and_again() -> None:
    runner = Programs(0.0, 0.1)
    found = calibrate("work", runner, ["a", "b"], cpu=None, clock=runner.clock)
    assert found.loops == 1
    assert all(len(p.asked) < TRIES for p in runner.made)


def test_a_turn_that_is_asked_for_is_kept_to() -> None:
    runner = Programs(0.0, 10e-6)
    found = calibrate("work", runner, ["a", "b"], cpu=None, clock=runner.clock, turn=1e-3, turns=7)
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
        calibrate("work", runner, ["a", "b"], cpu=None, clock=runner.clock)
    assert failed.value.variant == "b"


@pytest.mark.parametrize(
    ("start", "round_cost", "turns"),
    [(0.03, 1e-3, 45), (0.03, 1.0, 3), (1.0, 1e-4, 100), (0.0, 1e-3, 50), (0.0, 0.2, 1)],
)
def test_turns_of_the_first_blocks_follow_the_cost_of_starting(
    start: float, round_cost: float, turns: int
) -> None:
    assert first_turns(start, round_cost) == turns


def test_loops_grow_towards_the_goal() -> None:
    assert next_loops(1, 1e-6, 25e-6) == 12
    assert next_loops(8, 20e-6, 25e-6) == 16
