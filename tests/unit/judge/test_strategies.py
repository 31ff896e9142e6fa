"""What bets on a series of blocks: scales that are known before a block's sign is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from whyfast.judge.ratios import Ratios
from whyfast.judge.strategies import CLIP, strategies, strategies_in_hindsight

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
def test_the_scale_of_a_block_knows_earlier_blocks_only(
    values: list[float], other: float, data: st.DataObject
) -> None:
    d = np.array(values)
    at = data.draw(st.integers(0, len(d) - 1))
    changed = d.copy()
    changed[at:] = other
    for before, after in zip(_scales(Ratios(d[None])), _scales(Ratios(changed[None])), strict=True):
        assert after[: at + 1] == before[: at + 1]


def test_in_hindsight_the_first_blocks_have_a_scale_too() -> None:
    s = strategies_in_hindsight([Ratios(np.array([[0.0, 1.0, 3.0]]))])
    assert s.inverse[:, 0, 0].tolist() == pytest.approx([1 / 1.4826] * 3)
