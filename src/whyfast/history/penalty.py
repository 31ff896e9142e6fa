"""How much a change must explain before it is believed.

The penalties at which one series in a hundred without any change, of independent normal noise, is
given one; found by simulation with ``python -m bench.history_penalty``. Short series know their
own noise badly, and need more; many series know it together, and the more the better.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from whyfast.history.noise import POOLED

#: The chance that a series without change is given one.
FALSE_STEP = 0.01

#: The fewest points in which a change can be told from noise.
FEWEST = 5

#: Points → penalty, for series whose noise is known from themselves alone.
ALONE = {
    5: 88.5,
    6: 128.2,
    7: 59.6,
    8: 55.9,
    9: 58.8,
    10: 69.9,
    12: 43.6,
    15: 42.3,
    20: 34.5,
    30: 29.2,
    50: 20.9,
    100: 18.2,
    200: 16.3,
}
#: Points → penalty, where just ``POOLED`` series know their noise together.
FEW = {
    5: 6.1,
    6: 7.6,
    7: 8.0,
    8: 7.8,
    9: 8.1,
    10: 9.5,
    12: 9.1,
    15: 9.5,
    20: 10.2,
    30: 11.0,
    50: 12.6,
    100: 13.4,
    200: 12.5,
}
#: So many series know their noise as well as any more do.
PLENTY = 50
#: Points → penalty, for ``PLENTY`` series.
MANY = {
    5: 4.5,
    6: 5.7,
    7: 5.8,
    8: 6.2,
    9: 6.8,
    10: 7.1,
    12: 7.5,
    15: 8.2,
    20: 8.9,
    30: 10.0,
    50: 10.5,
    100: 12.4,
    200: 12.3,
}


def penalty(points: int, series: int) -> float:
    """The penalty in units of the noise squared, for ``series`` series judged together.

    Between the sizes of the tables on a straight line over the logarithms of ``points`` and of
    ``series``, constant beyond their ends.
    """
    if series < POOLED:
        return _between(ALONE, points)
    ends = [_between(table, points) for table in (FEW, MANY)]
    return float(np.interp(np.log(series), np.log([POOLED, PLENTY]), ends))


def _between(table: Mapping[int, float], points: int) -> float:
    return float(np.interp(np.log(points), np.log(list(table)), list(table.values())))
