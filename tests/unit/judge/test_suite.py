"""The geometric mean of a suite, and who carries it."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.unit.example_blocks import block

from whyfast.judge.comparisons import judge_suites, rounds_of, suite_ratios
from whyfast.judge.eprocess import confidence_interval
from whyfast.judge.ratios import Ratios
from whyfast.model.sample import Block

Floats = NDArray[np.float64]


def test_a_round_is_the_mean_over_benchmarks_and_incomplete_rounds_are_left_out() -> None:
    series = suite_ratios(
        {"fib": np.array([1.0, 2.0, 9.0]), "sort": np.array([3.0, 4.0]), "hash": np.array([5.0, 0])}
    )
    assert series.medians.tolist() == [3.0, 2.0]


def test_a_suite_of_nothing_has_no_rounds() -> None:
    assert len(suite_ratios({})) == 0
    assert len(suite_ratios({"fib": np.array([]), "sort": np.array([1.0])})) == 0


def test_the_influence_of_a_benchmark_is_the_ratio_without_it() -> None:
    samples = {
        (name, "new", "old"): np.log([ratio, ratio])
        for name, ratio in (("fib", 2.0), ("sort", 8.0), ("hash", 1.0))
    }
    (suite,) = judge_suites(samples, margin=0.01)
    assert suite.influence == pytest.approx(
        {"fib": math.sqrt(8), "sort": math.sqrt(2), "hash": 4.0}
    )


def _noise(shift: float, n: int = 40, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).normal(shift, 0.005, n)


def test_the_verdicts_of_suites_are_to_be_had_alone() -> None:
    samples = {
        (name, variant, "old"): _noise(0.01 * i, seed=i)
        for i, (name, variant) in enumerate(itertools.product(("fib", "sort"), ("new", "newer")))
    }
    suites = judge_suites(samples, margin=0.01)
    assert judge_suites(samples, margin=0.01, influence=False) == tuple(
        replace(s, influence={}) for s in suites
    )


def test_a_suite_is_judged_on_the_rounds_like_a_single_benchmark() -> None:
    fib, sort = _noise(0.2, seed=1), _noise(-0.1, seed=2)
    (suite,) = judge_suites(
        {("fib", "new", "old"): fib, ("sort", "new", "old"): sort}, margin=0.01, alpha=0.02
    )
    verdict = suite.verdict
    assert (verdict.benchmark, verdict.variant, verdict.baseline) == (None, "new", "old")
    assert verdict.outcome == "slower"
    assert verdict.ratio == pytest.approx(math.exp(0.05), abs=0.002)
    low, high = confidence_interval((fib + sort) / 2, 0.02)
    assert (verdict.low, verdict.high) == pytest.approx((math.exp(low), math.exp(high)))
    assert suite.influence == pytest.approx({"fib": 0.905, "sort": 1.221}, abs=0.005)


def test_one_benchmark_is_no_suite() -> None:
    assert judge_suites({("fib", "new", "old"): _noise(0.2)}, margin=0.01) == ()
    assert judge_suites({}, margin=0.01) == ()


def test_a_pair_that_lacks_a_benchmark_has_no_mean() -> None:
    samples = {
        ("fib", "new", "old"): _noise(0.2),
        ("sort", "new", "old"): _noise(0.2),
        ("fib", "other", "old"): _noise(0.2),
        ("fib", "empty", "old"): _noise(0.2),
        ("sort", "empty", "old"): np.array([]),
    }
    suites = judge_suites(samples, margin=0.01)
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
    new, older = judge_suites(samples, margin=0.01, benchmarks=both)
    assert (new.verdict.variant, round(new.verdict.ratio, 2)) == ("new", 1.22)
    assert (older.verdict.variant, round(older.verdict.ratio, 2)) == ("older", 1.05)
    assert sorted(older.influence) == ["fib", "sort"]


def test_several_suites_share_one_level() -> None:
    samples = {
        (name, variant, "old"): d
        for variant, d in (("clear", _noise(0.2)), ("open", _noise(0.0, n=5)))
        for name in ("fib", "sort")
    }
    clear, open_ = judge_suites(samples, margin=0.01, alpha=0.02)
    assert (clear.verdict.outcome, open_.verdict.outcome) == ("slower", "undecided")
    assert clear.verdict.confidence == open_.verdict.confidence == 0.99


def _taken(order: str) -> list[Block]:
    """Blocks of benchmarks a, b, …, in the order taken."""
    return [
        replace(block({"x": [1.0], "y": [1.0]}, benchmark=name), started=float(i))
        for i, name in enumerate(order)
    ]


def test_a_round_ends_when_every_benchmark_has_had_a_block() -> None:
    assert rounds_of(_taken("abbacab"), "abc") == {"a": [[0, 1]], "b": [[0, 1]], "c": [[0]]}
    assert rounds_of(_taken("abba"), "ab") == {"a": [[0], [1]], "b": [[0], [1]]}
    assert rounds_of(_taken("abbbab"), "ab") == {"a": [[0], [1]], "b": [[0], [1, 2]]}
    assert rounds_of(_taken("aab"), "abc") == {"a": [], "b": [], "c": []}
    set_back = [replace(b, started=-b.started) for b in _taken("aab")]  # the clock, at each
    assert rounds_of(set_back, "ab") == {"a": [[0, 1]], "b": [[0]]}


def test_every_block_of_a_round_counts_and_every_benchmark_equally() -> None:
    series = suite_ratios(
        {"a": np.array([1.0, 2.0, 6.0]), "b": np.array([5.0, 9.0])},
        {"a": [[0], [1, 2]], "b": [[0], [1]]},
    )
    assert series.medians.tolist() == [3.0, 6.5]


def test_a_round_of_more_blocks_is_the_more_precise() -> None:
    """Where turns tell how noisy a block was, that counts; else the number of blocks does."""
    rounds = {"a": [[0], [1, 2]], "b": [[0], [1, 2]]}
    d = np.zeros((1, 3))
    plain = suite_ratios({"a": Ratios(d), "b": Ratios(d)}, rounds)
    assert plain.spread is not None
    assert plain.spread.tolist() == pytest.approx([1.0, math.sqrt(0.5)])
    spread = np.array([1.0, 2.0, 2.0])
    scattered = suite_ratios({"a": Ratios(d, spread), "b": Ratios(d, spread)}, rounds)
    assert scattered.spread is not None
    assert scattered.spread.tolist() == pytest.approx([1.0, math.sqrt(2.0)])


def test_blocks_of_open_benchmarks_sharpen_the_mean_though_others_had_fewer() -> None:
    """The noisy half of a suite gets three blocks where the settled half gets one."""
    rng = np.random.default_rng(5)
    rounds = {f"q{b}": [[i] for i in range(14)] for b in range(2)}
    rounds |= {f"n{b}": [[3 * i, 3 * i + 1, 3 * i + 2] for i in range(14)] for b in range(2)}
    widths = []
    for _ in range(40):
        noise = {"q": (0.001, 14), "n": (0.03, 42)}
        samples = {(name, "new", "old"): rng.normal(0.02, *noise[name[0]]) for name in rounds}
        found = [judge_suites(samples, margin=0.01, rounds=r)[0].verdict for r in (rounds, None)]
        assert [v.blocks for v in found] == [14, 14]
        widths.append([math.log(v.high / v.low) for v in found])
    every, fewest = np.median(widths, axis=0)
    assert every < 0.66 * fewest  # 1/√3 but for chance


def test_rounds_of_blocks_that_a_pair_has_not_are_not_heeded() -> None:
    """A variant that joined later lacks the first blocks: its own make its rounds."""
    samples = {(name, "late", "old"): _noise(0.2, 5) for name in ("fib", "sort")}
    rounds = {name: [[i] for i in range(9)] for name in ("fib", "sort")}
    (suite,) = judge_suites(samples, margin=0.01, rounds=rounds)
    assert suite.verdict.blocks == 5
