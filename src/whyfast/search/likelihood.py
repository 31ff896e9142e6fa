"""How likely a block is, given the levels: a normal core with wide shoulders.

A block yields two numbers: u, the candidate's log ratio to the middle of the ends, and w, the
ends' own, log(bad / good). With equal and independent noise of the three programs inside a block,
u has the variance 3/2 and w the variance 2 of one program's noise, and u and w are independent.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Standard deviation of w over that of u: √(2 / (3/2)).
ENDS_NOISE = math.sqrt(4 / 3)

#: One block in thirty is disturbed: half of these in the candidate alone, half in the ends, and
#: then both numbers are off.
DISTURBED = 1 / 30
#: A disturbed number has Student's t distribution with 2 degrees of freedom, this many times as
#: wide: it decides nothing and refutes nothing.
WIDE = 4.0

_LOG_2PI = math.log(2 * math.pi)


def log_normal(z: Floats) -> Floats:
    """Log density of the standard normal distribution."""
    return -0.5 * (z * z + _LOG_2PI)


def log_wide(z: Floats) -> Floats:
    """Log density of :data:`WIDE` times a t distribution with 2 degrees of freedom."""
    return -1.5 * np.log1p(z * z / (2 * WIDE**2)) - math.log(2 * math.sqrt(2) * WIDE)


def log_disturbed(z: Floats) -> Floats:
    """Log density of the standard normal distribution with :data:`DISTURBED` of its wide one."""
    clean = math.log1p(-DISTURBED) + log_normal(z)
    return np.logaddexp(clean, math.log(DISTURBED) + log_wide(z))


def log_ends(w: Floats, effect: Floats, noise: Floats) -> Floats:
    """Log likelihood of the ends' own log ratio alone; arguments broadcast.

    ``noise`` is the standard deviation of u, as everywhere.
    """
    scale = ENDS_NOISE * noise
    z = (w - effect) / scale
    clean = math.log1p(-DISTURBED / 2) + log_normal(z)
    dirty = math.log(DISTURBED / 2) + log_wide(z)
    return np.logaddexp(clean, dirty) - np.log(scale)


def log_candidate(u: Floats, mean: Floats, noise: Floats) -> Floats:
    """Log likelihood of a candidate's number alone, the ends' being counted elsewhere."""
    return log_disturbed((u - mean) / noise) - np.log(noise)


def log_block(u: Floats, w: Floats, mean: Floats, effect: Floats, noise: Floats) -> Floats:
    """Log likelihood of both numbers of one block; arguments broadcast.

    ``mean`` is that of u: (level − ½) · effect. A w that is far off says that the ends were
    disturbed, and that u is worth little too.
    """
    scale = ENDS_NOISE * noise
    zu, zw = (u - mean) / noise, (w - effect) / scale
    core, wide = log_normal(zu), log_wide(zu)
    candidate = np.logaddexp(
        math.log1p(-DISTURBED) + core, math.log(DISTURBED / 2) + wide
    ) + log_normal(zw)
    both = math.log(DISTURBED / 2) + wide + log_wide(zw)
    return np.logaddexp(candidate, both) - np.log(noise) - np.log(scale)
