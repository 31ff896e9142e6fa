"""Student's distribution and the gamma function's derivatives, beside scipy and known values."""

import math

import numpy as np
import pytest
from scipy import special, stats

from whyfast.judge.special import digamma, inverse_trigamma, t_limit, t_tail, trigamma

FREEDOM = (0.2, 1, 1.7, 2, 3, 10, 29.3, 99.9, 100.1, 1e3, 1e6)
TAILS = (0.4999, 0.25, 0.025, 0.005, 1e-6, 1e-30)


@pytest.mark.parametrize("freedom", FREEDOM)
def test_tails(freedom: float) -> None:
    for t in (0.0, 1e-5, 0.3, 1.0, 5.0, 35.0):
        assert t_tail(t, freedom) == pytest.approx(stats.t.sf(t, freedom), rel=1e-10)


@pytest.mark.parametrize("freedom", FREEDOM)
def test_limits_lie_at_their_tails(freedom: float) -> None:
    for tail in TAILS:
        limit = t_limit(tail, freedom)
        assert limit == pytest.approx(-special.stdtrit(freedom, tail), rel=1e-9)
        assert t_tail(limit, freedom) == pytest.approx(tail, rel=1e-9)


@pytest.mark.parametrize(
    ("tail", "freedom", "limit"),
    [(0.025, 1, 12.706), (0.025, 4, 2.776), (0.005, 9, 3.250), (0.0005, 29, 3.659)],
)
def test_limits_in_print(tail: float, freedom: float, limit: float) -> None:
    """From the table that every textbook has."""
    assert round(t_limit(tail, freedom), 3) == limit


def test_ends() -> None:
    assert t_tail(math.inf, 3) == 0
    assert t_limit(0.0, 3) == math.inf
    assert t_limit(0.5, 3) == pytest.approx(0, abs=1e-9)


def test_derivatives_of_log_gamma() -> None:
    x = np.exp(np.linspace(-20, 20, 200))
    assert digamma(x) == pytest.approx(special.digamma(x), rel=1e-12, abs=1e-14)
    assert trigamma(x) == pytest.approx(special.polygamma(1, x), rel=1e-12)
    assert float(digamma(1.0)) == pytest.approx(-0.5772156649015329)  # Euler's constant
    assert float(trigamma(1.0)) == pytest.approx(math.pi**2 / 6)
    assert inverse_trigamma(math.pi**2 / 6) == pytest.approx(1)
