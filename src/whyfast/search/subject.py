"""What a search builds and measures, behind one protocol."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from whyfast.search.state import Observation, Pair, Reading

#: The times of one block: for each program, one a turn, in seconds.
Times = Mapping[int, NDArray[np.float64]]

#: Which of its layouts each candidate runs in, from 1. A search uses each once: what one layout
#: does to a program by luck, it does in every block that runs it, and so many blocks of few layouts
#: would be taken for many.
Layouts = Mapping[int, int]


class CandidateFailed(Exception):
    """A candidate cannot be built or measured; the search goes on without it."""

    def __init__(self, candidate: int, reason: str) -> None:
        self.candidate = candidate
        self.reason = reason
        super().__init__(f"candidate {candidate}: {reason}")


class Subject(Protocol):
    """Candidates by number; the first and the last are the ends."""

    relinkable: bool

    def build(self, candidate: int) -> None:
        """Make it measurable. Raises :class:`CandidateFailed`."""

    def block(
        self, candidates: Sequence[int], *, number: int, layouts: Layouts | None
    ) -> Sequence[Times]:
        """One block of each benchmark with these candidates, the ends among them: the times of
        the t-th turns are neighbours. ``number``: of the block in the whole search, from 1; what is
        drawn for it follows from that. Without ``layouts`` all run as linked. Raises
        :class:`CandidateFailed`."""

    def settle(self, candidates: Sequence[int]) -> None:
        """What is measured of these from now on is for the answer: built clean. Raises
        :class:`CandidateFailed`."""


@runtime_checkable
class BuildsAhead(Protocol):
    """A subject whose candidates may be built elsewhere before they are asked for."""

    def foresee(self, candidates: Iterable[int]) -> None:
        """Between blocks: these are likely to be asked for, the likeliest first."""


def observation(
    blocks: Sequence[Times], last: int, *, layouts: bool, pair: tuple[int, int, int] | None = None
) -> Observation:
    """What the search learns from one block of each benchmark.

    A log ratio is the median over turns, and the mean of these over benchmarks. ``last`` is the
    number of the bad end; ``pair``: parent, culprit and attempt of a confirmation.
    """

    def log_ratio(a: int, b: int) -> float:
        return float(np.mean([np.median(np.log(t[a] / t[b])) for t in blocks]))

    inner = sorted(c for c in blocks[0] if 0 < c < last)
    return Observation(
        ends=log_ratio(last, 0),
        readings=tuple(Reading(c, log_ratio(c, 0), log_ratio(c, last)) for c in inner),
        layouts=layouts,
        pair=pair and Pair(*pair, jump=log_ratio(pair[1], pair[0])),
    )
