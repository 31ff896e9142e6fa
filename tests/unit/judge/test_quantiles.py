"""Medians and quantiles are numpy's, bit by bit."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from whyfast.judge.ratios import median, quantile, quantiles


def test_between_two_values_linearly() -> None:
    assert quantile(np.array([4.0, 1.0, 2.0, 3.0]), 0.25) == 1.75
    assert quantiles(np.array([[3.0, 1.0], [5.0, 9.0]]), (0.0, 0.5, 1.0)).tolist() == [
        [1.0, 5.0],
        [2.0, 7.0],
        [3.0, 9.0],
    ]


@given(
    arrays(np.float64, (3, 7), elements=st.floats(-1e9, 1e9)),
    st.lists(st.floats(0, 1), min_size=1, max_size=3),
    st.integers(0, 1),
)
def test_what_numpy_computes(x: np.ndarray, shares: list[float], axis: int) -> None:
    assert quantiles(x, shares, axis).tolist() == np.quantile(x, shares, axis=axis).tolist()


@given(
    arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 9))),
    st.sampled_from([None, 0, 1, -1]),
    st.booleans(),
)
def test_the_median_is_what_numpy_computes_of_wild_numbers_too(
    x: np.ndarray, axis: int | None, keepdims: bool
) -> None:
    with np.errstate(all="ignore"):
        found = median(x, axis, keepdims=keepdims and axis is not None)
        wanted = np.median(x, axis=axis, keepdims=keepdims and axis is not None)
    np.testing.assert_array_equal(found, wanted)
    assert np.shape(found) == np.shape(wanted)


def test_nothing_has_no_median() -> None:
    assert np.isnan(median([]))
    assert np.isnan(median(np.empty((0, 2)), axis=0)).tolist() == [True, True]
