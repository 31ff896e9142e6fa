"""The geometric mean of a suite, and who carries it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from whyfast.judge.eprocess import confidence_interval
from whyfast.judge.suite import influence, judge_suites, suite_series

Floats = NDArray[np.float64]


def test_a_round_is_the_mean_over_benchmarks_and_incomplete_rounds_are_left_out() -> None:
    series = suite_series(
        {"fib": np.array([1.0, 2.0, 9.0]), "sort": np.array([3.0, 4.0]), "hash": np.array([5.0, 0])}
    )
    assert series.tolist() == [3.0, 2.0]


def test_a_suite_of_nothing_has_no_rounds() -> None:
    assert suite_series({}).shape == (0,)
    assert suite_series({"fib": np.array([]), "sort": np.array([1.0])}).shape == (0,)


def test_the_influence_of_a_benchmark_is_the_ratio_without_it() -> None:
    without = influence(
        {
            "fib": np.log([2.0, 2.0]),
            "sort": np.log([8.0, 8.0]),
            "hash": np.log([1.0, 1.0]),
        }
    )
    assert without == pytest.approx({"fib": math.sqrt(8), "sort": math.sqrt(2), "hash": 4.0})


def _noise(shift: float, n: int = 40, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).normal(shift, 0.005, n)


def test_a_suite_is_judged_on_the_rounds_like_a_single_benchmark() -> None:
    fib, sort = _noise(0.2, seed=1), _noise(-0.1, seed=2)
    (suite,) = judge_suites(
        {("fib", "new", "old"): fib, ("sort", "new", "old"): sort},
        {("new", "old"): ["fib", "sort"]},
        margin=0.01,
        alpha=0.02,
    )
    verdict = suite.verdict
    assert (verdict.benchmark, verdict.variant, verdict.baseline) == (None, "new", "old")
    assert verdict.word == "slower"
    assert verdict.ratio == pytest.approx(math.exp(0.05), abs=0.002)
    low, high = confidence_interval((fib + sort) / 2, 0.02)
    assert (verdict.low, verdict.high) == (math.exp(low), math.exp(high))
    assert suite.influence == pytest.approx({"fib": 0.905, "sort": 1.221}, abs=0.005)


def test_one_benchmark_is_no_suite() -> None:
    only = {("fib", "new", "old"): _noise(0.2)}
    assert judge_suites(only, {("new", "old"): ["fib"]}, margin=0.01) == ()
    assert judge_suites({}, {}, margin=0.01) == ()


def test_a_pair_that_lacks_a_benchmark_has_no_mean() -> None:
    samples = {
        ("fib", "new", "old"): _noise(0.2),
        ("sort", "new", "old"): _noise(0.2),
        ("fib", "other", "old"): _noise(0.2),
        ("fib", "empty", "old"): _noise(0.2),
        ("sort", "empty", "old"): np.array([]),
    }
    both = {(v, "old"): ["fib", "sort"] for v in ("new", "other", "empty")}
    suites = judge_suites(samples, both, margin=0.01)
    assert [(s.verdict.variant, s.verdict.baseline) for s in suites] == [("new", "old")]


def test_a_suite_is_over_what_both_sides_have() -> None:
    fib, sort = _noise(0.2, seed=1), _noise(-0.1, seed=2)
    samples = {
        (name, variant, "old"): d
        for variant in ("new", "older")
        for name, d in (("fib", fib), ("sort", sort))
    }
    samples["hash", "new", "old"] = _noise(0.5)
    both = {("new", "old"): ["fib", "sort", "hash"], ("older", "old"): ["fib", "sort"]}
    new, older = judge_suites(samples, both, margin=0.01)
    assert (new.verdict.variant, round(new.verdict.ratio, 2)) == ("new", 1.22)
    assert (older.verdict.variant, round(older.verdict.ratio, 2)) == ("older", 1.05)
    assert sorted(older.influence) == ["fib", "sort"]


def test_several_suites_share_one_level() -> None:
    samples = {
        (name, variant, "old"): d
        for variant, d in (("clear", _noise(0.2)), ("open", _noise(0.0, n=5)))
        for name in ("fib", "sort")
    }
    both = {(v, "old"): ["fib", "sort"] for v in ("clear", "open")}
    clear, open_ = judge_suites(samples, both, margin=0.01, alpha=0.02)
    assert (clear.verdict.word, open_.verdict.word) == ("slower", "undecided")
    assert clear.verdict.confidence == open_.verdict.confidence == 0.99
