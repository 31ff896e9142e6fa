"""Placement or change: what two verdicts say together, and what placement alone does."""

from __future__ import annotations

import math

import numpy as np
import pytest

from whyfast.judge.placement import added, judge_placement, layout_spread, placement_word
from whyfast.model.verdict import Outcome, PlacementWord, Verdict


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
def test_the_word(linked: Verdict, varied: Verdict, said: PlacementWord) -> None:
    assert placement_word(linked, varied, 0.01) == said


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
                assert placement_word(linked, varied, 0.01) != "placement"


def test_what_placement_adds_is_the_ratio_of_the_ratios() -> None:
    assert added(SLOWER, SLIGHTLY) == pytest.approx((1.60 / 1.06, 1.70 / 1.04))
    assert added(SLOWER, OPEN) == (0.0, math.inf)


def test_spread_is_what_layouts_add_to_the_noise() -> None:
    rng = np.random.default_rng(1)
    linked = rng.normal(0.5, 0.01, 4000)
    # Two sides, each with a layout of its own of 3 %.
    varied = rng.normal(0.0, 0.01, 4000) + rng.normal(0, 0.03, 4000) - rng.normal(0, 0.03, 4000)
    assert layout_spread(linked, varied) == pytest.approx(0.03, rel=0.06)
    assert layout_spread(varied, linked) == 0.0
    assert layout_spread(np.zeros(5), np.array([-0.02, 0.0, 0.02, 0.0, 0.02])) == pytest.approx(
        1.4826 * 0.02 / math.sqrt(2)
    )


@pytest.mark.parametrize(("linked", "varied"), [(2, 9), (9, 2), (0, 0)])
def test_spread_is_unknown_from_fewer_than_three_blocks(linked: int, varied: int) -> None:
    assert math.isnan(layout_spread(np.zeros(linked), np.zeros(varied)))


def test_a_placement_keeps_its_verdicts_and_its_points() -> None:
    made = judge_placement(SLOWER, SAME, np.zeros(4), np.array([0.01, -0.01, 0.0]), 0.01)
    assert (made.outcome, made.linked, made.varied) == ("placement", SLOWER, SAME)
    assert (made.layouts, made.points) == (3, (0.01, -0.01, 0.0))
