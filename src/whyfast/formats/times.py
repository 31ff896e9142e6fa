"""Which numbers can be a time, so that sums and ratios of them stay numbers."""

from __future__ import annotations

#: Smallest and largest value taken from a file: far beyond any time in seconds, or size in bytes.
SMALLEST, LARGEST = 1e-18, 1e18

WANTED = "a time above 0 is wanted"


def plausible(value: float) -> bool:
    """Whether ``value`` is positive and of a size that occurs; False for NaN."""
    return SMALLEST <= value <= LARGEST
