"""Noise and effect of the ends: from blocks, or known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyfast.search.likelihood import ENDS_NOISE, FEWEST, doubt, grid, log_ends, robust_noise
from whyfast.search.state import KnownEnds


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
