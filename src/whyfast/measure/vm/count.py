"""From the answers of a task to the instructions of one loop.

A program is granted L loops and then 2L, many times over. What the grant itself costs is in both;
the difference of the two is what L loops cost. An interrupt only ever adds instructions, so the
least of all equal grants is the one that none fell into.
"""

from __future__ import annotations

from dataclasses import dataclass

from whyfast.measure.vm.transcript import TaskValues


@dataclass(frozen=True)
class LoopCount:
    """Instructions of one loop; ``disturbed`` is the share of grants that took more than the least
    of their kind, and ``most`` the most that such a grant took beyond it, in instructions."""

    instructions: float
    disturbed: float
    most: int


def count_loop(values: TaskValues, loops: int) -> LoopCount:
    """ValueError when twice the loops take no longer: then what was granted is not the work."""
    short, long = min(values.short), min(values.long)
    if long <= short:
        raise ValueError(f"twice the loops take {long} instructions, after {short}")
    over = [v - short for v in values.short] + [v - long for v in values.long]
    disturbed = sum(v > 0 for v in over) / len(over)
    return LoopCount((long - short) / loops, disturbed, max(over))
