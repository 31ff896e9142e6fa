"""The search for ends of intervals."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from whyfast.judge.eprocess import last_above

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@settings(max_examples=200)
@given(
    roots=st.lists(st.integers(-9000, 9000).map(lambda n: n / 100), min_size=1, max_size=6),
    power=st.sampled_from([0.5, 1.0, 3.0]),
    guess=st.floats(-200, 200),
    step=st.floats(1e-3, 50),
)
def test_the_end_is_on_the_refuted_side_and_within_the_tolerance(
    roots: list[float], power: float, guess: float, step: float
) -> None:
    root = np.array(roots)
    calls = 0

    def value(t: Floats, which: Mask) -> Floats:
        nonlocal calls
        calls += 1
        away = root[which] - t
        return np.asarray(5 + np.sign(away) * np.abs(away) ** power)

    m = len(root)
    found = last_above(
        value,
        np.full(m, 5.0),
        (np.full(m, -100.0), np.full(m, 100.0)),
        np.full(m, guess),
        np.full(m, step),
        np.full(m, 1e-3),
    )
    assert np.all(value(found, np.ones(m, dtype=bool)) >= 5)
    assert np.all(root - found <= 1e-3)
    assert calls < 150


def test_a_smooth_function_takes_a_handful_of_looks() -> None:
    calls = 0

    def value(t: Floats, which: Mask) -> Floats:
        nonlocal calls
        calls += 1
        return np.asarray(np.where(t < 3, (t - 3) ** 2 / 2, 0.0) - 2)

    found = last_above(
        value,
        np.array([5.3]),
        (np.array([-1000.0]), np.array([1000.0])),
        np.array([-2.0]),
        np.array([1.0]),
        np.array([1e-3]),
    )
    assert 0 <= 3 - np.sqrt(2 * 7.3) - found[0] <= 1e-3
    assert calls <= 8


def test_a_step_is_found_by_halving() -> None:
    found = last_above(
        lambda t, which: np.where(t < 0.3, 9.0, -9.0),
        np.array([5.0]),
        (np.array([-1.0]), np.array([1.0])),
        np.array([0.0]),
        np.array([0.5]),
        np.array([1e-9]),
    )
    assert 0.3 - 1e-9 <= found[0] < 0.3
