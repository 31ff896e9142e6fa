"""The search as a plain state and functions: what to do next, and what was seen.

    state = begin(task)
    while not isinstance(step := next_step(state), Done):
        state = observe(state, …), or built(state, …), or skip(state, …)

Everything but the state is computed from it, so a search goes on from wherever it was kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from whyfast.search.answer import SearchAnswer
from whyfast.search.choose import next_candidate, witness, witnesses
from whyfast.search.conclude import conclude
from whyfast.search.confirm import ALPHA, Attempt, attempts, bounded, surely_above
from whyfast.search.placement import SURE
from whyfast.search.state import Observation, State, Task
from whyfast.search.view import View, located, view

#: Before a candidate is built, the ends must differ this surely; once some are measured, blocks
#: of the ends alone are taken only when they are in doubt again.
DOUBT_BEFORE = 0.02
DOUBT_LATER = 0.5
#: How surely there must be a step, rather than a slope or mere scatter, before one is confirmed,
#: and before it is told where no layouts could be drawn. Candidates on the way to a step never
#: contradict it, whatever they are; what tells scatter are further ones, away from it.
LIKELY = 0.5
THERE = 0.98
#: So many further candidates that agree with the step are enough; what doubt is left is told.
WITNESSES = 4
#: Confirmations before the search gives up.
ATTEMPTS = 3


@dataclass(frozen=True)
class MeasureEnds:
    """Take a block of the two ends alone, over ``layouts`` or as linked."""

    layouts: bool


@dataclass(frozen=True)
class BuildCandidate:
    """BuildCandidate a candidate: then ``built``, or ``skip`` when it cannot be."""

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

    answer: SearchAnswer


Step = MeasureEnds | BuildCandidate | Measure | Confirm | Done


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
    task = state.task
    spent = task.budget is not None and len(state.observations) >= task.budget
    tries = attempts(state.observations, task.known)
    if tries and not spent and _going_on(tries[-1], state):
        return Confirm(tries[-1].parent, tries[-1].culprit, tries[-1].layouts, tries[-1].number)
    seen = view(state, tries)
    if spent:
        return Done(conclude(state, seen, "undecided"))
    return _about_ends(state, seen) or _about_step(state, seen)


def _going_on(attempt: Attempt, state: State) -> bool:
    """Whether a confirmation is open and both candidates can still be measured."""
    return attempt.word == "open" and not {attempt.parent, attempt.culprit} & set(state.skipped)


def _about_ends(state: State, seen: View) -> Step | None:
    """Whether the ends differ, in the right direction, and not by placement alone."""
    belief = seen.belief
    if belief is None:
        return MeasureEnds(seen.layouts)
    if belief.of["none"] >= SURE:
        placed = seen.layouts and seen.differ  # as linked they do
        return _said(state, seen, "placement" if placed else "none")
    if belief.of["swapped"] >= SURE:
        return _said(state, seen, "swapped")
    fresh = len(belief.bounds) == 2 and state.task.known is None
    doubt = belief.of["none"] + belief.of["swapped"]
    if doubt > (DOUBT_BEFORE if fresh else DOUBT_LATER):
        return MeasureEnds(seen.layouts)
    if seen.tested == "placement":
        return _said(state, seen, "placement")
    if seen.tested == "undecided" and not seen.layouts:
        return MeasureEnds(layouts=True)
    return None


def _said(state: State, seen: View, word: Literal["none", "swapped", "placement"]) -> Step:
    """Tell that of the ends, once their intervals bear it: what is told has one, and errs with at
    most :data:`ALPHA`, which a posterior does not promise. Ends that are known are not told."""
    kinds = {"none": {False, seen.layouts}, "swapped": {seen.layouts}, "placement": {False}}
    for layouts in sorted(kinds[word]) if state.task.known is None else ():
        ends = [o.ends for o in state.observations if o.layouts == layouts]
        borne = {
            "none": bounded(ends, ALPHA),
            "swapped": surely_above([-x for x in ends], ALPHA),
            "placement": surely_above(ends, ALPHA),
        }
        if not borne[word]:
            return MeasureEnds(layouts)
    return Done(conclude(state, seen, word))


def _about_step(state: State, seen: View) -> Step:
    """Where the step is; the ends differ."""
    belief = seen.belief
    assert belief is not None
    if belief.of["gradual"] >= SURE:
        return Done(conclude(state, seen, "gradual"))
    if belief.of["scattered"] >= SURE:
        return Done(conclude(state, seen, "scattered"))
    where = located(belief, state)
    if where is None:
        return _measure(next_candidate(belief, state), state, seen)
    confirmed = any(
        (t.parent, t.culprit, t.word) == (where.parent, where.last, "confirmed")
        for t in seen.tries[-1:]
    )
    if belief.step < _enough(state, confirmed):
        candidate = witness(belief, state)
        if candidate is not None:
            return _measure(candidate, state, seen)
    if confirmed:
        return Done(conclude(state, seen, "culprit"))
    if len(seen.tries) >= ATTEMPTS:
        return Done(conclude(state, seen, "undecided"))
    return Confirm(where.parent, where.last, state.task.relinkable, len(seen.tries) + 1)


def _enough(state: State, confirmed: bool) -> float:
    """How surely there must be a step before one is confirmed, or told.

    Over layouts scatter averages out, so the confirmation needs no witness.
    """
    done = state.task.relinkable or witnesses(state) >= WITNESSES
    return THERE if confirmed and not done else LIKELY


def _measure(candidate: int | None, state: State, seen: View) -> Step:
    """A block of the candidate, after it is built."""
    assert candidate is not None, "a place that is not sure has a candidate to measure"
    if candidate not in state.built:
        return BuildCandidate(candidate)
    return Measure(candidate, seen.layouts)
