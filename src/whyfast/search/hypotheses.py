"""What may lie between the ends, and how likely each is before anything is measured.

With the good end at level 0 and the bad end at level 1:

- ``none``: the ends do not differ. ``swapped``: the bad end is the faster one.
- ``single``: one step from 0 to 1, at any position.
- ``several``: two steps, 0 to a level of :data:`MIDDLE` to 1: a drop and its partial repair
  (a level above 1), or a difference that came in two parts.
- ``gradual``: no step; the level grows evenly over the range.
- ``scattered``: no step; every candidate has a level of its own, as the placement of code makes it.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Hypothesis = Literal["none", "swapped", "single", "several", "gradual", "scattered"]

#: Levels that a candidate may have. Close enough that the nearest is at most an eighth off.
LEVELS: Floats = np.arange(-1.0, 2.01, 0.25)
GOOD = int(np.argmin(np.abs(LEVELS)))
BAD = int(np.argmin(np.abs(LEVELS - 1)))
#: The levels between two steps, as indices of :data:`LEVELS`.
MIDDLE = tuple(i for i in range(len(LEVELS)) if i not in (GOOD, BAD))

#: Before anything is measured. The ends: somebody saw them differ, and one such sight in ten is
#: noise. The shapes: given that the ends differ.
ENDS: dict[str, float] = {"differ": 0.88, "none": 0.1, "swapped": 0.02}
SHAPES: dict[Hypothesis, float] = {
    "single": 0.8,
    "several": 0.08,
    "gradual": 0.02,
    "scattered": 0.1,
}


#: Under "scattered", how likely each level is. Placement is often a matter of either, or: a loop
#: fits into its cache line or does not. So candidates may well have the levels of the ends.
SCATTER: Floats = np.full(len(LEVELS), 0.1 / len(MIDDLE))
SCATTER[[GOOD, BAD]] = 0.45
