"""Delta debugging with noise: which of many differences between two ends carry the slowdown.

The first subset of a growing chain that carries the difference yields one necessary part; with it
kept, the chain up to it is searched again, until the parts carry the difference alone: about log2 n
subsets for each. Every decision is a probability; separate blocks verify the parts."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from whyfast.search import view
from whyfast.search.engine import entropy
from whyfast.search.posterior import doubt
from whyfast.search.state import Task, Tested

Part = tuple[int, ...]

Outcome = Literal["set", "mixed", "none", "swapped", "placement", "undecided"]
Together = Literal["additive", "interplay", "unclear"]


@dataclass(frozen=True)
class Minimal:
    """The answer. ``set``: ``parts`` carry the difference and each is necessary; a part is one
    difference, or several that could not be measured apart. ``mixed``: it disappears when the ends
    are mixed, or depends on what should not matter. ``none``, ``swapped``: the ends do not differ,
    or the other way. ``placement``: they differ as linked, not in other layouts. ``undecided``:
    verification failed again and again, or the budget is spent.

    Levels with standard errors: ``whole`` of all parts, ``alone`` of each, ``varied`` of all over
    layouts. ``together``: whether they add up. ``others``: the rest carries the difference too.
    ``tested``: what layouts show; ``over_layouts``: whether the levels are over layouts."""

    outcome: Outcome
    parts: tuple[Part, ...] = ()
    whole: tuple[float, float] | None = None
    alone: tuple[tuple[float, float], ...] = ()
    together: Together | None = None
    others: bool = False
    tested: Tested = "not tested"
    over_layouts: bool = False
    varied: tuple[float, float] | None = None
    blocks: int = 0
    subsets: int = 0


#: From this probability on a question is decided.
SURE = 0.99
#: How surely the ends must differ before a subset is built.
DOUBT = 0.02
#: After this many blocks of one subset the likelier side wins: its level is at the line.
MOST_BLOCKS = 60
#: Only levels far beyond the line contradict the parts: parts may add up.
LITTLE, NEARLY_ALL = 0.35, 0.85
#: Subsets that show whether the parts carry the difference whatever else is mixed in.
MIXED = 6
#: How often a search is repeated, with all its blocks, when its verification refutes it.
AGAIN = 2
#: Levels are measured to this standard error, in at most :data:`MOST_BLOCKS` blocks.
PRECISE = 0.1

#: A build costs as much as a block, and is charged to the first of about this many measurements.
SERVES = 5.0
#: When more parts are needed, the difference is mixed.
MOST_PARTS = 6


@dataclass(frozen=True)
class Try:
    """Take a block of the ends and a subset, or of the ends alone. ``fresh`` and ``layouts`` go
    into the trial."""

    subset: view.Subset | None
    fresh: bool = False
    layouts: bool = False


@dataclass(frozen=True)
class Failed:
    """A subset that cannot be built or run, and why."""

    subset: view.Subset
    reason: str = ""


Event = view.Trial | Failed
#: Takes a block.
Oracle = Callable[[Try], Event]


def ddmin(task: Task, oracle: Oracle) -> Minimal:
    """Ask the oracle until there is an answer. Deterministic, given the oracle's blocks."""
    return _Run(task, oracle).answer()


def next_try(task: Task, events: Sequence[Event]) -> Try | Minimal:
    """What to do next after these events, the answers to all tries before, in order."""
    recorded = iter(events)

    def replayed(wanted: Try) -> Event:
        for event in recorded:
            return event
        raise _NextTry(wanted)

    try:
        return ddmin(task, replayed)
    except _NextTry as end:
        return end.wanted


class _NextTry(Exception):
    """The recorded events end here."""

    def __init__(self, wanted: Try) -> None:
        self.wanted = wanted


class _Mixed(Exception):
    """The difference vanishes when mixed."""


class _Spent(Exception):
    """The budget is spent."""


