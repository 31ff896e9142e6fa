"""Medians and quantiles. numpy's own import all of its masked arrays, which takes as long as a
verdict, and are several times slower for the few dozen numbers that blocks are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def median(x: ArrayLike, axis: int | None = None, *, keepdims: bool = False) -> Any:
    """The median along ``axis``, of all without one; NaN where one of the numbers is. A number or
    an array, to the last bit what numpy computes."""
    given = np.asarray(x, dtype=np.float64)
    if axis is None:
        given, axis = given.reshape(-1), 0
    n = given.shape[axis]
    if n == 0:
        found = np.full(given.max(axis=axis, initial=0.0).shape, np.nan)
    else:
        half = n // 2
        parted = np.partition(given, sorted({half - (n % 2 == 0), half, n - 1}), axis=axis)
        found, most = parted.take(half, axis=axis), parted.take(n - 1, axis=axis)
        if n % 2 == 0:
            found = (parted.take(half - 1, axis=axis) + found) / 2
        found = np.where(np.isnan(most), np.nan, found)
    return np.expand_dims(found, axis) if keepdims else found[()]


def quantiles(x: Floats, shares: Sequence[float], axis: int = -1) -> Floats:
    """The values below which lie so large ``shares`` of ``x`` along ``axis``, shape (shares, …).

    Between two values linearly: the seventh kind of Hyndman and Fan (1996), to the last bit what
    numpy computes.
    """
    n = x.shape[axis]
    places = [(n - 1) * share for share in shares]
    wanted = {k for place in places for k in (int(place), min(int(place) + 1, n - 1))}
    parted = np.partition(x, sorted(wanted), axis=axis)
    found = []
    for place in places:
        below = parted.take(int(place), axis=axis)
        above = parted.take(min(int(place) + 1, n - 1), axis=axis)
        part = place - int(place)
        away = above - below
        found.append(above - away * (1 - part) if part >= 0.5 else below + away * part)
    return np.array(found)


def quantile(x: Floats, share: float, axis: int = -1) -> Floats:
    """One of :func:`quantiles`."""
    found: Floats = quantiles(x, (share,), axis)[0]
    return found
