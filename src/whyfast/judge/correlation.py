"""Are neighbouring blocks alike? Then they say less than their number.

Everything that could tell two variants apart is drawn anew for each block, so the signs of blocks
of equal programs are independent whatever the machine does. Where a state outlives a block and
favours one side (a cache on disk, a file that grows), they are not, and the interval is too narrow.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

#: Standard errors from which on a lag-1 correlation above 0 is taken for one: 1 % of series of
#: independent blocks are beyond.
CLEAR = 2.326

#: Fewer blocks show no correlation.
FEWEST = 6

#: Standard deviations from the median to which a block is moved first.
_REACH = 2.0

#: More correlation than this is as good as one block.
_MOST = 0.97


def lag_one(d: Floats) -> float:
    """Correlation of each block with the next, shape (n,), wild blocks tamed; 0 where unknown."""
    return float(lag_ones(d[:, None])[0])


def lag_ones(d: Floats) -> Floats:
    """:func:`lag_one` of m series, shape (n, m)."""
    n, m = d.shape
    if n < FEWEST:
        return np.zeros(m)
    away = d - np.median(d, axis=0)
    scale = 1.4826 * np.median(np.abs(away), axis=0)
    known = scale > 0
    z = np.clip(away / np.where(known, scale, 1.0), -_REACH, _REACH)
    z -= z.mean(axis=0)
    total = np.sum(z * z, axis=0)
    known &= total > 0
    return np.asarray(
        np.where(known, np.sum(z[1:] * z[:-1], axis=0) / np.where(known, total, 1.0), 0.0)
    )


def inflations(correlation: Floats, blocks: int) -> Floats:
    """What the variance of a sum of so many blocks is multiplied by, shape (m,), at least 1.

    (1 + r)/(1 − r), that of a first-order autoregression, where the lag-1 correlation r is beyond
    what chance gives. Dividing the log wealth by it makes an e-process of one again for normal
    noise of that kind (docs/MATH.md); dividing by a number above 1 never makes it less valid.
    """
    r = np.clip(correlation, 0.0, _MOST)
    return np.asarray(np.where(is_clear(r, blocks), (1 + r) / (1 - r), 1.0))


def is_clear(correlation: Floats, blocks: int) -> Mask:
    """Whether lag-1 correlations, shape (m,), are beyond chance: the reader is warned of them."""
    return np.asarray(correlation * math.sqrt(blocks) > CLEAR)
