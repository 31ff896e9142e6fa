"""Medians and quantiles of ours are numpy's, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from whyfast.judge.medians import median, quantile

NUMBERS = st.floats(-1e6, 1e6)
TABLES = arrays(np.float64, array_shapes(min_dims=1, max_dims=3, max_side=12), elements=NUMBERS)


@given(TABLES, st.booleans(), st.integers(0, 2))
def test_a_median_is_numpys(x: np.ndarray, keepdims: bool, which: int) -> None:
    axis = which % x.ndim
    own = median(x, axis, keepdims=keepdims)
    assert np.array_equal(own, np.median(x, axis=axis, keepdims=keepdims))


@given(TABLES, st.sampled_from([0.0, 0.25, 0.5, 0.8, 1.0]), st.integers(0, 2))
def test_a_quantile_is_numpys(x: np.ndarray, share: float, which: int) -> None:
    axis = which % x.ndim
    assert np.array_equal(quantile(x, share, axis), np.quantile(x, share, axis=axis))


@pytest.mark.parametrize("keepdims", [True, False])
def test_of_nothing_there_is_none(keepdims: bool) -> None:
    own = median(np.empty((3, 0)), 1, keepdims=keepdims)
    assert own.shape == ((3, 1) if keepdims else (3,))
    assert np.isnan(own).all()
