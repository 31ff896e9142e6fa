"""The search as a plain state and functions: what to do next, and what was seen.

    state = begin(task)
    while not isinstance(step := next_step(state), Done):
        state = observe(state, …), or built(state, …), or skip(state, …)

Everything but the state is computed from it, so a search goes on from wherever it was kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from whyfast.search.answer import Answer
from whyfast.search.choose import elsewhere, next_candidate
from whyfast.search.conclude import conclude
from whyfast.search.state import Observation, State, Task
from whyfast.search.view import SURE, View, located, view

#: Before a candidate is built, the ends must differ this surely; once some are measured, blocks
#: of the ends alone are taken only when they are in doubt again.
DOUBT_BEFORE = 0.02
DOUBT_LATER = 0.5
#: A step is confirmed when there is one this surely, rather than a slope or mere scatter.
THERE = 0.95
#: Confirmations before the search gives up.
ATTEMPTS = 3


@dataclass(frozen=True)
class MeasureEnds:
    """Take a block of the two ends alone, over ``layouts`` or as linked."""

    layouts: bool


@dataclass(frozen=True)
class Build:
    """Build a candidate: then ``built``, or ``skip`` when it cannot be."""

    candidate: int


@dataclass(frozen=True)
class Measure:
    """Take a block of the ends and one candidate."""

    candidate: int
    layouts: bool


@dataclass(frozen=True)
class Confirm:
    """Take a block of the ends, the parent and the culprit; either may be an end itself."""

    parent: int
    culprit: int
    layouts: bool
    attempt: int


@dataclass(frozen=True)
class Done:
    """The search has ended."""

    answer: Answer


Step = MeasureEnds | Build | Measure | Confirm | Done


def begin(task: Task, already_built: Iterable[int] = ()) -> State:
    """A search that has seen nothing yet."""
    return State(task, built=frozenset(already_built))


def observe(state: State, observation: Observation) -> State:
    """The state with one more block."""
    return replace(state, observations=(*state.observations, observation))


def built(state: State, candidate: int) -> State:
    """The state after a candidate was built."""
    return replace(state, built=state.built | {candidate})


def skip(state: State, candidate: int, reason: str) -> State:
    """The state after a candidate did not build, crashed or gave wrong results.

    Its share of the posterior stays where it is.
    """
    return replace(
        state,
        built=state.built - {candidate},
        skipped={**state.skipped, candidate: reason},
    )


def next_step(state: State) -> Step:
    """What to do next."""
    seen = view(state)
    if state.task.budget is not None and len(state.observations) >= state.task.budget:
        return Done(conclude(state, seen, "undecided"))
    return _about_ends(state, seen) or _about_step(state, seen)


def _about_ends(state: State, seen: View) -> Step | None:
    """Whether the ends differ, in the right direction, and not by placement alone."""
    belief = seen.belief
    if belief is None:
        return MeasureEnds(seen.layouts)
    if belief.of["none"] >= SURE:
        placed = seen.layouts and seen.differ  # as linked they do
        return Done(conclude(state, seen, "placement" if placed else "none"))
    if belief.of["swapped"] >= SURE:
        return Done(conclude(state, seen, "swapped"))
    fresh = len(belief.bounds) == 2 and state.task.known is None
    doubt = belief.of["none"] + belief.of["swapped"]
    if doubt > (DOUBT_BEFORE if fresh else DOUBT_LATER):
        return MeasureEnds(seen.layouts)
    if seen.tested == "placement":
        return Done(conclude(state, seen, "placement"))
    if seen.tested == "undecided" and not seen.layouts:
        return MeasureEnds(layouts=True)
    return None


def _about_step(state: State, seen: View) -> Step:
    """Where the step is; the ends differ."""
    belief = seen.belief
    assert belief is not None
    last = seen.tries[-1] if seen.tries else None
    if last and last.word == "open" and not {last.parent, last.culprit} & set(state.skipped):
        return Confirm(last.parent, last.culprit, last.layouts, last.number)
    if last and last.word == "confirmed":
        return Done(conclude(state, seen, "culprit"))
    if belief.of["gradual"] >= SURE:
        return Done(conclude(state, seen, "gradual"))
    if belief.of["scattered"] >= SURE:
        return Done(conclude(state, seen, "scattered"))
    where = located(belief, state)
    if where is None:
        candidate = next_candidate(belief, state)
    else:
        candidate = elsewhere(belief, state) if belief.step < THERE else None
        if candidate is None:
            if len(seen.tries) >= ATTEMPTS:
                return Done(conclude(state, seen, "undecided"))
            layouts = state.task.relinkable
            return Confirm(where.parent, where.last, layouts, len(seen.tries) + 1)
    assert candidate is not None
    if candidate not in state.built:
        return Build(candidate)
    return Measure(candidate, seen.layouts)
