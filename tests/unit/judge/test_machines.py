"""Differences between machines, and means over them."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.fleet.machines import measured, study

from whyfast.judge.decide import ALPHA
from whyfast.judge.machines import (
    RandomEffects,
    _difference,
    judge_between,
    means_alike,
    random_effects,
    standard_error,
    verdicts_at,
)
from whyfast.judge.power import half_width
from whyfast.model.result import MachineDifference
from whyfast.model.verdict import Verdict

KEY = ("fib", "slow", "base")
NAMES = "abcdefgh"


def verdict(low: float, high: float) -> Verdict:
    """Of log ratios ``low`` to ``high``, the estimate in the middle."""
    ends = math.exp(low), math.exp(high)
    return Verdict(
        *("slow", "base", "fib", "slower", math.exp((low + high) / 2)), *ends, 0.99, 9.0, 30
    )


def difference(**ends: tuple[float, float]) -> MachineDifference:
    found = _difference(KEY, {name: verdict(*own) for name, own in ends.items()}, 0.01)
    assert found is not None
    return found


def test_groups_are_parted_where_all_intervals_are_apart() -> None:
    found = difference(a=(0.00, 0.02), b=(0.10, 0.14), c=(0.01, 0.03), d=(0.20, 0.22))
    assert found.groups == (("a", "c"), ("b",), ("d",))
    assert found.between == ()
    # d over a and c: from 0.20 − 0.03 to 0.22 − 0.00
    assert math.log(found.low) == pytest.approx(0.17)
    assert math.log(found.high) == pytest.approx(0.22)
    assert math.log(found.ratio) == pytest.approx(0.21 - 0.015)


def test_without_a_gap_the_two_ends_are_told_apart() -> None:
    found = difference(a=(0.0, 0.02), b=(0.01, 0.06), c=(0.05, 0.07))
    assert (found.groups, found.between) == ((("a",), ("c",)), ("b",))
    assert math.log(found.low) == pytest.approx(0.03)


@given(
    st.lists(
        st.tuples(st.integers(-300, 300), st.integers(0, 200)).map(
            lambda t: (t[0] / 1000, (t[0] + t[1]) / 1000)
        ),
        min_size=2,
        max_size=8,
    )
)
def test_a_difference_is_said_exactly_where_two_intervals_are_apart(
    ends: list[tuple[float, float]],
) -> None:
    by_machine = {name: verdict(*own) for name, own in zip(NAMES, ends, strict=False)}
    place = dict(zip(NAMES, ends, strict=False))
    found = _difference(KEY, by_machine, 0.0)
    gap = max(low for low, _ in ends) - min(high for _, high in ends)
    if abs(gap) < 1e-9:  # touching ends are as rounding has them
        return
    assert (found is not None) == (gap > 0)
    if found is None:
        return
    named = [name for group in found.groups for name in group]
    assert sorted([*named, *found.between]) == sorted(by_machine)
    for lower, higher in zip(found.groups, found.groups[1:], strict=False):
        for one, other in product(lower, higher):
            assert place[one][1] < place[other][0]
    for one, other in product(found.groups[0], found.groups[-1]):
        true = place[other][0] - place[one][1], place[other][1] - place[one][0]
        assert math.log(found.low) <= true[0] + 1e-9
        assert math.log(found.high) >= true[1] - 1e-9
    assert found.low <= found.ratio * (1 + 1e-9)
    assert found.ratio <= found.high * (1 + 1e-9)


def test_more_machines_make_wider_intervals() -> None:
    result = measured("kite", {"slow": 1.1})
    (own,) = result.judged.verdicts
    (same,) = verdicts_at(result, suites=ALPHA, benchmarks=ALPHA)
    assert same == own
    (wider,) = verdicts_at(result, suites=ALPHA, benchmarks=ALPHA / 40)
    assert wider.low < own.low < own.high < wider.high
    assert wider.confidence == 1 - ALPHA / 40


def test_suites_and_benchmarks_are_two_families() -> None:
    asked = study(benchmarks=("fib", "sort"))
    results = {
        name: measured(name, {"slow": ratio}, asked=asked, seed=i)
        for i, (name, ratio) in enumerate({"kite": 1.0, "wren": 1.1}.items())
    }
    assert [d.benchmark for d in judge_between(results)] == [None, "fib", "sort"]
    assert means_alike(results) == {("slow", "base"): {"kite", "wren"}}


def test_equal_machines_are_not_told_apart() -> None:
    """Twelve pairs of machines of one true ratio; each is told apart in 1 % of cases at most."""
    rng = np.random.default_rng(11)
    told = 0
    for _ in range(12):
        seeds = rng.integers(0, 2**31, 2)
        results = {
            f"m{seed}": measured(f"m{seed}", {"slow": 1.02}, seed=int(seed), blocks=12)
            for seed in seeds
        }
        told += bool(judge_between(results))
    assert told == 0


#: Log ratios as machines have them, and errors from a 1,000th of them on.
LOGS = st.lists(st.integers(-1000, 1000).map(lambda i: i / 1000), min_size=5, max_size=12)
ERRORS = st.integers(1, 200).map(lambda i: i / 1000)


def test_equal_errors_have_a_closed_form() -> None:
    """Variance 0.025 of the estimates, 0.0025 of which is their error; Student's t for 4 degrees
    of freedom at 99 % is 4.6041, for 3 it is 5.8409."""
    found = random_effects([0.0, 0.1, 0.2, 0.3, 0.4], [0.05] * 5)
    assert found.mean == pytest.approx(0.2)
    assert found.tau == pytest.approx(0.15)
    low, high = found.interval(0.01)
    assert (low, high) == pytest.approx((0.2 - 0.32556, 0.2 + 0.32556), abs=1e-4)
    low, high = found.expected(0.01)
    # √(0.0225 + 0.005) · 5.8409
    assert (low, high) == pytest.approx((0.2 - 0.96861, 0.2 + 0.96861), abs=1e-4)


def test_estimates_nearer_than_their_errors_show_no_heterogeneity() -> None:
    """The factor is not below 1: five that agree do not make an error smaller than 0.1/√5."""
    found = random_effects([0.20, 0.21, 0.19, 0.20, 0.20], [0.1] * 5)
    assert found.tau == 0
    assert found.error == pytest.approx(0.1 / math.sqrt(5))


def test_a_machine_that_knows_little_counts_little() -> None:
    found = random_effects([0.1, 0.1, 0.1, 0.1, 0.5], [0.01, 0.01, 0.01, 0.01, 0.4])
    assert found.mean == pytest.approx(0.1, abs=0.001)
    assert found.tau == 0


@given(LOGS, ERRORS, st.integers(-500, 500).map(lambda i: i / 1000))
def test_exchanging_sides_and_shifting_change_nothing_else(
    logs: list[float], error: float, shift: float
) -> None:
    errors = [error * (1 + i % 3) for i in range(len(logs))]
    found = random_effects(logs, errors)
    turned = random_effects([-y for y in logs], errors)
    moved = random_effects([y + shift for y in logs], errors)
    backwards = random_effects(logs[::-1], errors[::-1])
    assert turned.mean == pytest.approx(-found.mean, abs=1e-9)
    assert moved.mean == pytest.approx(found.mean + shift, abs=1e-9)
    assert backwards.mean == pytest.approx(found.mean, abs=1e-9)
    for other in (turned, moved, backwards):
        assert (other.tau, other.error) == pytest.approx((found.tau, found.error), abs=1e-6)


@given(LOGS, ERRORS)
def test_the_interval_is_never_narrower_than_the_errors_allow(
    logs: list[float], error: float
) -> None:
    found = random_effects(logs, [error] * len(logs))
    assert found.error >= error / math.sqrt(len(logs)) * (1 - 1e-9)
    assert min(logs) - 1e-9 <= found.mean <= max(logs) + 1e-9
    wide, narrow = found.expected(0.01), found.interval(0.01)
    assert wide[0] <= narrow[0] <= found.mean <= narrow[1] <= wide[1]


@given(st.integers(-500, 500).map(lambda i: i / 1000), ERRORS, st.integers(5, 40))
def test_the_least_level_is_that_of_the_verdict(mean: float, error: float, machines: int) -> None:
    found = RandomEffects(mean, error, 0.1, machines)
    level = found.least_level(0.01)
    if 1e-12 < level < 1:
        low, high = found.interval(level * 1.001)
        limit = math.log1p(0.01)
        assert low > 0 or high < 0 or (-limit <= low and high <= limit)


def test_the_error_is_that_of_normal_blocks_with_such_an_interval() -> None:
    half = half_width(30, 0.01) * 0.02
    assert standard_error(verdict(0.1 - half, 0.1 + half)) == pytest.approx(0.02 / math.sqrt(30))


def test_what_no_block_bounds_has_no_error() -> None:
    few = Verdict("slow", "base", None, "undecided", 1.1, 0.0, math.inf, 0.99, 0.0, 5)
    assert standard_error(few) is None
