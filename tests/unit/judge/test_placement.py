"""Placement or change, fixes, and variance components."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from tests.unit.example_blocks import block

from whyfast.judge import placement
from whyfast.judge.comparisons import ComparisonPlan
from whyfast.judge.judge_run import judge_study
from whyfast.judge.ratios import over_layouts
from whyfast.model.sample import Block
from whyfast.model.verdict import Fix, FixOutcome, Outcome, Placement, PlacementOutcome, Verdict


def _verdict(outcome: Outcome, low: float, high: float) -> Verdict:
    ratio = math.sqrt(low * high) if low > 0 and math.isfinite(high) else 1.0
    return Verdict("after", "before", "calls", outcome, ratio, low, high, 0.99, 0.0, 16)


SLOWER = _verdict("slower", 1.60, 1.70)
SLIGHTLY = _verdict("slower", 1.04, 1.06)
SAME = _verdict("same", 0.997, 1.003)
OPEN = _verdict("undecided", 0.0, math.inf)


@pytest.mark.parametrize(
    ("linked", "varied", "said"),
    [
        # As linked a difference, over layouts none.
        (SLOWER, SAME, "placement"),
        (SLIGHTLY, SAME, "placement"),
        (_verdict("faster", 0.60, 0.62), SAME, "placement"),
        # One and the same change of 0.7 % explains both.
        (_verdict("slower", 1.003, 1.012), _verdict("same", 1.004, 1.009), "undecided"),
        (_verdict("slower", 1.003, 1.012), _verdict("same", 0.998, 1.002), "placement"),
        (_verdict("slower", 1.0101, 1.012), _verdict("same", 0.998, 1.002), "placement"),
        # Over layouts not certainly none, but less than a third of log 1.6, which is 1.17.
        (SLOWER, _verdict("undecided", 0.87, 1.16), "placement"),
        (SLOWER, _verdict("undecided", 0.84, 1.10), "undecided"),
        (SLOWER, _verdict("undecided", 0.95, 1.20), "undecided"),
        # A third of log 1.04 is 1.3 %.
        (SLIGHTLY, _verdict("undecided", 0.99, 1.012), "placement"),
        (SLIGHTLY, _verdict("undecided", 0.99, 1.02), "undecided"),
        (SLOWER, OPEN, "undecided"),
        # Over layouts a difference, as linked the same one.
        (SLIGHTLY, _verdict("slower", 1.01, 1.05), "change"),
        (SLIGHTLY, _verdict("slower", 1.055, 1.10), "change"),
        (_verdict("faster", 0.90, 0.95), _verdict("faster", 0.93, 0.97), "change"),
        (OPEN, SLIGHTLY, "change"),
        # Another one that differs by less than the margin is the same change.
        (_verdict("slower", 1.046, 1.0468), _verdict("slower", 1.0483, 1.0497), "change"),
        (_verdict("faster", 0.95, 0.951), _verdict("faster", 0.9515, 0.953), "change"),
        # By the margin or more, for all that is known.
        (_verdict("slower", 1.040, 1.044), _verdict("slower", 1.048, 1.052), "both"),
        # As linked just beyond the margin, over layouts just within, and no matter between them.
        (_verdict("slower", 1.0102, 1.0108), _verdict("same", 1.008, 1.0096), "neither"),
        # Another one, or none as linked.
        (SLOWER, SLIGHTLY, "both"),
        (_verdict("faster", 0.60, 0.62), SLIGHTLY, "both"),
        (SAME, SLIGHTLY, "both"),
        # No difference, or not known.
        (SAME, SAME, "neither"),
        (SAME, OPEN, "undecided"),
        (OPEN, SAME, "undecided"),
        (OPEN, OPEN, "undecided"),
    ],
)
def test_the_word(linked: Verdict, varied: Verdict, said: PlacementOutcome) -> None:
    assert placement.placement_outcome(linked, varied, 0.01) == said


def test_a_true_change_of_the_smallest_size_that_is_seen_is_never_placement() -> None:
    # Whatever the interval over layouts is, as long as it holds the true ratio.
    for true in (1.007, 1.03, 1.05, 1.5, 1 / 1.05):
        linked_low, linked_high = true * 0.99, true * 1.01
        outcome: Outcome = "slower" if true > 1 else "faster"
        linked = _verdict(outcome, linked_low, linked_high)
        for low in np.linspace(0.9 * true, true, 40):
            for high in np.linspace(true, 1.1 * true, 40):
                inside = low >= 1 / 1.01 and high <= 1.01
                varied = _verdict("same" if inside else "undecided", float(low), float(high))
                assert placement.placement_outcome(linked, varied, 0.01) != "placement"


def test_what_placement_adds_is_the_ratio_of_the_ratios() -> None:
    assert placement.added(SLOWER, SLIGHTLY) == pytest.approx((1.60 / 1.06, 1.70 / 1.04))
    assert placement.added(SLOWER, OPEN) == (0.0, math.inf)


def test_spread_is_what_layouts_add_to_the_noise() -> None:
    rng = np.random.default_rng(1)
    linked = rng.normal(0.5, 0.01, 4000)
    # Two sides, each with a layout of its own of 3 %.
    varied = rng.normal(0.0, 0.01, 4000) + rng.normal(0, 0.03, 4000) - rng.normal(0, 0.03, 4000)
    spread, high = placement.layout_spread(linked, varied)
    assert spread == pytest.approx(0.03, rel=0.06)
    assert spread < high < 1.05 * spread
    assert placement.layout_spread(varied, linked)[0] == 0.0


def test_layouts_of_which_most_are_alike_still_spread() -> None:
    # Twelve of sixteen pairs are alike: 4 × 0.03² / 15 is the variance of both sides together.
    varied = np.array([0.0] * 12 + [0.03, 0.03, -0.03, -0.03])
    spread, high = placement.layout_spread(np.zeros(16), varied)
    assert spread == pytest.approx(math.sqrt(4 * 0.03**2 / 15 / 2))
    # Bonett: kurtosis 16 / 4, c = 16 / (16 − 1.645), error c · 1.645 · √((4 − 13/16) / 15).
    c = 16 / (16 - 1.6448536)
    error = c * 1.6448536 * math.sqrt((4 - 13 / 16) / 15)
    assert high == pytest.approx(spread * math.sqrt(c * math.exp(error)), rel=1e-6)
    # With the noise of measuring a median absolute deviation would be that of the noise.
    noise = np.random.default_rng(2).normal(0, 0.0005, (2, 16))
    spread, high = placement.layout_spread(noise[0], varied + noise[1])
    assert spread == pytest.approx(0.0110, abs=0.0006)
    assert 0.014 < high < 0.018


def test_one_block_far_away_is_no_spread_but_raises_the_limit() -> None:
    noise = np.random.default_rng(3).normal(0, 0.001, (2, 16))
    quiet, limit = placement.layout_spread(noise[0], noise[1])
    noise[1, 4] += 0.3
    disturbed, high = placement.layout_spread(noise[0], noise[1])
    assert quiet <= 0.001
    assert disturbed <= 0.0015
    assert limit < 0.002
    assert high > 0.05


@pytest.mark.parametrize(("linked", "varied"), [(2, 9), (9, 2), (0, 0)])
def test_spread_is_unknown_from_fewer_than_three_blocks(linked: int, varied: int) -> None:
    spread, high = placement.layout_spread(np.zeros(linked), np.zeros(varied))
    assert math.isnan(spread)
    assert high == math.inf


def test_a_spread_of_four_blocks_has_no_limit() -> None:
    spread, high = placement.layout_spread(np.zeros(4), np.array([0.01, -0.01, 0.01, -0.01]))
    assert spread == pytest.approx(0.01 * math.sqrt(4 / 3 / 2))
    assert high == math.inf


def test_a_placement_keeps_its_verdicts_and_its_points() -> None:
    made = placement.judge_placement(SLOWER, SAME, np.zeros(4), np.array([0.01, -0.01, 0.0]), 0.01)
    assert (made.outcome, made.linked, made.varied) == ("placement", SLOWER, SAME)
    assert (made.layouts, made.points) == (3, (0.01, -0.01, 0.0))


NAMES = ("fib", "sort")


def _blocks(linked: float, varied: float, number: int = 20) -> list[Block]:
    """``b`` takes so many times as long as ``a``, as linked and in layouts, with 0.1 % of noise."""
    rng = np.random.default_rng(3)
    made = []
    for index in range(2 * number):
        for name in NAMES:
            ratio = (varied if index % 2 else linked) * float(np.exp(rng.normal(0, 0.001)))
            plain = block({"a": [1.0], "b": [ratio]}, benchmark=name, index=index)
            drawn = {"a": index, "b": index} if index % 2 else {}
            made.append(replace(plain, layouts=drawn))
    return made


def _plan(blocks: Sequence[Block], **warming: int) -> ComparisonPlan:
    return ComparisonPlan(blocks, NAMES, [("b", "a")], 0.01, warming=warming)


def _as_in_the_main_table(blocks: Sequence[Block], **warming: int) -> tuple[Placement, ...]:
    """The placements, whose verdicts over layouts are those of the study."""
    placements = placement.judge_placements(_plan(blocks, **warming))
    verdicts, suites = judge_study(_plan(over_layouts(blocks), **warming))
    wanted = [*(s.verdict for s in suites), *verdicts]
    assert [_figures(p.varied) for p in placements] == [_figures(v) for v in wanted]
    return placements


def _figures(v: Verdict) -> tuple[object, ...]:
    return v.benchmark, v.outcome, v.ratio, v.low, v.high


def test_what_is_only_in_the_blocks_as_linked_is_placement() -> None:
    found = placement.judge_placements(_plan(_blocks(1.5, 1.0)))
    assert [(p.linked.benchmark, p.outcome, p.layouts) for p in found] == [
        (None, "placement", 20),
        ("fib", "placement", 20),
        ("sort", "placement", 20),
    ]


def test_what_is_in_both_is_the_change() -> None:
    found = placement.judge_placements(_plan(_blocks(1.05, 1.05)))
    assert {p.outcome for p in found} == {"change"}


def test_the_verdicts_over_layouts_are_those_of_the_main_table() -> None:
    assert len(_as_in_the_main_table(_blocks(1.5, 1.02))) == 3


def test_first_values_that_are_not_steady_are_set_aside_here_too() -> None:
    blocks = [
        replace(b, values={"a": (1.0,) * 4, "b": (9.0, 9.0, b.values["b"][0], b.values["b"][0])})
        for b in _blocks(1.5, 1.02)
    ]
    placements = _as_in_the_main_table(blocks, fib=2, sort=2)
    assert placements[0].varied.ratio == pytest.approx(1.02, rel=0.001)


def test_without_blocks_in_layouts_there_are_none() -> None:
    assert placement.judge_placements(_plan([b for b in _blocks(1.5, 1.0) if not b.layouts])) == ()


NAMES_FIXES = ("fast", "slow", "fixed")


def _blocks_fixes(
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
        values = {n: [math.exp(x)] for n, x in zip(NAMES_FIXES, logs, strict=True)}
        drawn = dict.fromkeys(NAMES_FIXES, index) if varied else {}
        made.append(replace(block(values, benchmark="calls", index=index), layouts=drawn))
    return made


def _fixes(
    blocks: list[Block],
    *benchmarks: str,
    variants: Sequence[str] = NAMES_FIXES,
    warming: Mapping[str, int] | None = None,
    fixes: Mapping[str, str] | None = None,
) -> tuple[Fix, ...]:
    plan = ComparisonPlan(blocks, benchmarks or ["calls"], [], 0.01, variants, warming or {})
    return placement.judge_fixes(plan, {"fixed": "slow"} if fixes is None else fixes)


def test_a_speed_of_few_layouts_counts_for_the_spread_that_a_fix_removes() -> None:
    blocks = _blocks_fixes((0.0, 0.0, 0.0), 40)
    slow = [b for b in blocks if b.layouts][::5]  # one layout in five is 10 % slower
    for b in slow:
        values = {**b.values, "slow": tuple(1.1 * x for x in b.values["slow"])}
        blocks[blocks.index(b)] = replace(b, values=values)
    fix = _judge(blocks)
    assert fix.without == pytest.approx(math.log(1.1) * math.sqrt(0.2 * 0.8 * 40 / 39), rel=0.05)
    assert fix.outcome == "removed"


def _judge(blocks: list[Block]) -> Fix:
    (fix,) = _fixes(blocks)
    return fix


def test_the_variance_of_each_side_follows_from_those_of_the_pairs() -> None:
    own = np.array([4.0, 1.0, 0.0, 9.0])
    pairs = np.array([own[a] + own[b] for a, b in combinations(range(4), 2)])
    assert placement.alone(pairs, 4) == pytest.approx(own)
    assert placement.alone(np.stack([pairs, 2 * pairs]), 4) == pytest.approx(
        np.stack([own, 2 * own])
    )


@pytest.mark.parametrize(
    ("spreads", "number", "outcome"),
    [
        ((0.005, 0.05, 0.0), 100, "removed"),
        ((0.02, 0.04, 0.02), 100, "reduced"),
        ((0.02, 0.02, 0.05), 100, "larger"),
        ((0.03, 0.03, 0.03), 100, "undecided"),
        ((0.001, 0.001, 0.001), 40, "none"),
    ],
)
def test_what_a_fix_does_to_the_spread(
    spreads: tuple[float, ...], number: int, outcome: FixOutcome
) -> None:
    fix = _judge(_blocks_fixes(spreads, number))
    _, without, spread = spreads
    assert (fix.variant, fix.of, fix.benchmark) == ("fixed", "slow", "calls")
    assert (fix.outcome, fix.layouts) == (outcome, number)
    assert (fix.without, fix.spread) == pytest.approx((without, spread), rel=0.25, abs=0.008)
    assert fix.low <= spread / without <= fix.high


def test_equal_spreads_are_seldom_said_to_differ() -> None:
    words = [_judge(_blocks_fixes((0.03, 0.03, 0.03), 24, seed=s)).outcome for s in range(60)]
    assert words.count("undecided") >= 55


def test_one_disturbed_block_makes_no_spread() -> None:
    blocks = _blocks_fixes((0.001, 0.001, 0.001), 40)
    values = {**blocks[3].values, "slow": (blocks[3].values["slow"][0] * 3,)}
    blocks[3] = replace(blocks[3], values=values)
    assert _judge(blocks).outcome == "none"


def test_few_blocks_and_two_variants_separate_nothing() -> None:
    for blocks, variants in (
        (_blocks_fixes((0.02, 0.02, 0.02), 7), NAMES_FIXES),
        (_blocks_fixes((0.02, 0.02, 0.02), 30), ("slow", "fixed")),
    ):
        (fix,) = _fixes(blocks, variants=variants)
        assert fix.outcome == "undecided"
        assert math.isnan(fix.spread)


def test_several_benchmarks_are_judged_together_and_each() -> None:
    blocks = _blocks_fixes((0.02, 0.05, 0.0), 60)
    blocks += [replace(b, benchmark="other") for b in _blocks_fixes((0.02, 0.05, 0.0), 60, seed=2)]
    found = _fixes(blocks, "calls", "other")
    assert [f.benchmark for f in found] == [None, "calls", "other"]
    assert found[0].without == pytest.approx(0.05 / math.sqrt(2), rel=0.3)


def test_first_values_that_are_not_steady_are_set_aside() -> None:
    rng = np.random.default_rng(5)
    cold = [
        replace(
            b, values={v: (*np.exp(rng.normal(0, 0.3, 2)), x, x) for v, (x,) in b.values.items()}
        )
        for b in _blocks_fixes((0.005, 0.05, 0.0), 40)
    ]
    (fix,) = _fixes(cold, warming={"calls": 2})
    assert fix == _judge(_blocks_fixes((0.005, 0.05, 0.0), 40))
    assert fix != _judge(cold)


def test_without_layouts_or_fixes_there_is_nothing_to_say() -> None:
    blocks = _blocks_fixes((0.02, 0.02, 0.02), 20)
    linked = [b for b in blocks if not b.layouts]
    for given, fixes in ((linked, {"fixed": "slow"}), (blocks, {}), (blocks, {"fixed": "gone"})):
        assert _fixes(given, fixes=fixes) == ()


def _layout_block(
    index: int, a: Sequence[float], b: Sequence[float], layouts: dict[str, int] | None = None
) -> Block:
    order = tuple(("a", "b") for _ in a)
    return Block(
        "work", index, 1, "s", 0, 1, 1, ("a", "b"), order, {"a": tuple(a), "b": tuple(b)}, 0.0, 1.0,
        layouts=layouts or {},
    )  # fmt: skip


def made(
    rng: np.random.Generator, value: float, process: float, layout: float, varied: bool, index: int
) -> Block:
    """A block of 40 turns whose log ratio has the given standard deviations."""
    shift = rng.normal(0, process) + (rng.normal(0, layout) if varied else 0.0)
    b = np.exp(shift + rng.normal(0, value, 40))
    return _layout_block(index, [1.0] * 40, list(b), {"a": 1, "b": 2} if varied else None)


def test_each_level_is_found() -> None:
    rng = np.random.default_rng(3)
    blocks = [made(rng, 0.05, 0.02, 0.10, i % 2 == 1, i) for i in range(400)]
    found = placement.levels(blocks, "b", "a")
    assert found is not None
    assert found.value == pytest.approx(0.05, rel=0.1)
    assert found.process == pytest.approx(0.02, rel=0.25)
    assert found.layout == pytest.approx(0.10, rel=0.2)
    assert found.turns == 40


def test_turns_alone_leave_nothing_for_processes() -> None:
    rng = np.random.default_rng(4)
    found = placement.levels([made(rng, 0.05, 0.0, 0.0, False, i) for i in range(300)], "b", "a")
    assert found is not None
    assert found.process < 0.005
    assert found.layout is None


def test_few_blocks_tell_nothing() -> None:
    rng = np.random.default_rng(5)
    assert placement.levels([made(rng, 0.1, 0.1, 0, False, i) for i in range(4)], "b", "a") is None


def test_no_more_than_half_of_the_turns_of_a_short_block_are_set_aside() -> None:
    rng = np.random.default_rng(6)
    short = [_layout_block(i, [1.0] * 4, list(np.exp(rng.normal(0, 0.01, 4)))) for i in range(8)]
    found = placement.levels(short, "b", "a", non_stationary=5)
    assert found is not None
    assert 0 < found.value < 0.03
    assert math.isfinite(found.process)
    assert (found.turns, found.non_stationary) == (4, 5)
