"""From blocks of values to what the tests bet on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.example_blocks import block

from whyfast.judge.ratios import Ratios, as_ratios, block_log_ratio, pair_ratios, turn_ratios

_TURNS = st.lists(st.floats(1e-6, 10), min_size=1, max_size=20)


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
def test_exchanging_the_variants_changes_signs_and_nothing_else(
    data: st.DataObject, turns: int
) -> None:
    values = st.lists(st.floats(1e-6, 10), min_size=turns, max_size=turns)
    blocks = [block({"a": data.draw(values), "b": data.draw(values)}) for _ in range(3)]
    found = pair_ratios(blocks, [("a", "b"), ("b", "a")])
    one, other = found["a", "b"], found["b", "a"]
    assert one.logs.tolist() == (-other.logs).tolist()
    for of in ("spread", "level"):
        assert getattr(one, of).tolist() == getattr(other, of).tolist()
    assert one.medians.tolist() == [block_log_ratio(b, "a", "b") for b in blocks]


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
        block({"b": [1.0], "c": [1.0]}),
        block({"c": [4.0], "b": [2.0], "a": [1.0]}),
    ]
    found = pair_ratios(blocks, [("a", "b"), ("c", "b"), ("d", "b")])
    assert [*found] == [("a", "b"), ("c", "b")]
    assert np.exp(found["a", "b"].medians).tolist() == pytest.approx([2.0, 0.5])
    assert np.exp(found["c", "b"].medians).tolist() == pytest.approx([1.0, 2.0])


def test_values_that_warm_up_are_set_aside_but_never_more_than_half() -> None:
    b = block({"a": [9.0, 9.0, 2.0, 2.0], "b": [1.0] * 4})
    for skip, ratio in ((0, 5.5), (1, 2.0), (2, 2.0), (3, 2.0)):
        (r,) = pair_ratios([b], [("a", "b")], skip).values()
        wanted = math.sqrt(18.0) if skip == 0 else ratio
        assert np.exp(r.medians[0]) == pytest.approx(wanted)


def test_more_loops_are_no_disturbance() -> None:
    """The level is of one loop, or every block of another session would pass for a slow one."""
    one = block({"a": [1.0], "b": [2.0]})
    more = replace(block({"a": [4.0], "b": [8.0]}), loops=4 * one.loops)
    level = pair_ratios([one, more], [("a", "b")])["a", "b"].level
    assert level is not None
    assert level[1] == pytest.approx(level[0])


@given(st.lists(st.tuples(_TURNS, _TURNS), min_size=1, max_size=4), st.floats(-1, 1))
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
