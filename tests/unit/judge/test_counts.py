"""Exact counts: verdicts without chance."""

from __future__ import annotations

from whyfast.judge.lines import judge_counts, spread
from whyfast.model.sample import Block
from whyfast.model.verdict import Verdict


def block(index: int, **values: float) -> Block:
    order = tuple(values)
    counts = {name: (value,) for name, value in values.items()}
    return Block("b", index, 0, "s", None, 1, 0, order, (order,), counts, 0.0, 0.0)


def judge(*blocks: Block) -> Verdict:
    (verdict,) = judge_counts(
        blocks, benchmarks=["b"], variants=["base", "new"], baselines=["base"], margin=0.01
    )
    return verdict


def test_equal_boots_give_a_point() -> None:
    verdict = judge(block(0, base=100.0, new=150.0), block(1, base=100.0, new=150.0))
    assert (verdict.outcome, verdict.ratio, verdict.low, verdict.high) == ("slower", 1.5, 1.5, 1.5)
    assert (verdict.confidence, verdict.blocks, verdict.metric) == (1.0, 2, "instructions")


def test_one_boot_is_enough_for_an_exact_ratio() -> None:
    assert judge(block(0, base=200.0, new=100.0)).outcome == "faster"


def test_a_difference_within_the_margin_does_not_matter() -> None:
    assert judge(block(0, base=1000.0, new=1009.0)).outcome == "same"


def test_boots_that_differ_leave_what_both_allow() -> None:
    verdict = judge(block(0, base=100.0, new=110.0), block(1, base=125.0, new=150.0))
    assert (verdict.outcome, verdict.low, verdict.high) == ("undecided", 110 / 125, 1.5)


def test_what_was_never_counted_is_left_out() -> None:
    assert (
        judge_counts(
            [block(0, base=1.0)],
            benchmarks=["b"],
            variants=["base", "new"],
            baselines=["base"],
            margin=0.01,
        )
        == ()
    )


def test_spread_of_boots() -> None:
    assert spread([100.0, 100.0]) == 0.0
    assert spread([100.0, 125.0]) == 0.25
