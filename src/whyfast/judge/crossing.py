"""Where falling functions cross a level: many at once, with few evaluations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

#: The most evaluations; halving alone needs some 60.
_MOST = 300

#: Log wealth is about z²/2 − 3, z the distance in standard errors: a root makes it nearly straight.
_BEND = 3.0


def last_above(
    value: Callable[[Floats, Mask], Floats],
    wanted: Floats,
    bounds: tuple[Floats, Floats],
    guess: Floats,
    step: Floats,
    tolerance: Floats,
) -> Floats:
    """The largest t with value(t) ≥ wanted, for m falling functions; up to ``tolerance`` too small.

    All of shape (m,). ``value(t, which)`` takes and gives the entries that the mask ``which``
    picks. ``bounds`` are points at which the value is known to be enough, and known not to be. The
    search begins at ``guess``, strides from there by ``step``, then 2, 4 … times that, and once it
    has points on both sides interpolates (regula falsi, Illinois variant).
    """
    enough, short = bounds[0].copy(), bounds[1].copy()
    # How far above or below at the two points, NaN until evaluated there.
    over, under = np.full(len(wanted), np.nan), np.full(len(wanted), np.nan)
    last = np.zeros(len(wanted), dtype=int)
    t, step = np.clip(guess, enough, short), step.copy()
    level = np.sqrt(wanted + _BEND)
    going = short - enough > tolerance
    for _ in range(_MOST):
        if not np.any(going):
            break
        found = np.full(len(wanted), np.nan)
        found[going] = value(t[going], going)
        height = np.sqrt(np.maximum(found, 1 - _BEND) + _BEND) - level
        is_enough, is_short = going & (found >= wanted), going & (found < wanted)
        under[is_enough & (last == 1)] /= 2
        over[is_short & (last == -1)] /= 2
        enough[is_enough], over[is_enough], last[is_enough] = t[is_enough], height[is_enough], 1
        short[is_short], under[is_short], last[is_short] = t[is_short], height[is_short], -1
        t, step = _next(enough, short, over, under, step)
        inner = np.minimum(tolerance, short - enough) / 2
        t = np.clip(t, enough + inner, short - inner)
        going &= (short - enough > tolerance) & (t > enough) & (t < short)
    return enough


def _next(
    enough: Floats, short: Floats, over: Floats, under: Floats, step: Floats
) -> tuple[Floats, Floats]:
    with np.errstate(invalid="ignore", divide="ignore"):
        between = enough + (short - enough) * over / (over - under)
    one, other = np.isnan(under), np.isnan(over)
    t = np.where(one, enough + step, np.where(other, short - step, between))
    middle = (enough + short) / 2
    return np.where(np.isfinite(t), t, middle), np.where(one | other, 2 * step, step)
