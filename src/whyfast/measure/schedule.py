"""Drawing a block: whatever could tell two variants apart without being the variant, at random."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

#: Bytes added to a process's environment are drawn from 0 to this. One page covers every stack
#: alignment that the environment's size can cause.
MAX_PAD = 4095


@dataclass(frozen=True)
class Plan:
    """What a block will do; everything follows from ``seed`` and the arguments of :func:`draw`.

    ``order[t]`` is the order of the variants in turn ``t``.
    """

    seed: int
    cpu: int | None
    start_order: tuple[str, ...]
    pads: dict[str, int]
    order: tuple[tuple[str, ...], ...]


def draw(seed: int, variants: Sequence[str], turns: int, cpus: Sequence[int]) -> Plan:
    """Draw the CPU, the order of starting, the environment padding and the order of each turn.

    Independent uniform draws, so that exchanging two variants leaves the distribution of the
    whole block as it was: what the statistics rest on.
    """
    rng = random.Random(seed)
    cpu = rng.choice(list(cpus)) if cpus else None
    start = rng.sample(list(variants), len(variants))
    pads = {v: rng.randint(0, MAX_PAD) for v in variants}
    order = tuple(tuple(rng.sample(list(variants), len(variants))) for _ in range(turns))
    return Plan(seed, cpu, tuple(start), pads, order)
