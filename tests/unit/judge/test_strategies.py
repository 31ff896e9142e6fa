"""Strategies, and the estimates by their scores."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.unit.example_blocks import block

from whyfast.judge.ratios import Ratios, as_ratios, blocks_by_benchmark, pair_ratios, turn_ratios
from whyfast.judge.strategies import CLIP, location, strategies, strategies_in_hindsight

Floats = NDArray[np.float64]
_RATIO = st.integers(-400, 400).map(lambda n: n / 2048)


def _scales(d: Ratios) -> list[list[float]]:
    """The scale of each block, a row a strategy; 0 for the sign alone."""
    inverse = strategies([d]).inverse[:, :, 0]
    return np.where(inverse > 0, 1 / np.where(inverse > 0, inverse, 1), 0.0).T.tolist()  # type: ignore[no-any-return]


def test_the_scale_is_the_median_absolute_deviation_after_three_blocks() -> None:
    plain, wide = _scales(Ratios(np.array([[0.0, 1.0, 3.0, 2.0, 100.0, 5.0]])))
    assert plain == pytest.approx([0, 0, 0, 1.4826, 1.4826, 1.4826])
    # Deviations from the median 1 are 0, 1 and 2: 80 % of the way from the first to the last.
    assert wide[3] == pytest.approx(1.6 / 1.2816)


def test_a_block_whose_turns_scatter_has_a_wider_scale_and_none_is_trusted_without_end() -> None:
    d = np.array([[0.0, 1.0, 3.0, 2.0, 2.0, 2.0]])
    spread = np.array([1.0, 1.0, 1.0, 3.0, 1.0, 0.01])
    by_spread = _scales(Ratios(d, spread))[0]
    assert by_spread[3] == pytest.approx(3 * 1.4826)
    assert by_spread[5] == pytest.approx(by_spread[4] / 4)


def test_blocks_in_which_both_sides_took_long_are_told_from_the_others() -> None:
    # Of the first eight blocks the median is 0, and so the medians of both halves are as written.
    d = np.array([[0.1, 5.0, -0.1, -5.0, 0.1, 5.0, -0.1, -5.0, 0.0, 0.0]])
    level = np.array([0.0, 1.0] * 5)
    s = strategies([Ratios(d, None, level)])
    assert s.inverse[8:, 1, 0].tolist() == pytest.approx([1 / 0.14826, 1 / 7.413])
    assert s.weight[8:, 1, 0].tolist() == pytest.approx([1.0, 0.02])
    assert s.weight[:, 0, 0].tolist() == [1.0] * 10


def test_where_one_side_alone_makes_the_level_it_has_no_say() -> None:
    # The level rises and falls with the difference: the baseline always takes as long.
    d = np.array([[4.0, -0.1, 5.0, -0.2, 3.0, -0.3, 6.0, -0.4, 4.0, -0.1]])
    s = strategies([Ratios(d, None, 2.0 + d[0])])
    assert s.weight[:, 1, 0].tolist() == [1.0] * 10
    assert s.inverse[:, 1, 0].tolist() == s.inverse[:, 0, 0].tolist()
    # Scales in hindsight, about a given shift, may not depend on signs.
    told = strategies_in_hindsight([Ratios(d, None, 2.0 + d[0])], 0.0)
    assert told.weight[:, 1, 0].tolist() != [1.0] * 10


def test_both_ways_are_the_comparisons_and_then_those_with_the_sides_exchanged() -> None:
    a = Ratios(np.array([[0.0, 1.0, 3.0, 2.0, 4.0]]))
    b = Ratios(np.array([[0.5, 0.0, -1.0, 2.0, -2.0]]))
    s = strategies([a, b])
    both = s.both_ways()
    shifts = np.array([1.0, 0.25])
    scores = both.scores(np.concatenate([shifts, -shifts]))
    assert scores[..., :2].tolist() == s.scores(shifts).tolist()
    assert scores[..., 2:].tolist() == (-s.scores(shifts)).tolist()


def test_scores_are_linear_then_limited_and_signs_without_a_scale() -> None:
    s = strategies([Ratios(np.array([[0.5, -0.5, 4.0, 0.0, 1e300, -1e300]]))])
    scores = s.scores(np.array([0.1]))[:, 0, 0]
    assert scores[:3].tolist() == [CLIP, -CLIP, CLIP]
    assert scores[3] == pytest.approx(-0.1 / (1.4826 * 1.0))
    assert scores[4:].tolist() == [CLIP, -CLIP]


def test_every_statistic_is_bet_on_twice_and_the_medians_once_more() -> None:
    d = Ratios(np.arange(40.0).reshape(4, 10), np.ones(10), np.arange(10.0))
    s = strategies([d])
    assert s.statistic == (0, 1, 2, 3, 0, 1, 2, 3, 0)
    assert s.share.tolist() == pytest.approx([1 / 9] * 9)
    alone = strategies([Ratios(d.logs[:1], d.spread, d.level)])
    assert alone.statistic == (0, 0, 0)
    assert alone.share.tolist() == pytest.approx([4 / 9, 4 / 9, 1 / 9])
    assert s.of_statistic(2).x[:, :, 0].T.tolist() == [d.logs[2].tolist()] * 2


@given(st.lists(_RATIO, min_size=4, max_size=20), _RATIO, st.data())
def test_scale_knows_earlier_blocks(values: list[float], other: float, data: st.DataObject) -> None:
    d = np.array(values)
    at = data.draw(st.integers(0, len(d) - 1))
    changed = d.copy()
    changed[at:] = other
    for before, after in zip(_scales(Ratios(d[None])), _scales(Ratios(changed[None])), strict=True):
        assert after[: at + 1] == before[: at + 1]


def test_in_hindsight_the_first_blocks_have_a_scale_too() -> None:
    s = strategies_in_hindsight([Ratios(np.array([[0.0, 1.0, 3.0]]))])
    assert s.inverse[:, 0, 0].tolist() == pytest.approx([1 / 1.4826] * 3)


@pytest.mark.parametrize(
    ("new", "old", "ratio"),
    [
        ([2.0, 3.0, 8.0], [1.0, 1.0, 1.0], 3.0),
        # Drift that hits neighbours alike leaves no trace.
        ([1.25, 12.5, 0.25, 6.25], [1.0, 10.0, 0.2, 5.0], 1.25),
    ],
)
def test_a_block_is_the_median_of_turns(new: list[float], old: list[float], ratio: float) -> None:
    (ratios,) = pair_ratios([block({"new": new, "old": old})], [("new", "old")]).values()
    assert ratios.medians == pytest.approx([math.log(ratio)])


def test_location_is_where_the_scores_cancel() -> None:
    # Of 0, 1 and 3 the median deviation is 1: all are within 1.5 · 1.4826 of 4/3, their mean.
    assert location(np.array([0.0, 1.0, 3.0])) == pytest.approx(4 / 3)
    assert location(np.array([5.0])) == 5.0
    assert location(np.array([0.1, 0.1, 0.1, 0.5])) == pytest.approx(0.1, abs=0.07)
    assert math.isnan(location(np.array([])))


def test_the_sharper_statistic_counts_for_more() -> None:
    rng = np.random.default_rng(5)
    sharp, blunt = rng.normal(0.01, 0.001, 40), rng.normal(0.02, 0.02, 40)
    d = Ratios(np.array([sharp, blunt, blunt, blunt]))
    assert location(d) == pytest.approx(location(sharp), abs=5e-4)


def test_a_few_bad_blocks_hardly_move_the_location() -> None:
    d = np.random.default_rng(0).normal(0.1, 0.01, 40)
    spoilt = d.copy()
    spoilt[:3] = 100.0
    assert location(spoilt) == pytest.approx(location(d), abs=0.005)


@pytest.mark.parametrize("n", [600, 601])
def test_location_of_many_blocks_is_that_of_few(n: int) -> None:
    d = np.random.default_rng(1).normal(0.5, 0.1, n)
    d[0] = 1e9
    assert location(d) == pytest.approx(0.5, abs=0.015)


_GRID = st.integers(-2000, 2000).map(lambda n: n / 1024)


@given(st.lists(_GRID, min_size=1, max_size=30), _GRID)
def test_location_moves_and_mirrors_with_the_blocks(values: list[float], shift: float) -> None:
    d = np.array(values)
    assert location(-d) == -location(d)
    assert location(d + shift) == pytest.approx(location(d) + shift, abs=1e-9)


_TURNS_RATIOS = st.lists(st.floats(1e-6, 10), min_size=1, max_size=20)


def test_the_four_statistics_of_a_block_and_how_noisy_it_was() -> None:
    b = block({"new": [2.0, 3.0, 8.0, 4.0, 5.0], "old": [1.0, 2.0, 2.0, 1.0, 1.0]})
    ratios = pair_ratios([b], [("new", "old")])["new", "old"]
    # Turn by turn 2, 1.5, 4, 4, 5; sorted 2, 3, 4, 5, 8 over 1, 1, 1, 2, 2.
    assert np.exp(ratios.logs[:, 0]).tolist() == pytest.approx([4.0, 4.0, 3.0, 2.0])
    assert ratios.spread is not None
    assert ratios.level is not None
    # The middle one of |log(2/4)|, |log(1.5/4)|, 0, 0, |log(5/4)|.
    assert ratios.spread.tolist() == pytest.approx([1.4826 * math.log(5 / 4) / math.sqrt(5)])
    assert ratios.level.tolist() == pytest.approx([math.log(4.0 * 1.0) - 2 * math.log(3)])
    assert len(ratios) == 1


@given(st.data(), st.integers(1, 9))
def test_exchanging_the_variants_changes_signs_alone(data: st.DataObject, turns: int) -> None:
    values = st.lists(st.floats(1e-6, 10), min_size=turns, max_size=turns)
    blocks = [block({"a": data.draw(values), "b": data.draw(values)}) for _ in range(3)]
    found = pair_ratios(blocks, [("a", "b"), ("b", "a")])
    one, other = found["a", "b"], found["b", "a"]
    assert one.logs.tolist() == (-other.logs).tolist()
    for of in ("spread", "level"):
        assert getattr(one, of).tolist() == getattr(other, of).tolist()


def test_of_one_turn_a_block_all_statistics_are_one() -> None:
    blocks = [block({"a": [2.0], "b": [1.0]}), block({"a": [1.0], "b": [4.0]})]
    ratios = pair_ratios(blocks, [("a", "b")])["a", "b"]
    assert ratios.logs.tolist() == [[math.log(2), -math.log(4)]]
    assert ratios.spread is not None
    assert ratios.spread.tolist() == [0.0, 0.0]


def test_blocks_of_one_turn_among_others_have_four_statistics_too() -> None:
    blocks = [block({"a": [2.0], "b": [1.0]}), block({"a": [3.0, 3.0], "b": [1.0, 1.0]})]
    ratios = pair_ratios(blocks, [("a", "b")])["a", "b"]
    assert ratios.logs.tolist() == [pytest.approx([math.log(2), math.log(3)])] * 4


def test_only_blocks_that_hold_both_count_and_a_pair_without_any_is_left_out() -> None:
    blocks = [
        block({"a": [2.0], "b": [1.0]}),
        block({"a": [9.0], "b": [1.0]}, benchmark="other"),
        block({"b": [1.0], "c": [1.0]}),
        block({"c": [4.0], "b": [2.0], "a": [1.0]}),
    ]
    fib = blocks_by_benchmark(blocks, ["fib"])["fib"]
    ratios = pair_ratios(fib, [("a", "b"), ("c", "b"), ("a", "c"), ("d", "b")])
    assert {pair: np.exp(r.medians).tolist() for pair, r in ratios.items()} == {
        ("a", "b"): pytest.approx([2.0, 0.5]),
        ("c", "b"): pytest.approx([1.0, 2.0]),
        ("a", "c"): pytest.approx([0.25]),
    }


def test_values_that_warm_up_are_set_aside_but_never_more_than_half() -> None:
    b = block({"a": [9.0, 9.0, 2.0, 2.0], "b": [1.0] * 4})
    for skip, ratio in ((0, math.sqrt(18.0)), (1, 2.0), (2, 2.0), (3, 2.0)):
        (r,) = pair_ratios([b], [("a", "b")], skip).values()
        assert np.exp(r.medians[0]) == pytest.approx(ratio)


def test_more_loops_are_no_disturbance() -> None:
    """The level is of one loop, or every block of another session would pass for a slow one."""
    one = block({"a": [1.0], "b": [2.0]})
    more = replace(block({"a": [4.0], "b": [8.0]}), loops=4 * one.loops)
    level = pair_ratios([one, more], [("a", "b")])["a", "b"].level
    assert level is not None
    assert level[1] == pytest.approx(level[0])


@given(st.lists(st.tuples(_TURNS_RATIOS, _TURNS_RATIOS), min_size=1, max_size=4), st.floats(-1, 1))
def test_a_shift_moves_every_statistic_and_leaves_the_spread(
    turns: Sequence[tuple[list[float], list[float]]], shift: float
) -> None:
    shortest = min(len(x) for pair in turns for x in pair)
    a, b = (np.log([pair[i][:shortest] for pair in turns]) for i in (0, 1))
    plain, moved = turn_ratios(a, b), turn_ratios(a + shift, b)
    assert moved.logs == pytest.approx(plain.logs + shift, abs=1e-9)
    assert plain.shifted(shift).logs == pytest.approx(moved.logs, abs=1e-9)
    assert moved.spread == pytest.approx(plain.spread, abs=1e-9)
    assert moved.level == pytest.approx(plain.shifted(shift).level, abs=1e-9)


def test_plain_numbers_are_ratios_of_which_nothing_else_is_known() -> None:
    d = np.array([0.1, 0.2])
    ratios = as_ratios(d)
    assert (ratios.logs.tolist(), ratios.spread, ratios.level) == ([[0.1, 0.2]], None, None)
    assert as_ratios(ratios) is ratios
    assert ratios.first(1).logs.tolist() == [[0.1]]
    assert isinstance(ratios, Ratios)
