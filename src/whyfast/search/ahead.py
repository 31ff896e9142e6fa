"""Which candidates a search is likely to build next: by playing on from what was measured."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from whyfast.search.ddmin import Differences, Event, Failed, Try, next_try
from whyfast.search.engine import (
    BuildCandidate,
    Confirm,
    Measure,
    MeasureEnds,
    built,
    next_step,
    observe,
)
from whyfast.search.state import Observation, Pair, Reading, State
from whyfast.search.subsets import Subset, Trial

#: The most steps to play: each costs as much as a step of the search.
PLAYED = 40
PLAYED_SETS = 12

#: Where nothing was measured yet, the ends are assumed to differ by this many margins.
CLEAR = 10.0

S = TypeVar("S")
K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class _Move(Generic[S, K]):
    """The next step of a search: ``needs`` has to be built for it; ``asks`` is what it measures.
    ``after`` is the search after the step, given which of those asked are like the bad end."""

    needs: K | None
    asks: K | None
    after: Callable[[Mapping[K, bool]], S]


def _play(
    start: S, known: Mapping[K, bool], move: Callable[[S], _Move[S, K] | None], steps: int
) -> Iterator[K]:
    """Everything that has to be built, likeliest first, except for the next step itself.

    A measured candidate is like the good end or like the bad one with equal probability; both
    continuations are played, the one with the fewest such questions first.
    """
    number = itertools.count()
    queue = [(0, next(number), start, known)]
    first = move(start)
    seen = {first.needs} if first else set()
    for _ in range(steps):
        if not queue:
            return
        questions, _, search, answers = heapq.heappop(queue)
        step = move(search)
        if step is None:
            continue
        if step.needs is not None and step.needs not in seen:
            seen.add(step.needs)
            yield step.needs
        if step.asks is None or step.asks in answers:
            heapq.heappush(queue, (questions, next(number), step.after(answers), answers))
            continue
        for like_bad in (False, True):
            assumed = {**answers, step.asks: like_bad}
            heapq.heappush(queue, (questions + 1, next(number), step.after(assumed), assumed))


def likely_next(state: State) -> Iterator[int]:
    """The candidates of a bisection that are likely to be built, but for the next one."""
    effect = _effect([o.ends for o in state.observations], state.task.margin)

    def move(now: State) -> _Move[State, int] | None:
        step = next_step(now)
        match step:
            case BuildCandidate(candidate):
                return _Move(candidate, None, lambda _: built(now, candidate))
            case Measure(candidate, layouts):

                def measured(like_bad: Mapping[int, bool]) -> State:
                    ratios = (effect, 0.0) if like_bad[candidate] else (0.0, -effect)
                    reading = Reading(candidate, *ratios)
                    return observe(now, Observation(effect, (reading,), layouts))

                return _Move(None, candidate, measured)
            case Confirm(parent, culprit, layouts, attempt):
                pair = Pair(parent, culprit, attempt, effect)
                confirmed = Observation(effect, (), layouts, pair)
                return _Move(None, None, lambda _: observe(now, confirmed))
            case MeasureEnds(layouts):
                return _Move(None, None, lambda _: observe(now, Observation(effect, (), layouts)))
            case _:
                return None

    return _play(state, {}, move, PLAYED)


def likely_subsets(task: Differences, events: Sequence[Event]) -> Iterator[Subset]:
    """The subsets that are likely to be built: each carries the difference or none of it."""
    trials = [e for e in events if not isinstance(e, Failed)]
    effect = _effect([t.ends for t in trials], task.margin)

    def move(now: tuple[Event, ...]) -> _Move[tuple[Event, ...], Subset] | None:
        wanted = next_try(task, now)
        if not isinstance(wanted, Try):
            return None
        subset = wanted.subset

        def after(carries: Mapping[Subset, bool]) -> tuple[Event, ...]:
            offset = 0.0
            if subset is not None:
                offset = effect / 2 if carries[subset] else -effect / 2
            return (*now, Trial(effect, subset, offset, wanted.fresh, wanted.layouts))

        return _Move(subset, subset, after)

    known = {t.subset: t.offset > 0 for t in trials if t.subset is not None}
    return _play(tuple(events), known, move, PLAYED_SETS)


def _effect(ends: Sequence[float], margin: float) -> float:
    """The assumed difference of the ends: the measured one, if it is worth searching for."""
    measured = float(np.median(ends)) if ends else 0.0
    return measured if measured > np.log1p(margin) else CLEAR * float(np.log1p(margin))
