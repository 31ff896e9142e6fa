from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.fleet.machines import measured, study

from whyfast.judge.decide import ALPHA
from whyfast.judge.machines import _difference, judge_between, means_alike, verdicts_at
from whyfast.model.verdict import Verdict

KEY = ("fib", "slow", "base")
NAMES = "abcdefgh"


def verdict(low: float, high: float) -> Verdict:
    """Of log ratios ``low`` to ``high``, the estimate in the middle."""
    ends = math.exp(low), math.exp(high)
    return Verdict(
        *("slow", "base", "fib", "slower", math.exp((low + high) / 2)), *ends, 0.99, 9.0, 30
    )


def test_groups_are_parted_where_all_intervals_are_apart() -> None:
    found = _difference(
        KEY,
        {
            "a": verdict(0.00, 0.02),
            "b": verdict(0.10, 0.14),
            "c": verdict(0.01, 0.03),
            "d": verdict(0.20, 0.22),
        },
        0.01,
    )
    assert found is not None
    assert found.groups == (("a", "c"), ("b",), ("d",))
    assert found.between == ()
    # d over a and c: from 0.20 − 0.03 to 0.22 − 0.00
    assert math.log(found.low) == pytest.approx(0.17)
    assert math.log(found.high) == pytest.approx(0.22)
    assert math.log(found.ratio) == pytest.approx(0.21 - 0.015)


def test_without_a_gap_the_two_ends_are_told_apart() -> None:
    found = _difference(
        KEY, {"a": verdict(0.0, 0.02), "b": verdict(0.01, 0.06), "c": verdict(0.05, 0.07)}, 0.01
    )
    assert found is not None
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
