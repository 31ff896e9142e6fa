"""The densities: they integrate to one, and no block decides by itself."""

from __future__ import annotations

import math

import numpy as np
import pytest

from whyfast.search.likelihood import (
    DISTURBED,
    ENDS_NOISE,
    log_block,
    log_candidate,
    log_disturbed,
    log_ends,
    normal,
    wide,
)

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
