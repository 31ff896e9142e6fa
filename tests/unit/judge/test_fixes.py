"""What a fix does to the spread over layouts, from series with known spreads."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from tests.unit.example_blocks import block

from whyfast.judge.comparisons import ComparisonPlan
from whyfast.judge.placement import alone, judge_fixes
from whyfast.model.sample import Block
from whyfast.model.verdict import Fix

NAMES = ("fast", "slow", "fixed")


def _blocks(
    spreads: tuple[float, ...], number: int = 60, *, noise: float = 0.001, seed: int = 1
) -> list[Block]:
    """Blocks as linked and in layouts, which move each variant by its own spread; and all of them
    by 10 % together, which a ratio does not show."""
    rng = np.random.default_rng(seed)
    made = []
    for index in range(2 * number):
        varied = index % 2 == 1
        common = rng.normal(0, 0.1)
        logs = [
            common + rng.normal(0, noise) + (rng.normal(0, s) if varied else 0.0) for s in spreads
        ]
        values = {n: [math.exp(x)] for n, x in zip(NAMES, logs, strict=True)}
        drawn = dict.fromkeys(NAMES, index) if varied else {}
        made.append(replace(block(values, benchmark="calls", index=index), layouts=drawn))
    return made


def _judge(blocks: list[Block]) -> Fix:
    (fix,) = judge_fixes(ComparisonPlan(blocks, ["calls"], [], 0.01, NAMES), {"fixed": "slow"})
    return fix


def test_the_variance_of_each_side_follows_from_those_of_the_pairs() -> None:
    own = np.array([4.0, 1.0, 0.0, 9.0])
    pairs = np.array([own[a] + own[b] for a, b in combinations(range(4), 2)])
    assert alone(pairs, 4) == pytest.approx(own)
    assert alone(np.stack([pairs, 2 * pairs]), 4) == pytest.approx(np.stack([own, 2 * own]))


def test_a_spread_that_is_gone_is_removed() -> None:
    fix = _judge(_blocks((0.005, 0.05, 0.0), 100))
    assert fix.outcome == "removed"
    assert fix.without == pytest.approx(0.05, rel=0.25)
    assert fix.spread < 0.008
    assert fix.high <= 1 / 3
    assert (fix.variant, fix.of, fix.benchmark, fix.layouts) == ("fixed", "slow", "calls", 100)


def test_a_spread_of_half_the_size_is_reduced() -> None:
    fix = _judge(_blocks((0.02, 0.04, 0.02), 100))
    assert fix.outcome == "reduced"
    assert fix.low < 0.5 < fix.high < 1


def test_a_spread_that_the_fix_brings_is_larger() -> None:
    assert _judge(_blocks((0.02, 0.02, 0.05), 100)).outcome == "larger"


def test_equal_spreads_are_undecided_and_their_share_is_around_one() -> None:
    fix = _judge(_blocks((0.03, 0.03, 0.03), 100))
    assert fix.outcome == "undecided"
    assert fix.low < 1 < fix.high


def test_spreads_below_the_margin_are_none() -> None:
    fix = _judge(_blocks((0.001, 0.001, 0.001), 40))
    assert fix.outcome == "none"
    assert fix.without < 0.01


def test_equal_spreads_are_seldom_said_to_differ() -> None:
    words = [_judge(_blocks((0.03, 0.03, 0.03), 24, seed=s)).outcome for s in range(60)]
    assert words.count("undecided") >= 55


def test_one_disturbed_block_makes_no_spread() -> None:
    blocks = _blocks((0.001, 0.001, 0.001), 40)
    values = {**blocks[3].values, "slow": (blocks[3].values["slow"][0] * 3,)}
    blocks[3] = replace(blocks[3], values=values)
    assert _judge(blocks).outcome == "none"


def test_few_blocks_and_two_variants_separate_nothing() -> None:
    for blocks, variants in (
        (_blocks((0.02, 0.02, 0.02), 7), NAMES),
        (_blocks((0.02, 0.02, 0.02), 30), ("slow", "fixed")),
    ):
        (fix,) = judge_fixes(
            ComparisonPlan(blocks, ["calls"], [], 0.01, variants), {"fixed": "slow"}
        )
        assert fix.outcome == "undecided"
        assert math.isnan(fix.spread)


def test_several_benchmarks_are_judged_together_and_each() -> None:
    blocks = _blocks((0.02, 0.05, 0.0), 60)
    blocks += [replace(b, benchmark="other") for b in _blocks((0.02, 0.05, 0.0), 60, seed=2)]
    found = judge_fixes(
        ComparisonPlan(blocks, ["calls", "other"], [], 0.01, NAMES), {"fixed": "slow"}
    )
    assert [f.benchmark for f in found] == [None, "calls", "other"]
    assert found[0].without == pytest.approx(0.05 / math.sqrt(2), rel=0.3)


def test_first_values_that_are_not_steady_are_set_aside() -> None:
    rng = np.random.default_rng(5)
    cold = [
        replace(
            b, values={v: (*np.exp(rng.normal(0, 0.3, 2)), x, x) for v, (x,) in b.values.items()}
        )
        for b in _blocks((0.005, 0.05, 0.0), 40)
    ]
    fix, unheeding = (
        judge_fixes(ComparisonPlan(cold, ["calls"], [], 0.01, NAMES, warming), {"fixed": "slow"})[0]
        for warming in ({"calls": 2}, {})
    )
    assert fix == _judge(_blocks((0.005, 0.05, 0.0), 40))
    assert fix != unheeding


def test_without_layouts_or_fixes_there_is_nothing_to_say() -> None:
    blocks = _blocks((0.02, 0.02, 0.02), 20)
    linked = [b for b in blocks if not b.layouts]
    for given, fixes in ((linked, {"fixed": "slow"}), (blocks, {}), (blocks, {"fixed": "gone"})):
        found = judge_fixes(ComparisonPlan(given, ["calls"], [], 0.01, NAMES), fixes)
        assert found == ()
