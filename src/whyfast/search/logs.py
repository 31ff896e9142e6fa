"""Sums of numbers that are kept as their logarithms.

``numpy.logaddexp`` takes its terms one by one; exponentials of a whole array are ten times as fast.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: exp of numbers nearer together than this, the largest being 0, is above 0 with full precision.
_SAFE = 700.0


def log_sum(terms: Floats, axis: int) -> Floats:
    """log Σ exp along the axis; −∞ where every term is."""
    top = terms.max(axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(terms - top).sum(axis=axis)) + top.squeeze(axis))


def log_running(terms: Floats) -> Floats:
    """log of the running sums of exp along the second axis; every term is finite."""
    top = terms.max(axis=1, keepdims=True)
    away = terms - top
    if away.size and away.min() < -_SAFE:
        return np.asarray(np.logaddexp.accumulate(terms, axis=1))
    return np.asarray(np.log(np.cumsum(np.exp(away), axis=1)) + top)
