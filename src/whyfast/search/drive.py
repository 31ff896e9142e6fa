"""One search from its state to its answer, whatever it builds and measures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from whyfast.search.answer import SearchAnswer
from whyfast.search.engine import (
    BuildCandidate,
    Confirm,
    Done,
    Measure,
    MeasureEnds,
    Step,
    built,
    next_step,
    observe,
    skip,
)
from whyfast.search.state import State, ran
from whyfast.search.subject import CandidateFailed, Layouts, Subject, observation

#: Told of each state, with the step that led to it, once it is worth keeping.
Keep = Callable[[State, Step], None]


def drive(subject: Subject, state: State, keep: Keep) -> tuple[State, SearchAnswer]:
    """Do what the engine wants until it has an answer.

    ``keep`` is called after every step and has made it durable when it returns: a search that was
    ended there goes on from that state. A candidate that cannot be built or measured is skipped.
    CandidateFailed when that is an end, which nothing can do without.
    """
    last = state.task.positions
    while True:
        step = next_step(state)
        try:
            if isinstance(step, Done):
                return state, step.answer
            state = _done(subject, state, step, last)
        except CandidateFailed as failed:
            if failed.candidate in (0, last):
                raise
            state = skip(state, failed.candidate, failed.reason)
        keep(state, step)


def _done(subject: Subject, state: State, step: Step, last: int) -> State:
    """The state after the step."""
    match step:
        case BuildCandidate(candidate):
            subject.build(candidate)
            return built(state, candidate)
        case MeasureEnds(layouts):
            chosen: set[int] = set()
            pair = None
        case Measure(candidate, layouts):
            chosen, pair = {candidate}, None
        case Confirm(parent, culprit, layouts, attempt):
            chosen, pair = {parent, culprit}, (parent, culprit, attempt)
        case _:
            raise AssertionError(step)
    if pair:
        subject.settle(pair[:2])
    wanted = sorted({0, last, *chosen})
    taken = subject.block(
        wanted,
        number=len(state.observations) + 1,
        layouts=_layouts(state, wanted) if layouts else None,
    )
    return observe(state, observation(taken, last, layouts=layouts, pair=pair))


def _layouts(state: State, candidates: Sequence[int]) -> Layouts:
    """For each the first layout that no block ran yet."""
    used = Counter(c for o in state.observations if o.layouts for c in ran(state.task, o))
    return {c: used[c] + 1 for c in candidates}
