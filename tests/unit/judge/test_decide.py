"""From intervals to words, alone and in a family."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from whyfast.judge import decide
from whyfast.judge.decide import adjusted_levels, judge_family, precise_enough, word
from whyfast.judge.eprocess import confidence_interval, log_e_value
from whyfast.judge.estimate import location
from whyfast.judge.power import detectable, seconds_to_margin
from whyfast.model.verdict import Verdict, Word

Floats = NDArray[np.float64]

Key = tuple[str | None, str, str]

KEY: Key = ("fib", "new", "old")


def _noise(n: int, shift: float, sigma: float = 0.01, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).normal(shift, sigma, n)


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.001, 0.3, "slower"),
        (0.02, 0.3, "slower"),
        (-0.3, -0.001, "faster"),
        (-0.3, -0.02, "faster"),
        (-0.009, 0.009, "same"),
        (0.001, 0.009, "same"),  # not 0, and yet too small to matter
        (-0.009, -0.001, "same"),
        (-math.log1p(0.01), math.log1p(0.01), "same"),
        (-0.001, 0.00998, "undecided"),  # 1 % as a ratio is a bit less as a log ratio
        (0.0, 0.3, "undecided"),
        (-0.3, 0.0, "undecided"),
        (-0.001, 0.011, "undecided"),
        (-0.011, 0.001, "undecided"),
        (-math.inf, math.inf, "undecided"),
        (0.001, math.inf, "slower"),
        (-math.inf, -0.001, "faster"),
    ],
)
def test_word(low: float, high: float, said: Word) -> None:
    assert word(low, high, 0.01) == said


def _decided_from(
    monkeypatch: pytest.MonkeyPatch, needed: Mapping[str, float]
) -> dict[str, Floats]:
    """Samples of which each is decided at its level and at all that are less strict."""

    def interval(d: Floats, alpha: float) -> tuple[float, float]:
        return (0.1, 0.2) if alpha >= d[0] else (-1.0, 1.0)

    monkeypatch.setattr(decide, "confidence_interval", interval)
    return {name: np.array([level]) for name, level in needed.items()}


@pytest.mark.parametrize(
    ("needed", "level"),
    [
        ([0.01, 0.02, 0.03, 0.04], 0.04),  # all four
        ([0.01, 0.02, 0.03, 0.05], 0.03),  # three of four
        ([0.01, 0.05, 0.02, 0.05], 0.02),
        ([0.04, 0.03, 0.02, 0.05], 0.01),  # three at the level of four, two at that of three …
        ([0.01, 0.05, 0.05, 0.05], 0.01),
        ([0.05, 0.05, 0.05, 0.05], 0.01),  # none: the strictest of all
        ([0.04, 0.04, 0.04, 0.04], 0.04),
        ([0.05], 0.04),
        ([0.04], 0.04),
    ],
)
def test_the_level_is_bought_by_as_many_verdicts_as_hold_at_it(
    monkeypatch: pytest.MonkeyPatch, needed: list[float], level: float
) -> None:
    samples = _decided_from(monkeypatch, {str(i): x for i, x in enumerate(needed)})
    assert adjusted_levels(samples, 0.01, alpha=0.04) == pytest.approx(level)


def test_the_level_of_an_empty_family_is_the_whole_one() -> None:
    assert adjusted_levels({}, 0.01, alpha=0.04) == 0.04
    assert judge_family({}, margin=0.01) == ()


def test_all_verdicts_of_a_family_are_given_at_its_level() -> None:
    clear, open_ = _noise(40, 0.1), _noise(8, 0.0, 0.1)
    samples: dict[Key, Floats] = {KEY: clear, ("sort", "new", "old"): open_}
    verdicts = judge_family(samples, margin=0.01, alpha=0.02)
    assert [v.benchmark for v in verdicts] == ["fib", "sort"]
    assert [v.word for v in verdicts] == ["slower", "undecided"]
    assert [v.confidence for v in verdicts] == [0.99, 0.99]
    low, high = confidence_interval(clear, 0.01)
    assert (verdicts[0].low, verdicts[0].high) == (math.exp(low), math.exp(high))


def _verdict(d: Floats, cost: float | None = None) -> Verdict:
    costs = None if cost is None else {KEY: cost}
    (verdict,) = judge_family({KEY: d}, margin=0.01, cost=costs)
    return verdict


@pytest.mark.parametrize(
    ("shift", "said"), [(0.1, "slower"), (-0.1, "faster"), (0.0, "same"), (0.003, "same")]
)
def test_a_decided_verdict(shift: float, said: Word) -> None:
    d = _noise(60, shift, 0.003)
    verdict = _verdict(d, 0.5)
    assert (verdict.benchmark, verdict.variant, verdict.baseline) == KEY
    assert verdict.word == said
    assert verdict.ratio == pytest.approx(math.exp(location(d)))
    assert verdict.low < verdict.ratio < verdict.high
    assert verdict.log_e == log_e_value(d)
    assert (verdict.blocks, verdict.confidence) == (60, 0.99)
    assert verdict.detectable is None
    assert verdict.seconds_to_margin is None


def test_an_undecided_verdict_says_what_was_detectable_and_what_more_costs() -> None:
    d = _noise(20, 0.0, 0.05)
    verdict = _verdict(d, 0.5)
    assert verdict.word == "undecided"
    found = detectable(d, confidence_interval(d, 0.01))
    assert verdict.detectable == pytest.approx(math.exp(found))
    assert verdict.seconds_to_margin == pytest.approx(seconds_to_margin(d, 0.01, 0.01, 0.5))
    assert verdict.seconds_to_margin


def test_without_a_cost_a_block_the_cost_of_the_margin_is_unknown() -> None:
    assert _verdict(_noise(20, 0.0, 0.05)).seconds_to_margin is None


def test_a_verdict_on_two_blocks_has_no_bounds_and_could_have_detected_nothing() -> None:
    verdict = _verdict(np.array([0.1, 0.2]), 0.5)
    assert verdict.word == "undecided"
    assert (verdict.low, verdict.high) == (0.0, math.inf)
    assert verdict.detectable == math.inf


def test_a_verdict_on_no_blocks() -> None:
    verdict = _verdict(np.array([]), 0.5)
    assert (verdict.word, verdict.blocks, verdict.detectable) == ("undecided", 0, None)
    assert math.isnan(verdict.ratio)


def test_exchanging_variant_and_baseline_inverts_the_verdict() -> None:
    d = _noise(60, 0.1)
    one, other = _verdict(d), _verdict(-d)
    assert (one.word, other.word) == ("slower", "faster")
    assert other.ratio == pytest.approx(1 / one.ratio)
    assert (other.low, other.high) == pytest.approx((1 / one.high, 1 / one.low))


def _with(said: Word, ratio: float, half: float) -> Verdict:
    middle = math.log(ratio)
    low, high = math.exp(middle - half), math.exp(middle + half)
    return Verdict("new", "old", "fib", said, ratio, low, high, 0.99, 9.0, 30)


@pytest.mark.parametrize(
    ("said", "ratio", "half", "enough"),
    [
        ("same", 1.0, 0.009, True),
        ("slower", 1.02, 0.009, True),  # within the margin
        ("slower", 1.02, 0.015, False),
        ("slower", 2.0, 0.05, True),  # within a share of the effect
        ("faster", 0.5, 0.05, True),
        ("slower", 2.0, 0.5, False),
        ("faster", 0.5, 0.5, False),
        ("undecided", 1.0, 0.0, False),
    ],
)
def test_precise_enough(said: Word, ratio: float, half: float, enough: bool) -> None:
    assert precise_enough(_with(said, ratio, half), 0.01) is enough


def test_an_unbounded_verdict_is_not_precise_enough() -> None:
    verdict = Verdict("new", "old", "fib", "undecided", math.nan, 0.0, math.inf, 0.99, 0.0, 0)
    assert not precise_enough(verdict, 0.01)
