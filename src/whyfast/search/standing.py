"""How a search stands: the posterior over the range, as text."""

from __future__ import annotations

import math
from collections.abc import Sequence

from whyfast.search.axes.candidate import AxisCandidate
from whyfast.search.confirm import attempts
from whyfast.search.posterior import Posterior
from whyfast.search.state import State
from whyfast.search.view import likely, view

#: Columns of the range, and what each eighth of a column looks like.
WIDTH = 60
BARS = " ▁▂▃▄▅▆▇█"


def standing(
    state: State, candidates: Sequence[AxisCandidate], *, backwards: bool = False
) -> tuple[str, ...]:
    """Lines: the posterior from the good end to the bad one, where it is, and what else may be.
    ``backwards``: the good end is the newer one."""
    tries = attempts(state.observations, state.task.known)
    belief = view(state, tries).belief
    taken = f"{len(state.observations)} blocks, {len(state.built)} built"
    if state.skipped:
        taken += f", {len(state.skipped)} skipped"
    if belief is None:
        return (taken,)
    where = likely(belief)
    lines = [f"good │{bars(belief, WIDTH)}│ bad", taken]
    if belief.step > 0.5:
        first = candidates[where.first - backwards].title
        place = first if where.size == 1 else f"{where.size} of {len(candidates) - 1}, from {first}"
        lines.append(f"likely ({where.probability:.0%}): {place}")
    lines.append(", ".join(f"{name} {share:.0%}" for name, share in belief.of.items()))
    if tries and tries[-1].word == "open":
        lines.append(
            f"confirming: {tries[-1].blocks} blocks, {math.expm1(tries[-1].estimate):+.2%}"
        )
    return tuple(lines)


def bars(belief: Posterior, width: int) -> str:
    """The posterior of the largest step in ``width`` columns, or one for each position if those
    are fewer. The height is of the square root, so that what is unlikely still shows."""
    positions = belief.bounds[-1]
    columns = min(width, positions)
    share = [0.0] * columns
    for low, high, mass in zip(belief.bounds, belief.bounds[1:], belief.largest, strict=False):
        # The positions low + 1 … high lie on the axis from low to high.
        first, last = low * columns / positions, high * columns / positions
        for column in range(math.floor(first), math.ceil(last)):
            part = min(last, column + 1) - max(first, column)
            share[column] += float(mass) * part / (last - first)
    top = max(share) or 1.0
    return "".join(BARS[round(math.sqrt(s / top) * (len(BARS) - 1))] for s in share)
