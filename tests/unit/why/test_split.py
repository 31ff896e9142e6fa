"""Wall time as the sum of its parts."""

from __future__ import annotations

import math

import pytest

from whyfast.model.sample import Block
from whyfast.model.why import Change, Part
from whyfast.why.split import certainly_more, change_of, cpu_time, split


def block(index: int, *, loops: int = 1, **sides: tuple[float, float, float]) -> Block:
    """``sides`` have wall time, user and kernel time of one turn, in seconds for all loops."""
    return Block(
        "whole run", index, 1, "s", 0, loops, 0, tuple(sides), (tuple(sides),),
        {name: (wall,) for name, (wall, _, _) in sides.items()}, 0.0, 1.0,
        {name: {"user": (user,), "system": (kernel,)} for name, (_, user, kernel) in sides.items()},
    )  # fmt: skip


def test_the_parts_add_up_to_wall_time() -> None:
    blocks = [block(i, a=(1.0, 0.5, 0.25), b=(2.0, 1.25, 0.5)) for i in range(3)]
    whole, parts = split(blocks, "a", "b")
    assert whole == Change(1.0, 2.0, 1.0, 1.0)
    assert parts == {
        "user": Change(0.5, 1.25, 0.75, 0.75),
        "kernel": Change(0.25, 0.5, 0.25, 0.25),
        "waiting": Change(0.25, 0.25, 0.0, 0.0),
    }


def test_times_are_of_one_run_of_the_workload() -> None:
    blocks = [block(i, loops=4, a=(4.0, 2.0, 1.0), b=(8.0, 5.0, 2.0)) for i in range(3)]
    assert split(blocks, "a", "b")[1]["user"] == Change(0.5, 1.25, 0.75, 0.75)


def test_of_threads_that_run_at_once_cpu_time_is_no_more_than_wall_time() -> None:
    blocks = [block(i, a=(1.0, 0.5, 0.0), b=(2.0, 6.0, 2.0)) for i in range(3)]
    parts = split(blocks, "a", "b")[1]
    assert (parts["user"].slow, parts["kernel"].slow, parts["waiting"].slow) == (1.5, 0.5, 0.0)


def test_drift_between_blocks_cancels() -> None:
    blocks = [block(i, a=(1.0 + i, 1.0 + i, 0.0), b=(1.5 + i, 1.5 + i, 0.0)) for i in range(5)]
    whole = split(blocks, "a", "b")[0]
    assert (whole.fast, whole.slow) == (3.0, 3.5)
    assert (whole.low, whole.high) == (0.5, 0.5)


def test_blocks_without_both_sides_or_without_accounting_do_not_count() -> None:
    full = [block(i, a=(1.0, 1.0, 0.0), b=(2.0, 2.0, 0.0)) for i in range(3)]
    alone = block(3, a=(9.0, 9.0, 0.0))
    assert split([*full, alone], "a", "b") == split(full, "a", "b")
    bare = Block(
        "t", 0, 1, "s", 0, 1, 0, ("a", "b"), (("a", "b"),), {"a": (1.0,), "b": (2.0,)}, 0, 1
    )
    whole, parts = split([bare], "a", "b")
    assert whole.difference == 0.0
    assert all(part.low <= 0 <= part.high for part in parts.values())


def test_students_interval_within_blocks() -> None:
    change = change_of([1.0, 1.0, 1.0, 1.0], [1.1, 1.2, 1.3, 1.4], paired=True)
    # sd 0.1291, over √4, times t of 3 degrees of freedom (3.1824): 0.2054
    assert change.difference == pytest.approx(0.25)
    assert (change.low, change.high) == pytest.approx((0.0446, 0.4554), abs=1e-4)


def test_welchs_interval_of_runs_that_are_not_paired() -> None:
    change = change_of([1.0, 1.1, 1.2], [2.0, 2.4, 2.2, 2.2])
    # variances 0.01/3 and 0.02667/4: SE 0.1, 4.909 degrees of freedom, t 2.585
    assert (change.fast, change.slow) == pytest.approx((1.1, 2.2))
    assert (change.low, change.high) == pytest.approx((0.8415, 1.3585), abs=1e-4)


def test_the_interval_is_that_of_the_mean_and_holds_the_median() -> None:
    d = [1.0, 1.0, 1.0, 5.0]  # mean 2, standard error 1, Student's quantile 3.1824
    change = change_of([0.0] * 4, d, paired=True)
    assert change.difference == 1.0
    assert (change.low, change.high) == pytest.approx((-1.1824, 5.1824), abs=1e-4)
    skewed = change_of([0.0] * 41, [0.0] * 21 + [1.0] * 20, paired=True)
    assert skewed.low == skewed.slow == 0.0


@pytest.mark.parametrize("paired", [False, True])
def test_of_two_runs_there_is_a_difference_but_no_interval(paired: bool) -> None:
    change = change_of([1.0, 1.0], [2.0, 2.0], paired=paired)
    assert change == Change(1.0, 2.0, -math.inf, math.inf)


def test_no_spread_is_an_interval_of_no_width() -> None:
    assert change_of([1.0] * 3, [2.0] * 3) == Change(1.0, 2.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("low", "difference", "certain"),
    [(0.5, 1.0, True), (0.3, 1.0, False), (0.02, 0.03, False), (-math.inf, 1.0, False)],
)
def test_more_cpu_time_is_certain_far_from_none(
    low: float, difference: float, certain: bool
) -> None:
    cpu = Change(1.0, 1.0 + difference, low, 2 * difference - low)
    assert certainly_more(cpu) is certain


def test_cpu_time_is_that_of_the_program_and_of_the_kernel() -> None:
    parts: dict[Part, Change] = {
        "user": Change(1.0, 3.0, 1.7, 2.3),
        "kernel": Change(0.5, 1.0, 0.1, 0.9),
        "waiting": Change(0.0, 9.0, -9.0, 18.0),
    }
    cpu = cpu_time(parts)  # 0.3 and 0.4 are the halves of the intervals, 0.5 that of the sum
    assert (cpu.fast, cpu.slow) == (1.5, 4.0)
    assert (cpu.low, cpu.high) == pytest.approx((2.0, 3.0))
