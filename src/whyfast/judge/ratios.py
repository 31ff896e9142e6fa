"""From the values of blocks to log ratios: four statistics of a block, and how noisy it was.

Exchanging variant and baseline turns the sign of all four and leaves the two measures of noise as
they are, up to the true shift. That is all that :mod:`whyfast.judge.eprocess` asks of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.quantiles import median, quantiles
from whyfast.model.sample import Block

Floats = NDArray[np.float64]
Pair = tuple[str, str]

#: Blocks that are worked on together.
_AT_ONCE = 64

#: What the rows of :attr:`Ratios.logs` are, where there are four.
STATISTICS = (
    "the median of the turns' ratios",
    "the ratio of the medians",
    "the ratio of the lower quartiles",
    "the ratio of the minima",
)


@dataclass(frozen=True, eq=False)
class Ratios:
    """What ``n`` blocks say about one comparison, in the order taken.

    ``logs``: shape (4, n), log(variant / baseline) by each of :data:`STATISTICS`, or (1, n) where
    all of them are the same (one turn a block, or plain numbers). ``spread``: shape (n,), the
    standard error that the turns' log ratios give the median of a block; 0 where a block has fewer
    than three turns. ``level``: shape (n,), the sum of both sides' log times of a loop, which tells
    disturbed blocks from others. Both are None where nothing is known of them.
    """

    logs: Floats
    spread: Floats | None = None
    level: Floats | None = None

    def __len__(self) -> int:
        return int(self.logs.shape[1])

    @property
    def medians(self) -> Floats:
        """The first statistic, shape (n,): what is meant by a block's log ratio."""
        first: Floats = self.logs[0]
        return first

    def shifted(self, log_ratio: float) -> Ratios:
        """As if the variant took longer by that log ratio."""
        level = None if self.level is None else self.level + log_ratio
        return Ratios(self.logs + log_ratio, self.spread, level)

    def first(self, n: int) -> Ratios:
        """Of the first ``n`` blocks."""
        return Ratios(
            self.logs[:, :n],
            None if self.spread is None else self.spread[:n],
            None if self.level is None else self.level[:n],
        )


def as_ratios(d: Ratios | Floats) -> Ratios:
    """Plain numbers, one a block, as :class:`Ratios`."""
    return d if isinstance(d, Ratios) else Ratios(np.asarray(d, dtype=np.float64)[None, :])


class RatioTable:
    """The ratios of some pairs (variant, baseline) on one benchmark, block after block.

    The first ``skip`` turns are set aside where processes have to warm up, but never more than half
    of them.
    """

    def __init__(self, pairs: Sequence[Pair], skip: int = 0) -> None:
        self._rows: dict[Pair, list[Floats]] = {pair: [] for pair in pairs}
        self._skip = skip
        self._most_turns = 1

    def add(self, blocks: Iterable[Block]) -> None:
        """The next blocks; a pair that one does not hold is passed over."""
        for _, alike in groupby(blocks, _shape):
            while some := list(islice(alike, _AT_ONCE)):
                self._add(some)

    def _add(self, blocks: Sequence[Block]) -> None:
        names = {name: i for i, name in enumerate(blocks[0].values)}
        there = [pair for pair in self._rows if pair[0] in names and pair[1] in names]
        if there:
            rows = _rows(blocks, [(names[v], names[b]) for v, b in there], self._skip)
            self._most_turns = max(self._most_turns, _shape(blocks[0])[1])
            for i, pair in enumerate(there):
                self._rows[pair].extend(rows[:, i])

    def ratios(self) -> dict[Pair, Ratios]:
        """Of each pair that some block holds."""
        single = self._most_turns == 1
        return {p: _joined(rows, single=single) for p, rows in self._rows.items() if rows}


def pair_ratios(
    blocks: Iterable[Block], pairs: Sequence[Pair], skip: int = 0
) -> dict[Pair, Ratios]:
    """The ratios of each (variant, baseline) over the blocks of one benchmark that hold both, in
    order; a pair that none holds is left out. For ``skip`` see :class:`RatioTable`."""
    table = RatioTable(pairs, skip)
    table.add(blocks)
    return table.ratios()


def _shape(block: Block) -> tuple[tuple[str, ...], int]:
    """What blocks that are worked on together have in common: variants in order, and turns."""
    return tuple(block.values), len(next(iter(block.values.values()), ()))


def _joined(rows: Sequence[Floats] | Floats, *, single: bool) -> Ratios:
    table = np.asarray(rows)
    return Ratios(np.ascontiguousarray(table[:, : 1 if single else 4].T), table[:, 4], table[:, 5])


def turn_ratios(variant: Floats, baseline: Floats) -> Ratios:
    """The ratios of blocks of equally many turns, from log times of shape (n, turns)."""
    rows = _statistics(variant, _places(variant), baseline, _places(baseline))
    return _joined(rows, single=variant.shape[1] == 1)


def _rows(blocks: Sequence[Block], places: Sequence[tuple[int, int]], skip: int) -> Floats:
    """The four statistics, spread and level of each pair of rows of values, of blocks of one shape;
    shape (blocks, pairs, 6)."""
    logs = np.log(np.array([[*b.values.values()] for b in blocks], dtype=np.float64))
    logs = logs[..., min(skip, logs.shape[2] // 2) :]
    quantiles, at = _places(logs), np.array(places)
    out = np.empty((len(blocks), len(at), 6))
    # By baseline, so that a thousand variants are worked on at once.
    for base in sorted({b for _, b in places}):
        own = at[:, 1] == base
        rows = at[own, 0]
        out[:, own] = _statistics(
            logs[:, rows], quantiles[:, :, rows], logs[:, [base]], quantiles[:, :, [base]]
        )
    out[..., 5] -= [[2 * math.log(max(1, block.loops))] for block in blocks]
    return out


def _places(logs: Floats) -> Floats:
    """Median, lower quartile and minimum of each row of turns, shape (3, …)."""
    if logs.shape[-1] == 1:
        return np.asarray(np.broadcast_to(logs[..., 0], (3, *logs.shape[:-1])))
    return quantiles(logs, (0.5, 0.25, 0.0))


def _statistics(variant: Floats, own: Floats, baseline: Floats, other: Floats) -> Floats:
    """Shape (…, 6), of log times (…, turns) and their :func:`_places`."""
    d = variant - baseline
    turns = d.shape[-1]
    middle = median(d, axis=-1)
    spread = np.zeros(middle.shape)
    if turns >= 3:
        deviation = median(np.abs(d - middle[..., None]), axis=-1)
        spread = 1.4826 * deviation / math.sqrt(turns)
    return np.stack([middle, *(own - other), spread, own[0] + other[0]], axis=-1)
