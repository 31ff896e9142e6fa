"""Asymmetric outliers, modes, medians of single times."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from tests.golden_files import Hear
from tests.unit.example_blocks import block

from whyfast.judge.processes import (
    SURE,
    asymmetric_outliers_of,
    may_have_asymmetric_outliers,
    process_modes,
    sign_test,
    split,
    unlike_medians,
)
from whyfast.judge.ratios import Ratios
from whyfast.model.sample import Block
from whyfast.model.verdict import AsymmetricOutliers, Verdict

Floats = NDArray[np.float64]


def _blocks(n: int, variant: Floats, baseline: Floats, seed: int = 1) -> Ratios:
    """Log times of both sides, and noise of 0.2 %."""
    noise = np.random.default_rng(seed).normal(0, 0.002, (2, n))
    a, b = noise[0] + variant, noise[1] + baseline
    return Ratios((a - b)[None], None, a + b)


def _some(n: int, places: slice, by: float) -> Floats:
    values = np.zeros(n)
    values[places] = by
    return values


def _found(ratios: Ratios) -> AsymmetricOutliers:
    found = asymmetric_outliers_of(ratios, "new", "old", 0.01)
    assert found
    return found


def test_a_tenth_of_slow_processes_of_the_variant() -> None:
    found = _found(_blocks(100, _some(100, slice(0, 100, 10), math.log(1.3)), np.zeros(100)))
    assert (found.side, found.slow) == ("new", True)
    assert (found.count, found.other, found.of) == (10, 0, 100)
    assert found.low == pytest.approx(0.055, abs=0.001)
    assert found.high == pytest.approx(0.174, abs=0.001)
    assert found.ratio == pytest.approx(1.3, abs=0.005)
    assert found.mean == pytest.approx(1.03, abs=0.001)
    assert found.p_value == pytest.approx(2 / 2**10)


@pytest.mark.parametrize(
    ("variant", "baseline", "side", "slow", "mean"),
    [
        (0.2, 0.0, "new", True, 1 + 0.1 * math.expm1(0.2)),
        (0.0, 0.2, "old", True, 1 / (1 + 0.1 * math.expm1(0.2))),
        (-0.2, 0.0, "new", False, 1 + 0.1 * math.expm1(-0.2)),
        (0.0, -0.2, "old", False, 1 / (1 + 0.1 * math.expm1(-0.2))),
    ],
)
def test_the_time_of_both_sides_tells_whose_processes_they_are(
    variant: float, baseline: float, side: str, slow: bool, mean: float
) -> None:
    at = slice(0, 100, 10)
    found = _found(_blocks(100, _some(100, at, variant), _some(100, at, baseline)))
    assert (found.side, found.slow) == (side, slow)
    assert found.mean == pytest.approx(mean, abs=0.002)
    assert (found.ratio > 1) is slow


def test_a_machine_that_disturbs_both_sides_is_not_lopsided() -> None:
    rng = np.random.default_rng(3)
    sure = 0
    for seed in range(200):
        hit = rng.random((2, 60)) < 0.1
        ratios = _blocks(60, 0.3 * hit[0], 0.3 * hit[1], seed)
        found = asymmetric_outliers_of(ratios, "new", "old", 0.01)
        sure += found is not None and found.p_value <= SURE
    assert sure <= 14  # 4 % expected of a discrete test at 5 %


def test_noise_alone_has_no_outlying_blocks() -> None:
    for ratios in (_blocks(200, np.zeros(200), np.zeros(200)), Ratios(np.zeros((1, 0)))):
        assert asymmetric_outliers_of(ratios, "new", "old", 0.01) is None


def test_less_than_the_margin_matters_to_nobody() -> None:
    ratios = Ratios(np.array([[0.0] * 50 + [0.005] * 5]))
    assert asymmetric_outliers_of(ratios, "new", "old", 0.01) is None
    assert asymmetric_outliers_of(ratios, "new", "old", 0.001)


def test_many_are_asked_at_once_whether_there_is_anything_to_ask() -> None:
    slow = _blocks(40, _some(40, slice(0, 1), 0.3), np.zeros(40))
    quiet = _blocks(40, np.zeros(40), np.zeros(40))
    both = np.column_stack([slow.medians, quiet.medians])
    assert may_have_asymmetric_outliers(both, 0.01).tolist() == [True, False]


@pytest.mark.parametrize(("more", "fewer"), [(0, 0), (1, 0), (3, 3), (6, 0), (8, 1), (300, 250)])
def test_the_sign_test_is_the_binomial_one(more: int, fewer: int) -> None:
    n = more + fewer
    wanted = stats.binomtest(more, n).pvalue if n else 1.0
    assert sign_test(more, fewer) == pytest.approx(wanted)


def _blocks_modes(slow: NDArray[np.bool_], seed: int = 1, drift: float = 0.0) -> list[Block]:
    """``b`` is 30 % slower in the processes that ``slow`` says, on a machine that drifts."""
    rng = np.random.default_rng(seed)
    made = []
    for i, is_slow in enumerate(slow):
        machine = drift * math.sin(i / 9)
        a, b = np.exp(machine + 0.01 * rng.standard_normal((2, 7)))
        made.append(block({"a": list(a), "b": list(b * (1.3 if is_slow else 1.0))}))
    return made


@pytest.mark.parametrize("share", [0.1, 0.5, 0.8])
def test_modes_of_one_variant_with_their_counts_and_ratio(share: float) -> None:
    slow = np.random.default_rng(2).random(80) < share
    (found,) = process_modes(_blocks_modes(slow, drift=0.1), ["a", "b"], 0.01)
    assert (found.variant, found.benchmark) == ("b", "fib")
    assert found.counts == (80 - int(slow.sum()), int(slow.sum()))
    usual = 1.0 if share <= 0.5 and slow.sum() <= 40 else 1 / 1.3
    assert found.ratios == pytest.approx((usual, usual * 1.3), rel=0.03)


def test_three_modes() -> None:
    rng = np.random.default_rng(3)
    values = np.concatenate([rng.normal(m, 0.01, 30) for m in (0.0, 0.3, 0.8)])
    assert [len(h) for h in split(rng.permutation(values), 0.01)] == [30, 30, 30]


def test_modes_nearer_than_the_margin_are_one() -> None:
    rng = np.random.default_rng(4)
    values = np.concatenate([rng.normal(m, 0.0002, 30) for m in (0.0, 0.005)])
    assert len(split(values, math.log1p(0.001))) == 2
    assert len(split(values, math.log1p(0.01))) == 1


def test_the_turns_of_commands_are_processes() -> None:
    rng = np.random.default_rng(5)
    slow = rng.random((8, 10)) < 0.2
    blocks = []
    for is_slow in slow:
        a, b = np.exp(0.01 * rng.standard_normal((2, 10)) + [np.zeros(10), 0.3 * is_slow])
        blocks.append(block({"a": list(a), "b": list(b)}))
    (found,) = process_modes(blocks, ["a", "b"], 0.01, each_turn=True)
    assert found.counts == (80 - int(slow.sum()), int(slow.sum()))
    assert process_modes(blocks, ["a", "b"], 0.01) == ()


def test_other_numbers_of_loops_are_no_modes() -> None:
    plain = _blocks_modes(np.zeros(40, dtype=bool))
    more = [
        replace(
            b, loops=2 * b.loops, values={v: tuple(2 * y for y in x) for v, x in b.values.items()}
        )
        for b in _blocks_modes(np.zeros(40, dtype=bool), seed=2)
    ]
    assert process_modes([*plain, *more], ["a", "b"], 0.01) == ()


@pytest.mark.parametrize("noise", ["normal", "t3", "uniform", "skewed"])
@pytest.mark.parametrize("n", [20, 40, 150])
def test_noise_of_one_speed_has_one_mode(noise: str, n: int) -> None:
    rng = np.random.default_rng(6)
    draws: dict[str, Callable[[], Floats]] = {
        "normal": lambda: rng.standard_normal(n),
        "t3": lambda: rng.standard_t(3, n),
        "uniform": lambda: rng.random(n),
        "skewed": lambda: rng.exponential(1.0, n),
    }
    draw = draws[noise]
    assert sum(len(split(0.1 * draw(), 0.01)) > 1 for _ in range(200)) <= 20


def test_too_few_or_equal_processes_have_one_mode() -> None:
    assert len(split(np.array([0.0] * 10 + [1.0] * 9), 0.01)) == 1
    assert len(split(np.zeros(50), 0.01)) == 1
    assert process_modes([], ["a"], 0.01) == ()


VERDICT = Verdict("new", "old", "work", "slower", 1.4, 1.35, 1.5, 0.99, 9.0, 9)


def _block(old: float, new: float) -> Block:
    values = {"old": (old,), "new": (new,)}
    return Block("work", 0, 1, "s", None, 1, 0, ("old", "new"), (("old", "new"),), values, 0.0, 1.0)


#: Turns that are held up hold up both: 1.4x in each, but most of "old" is quick, of "new" slow.
UNEVEN = [_block(1.0, 1.4)] * 4 + [_block(1.0, 4.0)] * 2 + [_block(3.0, 4.2)] * 3


def test_a_ratio_that_its_medians_contradict_is_explained(golden: Hear) -> None:
    (note,) = unlike_medians([VERDICT], UNEVEN)
    assert (note.kind, note.severity) == ("unlike-medians", "note")
    golden(note.text)


def test_medians_near_the_ratio_need_no_word() -> None:
    assert unlike_medians([VERDICT], [_block(1.0, 1.4)] * 9) == ()
    assert unlike_medians([VERDICT], [_block(1.0, 1.6)] * 9) == ()  # outside, but not by much
    assert unlike_medians([replace(VERDICT, high=5.0)], UNEVEN) == ()
    assert unlike_medians([replace(VERDICT, benchmark=None)], UNEVEN) == ()
