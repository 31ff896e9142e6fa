"""From the values of blocks to log ratios: four statistics of a block, and how noisy it was.
Exchanging the sides turns the sign of all four and leaves the noise as it is, up to the true shift:
all that :mod:`whyfast.judge.eprocess` asks of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from whyfast.model.sample import Block

#: Numbers, and truth values, by whatever the text says of their shape.
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Medians and quantiles: numpy's import all of its masked arrays, which takes as long as a
# verdict, and are several times slower for the few dozen numbers that blocks are.


def median(x: ArrayLike, axis: int | None = None, *, keepdims: bool = False) -> Any:
    """The median along ``axis``, of all without one; NaN where one of the numbers is. A number or
    an array, to the last bit what numpy computes."""
    given = np.asarray(x, dtype=np.float64)
    if axis is None:
        given, axis = given.reshape(-1), 0
    n = given.shape[axis]
    if n == 0:
        middle = np.full(given.max(axis=axis, initial=0.0).shape, np.nan)
    else:
        half = n // 2
        parted = np.partition(given, sorted({half - (n % 2 == 0), half, n - 1}), axis=axis)
        middle, most = parted.take(half, axis=axis), parted.take(n - 1, axis=axis)
        if n % 2 == 0:
            middle = (parted.take(half - 1, axis=axis) + middle) / 2
        middle = np.where(np.isnan(most), np.nan, middle)
    return np.expand_dims(middle, axis) if keepdims else middle[()]


def robust_deviation(x: Floats) -> float:
    """1.4826 × the median absolute deviation: the standard deviation where values are normal, and
    hardly moved by outliers (Hampel 1974); 0 for no values."""
    return float(1.4826 * median(np.abs(x - median(x)))) if len(x) else 0.0


def tamed(x: Floats, axis: int = -1) -> Floats:
    """Values beyond four robust standard deviations of their median are moved there."""
    middle = median(x, axis=axis, keepdims=True)
    reach = 4 * 1.4826 * median(np.abs(x - middle), axis=axis, keepdims=True)
    return np.asarray(np.where(reach > 0, np.clip(x, middle - reach, middle + reach), x))


def quantiles(x: Floats, shares: Sequence[float], axis: int = -1) -> Floats:
    """The values below which lie so large ``shares`` of ``x`` along ``axis``, shape (shares, …).
    Between two values linearly: the seventh kind of Hyndman and Fan (1996), to the last bit what
    numpy computes."""
    n = x.shape[axis]
    places = [(n - 1) * share for share in shares]
    wanted = {k for place in places for k in (int(place), min(int(place) + 1, n - 1))}
    parted = np.partition(x, sorted(wanted), axis=axis)
    values = []
    for place in places:
        below = parted.take(int(place), axis=axis)
        above = parted.take(min(int(place) + 1, n - 1), axis=axis)
        part = place - int(place)
        away = above - below
        values.append(above - away * (1 - part) if part >= 0.5 else below + away * part)
    return np.array(values)


def quantile(x: Floats, share: float, axis: int = -1) -> Floats:
    """One of :func:`quantiles`."""
    value: Floats = quantiles(x, (share,), axis)[0]
    return value


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
    """What ``n`` blocks say about one comparison, in the order taken. ``logs``: shape (4, n),
    log(variant / baseline) by each of :data:`STATISTICS`, or (1, n) where all are the same.
    ``spread``: (n,), the standard error of the median of a block, 0 for fewer than three turns.
    ``level``: (n,), the sum of both sides' log times of a loop. Both None where nothing is
    known."""

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
    """The ratios of some pairs (variant, baseline) on one benchmark, block after block. The first
    ``skip`` turns are set aside where processes have to warm up, but never more than half of
    them."""

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
    """Statistics, spread and level of pairs of rows, of blocks of one shape: (blocks, pairs, 6)."""
    logs = np.log(np.array([[*b.values.values()] for b in blocks], dtype=np.float64))
    logs = logs[..., min(skip, logs.shape[2] // 2) :]
    quantiles, at = _places(logs), np.array(places)
    out = np.empty((len(blocks), len(at), 6))
    # By baseline, so that a thousand variants are worked on at once.
    for base in sorted({b for _, b in places}):
        of_base = at[:, 1] == base
        rows = at[of_base, 0]
        out[:, of_base] = _statistics(
            logs[:, rows], quantiles[:, :, rows], logs[:, [base]], quantiles[:, :, [base]]
        )
    out[..., 5] -= [[2 * math.log(max(1, block.loops))] for block in blocks]
    return out


def _places(logs: Floats) -> Floats:
    """Median, lower quartile and minimum of each row of turns, shape (3, …)."""
    if logs.shape[-1] == 1:
        return np.asarray(np.broadcast_to(logs[..., 0], (3, *logs.shape[:-1])))
    return quantiles(logs, (0.5, 0.25, 0.0))


def _statistics(variant: Floats, places: Floats, baseline: Floats, base_places: Floats) -> Floats:
    """Shape (…, 6), of log times (…, turns) and their :func:`_places`."""
    d = variant - baseline
    turns = d.shape[-1]
    middle = median(d, axis=-1)
    spread = np.zeros(middle.shape)
    if turns >= 3:
        deviation = median(np.abs(d - middle[..., None]), axis=-1)
        spread = 1.4826 * deviation / math.sqrt(turns)
    return np.stack([middle, *(places - base_places), spread, places[0] + base_places[0]], axis=-1)


def blocks_by_benchmark(
    blocks: Sequence[Block], benchmarks: Sequence[str]
) -> dict[str, list[Block]]:
    """The blocks of each of these benchmarks, in the order taken."""
    by_name: dict[str, list[Block]] = {name: [] for name in benchmarks}
    for block in blocks:
        if block.benchmark in by_name:
            by_name[block.benchmark].append(block)
    return by_name


def ratios_by_key(
    by_name: Mapping[str, Sequence[Block]],
    pairs: Sequence[tuple[str, str]],
    warming: Mapping[str, int],
) -> dict[tuple[str, str, str], Ratios]:
    """What the blocks of each benchmark say about each pair (variant, baseline), where there are
    any: by benchmark, variant, baseline. ``warming`` says for a benchmark how many first values of
    each process are set aside."""
    by_key = {
        (name, *pair): ratios
        for name, blocks in by_name.items()
        for pair, ratios in pair_ratios(blocks, pairs, warming.get(name, 0)).items()
    }
    ordered = [(name, *pair) for name in by_name for pair in pairs]
    return {key: by_key[key] for key in ordered if key in by_key}


def turn_log_ratios(block: Block, variant: str, baseline: str, skip: int = 0) -> Floats:
    """log(variant / baseline) of each turn of a block, shape (turns,): neighbours, milliseconds
    apart. The first ``skip`` are set aside, but never more than half."""
    skip = min(skip, len(block.values[variant]) // 2)
    a: Floats = np.log(np.asarray(block.values[variant][skip:], dtype=np.float64))
    b: Floats = np.log(np.asarray(block.values[baseline][skip:], dtype=np.float64))
    return a - b


def as_linked(blocks: Iterable[Block]) -> list[Block]:
    """The blocks in which every build ran as it was linked."""
    return [b for b in blocks if not b.layouts]


def deciding(blocks: Sequence[Block]) -> list[Block]:
    """The blocks that verdicts are about: of a benchmark those over profiles, where it has any, or
    else those over layouts. A profile also places the code anew."""
    best: dict[str, int] = {}
    for b in blocks:
        best[b.benchmark] = max(best.get(b.benchmark, 0), _drawn(b))
    return [b for b in blocks if _drawn(b) == best[b.benchmark]]


def _drawn(block: Block) -> int:
    return 2 if block.profiles else int(bool(block.layouts))


def over_layouts(blocks: Iterable[Block]) -> list[Block]:
    """The blocks in which builds ran in drawn layouts."""
    return [b for b in blocks if b.layouts and not b.profiles]


def over_profiles(blocks: Iterable[Block]) -> list[Block]:
    """The blocks in which builds ran with drawn profiles."""
    return [b for b in blocks if b.profiles]
