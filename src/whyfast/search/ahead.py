"""Which candidates a search is likely to want next: by playing on from what was seen."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from whyfast.search.ddmin import Differences, Event, Failed, Minimal, Try, next_try
from whyfast.search.engine import (
    BuildCandidate,
    Confirm,
    Done,
    Measure,
    MeasureEnds,
    built,
    next_step,
    observe,
)
from whyfast.search.state import Observation, Pair, Reading, State
from whyfast.search.subsets import Subset, Trial

#: So many steps are played at most: each costs as much as a step of the search.
PLAYED = 40
PLAYED_SETS = 12

#: Where nothing was measured yet, the ends are taken to differ by so many margins.
CLEAR = 10.0


def likely_next(state: State) -> Iterator[int]:
    """Candidates to build, likeliest first, but for the one that is wanted now.

    A candidate that is measured is like the good end or like the bad one, each as likely; the
    search is played on for both, the way with the fewest such questions open first.
    """
    effect = _effect([o.ends for o in state.observations], state.task.margin)
    number = itertools.count()
    # Open questions on the way here, and what they were taken to say: slow, by candidate.
    ways: list[tuple[int, int, State, Mapping[int, bool]]] = [(0, next(number), state, {})]
    now = next_step(state)
    said = {now.candidate} if isinstance(now, BuildCandidate) else set()
    for _ in range(PLAYED):
        if not ways:
            return
        questions, _, here, slow = heapq.heappop(ways)
        step = next_step(here)
        if isinstance(step, Done):
            continue
        if isinstance(step, BuildCandidate):
            if step.candidate not in said:
                said.add(step.candidate)
                yield step.candidate
            heapq.heappush(ways, (questions, next(number), built(here, step.candidate), slow))
            continue
        open_ = isinstance(step, Measure) and step.candidate not in slow
        for answer in (False, True) if open_ else (None,):
            told = slow
            if answer is not None and isinstance(step, Measure):
                told = {**slow, step.candidate: answer}
            seen = observe(here, _typical(step, effect, told))
            heapq.heappush(ways, (questions + open_, next(number), seen, told))


def _typical(
    step: MeasureEnds | Measure | Confirm, effect: float, slow: Mapping[int, bool]
) -> Observation:
    """The block of a step where nothing is left to chance."""
    match step:
        case Measure(candidate, layouts):
            return Observation(effect, (_reading(candidate, slow[candidate], effect),), layouts)
        case Confirm(parent, culprit, layouts, attempt):
            return Observation(effect, (), layouts, Pair(parent, culprit, attempt, effect))
        case MeasureEnds(layouts):
            return Observation(effect, (), layouts)


def _reading(candidate: int, slow: bool, effect: float) -> Reading:
    return Reading(candidate, effect, 0.0) if slow else Reading(candidate, 0.0, -effect)


def likely_subsets(task: Differences, events: Sequence[Event]) -> Iterator[Subset]:
    """As :func:`likely_next` for a search for a set: a subset carries the difference or nothing of
    it."""
    trials = [e for e in events if not isinstance(e, Failed)]
    effect = _effect([t.ends for t in trials], task.margin)
    known = {t.subset: t.offset > 0 for t in trials if t.subset is not None}
    number = itertools.count()
    ways: list[tuple[int, int, tuple[Event, ...], Mapping[Subset, bool]]] = []
    ways.append((0, next(number), tuple(events), known))
    now = next_try(task, events)
    said = {now.subset} if isinstance(now, Try) else set()
    for _ in range(PLAYED_SETS):
        if not ways:
            return
        questions, _, here, carries = heapq.heappop(ways)
        wanted = next_try(task, here)
        if isinstance(wanted, Minimal):
            continue
        subset = wanted.subset
        if subset is not None and subset not in said:
            said.add(subset)
            yield subset
        open_ = subset is not None and subset not in carries
        for answer in (False, True) if open_ else (None,):
            told = carries
            if answer is not None and subset is not None:
                told = {**carries, subset: answer}
            seen = (*here, _trial(wanted, effect, told))
            heapq.heappush(ways, (questions + open_, next(number), seen, told))


def _trial(wanted: Try, effect: float, carries: Mapping[Subset, bool]) -> Trial:
    offset = 0.0
    if wanted.subset is not None:
        offset = effect / 2 if carries[wanted.subset] else -effect / 2
    return Trial(effect, wanted.subset, offset, wanted.fresh, wanted.layouts)


def _effect(ends: Sequence[float], margin: float) -> float:
    """By how much the ends are taken to differ: by what was seen, if it is worth searching for."""
    seen = float(np.median(ends)) if ends else 0.0
    return seen if seen > np.log1p(margin) else CLEAR * float(np.log1p(margin))
