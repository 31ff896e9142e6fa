"""Culprit and parent side by side, in blocks that chose neither."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

import numpy as np

from whyfast.judge.eprocess import confidence_interval
from whyfast.search.state import KnownEnds, Observation

#: All attempts of one search together are wrong with at most this probability.
ALPHA = 0.01
#: A step that surely carries less than this share of the difference is not what was sought.
TOO_LITTLE = 1 / 3
#: After so many blocks an attempt is left open.
MOST = 400

Word = Literal["confirmed", "refuted", "open", "unconfirmed"]


@dataclass(frozen=True)
class Attempt:
    """One confirmation, and what its blocks say so far.

    ``estimate``, ``low`` and ``high`` are the log ratio culprit / parent and what bounds it,
    infinite while too few blocks do.
    """

    parent: int
    culprit: int
    number: int
    layouts: bool
    word: Word
    estimate: float
    low: float
    high: float
    blocks: int


def attempts(observations: Sequence[Observation], known: KnownEnds | None) -> tuple[Attempt, ...]:
    """Every confirmation so far, in order.

    The interval of attempt i is at level :data:`ALPHA` / 2ⁱ and valid at any time: it may be
    looked at after every block, and all attempts together err with at most :data:`ALPHA`.
    """
    taken = [i for i, o in enumerate(observations) if o.pair is not None]
    out = []
    for number, group in groupby(taken, key=lambda i: _attempt(observations[i])):
        places = list(group)
        blocks = [observations[i] for i in places]
        pairs = [o.pair for o in blocks if o.pair is not None]
        jumps = np.array([p.jump for p in pairs])
        low, high = confidence_interval(jumps, ALPHA / 2**number)
        layouts = blocks[0].layouts
        # What was known then: later blocks must not change what was decided.
        effect = _effect(observations[: places[-1] + 1], layouts, known)
        out.append(
            Attempt(
                parent=pairs[0].parent,
                culprit=pairs[0].culprit,
                number=number,
                layouts=layouts,
                word=_word(low, high, effect, len(jumps)),
                estimate=float(np.median(jumps)),
                low=low,
                high=high,
                blocks=len(jumps),
            )
        )
    return tuple(out)


def _attempt(observation: Observation) -> int:
    return observation.pair.attempt if observation.pair else 0


def _effect(observations: Sequence[Observation], layouts: bool, known: KnownEnds | None) -> float:
    """The log ratio of the ends, as linked or over layouts."""
    if known is not None and not layouts:
        return known.effect
    return float(np.median([o.ends for o in observations if o.layouts == layouts]))


def _word(low: float, high: float, effect: float, blocks: int) -> Word:
    if low > 0:
        return "confirmed"
    if high < TOO_LITTLE * effect:
        return "refuted"
    return "unconfirmed" if blocks >= MOST else "open"
