"""From intervals to words, alone and in a family."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from whyfast.judge.correlation import likelihood
from whyfast.judge.decide import judge_each, judge_family, outcome_of, precise_enough
from whyfast.judge.eprocess import confidence_interval, counted
from whyfast.judge.power import detectable, needed_blocks, seconds_to_margin
from whyfast.judge.ratios import Ratios, as_ratios
from whyfast.judge.strategies import location, strategies
from whyfast.model.verdict import Outcome, Verdict

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
def test_word(low: float, high: float, said: Outcome) -> None:
    assert outcome_of(low, high, 0.01) == said


def _family(blocks: Sequence[int]) -> dict[Key, Floats]:
    """ComparisonPlan of so many blocks, all alike: each block doubles the wealth at most."""
    return {(str(i), "new", "old"): np.full(n, 0.1) for i, n in enumerate(blocks)}


@pytest.mark.parametrize(
    ("blocks", "k"),
    [
        ([30, 30, 30, 30], 4),
        ([30, 30, 30, 3], 3),
        ([30, 3, 30, 3], 2),
        ([30, 3, 3, 3], 1),
        ([3, 3, 3, 3], 1),  # none: the strictest of all
        ([9, 9, 9, 9], 4),  # nine blocks do at 1 %, ten at half of that, eleven at a quarter
        ([9, 9, 9, 3], 1),
        ([10, 10, 9, 3], 2),
        ([11, 9, 9, 3], 1),
        ([30], 1),
    ],
)
def test_the_level_is_bought_by_as_many_verdicts_as_hold_at_it(blocks: list[int], k: int) -> None:
    samples = _family(blocks)
    verdicts = judge_family(samples, margin=0.01, alpha=0.01)
    level = 1 - verdicts[0].confidence
    assert level == pytest.approx(0.01 * k / len(blocks))
    needed = needed_blocks(0.01 * k / len(blocks))
    assert [v.outcome for v in verdicts] == [
        "slower" if n >= needed else "undecided" for n in blocks
    ]


@settings(max_examples=12)
@given(st.lists(st.tuples(st.integers(3, 25), st.floats(-0.04, 0.04)), min_size=1, max_size=6))
def test_as_many_are_decided_as_the_level_was_bought_for(family: list[tuple[int, float]]) -> None:
    rng = np.random.default_rng(3)
    samples: dict[Key, Floats] = {
        (str(i), "new", "old"): rng.normal(shift, 0.01, n) for i, (n, shift) in enumerate(family)
    }
    verdicts = judge_family(samples, margin=0.01, alpha=0.05)
    decided = sum(v.outcome != "undecided" for v in verdicts)
    m = len(samples)
    assert 1 - verdicts[0].confidence == pytest.approx(0.05 * max(1, decided) / m)
    # No greater number would have held.
    for k in range(decided + 1, m + 1):
        words = [outcome_of(*confidence_interval(d, 0.05 * k / m), 0.01) for d in samples.values()]
        assert sum(w != "undecided" for w in words) < k


def test_an_empty_family_has_no_verdicts() -> None:
    assert judge_family({}, margin=0.01) == ()


def test_all_verdicts_of_a_family_are_given_at_its_level() -> None:
    clear, open_ = _noise(40, 0.1), _noise(8, 0.0, 0.1)
    samples: dict[Key, Floats] = {KEY: clear, ("sort", "new", "old"): open_}
    verdicts = judge_family(samples, margin=0.01, alpha=0.02)
    assert [v.benchmark for v in verdicts] == ["fib", "sort"]
    assert [v.outcome for v in verdicts] == ["slower", "undecided"]
    assert [v.confidence for v in verdicts] == [0.99, 0.99]
    low, high = confidence_interval(clear, 0.01)
    assert (verdicts[0].low, verdicts[0].high) == pytest.approx((math.exp(low), math.exp(high)))


def test_comparisons_with_different_numbers_of_blocks_keep_their_order() -> None:
    samples: dict[Key, Floats] = {
        (str(i), "new", "old"): _noise(n, 0.1, seed=i) for i, n in enumerate([30, 12, 30, 0, 12])
    }
    verdicts = judge_family(samples, margin=0.01)
    assert [v.benchmark for v in verdicts] == ["0", "1", "2", "3", "4"]
    assert [v.blocks for v in verdicts] == [30, 12, 30, 0, 12]


def _verdict(d: Floats, cost: float | None = None) -> Verdict:
    costs = None if cost is None else {KEY: cost}
    (verdict,) = judge_family({KEY: d}, margin=0.01, cost=costs)
    return verdict


@pytest.mark.parametrize(
    ("shift", "said"), [(0.1, "slower"), (-0.1, "faster"), (0.0, "same"), (0.003, "same")]
)
def test_a_decided_verdict(shift: float, said: Outcome) -> None:
    d = _noise(60, shift, 0.003)
    verdict = _verdict(d, 0.5)
    assert (verdict.benchmark, verdict.variant, verdict.baseline) == KEY
    assert verdict.outcome == said
    assert verdict.ratio == pytest.approx(math.exp(location(d)))
    assert verdict.low < verdict.ratio < verdict.high
    s = strategies([as_ratios(d)])
    evidence = max(float(e[0]) for e in counted(s, np.zeros(1), likelihood(s.x[:, -1])))
    assert verdict.log_e == pytest.approx(evidence - math.log(2))
    assert (verdict.blocks, verdict.confidence) == (60, 0.99)
    assert verdict.detectable is None
    assert verdict.seconds_to_margin is None


def test_an_undecided_verdict_says_what_was_detectable_and_what_more_costs() -> None:
    d = _noise(20, 0.0, 0.05)
    verdict = _verdict(d, 0.5)
    assert verdict.outcome == "undecided"
    interval = confidence_interval(d, 0.01)
    found = detectable(d, interval, 0.01)
    assert verdict.detectable == pytest.approx(math.exp(found))
    seconds = seconds_to_margin(d, interval, 0.01, 0.01, 0.5)
    assert (verdict.seconds_to_margin, verdict.seconds_to_margin_90) == seconds
    assert verdict.seconds_to_margin
    assert verdict.seconds_to_margin_90
    assert verdict.seconds_to_margin < verdict.seconds_to_margin_90


def test_without_a_cost_a_block_the_cost_of_the_margin_is_unknown() -> None:
    assert _verdict(_noise(20, 0.0, 0.05)).seconds_to_margin is None


def test_a_verdict_on_two_blocks_has_no_bounds_and_could_have_detected_nothing() -> None:
    verdict = _verdict(np.array([0.1, 0.2]), 0.5)
    assert verdict.outcome == "undecided"
    assert (verdict.low, verdict.high) == (0.0, math.inf)
    assert verdict.detectable == math.inf
    few = verdict.small_sample
    assert few
    assert (few.outcome, few.confidence, few.needed) == ("undecided", 0.5, 9)


def test_a_verdict_on_no_blocks() -> None:
    verdict = _verdict(np.array([]), 0.5)
    assert (verdict.outcome, verdict.blocks, verdict.detectable) == ("undecided", 0, None)
    assert math.isnan(verdict.ratio)


def test_exchanging_variant_and_baseline_inverts_the_verdict() -> None:
    d = _noise(60, 0.1)
    one, other = _verdict(d), _verdict(-d)
    assert (one.outcome, other.outcome) == ("slower", "faster")
    assert other.ratio == pytest.approx(1 / one.ratio)
    assert (other.low, other.high) == pytest.approx((1 / one.high, 1 / one.low))


def _with(said: Outcome, ratio: float, half: float) -> Verdict:
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
        ("slower", 12.0, 0.095, True),
        ("slower", 12.0, 0.1, False),  # however large the effect is
        ("undecided", 1.0, 0.0, False),
    ],
)
def test_precise_enough(said: Outcome, ratio: float, half: float, enough: bool) -> None:
    assert precise_enough(_with(said, ratio, half), 0.01) is enough


@pytest.mark.parametrize(
    ("ratio", "half", "enough"),
    [(2.0, 0.22, True), (2.0, 0.24, False), (12.0, 0.8, True), (1.02, 0.009, True)],
)
def test_a_cause_is_looked_for_from_a_third_of_the_effect_on(
    ratio: float, half: float, enough: bool
) -> None:
    assert precise_enough(_with("slower", ratio, half), 0.01, rough=True) is enough


def test_an_unbounded_verdict_is_not_precise_enough() -> None:
    verdict = Verdict("new", "old", "fib", "undecided", math.nan, 0.0, math.inf, 0.99, 0.0, 0)
    assert not precise_enough(verdict, 0.01)


def _with_slow_processes(n: int, every: int, by: float = 0.3) -> Ratios:
    """Every so many-th process of the variant is slow, and that is seen in the time of both."""
    d, level = _noise(n, 0.0, 0.001), np.zeros(n)
    d[::every] += by
    level[::every] += by
    return Ratios(d[None], None, level)


def test_same_is_not_said_where_one_side_has_slow_processes() -> None:
    (verdict,) = judge_family({KEY: _with_slow_processes(80, 10)}, margin=0.01)
    assert verdict.outcome == "undecided"
    assert math.exp(-0.01) < verdict.low < 1 < verdict.high < 1.01
    outliers = verdict.asymmetric_outliers
    assert outliers
    assert (outliers.side, outliers.count, outliers.of) == ("new", 8, 80)


def test_with_few_slow_processes_same_is_said_beside_them_and_more_blocks_are_wanted() -> None:
    (verdict,) = judge_family({KEY: _with_slow_processes(60, 20)}, margin=0.01)
    assert verdict.outcome == "same"
    assert verdict.asymmetric_outliers
    assert verdict.asymmetric_outliers.count == 3
    assert not precise_enough(verdict, 0.01)


def test_correlated_blocks_widen_the_interval_and_are_warned_of() -> None:
    rng = np.random.default_rng(2)
    d = np.zeros(60)
    for i in range(1, 60):
        d[i] = 0.8 * d[i - 1] + rng.normal(0, 0.01)
    (verdict,) = judge_family({KEY: d}, margin=0.01)
    assert verdict.correlation
    assert 0.5 < verdict.correlation < 0.9
    low, high = confidence_interval(d, 0.01, independent=True)
    assert math.log(verdict.high / verdict.low) > 1.5 * (high - low)
    (shuffled,) = judge_family({KEY: rng.permutation(d)}, margin=0.01)
    assert shuffled.correlation is None


#: Per cent, about 2.1 standard deviations above 0.
_TEN = np.array([2.1, 1.2, 3.4, 2.8, 0.6, 1.9, 2.5, 1.4, 3.0, 2.2]) / 100


@pytest.mark.parametrize(
    ("d", "assumes"),
    [
        (_TEN, True),
        (_TEN + 0.03, False),  # beyond what a state that wanders would make of ten blocks
        (np.concatenate([_TEN, _TEN[::-1], _TEN]), False),  # and thirty blocks show that none does
    ],
)
def test_a_verdict_that_correlation_would_explain_as_well_is_no_reason_to_stop(
    d: Floats, assumes: bool
) -> None:
    (verdict,) = judge_family({KEY: d}, margin=0.02)
    assert verdict.outcome == "slower"
    assert math.log(verdict.high / verdict.low) / 2 < 0.02
    assert verdict.assumes_independence is assumes
    assert precise_enough(verdict, 0.02) is not assumes


def test_statistics_that_disagree_are_told() -> None:
    rng = np.random.default_rng(4)
    centers = np.array([0.05, 0.05, 0.0, 0.0])[:, None]
    d = Ratios(centers + rng.normal(0, 0.002, (4, 60)))
    (verdict,) = judge_family({KEY: d}, margin=0.01)
    assert verdict.outcome == "undecided"
    assert verdict.low < 1 < 1.05 < verdict.high
    assert [*verdict.statistics.values()] == pytest.approx([1.0513, 1.0513, 1.0, 1.0], abs=0.002)
    # That there is a difference is sure all the same.
    assert verdict.log_e > 10


def test_each_at_full_level_is_as_if_it_were_the_only_one() -> None:
    samples: dict[Key, Floats] = {
        ("fib", f"v{i}", "old"): _noise(n, shift, seed=i)
        for i, (n, shift) in enumerate([(30, 0.02), (30, 0.0), (30, -0.02), (12, 0.01)])
    }
    alone = [judge_family({key: d}, margin=0.01)[0] for key, d in samples.items()]
    assert list(judge_each(samples, margin=0.01)) == alone
