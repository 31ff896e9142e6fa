"""What the layouts that a search drew say of the placement of code."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from whyfast.report.numbers import format_rough
from whyfast.search.state import Observation
from whyfast.search.subsets import Trial

#: The interval of n layouts reaches about so many spreads over √n to each side, at 99 %.
REACH = 6.0
#: Fewer blocks of either kind show no spread.
FEWEST = 4


def scatter_of(blocks: Sequence[Observation] | Sequence[Trial]) -> str:
    """A sentence: by how much placement alone scatters a program, from the ends in the blocks as
    linked and over layouts, and what so many layouts tell. Empty with too few blocks to say.

    spread² = (var(varied) − var(linked)) / 2, as a block over layouts has those of both ends.
    Plain variances: what layouts do is often a matter of either, or, of which a median of
    deviations may be 0.
    """
    linked, varied = (np.array([b.ends for b in blocks if b.layouts == v]) for v in (False, True))
    if min(len(linked), len(varied)) < FEWEST:
        return ""
    noise = float(np.var(linked, ddof=1))
    spread = math.sqrt(max(0.0, float(np.var(varied, ddof=1)) - noise) / 2)
    n = len(varied)
    if noise > 0 and spread == 0:
        return (
            "Placement alone scatters a program by less than one block does by noise, "
            f"{format_rough(math.sqrt(noise / 2))} (one standard deviation)."
        )
    said = f"Placement alone scatters a program by {format_rough(spread)} (one standard deviation)"
    reach = format_rough(REACH * spread / math.sqrt(n))
    return f"{said}; {n} layouts of each end, each in one block, tell about ± {reach}."
