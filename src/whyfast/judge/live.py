"""How a benchmark stands while it is measured: whether it is decided, look after look."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from whyfast.judge.decide import ALPHA, Key, Sample, judge_each, needed_blocks, precise_enough
from whyfast.judge.estimate import over_layouts
from whyfast.judge.ratios import RatioTable
from whyfast.judge.stationarity import non_stationary, set_aside
from whyfast.model.sample import Block
from whyfast.model.verdict import NonStationary, Verdict

#: The longest that a look is put off where far more blocks are still needed.
MOST_GROWTH = 0.5

#: No more turns than this are asked for because processes may yet become warm.
MOST_TO_WARM = 40


@dataclass(frozen=True)
class Looks:
    """When a benchmark is judged: when it has ``first`` blocks, then with each up to ``each``, then
    only when they have grown by at least the share ``growth``. As valid as with every block, and
    the time that judging takes does not grow with the square of the blocks. While they are too few
    for any verdict, only once the blocks since the last look took ``apart`` seconds: nobody reads
    faster."""

    first: int = 1
    each: int = 16
    growth: float = 0.06
    apart: float = 0.25


#: Where many machines are judged by one: fewer than nine blocks never decide anything.
FEW_LOOKS = Looks(first=9, each=9, growth=1 / 3)


class TogetherJudge:
    """Looks at many benchmarks, of many machines, taken at once: side by side a look costs a tenth.

    What a look finds is told with the next :meth:`judge`, and the benchmark takes further blocks
    until then. As valid, since it may be looked at whenever one likes.
    """

    def __init__(self, margin: float, alpha: float = ALPHA) -> None:
        self._margin, self._alpha = margin, alpha
        self._waiting: list[tuple[Mapping[Key, Sample], Callable[[tuple[Verdict, ...]], None]]] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def add(
        self, samples: Mapping[Key, Sample], told: Callable[[tuple[Verdict, ...]], None]
    ) -> None:
        """``told`` will hear the verdicts on these samples, each at ``alpha``."""
        self._waiting.append((samples, told))

    def judge(self) -> None:
        """Take all looks that wait."""
        waiting, self._waiting = self._waiting, []
        joined: dict[Key, Sample] = {
            (f"{number} {key[0]}", key[1], key[2]): ratios
            for number, (samples, _) in enumerate(waiting)
            for key, ratios in samples.items()
        }
        found = iter(judge_each(joined, margin=self._margin, alpha=self._alpha))
        for samples, told in waiting:
            told(tuple(replace(next(found), benchmark=key[0]) for key in samples))


#: From variants and the main baseline to pairs (variant, baseline).
Compared = Callable[[Sequence[str], str], Sequence[tuple[str, str]]]


def _every(variants: Sequence[str], baseline: str) -> Sequence[tuple[str, str]]:
    return [(v, baseline) for v in variants if v != baseline]


@dataclass
class _Standing:
    """Of one benchmark: the ratios of the first ``seen`` blocks, and what was said at the last
    look, which holds until there are ``next_look`` blocks. ``waiting``: for a look at those."""

    table: RatioTable
    varied: bool
    baseline: str
    non_stationary: tuple[NonStationary, ...] = ()
    skip: int = 0
    seen: int = 0
    next_look: int = 0
    said: tuple[Verdict, ...] = ()
    waiting: bool = False


class LiveJudge:
    """How one benchmark stands against its main baseline, kept up to date as blocks come in.

    ``compared`` says what else is compared with what, given the variants and the main baseline.
    ``together`` takes the looks, with those of others, where there is such a judge.

    The intervals are at ``alpha``, as if each comparison were the only one; the final verdicts
    account for how many there are.
    """

    def __init__(
        self,
        margin: float,
        compared: Compared = _every,
        looks: Looks | None = None,
        alpha: float = ALPHA,
        together: TogetherJudge | None = None,
    ) -> None:
        self._alpha = alpha
        self._margin = margin
        self._compared = compared
        self._looks = looks or Looks()
        self._together = together
        self._standing: dict[str, _Standing] = {}

    def update(
        self,
        benchmark: str,
        blocks: Sequence[Block],
        variants: Sequence[str],
        baseline: str,
        *,
        takes_turns: bool = False,
    ) -> tuple[Verdict, ...]:
        """Verdicts of all ``variants`` against ``baseline``, as of the last look.

        ``blocks``: all of this benchmark so far, in order; only new ones are worked on. With
        ``takes_turns`` the first values of processes that warm up are set aside, as they will be in
        the end.
        """
        # Where layouts are varied, the blocks that vary them are what the verdict will be about.
        drawn = over_layouts(blocks)
        varied, blocks = bool(drawn), drawn or blocks
        pairs = self._compared(variants, baseline)
        own = self._standing.get(benchmark)
        # The blocks as linked that came before the first drawn one no longer count.
        if (
            own is None
            or varied != own.varied
            or baseline != own.baseline
            or len(blocks) < own.seen
        ):
            own = self._standing[benchmark] = _Standing(RatioTable(pairs), varied, baseline)
        known = {v.variant for v in own.said}  # each variant has one baseline at most
        if own.waiting or len(blocks) < self._looks.first:
            return own.said
        if known == {v for v, _ in pairs} and self._too_soon(own, blocks):
            return own.said
        own.non_stationary = non_stationary(blocks, variants) if takes_turns else ()
        skip = set_aside(own.non_stationary).get(benchmark, 0)
        if skip != own.skip:
            own.table, own.skip, own.seen = RatioTable(pairs, skip), skip, 0
        own.table.add(blocks[own.seen :])
        own.seen = len(blocks)
        ratios = own.table.ratios()
        samples: dict[Key, Sample] = {
            (benchmark, *pair): ratios[pair] for pair in pairs if pair in ratios
        }
        if self._together is None:
            self._tell(own, judge_each(samples, margin=self._margin, alpha=self._alpha))
        else:
            own.waiting = True
            self._together.add(samples, partial(self._tell, own))
        return own.said

    def said(self, benchmark: str) -> tuple[Verdict, ...]:
        """As of the last look."""
        own = self._standing.get(benchmark)
        return own.said if own else ()

    def _tell(self, own: _Standing, said: tuple[Verdict, ...]) -> None:
        own.said, own.waiting = said, False
        own.next_look = self._next_look(own)

    def _too_soon(self, own: _Standing, blocks: Sequence[Block]) -> bool:
        if len(blocks) >= needed_blocks(self._alpha):
            return len(blocks) < own.next_look
        return sum(block.seconds for block in blocks[own.seen :]) < self._looks.apart

    def _next_look(self, own: _Standing) -> int:
        if own.seen < self._looks.each:
            return own.seen + 1
        # The width falls with the root of the blocks.
        most = max((_excess(v, self._margin) for v in own.said), default=1.0)
        growth = min(max(self._looks.growth, (most**2 - 1) / 4), MOST_GROWTH)
        return own.seen + max(1, round(growth * own.seen))

    def least_turns(self, benchmark: str) -> int:
        """How many turns a block should have at least, going by how its processes warm up: three
        for each that is set aside, and twice as many as now where they are not warm by half."""
        own = self._standing.get(benchmark)
        return max((_least_turns(u) for u in own.non_stationary), default=0) if own else 0

    def settled(self, verdicts: Sequence[Verdict]) -> bool:
        """Whether every one of these verdicts is decided and precise."""
        return bool(verdicts) and all(precise_enough(v, self._margin) for v in verdicts)


def _least_turns(found: NonStationary) -> int:
    if not found.lasts:
        return 3 * found.at
    return min(2 * found.turns, MOST_TO_WARM) if found.ratio < 1 else 0


def _excess(verdict: Verdict, margin: float) -> float:
    """How many times as wide an interval is as it has to become for its verdict to settle."""
    if not 0 < verdict.low <= verdict.high < math.inf:
        return 1.0
    half = math.log(verdict.high / verdict.low) / 2
    return half / max(math.log1p(margin), abs(math.log(verdict.ratio)) / 5)
