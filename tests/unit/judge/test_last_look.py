"""What the half of the level adds that is kept for the end of a budget."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from whyfast.judge.decide import judge_family
from whyfast.judge.eprocess import confidence_interval
from whyfast.judge.looks import (
    _chance,
    _tail,
    final_analysis,
    level_of_looks,
    nine_in_ten,
    planned_interval,
)
from whyfast.judge.ratios import Ratios
from whyfast.model.study import Commands
from whyfast.model.variant import Benchmark, RunnerName, Variant

KEY = ("work", "new", "old")


def _noise(seed: int, n: int) -> Ratios:
    rng = np.random.default_rng(seed)
    return Ratios(0.01 * rng.standard_normal((1, n)), None, rng.standard_normal(n))


@pytest.mark.parametrize(("runner", "level"), [("turn", 0.01), ("command", 0.005)])
def test_half_of_the_level_is_kept_for_commands_that_run_whole(
    runner: RunnerName, level: float
) -> None:
    question = Commands(
        baselines=("old",),
        margin=0.01,
        budget=60.0,
        variants=(Variant("old"), Variant("new")),
        benchmarks=(Benchmark("work", runner, ()),),
    )
    assert level_of_looks(question) == level


@pytest.mark.parametrize("sizes", [[1], [3, 0, 5], [16, 2, 2, 7, 16, 1, 9, 4]])
def test_coins_are_counted_exactly(sizes: list[int]) -> None:
    sums = [
        sum(side * size for side, size in zip(sides, sizes, strict=True))
        for sides in itertools.product((1, -1), repeat=len(sizes))
    ]
    for least in range(-sum(sizes) - 1, sum(sizes) + 1):
        share = sum(total >= least for total in sums) / len(sums)
        assert _tail(np.array(sizes), least) == pytest.approx(share, abs=1e-12)


def test_nine_blocks_bound_it_and_eight_do_not() -> None:
    d = np.array([0.02, 0.021, 0.019, 0.022, 0.018, 0.02, 0.023, 0.0195, 0.0205])
    assert planned_interval(Ratios(d[None, :8]), 0.005) == (-math.inf, math.inf)
    low, high = planned_interval(Ratios(d[None]), 0.005)
    # all on one side of it is the one way in 512
    assert low == pytest.approx(0.018, abs=2e-4)
    assert high == pytest.approx(0.023, abs=2e-4)


def test_exchanged_and_moved_blocks_have_the_exchanged_and_moved_interval() -> None:
    given = _noise(1, 30)
    low, high = planned_interval(given, 0.005)
    turned = Ratios(-given.logs, given.spread, given.level)
    assert planned_interval(turned, 0.005) == pytest.approx((-high, -low), abs=1e-9)
    moved = planned_interval(given.shifted(0.3), 0.005)
    assert moved == pytest.approx((low + 0.3, high + 0.3), abs=1e-5)


def test_it_is_a_quarter_narrower_than_one_for_every_look() -> None:
    ratios = []
    for seed in range(5):
        low, high = planned_interval(_noise(seed, 40), 0.005)
        first, last = confidence_interval(_noise(seed, 40), 0.01)
        ratios.append((high - low) / (last - first))
    assert 0.65 < np.median(ratios) < 0.85


def test_equal_programs_are_refuted_as_often_as_the_level_says() -> None:
    series = [_noise(seed, 20) for seed in range(600)]
    beyond = sum(_chance(one, 0.0) <= 0.1 for one in series)
    assert 40 <= beyond <= 78  # 60 expected: a binomial is within with 98 %


def test_blocks_that_are_clearly_alike_are_not_counted_as_coins() -> None:
    drifting = Ratios(np.repeat(np.random.default_rng(2).standard_normal(8), 5)[None] / 100)
    assert planned_interval(drifting, 0.005) == (-math.inf, math.inf)


def test_a_budget_that_ended_tells_more_than_one_that_was_not_used_up() -> None:
    series = _noise(4, 24).shifted(0.008)
    verdicts = judge_family({KEY: series}, margin=0.001, cost={KEY: 2.0}, alpha=0.005)
    (before,) = verdicts
    assert before.outcome == "undecided"
    (stopped,) = final_analysis(verdicts, {KEY: series}, margin=0.001, cost={KEY: 2.0}, ended=False)
    assert stopped == replace(before, confidence=0.99)
    (ended,) = final_analysis(verdicts, {KEY: series}, margin=0.001, cost={KEY: 2.0}, ended=True)
    assert (ended.outcome, ended.confidence, ended.detectable) == ("slower", 0.99, None)
    assert before.low < 1 < ended.low < ended.ratio < ended.high < before.high


def test_what_more_time_would_tell_follows_from_the_narrower_interval() -> None:
    series = _noise(3, 24)
    verdicts = judge_family({KEY: series}, margin=0.002, cost={KEY: 2.0}, alpha=0.005)
    (said,) = final_analysis(verdicts, {KEY: series}, margin=0.002, cost={KEY: 2.0}, ended=True)
    assert said.outcome == "undecided"
    half = math.log(said.high / said.low) / 2
    assert said.detectable == pytest.approx(math.exp(nine_in_ten(24) * half))
    blocks = 24 * (half / math.log(1.002)) ** 2
    assert said.seconds_to_margin == pytest.approx(2 * (blocks - 24))
    assert said.seconds_to_margin_90 == pytest.approx(2 * (nine_in_ten(24) ** 2 * blocks - 24))


def test_where_the_statistics_disagree_nothing_is_added() -> None:
    series = _noise(5, 20)
    verdicts = judge_family({KEY: series}, margin=0.001, alpha=0.005)
    apart = (replace(verdicts[0], statistics={"the ratio of the minima": 1.1}),)
    (said,) = final_analysis(apart, {KEY: series}, margin=0.001, cost={}, ended=True)
    assert (said.low, said.high) == (verdicts[0].low, verdicts[0].high)
