"""How sure a change has to be before it is believed."""

from __future__ import annotations

#: The chance that a series without change is given one; what simulations say of it stands in
#: ``docs/math/history.md``.
FALSE_STEP = 0.01

#: The fewest points in which a change can be told from noise.
FEWEST = 5


def single_chance(points: int) -> float:
    """The chance for a single place, of as many as there are points; half of it, because at each
    place stretches of several lengths are looked at."""
    return FALSE_STEP / (2.0 * points)
