"""Drawing a block: whatever could tell two variants apart without being the variant, at random."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

#: Bytes added to a process's environment are drawn from 0 to this. One page covers every stack
#: alignment that the environment's size can cause.
MAX_PAD = 4095


@dataclass(frozen=True)
class Plan:
    """What a block will do; everything follows from ``seed`` and the arguments of :func:`draw`.

    ``order[t]`` is the order of the variants in turn ``t``. ``warmups`` turns come before these
    and are not recorded; each is of ``loops`` loops.
    """

    seed: int
    cpu: int | None
    start_order: tuple[str, ...]
    pads: dict[str, int]
    order: tuple[tuple[str, ...], ...]
    layouts: Mapping[str, int] = field(default_factory=dict)
    loops: int = 1
    warmups: int = 0


def draw(
    seed: int,
    variants: Sequence[str],
    turns: int,
    cpus: Sequence[int],
    layouts: Mapping[str, int] | None = None,
) -> Plan:
    """Draw the CPU, the order of starting, the environment padding and the order of each turn.

    ``layouts``: the layout of each variant (numbered from 1; see :func:`draw_layouts`); None or
    absent variants run as linked, which is layout 0.

    Independent uniform draws, so that exchanging two variants leaves the distribution of the
    whole block as it was: what the statistics rest on.
    """
    rng = random.Random(seed)
    cpu = rng.choice(list(cpus)) if cpus else None
    start = rng.sample(list(variants), len(variants))
    pads = {v: rng.randint(0, MAX_PAD) for v in variants}
    order = tuple(tuple(rng.sample(list(variants), len(variants))) for _ in range(turns))
    drawn = {v: n for v, n in (layouts or {}).items() if v in variants}
    return Plan(seed, cpu, tuple(start), pads, order, drawn)


def draw_layouts(seed: int, variant: str, count: int, turn: int) -> int | None:
    """Which of ``count`` layouts (from 1) a variant takes when it is varied for the n-th time.

    Each layout is used once, in an order drawn for each variant alone, so that every varied block
    compares fresh layouts; None once all are used (``turn`` counts from 0).
    """
    if turn >= count:
        return None
    return random.Random(f"{seed} {variant}").sample(range(1, count + 1), count)[turn]
