"""The likelihood of blocks, sums of logarithms, and the grid of effect and noise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyfast.search.posterior import (
    DISTURBED,
    ENDS_NOISE,
    FEWEST,
    doubt,
    grid,
    log_block,
    log_candidate,
    log_disturbed,
    log_ends,
    log_running,
    log_sum,
    normal,
    robust_noise,
    wide,
)
from whyfast.search.state import KnownEnds

_LINE = np.linspace(-4000, 4000, 800_001)


def _area(density: np.ndarray) -> float:
    return float(np.trapezoid(density, _LINE))


def test_the_densities_integrate_to_one() -> None:
    assert _area(normal(_LINE)) == pytest.approx(1, abs=1e-9)
    assert _area(wide(_LINE)) == pytest.approx(1, abs=1e-5)
    assert _area(np.exp(log_disturbed(_LINE))) == pytest.approx(1, abs=1e-6)
    one, three = np.array(1.0), np.array(3.0)
    assert _area(np.exp(log_ends(_LINE, one, three))) == pytest.approx(1, abs=1e-5)
    assert _area(np.exp(log_candidate(_LINE, one, three))) == pytest.approx(1, abs=1e-5)


def test_the_ends_own_part_of_a_block_is_what_is_left_without_the_candidate() -> None:
    effect, noise, mean = np.array(2.0), np.array(1.0), np.array(1.0)
    for w in (2.0, 4.0, 30.0):
        both = np.exp(log_block(_LINE, np.array(w), mean, effect, noise))
        alone = math.exp(float(log_ends(np.array(w), effect, noise)))
        assert _area(both) == pytest.approx(alone, rel=1e-4)


def test_the_ends_are_noisier_than_the_candidate_to_their_middle() -> None:
    # Three programs of variance 1: w = b − g has 2, u = c − (g + b)/2 has 3/2.
    assert pytest.approx(math.sqrt(2 / 1.5)) == ENDS_NOISE


def test_a_wild_block_refutes_nothing() -> None:
    # 40 standard deviations beyond the bad end: by the normal core alone, e^80 to 1 against good.
    good, bad = (log_candidate(np.array(40.0), np.array(m), np.array(1.0)) for m in (-1.0, 1.0))
    assert 0 < float(bad - good) < 0.2


def test_when_the_ends_are_disturbed_the_candidate_counts_little() -> None:
    def says(w: float) -> float:
        u, effect, noise = np.array(2.0), np.array(4.0), np.array(1.0)
        bad = log_block(u, np.array(w), np.array(2.0), effect, noise)
        good = log_block(u, np.array(w), np.array(-2.0), effect, noise)
        return float(bad - good)

    # By hand: 0.3875 against 0.00111.
    assert says(4.0) == pytest.approx(5.86, abs=0.01)
    assert says(30.0) < 0.8
    assert DISTURBED < 0.05


def test_halves_make_a_whole() -> None:
    assert log_sum(np.log([[0.5, 0.25, 0.25]]), axis=1)[0] == pytest.approx(0.0)
    assert np.exp(log_running(np.log([[0.5, 0.25, 0.25]])))[0] == pytest.approx([0.5, 0.75, 1.0])


def test_nothing_stays_nothing() -> None:
    assert log_sum(np.array([[-math.inf, -math.inf], [0.0, -math.inf]]), axis=1).tolist() == [
        -math.inf,
        0.0,
    ]


@given(st.lists(st.floats(-1e5, 1e5), min_size=1, max_size=8))
def test_they_are_those_of_numpy_however_far_apart(terms: list[float]) -> None:
    row = np.array([terms])
    assert log_running(row) == pytest.approx(np.logaddexp.accumulate(row, axis=1), abs=1e-9)
    assert log_sum(row, axis=1) == pytest.approx(np.logaddexp.reduce(row, axis=1), abs=1e-9)


def _ends(effect: float, noise: float, n: int, seed: int = 1) -> np.ndarray:
    return effect + ENDS_NOISE * noise * np.random.default_rng(seed).standard_normal(n)


def test_known_ends_are_one_point_a_sign() -> None:
    points = grid(np.array([]), 0.01, KnownEnds(0.03, 0.01))
    assert points.effect.tolist() == [0.03, 0.0, -0.03]
    assert points.noise.tolist() == [0.01, 0.01, 0.01]
    assert np.exp(points.log_prior).tolist() == pytest.approx([0.88, 0.1, 0.02])


def test_too_few_blocks_say_nothing_of_the_noise() -> None:
    with pytest.raises(ValueError, match="3 blocks of the ends, at least 4"):
        grid(np.array([0.1, 0.1, 0.1]), 0.01, None)
    assert all(math.isnan(p) for p in doubt(np.array([0.1, 0.1, 0.1]), 0.01))


def test_the_robust_noise_is_that_of_one_measurement_and_never_zero() -> None:
    assert robust_noise(_ends(0.0, 0.01, 20_001)) == pytest.approx(0.01, rel=0.03)
    assert robust_noise(np.array([0.05] * 4)) == 0.05 / 16
    assert robust_noise(np.zeros(4)) == 1e-9


def test_the_weight_lies_at_the_true_effect_and_noise() -> None:
    ends = _ends(0.03, 0.01, 60)
    points = grid(ends, 0.01, None)
    fit = points.log_prior + log_ends(ends, points.effect[:, None], points.noise[:, None]).sum(1)
    weight = np.exp(fit - fit.max())
    weight /= weight.sum()
    assert float(points.effect @ weight) == pytest.approx(0.03, abs=0.004)
    assert float(points.noise @ weight) == pytest.approx(0.01, rel=0.25)


@pytest.mark.parametrize(
    ("effect", "none", "swapped"), [(0.03, 0.0, 0.0), (0.0, 1.0, 0.0), (-0.03, 0.0, 1.0)]
)
def test_sixty_blocks_tell_whether_the_ends_differ(
    effect: float, none: float, swapped: float
) -> None:
    assert doubt(_ends(effect, 0.01, 60), 0.01) == pytest.approx((none, swapped), abs=0.01)


def test_a_difference_below_the_margin_is_none() -> None:
    assert doubt(_ends(0.002, 0.01, 400), 0.01)[0] > 0.9


def test_identical_blocks_as_of_counted_instructions_are_a_difference() -> None:
    assert doubt(np.array([0.05] * FEWEST), 0.01)[0] < 1e-6
    assert doubt(np.zeros(FEWEST), 0.01)[0] > 0.99


@given(
    st.lists(st.floats(-0.5, 0.5), min_size=FEWEST, max_size=30),
    st.floats(0.001, 0.2),
)
def test_exchanging_the_ends_exchanges_the_effects(ends: list[float], margin: float) -> None:
    ahead, back = (grid(np.array(x), margin, None) for x in (ends, [-e for e in ends]))
    assert sorted(ahead.effect.tolist()) == pytest.approx(sorted((-back.effect).tolist()))
    assert np.all(np.isfinite(ahead.log_prior))
    assert np.all(ahead.noise > 0)
    sizes = np.abs(ahead.effect[ahead.effect != 0])
    assert np.all(sizes >= math.log1p(margin))
