"""Sums of logarithms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyfast.search.likelihood import log_running, log_sum


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
