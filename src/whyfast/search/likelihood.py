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


def normal(z: Floats) -> Floats:
    """Density of the standard normal distribution."""
    return np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)


def wide(z: Floats) -> Floats:
    """Density of :data:`WIDE` times a t distribution with 2 degrees of freedom; never 0."""
    x = 1 + z * z / (2 * WIDE**2)
    return 1 / (x * np.sqrt(x) * (2 * math.sqrt(2) * WIDE))


def log_disturbed(z: Floats) -> Floats:
    """Log density of the standard normal distribution with :data:`DISTURBED` of its wide one."""
    return np.log((1 - DISTURBED) * normal(z) + DISTURBED * wide(z))


def log_ends(w: Floats, effect: Floats, noise: Floats) -> Floats:
    """Log likelihood of the ends' own log ratio alone; arguments broadcast.

    ``noise`` is the standard deviation of u, as everywhere.
    """
    scale = ENDS_NOISE * noise
    z = (w - effect) / scale
    return np.log((1 - DISTURBED / 2) * normal(z) + DISTURBED / 2 * wide(z)) - np.log(scale)


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
    core, far = normal(zw), wide(zw)
    both = (1 - DISTURBED) * core * normal(zu) + DISTURBED / 2 * (core + far) * wide(zu)
    return np.log(both) - np.log(noise * scale)
