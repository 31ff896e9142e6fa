"""Verdicts while blocks come in, and the final analysis."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from tests.unit.example_blocks import block

from whyfast.judge.comparisons import ComparisonPlan
from whyfast.judge.decide import judge_family
from whyfast.judge.eprocess import confidence_interval
from whyfast.judge.judge_run import judge_study
from whyfast.judge.looks import (
    FEW_LOOKS,
    LiveJudge,
    TogetherJudge,
    _chance,
    _tail,
    final_analysis,
    level_of_looks,
    nine_in_ten,
    planned_interval,
)
from whyfast.judge.ratios import Ratios, over_layouts
from whyfast.model.sample import Block
from whyfast.model.study import Commands
from whyfast.model.variant import Benchmark, RunnerName, Variant
from whyfast.model.verdict import Verdict


def _alternating(number: int) -> list[Block]:
    """Every second block in drawn layouts, where ``b`` is another 1 % slower each time; as linked
    it takes nine times as long."""
    made = []
    for index in range(number):
        ratio = 1 + index / 100 if index % 2 else 9.0
        plain = block({"a": [1.0], "b": [ratio]}, index=index)
        made.append(replace(plain, layouts={"a": index, "b": index} if index % 2 else {}))
    return made


def _slower(*ratios: float, seconds: float = 0.25) -> list[Block]:
    """A block for each ratio of ``b`` to ``a``."""
    return [block({"a": [1.0], "b": [x]}, index=i, seconds=seconds) for i, x in enumerate(ratios)]


def _whole(blocks: list[Block], **warming: int) -> Verdict:
    plan = ComparisonPlan(blocks, ["fib"], [("b", "a")], 0.01, warming=warming)
    ((verdict,), _) = judge_study(plan)
    return verdict


@pytest.mark.parametrize("number", [1, 2, 3, 4, 12])
def test_block_by_block_as_all_at_once(number: int) -> None:
    blocks = _alternating(number)
    live = LiveJudge(0.01)
    for end in range(1, number + 1):
        said = live.update("fib", blocks[:end], ("a", "b"), "a")
    whole = _whole(over_layouts(blocks) or blocks)
    (verdict,) = said
    assert (verdict.blocks, verdict.ratio) == (whole.blocks, whole.ratio)
    # The ratios of the drawn blocks are evenly spaced about that; the mean of logarithms is less.
    assert verdict.ratio == pytest.approx(9 if number == 1 else 1 + number // 2 / 100, abs=7e-4)


def test_fewer_blocks_than_before_begin_anew() -> None:
    live = LiveJudge(0.01)
    slow = _slower(2.0, 2.0, 2.0)
    live.update("fib", slow, ("a", "b"), "a")
    live.update("sort", slow, ("a", "b"), "a")
    (said,) = live.update("fib", _slower(1.5), ("a", "b"), "a")
    assert said.blocks == 1
    assert said.ratio == pytest.approx(1.5)


def test_far_blocks_are_not_looked_at_one_by_one() -> None:
    """The time of judging all looks together grows with the blocks and not with their square."""
    rng = np.random.default_rng(1)
    blocks = _slower(*np.exp(rng.normal(0.0, 0.2, 300)).tolist())
    live = LiveJudge(0.01)
    looked: list[int] = []
    for end in range(1, 301):
        (said,) = live.update("fib", blocks[:end], ("a", "b"), "a")
        if not looked or said.blocks != looked[-1]:
            looked.append(said.blocks)
    assert looked[:16] == list(range(1, 17))
    # Far from a decision, half as many again each time.
    assert looked[16:] == [24, 36, 54, 81, 121, 181, 271]


def test_near_a_decision_looks_are_a_few_per_cent_apart() -> None:
    rng = np.random.default_rng(2)
    blocks = _slower(*np.exp(rng.normal(0.0, 0.018, 80)).tolist())
    live = LiveJudge(0.01)
    for end in range(1, 81):
        said = live.update("fib", blocks[:end], ("a", "b"), "a")
        if live.settled(said):
            break
    whole = _whole(blocks[:end])
    assert said == (whole,) or said[0].outcome == whole.outcome == "same"
    assert end < 80


def test_a_variant_that_leaves_is_looked_at_no_more() -> None:
    blocks = [block({"a": [1.0], "b": [2.0], "c": [3.0]}, index=i) for i in range(20)]
    live = LiveJudge(0.01)
    both = live.update("fib", blocks, ("a", "b", "c"), "a")
    assert [v.variant for v in both] == ["b", "c"]
    assert [v.variant for v in live.update("fib", blocks, ("a", "c"), "a")] == ["c"]


def test_values_that_warm_up_are_set_aside_as_they_will_be_in_the_end() -> None:
    warm = [1.5, *[1.0] * 7]
    blocks = [block({"a": warm, "b": [2 * x for x in [3.0, *warm[1:]]]}) for _ in range(10)]
    live = LiveJudge(0.01)
    (said,) = live.update("fib", blocks, ("a", "b"), "a", takes_turns=True)
    assert said.ratio == pytest.approx(2.0)
    whole = _whole(blocks, fib=1)
    assert (said.low, said.high) == (whole.low, whole.high)


@pytest.mark.parametrize(
    ("times", "turns"),
    [
        ([1.0] * 6, 0),
        ([1.5, *[1.0] * 7], 3),
        ([1.5, 1.5, 1.0], 6),  # two of three cannot be set aside: let there be more
        ([1.0, 1.0, 1.0, 1.5, 1.5, 1.5], 0),  # slower at the end is no warming up
        ([2.0 - i / 40 for i in range(30)], 40),  # for ever, but not without end
    ],
)
def test_processes_that_warm_up_want_more_turns(times: list[float], turns: int) -> None:
    blocks = [block({"a": times, "b": times}) for _ in range(10)]
    live = LiveJudge(0.01)
    assert live.least_turns("fib") == 0
    live.update("fib", blocks, ("a", "b"), "a", takes_turns=True)
    assert live.least_turns("fib") == turns


def test_fast_blocks_are_not_looked_at_one_by_one_before_they_can_decide_anything() -> None:
    live = LiveJudge(0.01)
    slow = _slower(*(2.0 + i / 100 for i in range(11)), seconds=0.06)
    said = [live.update("fib", slow[:end], ("a", "b"), "a")[0].blocks for end in range(1, 12)]
    # 0.25 s of them each time: five blocks
    assert said == [1, 1, 1, 1, 1, 6, 6, 6, 9, 10, 11]


def test_with_few_looks_it_is_judged_from_nine_blocks_on_and_when_grown_by_a_third() -> None:
    live = LiveJudge(0.01, looks=FEW_LOOKS)
    slow = _slower(*(2.0 + i / 100 for i in range(22)))
    seen = []
    for end in range(1, 23):
        said = live.update("fib", slow[:end], ("a", "b"), "a")
        seen.append(said[0].blocks if said else 0)
    assert seen == [0] * 8 + [9] * 3 + [12] * 4 + [16] * 5 + [21] * 2


def test_looks_that_are_taken_together_say_what_each_says_alone() -> None:
    rng = np.random.default_rng(2)
    blocks = {
        name: _slower(*(shift * np.exp(rng.normal(0.0, 0.003, 12))).tolist())
        for name, shift in (("fib", 1.0), ("sort", 1.1), ("sum", 0.8))
    }
    together = TogetherJudge(0.01)
    alone = {}
    machines = {name: LiveJudge(0.01, looks=FEW_LOOKS, together=together) for name in blocks}
    for name, own in blocks.items():
        alone[name] = LiveJudge(0.01, looks=FEW_LOOKS).update("one", own[:9], ("a", "b"), "a")
        assert machines[name].update("one", own[:9], ("a", "b"), "a") == ()
        assert machines[name].update("one", own[:10], ("a", "b"), "a") == ()  # it waits
    assert len(together) == 3
    together.judge()
    assert len(together) == 0
    assert {name: live.verdicts("one") for name, live in machines.items()} == alone
    assert [said.outcome for (said,) in alone.values()] == ["same", "slower", "faster"]
    # It is asked for again when the blocks have grown by a third, and not before.
    for name, own in blocks.items():
        assert machines[name].update("one", own[:11], ("a", "b"), "a") == alone[name]
    assert len(together) == 0
    machines["fib"].update("one", blocks["fib"], ("a", "b"), "a")
    assert len(together) == 1


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