class _NotSlower(Exception):
    """The ends turned out not to differ, or to be swapped, while mixtures were measured."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome


@dataclass
class _Run:
    task: Task
    oracle: Oracle
    trials: list[view.Trial] = field(default_factory=list)
    failed: set[view.Subset] = field(default_factory=set)
    tested: Tested = "not tested"
    layouts: bool = False

    @property
    def seen(self) -> list[view.Trial]:
        """The blocks that count: those as linked, or those over layouts."""
        return [t for t in self.trials if t.layouts == self.layouts]

    def answer(self) -> Minimal:
        try:
            outcome = self._ends() or self._placement()
            if outcome is not None:
                return self._conclude(outcome)
            for _ in range(1 + AGAIN):
                parts = self._find()
                verified = self._verify(parts)
                if verified is not None and (varied := self._survives(verified)):
                    described = self._described(verified)
                    if not self._sure():
                        break
                    return replace(described, varied=varied[0])
                self.trials = [replace(t, fresh=False) for t in self.trials]
        except _Mixed:
            return self._conclude("mixed")
        except _NotSlower as ends:
            over, self.layouts = ends.outcome == "none" and self.layouts, False
            if not over:
                return self._conclude(ends.outcome)
            self.tested = "placement"  # as linked they do differ
            return self._conclude("placement")
        except _Spent:
            pass
        return self._conclude("undecided")

    def _ends(self) -> Outcome | None:
        """Blocks of the ends alone until it is known whether they differ."""
        while True:
            none, swapped = doubt(_ends_of(self.seen), self.task.margin)
            ends = _ends_of(self.seen).tolist()
            if none >= SURE and view.bounded(ends, view.ALPHA):
                return "none"
            if swapped >= SURE and view.surely_above([-x for x in ends], view.ALPHA):
                return "swapped"
            if none + swapped <= DOUBT:
                return None
            self._block(None, False)

    def _placement(self) -> Outcome | None:
        """Blocks of the ends over layouts until it is known what remains of their difference; if
        that is another difference, the search goes on over layouts."""
        if not self.task.relinkable:
            return None
        linked = _ends_of(self.seen)
        self.layouts, self.tested = True, "undecided"
        while self.tested == "undecided":
            self._block(None, False)
            self.tested = view.test_of(linked, _ends_of(self.seen), self.task.margin, None)
        self.layouts = self.tested == "partly"
        if self.layouts:
            self._differ()
        if self.tested != "placement":
            return None
        return "placement" if self._above() else "undecided"

    def _survives(self, parts: tuple[Part, ...]) -> tuple[tuple[float, float] | None] | None:
        """Blocks of the parts over layouts: their level there. None when they do not carry the
        difference there; the search then goes on over layouts."""
        whole = _joined(parts)
        if self.tested == "not tested" or self.layouts:
            return (None,)
        self.layouts = True
        self._differ()
        if self._share(whole, fresh=True) <= 1 - SURE:
            return None
        varied = self._level(whole)
        self.layouts = False
        return (varied,)

    def _sure(self) -> bool:
        """Blocks of the ends until their interval excludes "no difference", which errs with at most
        :data:`ALPHA` at any time; over layouts first, where they were drawn. The posterior that
        chose the parts promises no such rate."""
        judged, self.layouts = self.layouts, self.tested != "not tested"
        sure = self._above()
        self.layouts = judged
        return sure and self._above()

    def _above(self) -> bool:
        while not view.surely_above(_ends_of(self.seen).tolist(), view.ALPHA):
            if len(self.seen) >= view.MOST:
                return False
            self._block(None, False)
            self._differ()
        return True

    def _find(self) -> tuple[Part, ...]:
        """Parts that carry the difference together; the last one found comes first."""
        parts: tuple[Part, ...] = ()
        rest = tuple(range(self.task.positions))
        while rest and not self._carries(_joined(parts)):
            if len(parts) == MOST_PARTS:
                raise _Mixed
            low, high = self._first(_joined(parts), rest)
            parts, rest = (rest[low:high], *parts), rest[:low]
        return parts

    def _first(self, kept: view.Subset, rest: Part) -> tuple[int, int]:
        """Where in ``rest`` the shortest carrying beginning ends: after low, at high or before."""
        chain = [kept | frozenset(rest[:i]) for i in range(len(rest) + 1)]
        while True:
            first = view.first_carrying(self.seen, chain, self.task.margin)
            free = [i for i in range(1, len(rest)) if chain[i] not in self.failed]
            edges = np.array([0, *free, len(rest)])
            mass = np.add.reduceat(first, edges[:-1])
            best = int(np.argmax(mass))
            if mass[best] >= SURE:
                return int(edges[best]), int(edges[best + 1])
            built = {t.subset for t in self.seen}
            below = np.cumsum(first)
            worth = [
                float(entropy(below[i - 1])) / (1 + (chain[i] not in built) / SERVES) for i in free
            ]
            self._block(chain[free[int(np.argmax(worth))]], False)

    def _verify(self, parts: tuple[Part, ...]) -> tuple[Part, ...] | None:
        """The parts that blocks of their own show to be necessary and sufficient, or None. A part
        without which the others surely carry the difference is left out."""
        while self._share(_joined(parts), fresh=True) > 1 - SURE:
            left = {p: _joined(parts, but=p) for p in parts}
            spare = [p for p in parts if self._share(left[p], fresh=True, line=NEARLY_ALL) >= SURE]
            if not spare:
                return parts
            parts = tuple(p for p in parts if p != spare[0])
        return None

    def _described(self, parts: tuple[Part, ...]) -> Minimal:
        whole = _joined(parts)
        rest = frozenset(range(self.task.positions)) - whole
        others = bool(rest) and bool(parts) and self._carries(rest)
        if not self._holds(parts, rest, others):
            raise _Mixed
        together: Together | None = None
        alone: tuple[tuple[float, float], ...] = ()
        if len(parts) > 1:
            alone = tuple(self._level(frozenset(p)) for p in parts)
            together = _together(self._level(whole), alone)
        return replace(
            self._conclude("set"),
            parts=parts,
            whole=self._level(whole),
            alone=alone,
            together=together,
            others=others,
        )

    def _holds(self, parts: tuple[Part, ...], rest: view.Subset, others: bool) -> bool:
        """Whether mixing in what should not matter changes nothing. Half of the rest, drawn at
        random, beside all parts must carry the difference, and beside all but one must not, unless
        the rest alone does."""
        draw = random.Random(len(self.trials))
        for i in range(MIXED if len(rest) > 1 else 0):
            mixed = frozenset(draw.sample(sorted(rest), len(rest) // 2))
            with_all = _joined(parts) | mixed
            with_most = _joined(parts, but=draw.choice(parts)) | mixed
            if i % 2 == 0:
                lost = self._share(with_all, line=LITTLE) <= 1 - SURE
                broken = lost and with_all not in self.failed
            else:
                broken = not others and self._share(with_most, line=NEARLY_ALL) >= SURE
            if broken:
                return False
        return True

    def _carries(self, subset: view.Subset) -> bool:
        """Whether a subset rather carries the difference than not."""
        return self._share(subset) >= 0.5

    def _share(
        self, subset: view.Subset, *, fresh: bool = False, line: float = view.CARRIES
    ) -> float:
        """The probability that a subset carries the difference, after as many blocks as it takes.
        Of one whose level is at the line it may stay undecided. 0 of one that cannot be
        measured."""
        if not subset or len(subset) == self.task.positions:
            return float(bool(subset))
        share = 0.5
        for _ in range(MOST_BLOCKS):
            if subset in self.failed:
                return 0.0
            share = view.carries(self.seen, subset, self.task.margin, fresh=fresh, line=line)
            if not 1 - SURE < share < SURE:
                break
            self._block(subset, fresh)
        return share

    def _level(self, subset: view.Subset) -> tuple[float, float]:
        for _ in range(MOST_BLOCKS):
            _, error = view.level(self.seen, subset)
            if error <= PRECISE or subset in self.failed or len(subset) == self.task.positions:
                break
            self._block(subset, False)
        return (1.0, 0.0) if len(subset) == self.task.positions else view.level(self.seen, subset)

    def _block(self, subset: view.Subset | None, fresh: bool) -> None:
        if self.task.budget is not None and len(self.trials) >= self.task.budget:
            raise _Spent
        event = self.oracle(Try(subset, fresh, self.layouts))
        if isinstance(event, Failed):
            self.failed.add(event.subset)
        else:
            self.trials.append(event)
            # Blocks beside mixtures may refute what a few blocks of the ends showed by chance.
            if subset is not None and sum(doubt(_ends_of(self.seen), self.task.margin)) >= SURE:
                self._differ()

    def _differ(self) -> None:
        if (outcome := self._ends()) is not None:
            raise _NotSlower(outcome)

    def _conclude(self, outcome: Outcome) -> Minimal:
        subsets = {t.subset for t in self.trials if t.subset is not None}
        return Minimal(
            outcome,
            tested=self.tested,
            over_layouts=self.layouts,
            blocks=len(self.trials),
            subsets=len(subsets | self.failed),
        )


def _ends_of(trials: Sequence[view.Trial]) -> NDArray[np.float64]:
    return np.array([t.ends for t in trials])


def _joined(parts: Sequence[Part], but: Part | None = None) -> view.Subset:
    return frozenset(d for p in parts if p != but for d in p)


def _together(whole: tuple[float, float], alone: Sequence[tuple[float, float]]) -> Together:
    """Whether levels add up, within 2.58 standard errors and a quarter of the difference."""
    excess = whole[0] - sum(a for a, _ in alone)
    error = 2.58 * float(np.sqrt(whole[1] ** 2 + sum(e**2 for _, e in alone)))
    if abs(excess) > error and abs(excess) > 0.25:
        return "interplay"
    return "additive" if abs(excess) + error < 0.5 else "unclear"
