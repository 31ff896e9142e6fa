"""Culprit and parent side by side, in blocks that chose neither."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Literal

import numpy as np

from whyfast.judge.eprocess import confidence_interval, evidence
from whyfast.judge.ratios import as_ratios
from whyfast.judge.strategies import strategies
from whyfast.search.state import KnownEnds, Observation

#: All attempts of one search together are wrong with at most this probability.
ALPHA = 0.01
#: A step that surely carries less than this share of the difference is not what was sought.
TOO_LITTLE = 1 / 3
#: After so many blocks an attempt is left open.
MOST = 400

Outcome = Literal["confirmed", "refuted", "open", "unconfirmed"]


@dataclass(frozen=True)
class Attempt:
    """One confirmation, and what its blocks say so far.

    ``estimate``, ``low`` and ``high`` are the log ratio culprit / parent and what bounds it,
    infinite while the attempt is open.
    """

    parent: int
    culprit: int
    number: int
    layouts: bool
    outcome: Outcome
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
        jumps = tuple(p.jump for p in pairs)
        layouts, alpha = blocks[0].layouts, ALPHA / 2**number
        # What was known then: later blocks must not change what was decided.
        effect = _effect(observations[: places[-1] + 1], layouts, known)
        word, (low, high) = _decided(jumps, alpha, TOO_LITTLE * effect)
        out.append(
            Attempt(
                parent=pairs[0].parent,
                culprit=pairs[0].culprit,
                number=number,
                layouts=layouts,
                outcome=word,
                estimate=float(np.median(jumps)),
                low=low,
                high=high,
                blocks=len(jumps),
            )
        )
    return tuple(out)


@lru_cache(maxsize=64)
def _decided(
    jumps: tuple[float, ...], alpha: float, little: float
) -> tuple[Outcome, tuple[float, float]]:
    """The word of an attempt and its interval; the last ones are remembered.

    The two shifts that matter are looked at first: the ends of an interval take ten times as long.
    """
    if len(jumps) < MOST and not _refutes(jumps, alpha, little):
        return "open", (-math.inf, math.inf)
    low, high = interval(jumps, alpha)
    if low > 0:
        return "confirmed", (low, high)
    if high < little:
        return "refuted", (low, high)
    return ("unconfirmed", (low, high)) if len(jumps) >= MOST else ("open", (-math.inf, math.inf))


def _refutes(jumps: tuple[float, ...], alpha: float, little: float) -> bool:
    """Whether the interval may lie above 0 or below ``little``.

    Each block at most doubles what was bet, and that has to grow to 2/alpha.
    """
    if 2 ** len(jumps) < 2 / alpha:
        return False
    above, below = evidence(strategies([as_ratios(np.array(jumps))]), np.array([0.0, little]))
    return float(max(above[0], below[1])) >= math.log(2 / alpha)


def surely_above(values: Sequence[float], alpha: float) -> bool:
    """Whether the interval of these log ratios lies above 0; looked at after every block too."""
    jumps = tuple(values)
    return _refutes(jumps, alpha, 0.0) and interval(jumps, alpha)[0] > 0


def bounded(values: Sequence[float], alpha: float) -> bool:
    """Whether there are enough of these log ratios for an interval with two ends."""
    return all(math.isfinite(end) for end in interval(tuple(values), alpha))


@lru_cache(maxsize=64)
def interval(values: tuple[float, ...], alpha: float) -> tuple[float, float]:
    """The interval of every verdict for these log ratios, taken for independent as the search's
    model takes them; the last ones are remembered."""
    if 2 ** len(values) < 2 / alpha:
        return -math.inf, math.inf
    return confidence_interval(np.array(values), alpha, independent=True)


def _attempt(observation: Observation) -> int:
    return observation.pair.attempt if observation.pair else 0


def _effect(observations: Sequence[Observation], layouts: bool, known: KnownEnds | None) -> float:
    """The log ratio of the ends, as linked or over layouts."""
    if known is not None and not layouts:
        return known.effect
    return float(np.median([o.ends for o in observations if o.layouts == layouts]))
