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

import numpy as np
from numpy.typing import NDArray

from whyfast.search.posterior import Posterior
from whyfast.search.state import Interval, Observation, Outcome, SearchAnswer, State, Task, Where
from whyfast.search.view import (
    ALPHA,
    SURE,
    Attempt,
    View,
    attempts,
    bounded,
    interval,
    likely,
    located,
    surely_above,
    view,
)

# ---- Which candidate to measure next.

Floats = NDArray[np.float64]

#: How strongly a candidate fails together with its neighbour, and over how many candidates that
#: falls off: code that does not build stays broken until somebody mends it.
TOGETHER = 0.8
STRETCH = 4.0
#: A build serves about this many measurements: the candidates beside the culprit are measured
#: again and again, so a build is charged to the first of them in part only.
SERVES = 10.0
#: Where :func:`information` is computed: at these log odds, by Gauss and Hermite's quadrature.
_ODDS: Floats = np.linspace(-20.0, 20.0, 401)
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(24)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
#: A witness is clear after (CLEAR · noise / effect)² blocks, but MOST_WITNESS are enough.
CLEAR = 2.5
MOST_WITNESS = 4.0


def below(posterior: Posterior, task: Task) -> Floats:
    """F(c), the probability that the largest step is at c or before, for c = 1 … positions − 1.

    Given that there is a step. Within a gap it spreads over the positions as it was beforehand.
    """
    share = np.ones(task.positions) if task.weights is None else np.array(task.weights)
    edges = np.array(posterior.bounds)
    within = np.add.reduceat(share, edges[:-1])
    mass = share * np.repeat(posterior.largest / within, np.diff(edges))
    return np.cumsum(mass)[:-1]


def next_candidate(posterior: Posterior, state: State) -> int | None:
    """The candidate whose measurement is expected to tell most for what it costs.

    A candidate tells whether the step is at it or before, or after it. What is to be learnt is most
    where the two are as likely, so among candidates of one cost it is k or k − 1 around the median
    of the posterior, whichever splits it nearer to half. The median itself would be asked for ever
    once it holds most of the posterior, with its answer known beforehand. None when no candidate
    can be measured.
    """
    share = below(posterior, state.task)
    told = information(share, posterior.effect / posterior.noise)
    worth = told * _succeeds(state) / _costs(state)
    for candidate in state.skipped:
        worth[candidate - 1] = -1.0
    best = int(np.argmax(worth)) if worth.size else 0
    return best + 1 if worth.size and worth[best] >= 0 else None


def witness(posterior: Posterior, state: State) -> int | None:
    """A candidate far from all that led to the step; None when every one is measured or skipped.

    It tells a step from candidates that are all different or change little by little, which those
    on the way to the step never do. One is measured until it is clear which end it is like.
    """
    blocks = max(1.0, min(MOST_WITNESS, (CLEAR * posterior.noise / posterior.effect) ** 2))
    last = state.observations[-1] if state.observations else None
    if last is not None and last.readings and not last.pair:
        candidate = last.readings[0].candidate
        readings = (r for o in state.observations for r in o.readings)
        taken = sum(r.candidate == candidate for r in readings)
        if taken < blocks and candidate in state.built:
            return candidate
    tried = np.array(sorted({*posterior.bounds, *state.skipped}))
    free = np.setdiff1d(np.arange(1, state.task.positions), tried)
    if not free.size:
        return None
    after = np.searchsorted(tried, free)
    away = np.minimum(free - tried[after - 1], tried[after] - free)
    return int(free[np.argmax(away)])


def witnesses(state: State) -> int:
    """How many candidates were measured for the first time after the first confirmation."""
    seen: set[int] = set()
    before: set[int] | None = None
    for block in state.observations:
        if block.pair is not None and before is None:
            before = set(seen)
            before.update((block.pair.parent, block.pair.culprit))
        seen.update(r.candidate for r in block.readings)
    return 0 if before is None else len(seen - before)


def information(share: Floats, effect: float) -> Floats:
    """What one measurement tells of a coin with this probability, in bits: its mutual information.

    Heads have the mean of tails plus ``effect`` standard deviations of normal noise. In much noise
    a coin that is nearly known is worth still less than its entropy says, next to an even one.
    """
    p = 1 / (1 + np.exp(-_ODDS))
    told = np.zeros_like(p)
    # By each side the mean of log(likelihood / likelihood of both), over the noise.
    for own in (p, 1 - p):
        other = np.exp(-effect * (_NODES + effect / 2))
        told -= own * (np.log2(own[:, None] + (1 - own[:, None]) * other) @ _WEIGHTS)
    return np.asarray(np.interp(share, p, told, left=0.0, right=0.0))


def entropy(share: Floats) -> Floats:
    """Of a coin with this probability, in bits."""
    p = np.clip(share, 1e-12, 1 - 1e-12)
    return -(p * np.log2(p) + (1 - p) * np.log2(1 - p))


def _costs(state: State) -> Floats:
    cost = state.task.costs
    costs = np.full(state.task.positions - 1, cost.block + cost.build / SERVES)
    for candidate in state.built:
        costs[candidate - 1] = cost.block
    return costs


def _succeeds(state: State) -> Floats:
    """How likely each candidate is to build: seldom beside one that did not."""
    out = np.ones(state.task.positions - 1)
    for candidate in state.skipped:
        away = np.abs(np.arange(1, state.task.positions) - candidate)
        out = np.minimum(out, 1 - TOGETHER * np.exp(-away / STRETCH))
    for candidate in state.built:
        out[candidate - 1] = 1.0
    return out


# ---- From what is seen to the answer.

#: A second step is spoken of when there are two with this probability.
SEVERAL = 0.9


def conclude(state: State, seen: View, word: Outcome) -> SearchAnswer:
    """The answer ``word`` with all that it rests on; "culprit" needs a confirmation."""
    last = seen.tries[-1] if seen.tries else None
    where, step, several = None, None, False
    if word == "undecided" and seen.belief is not None:
        where = located(seen.belief, state) or likely(seen.belief)
    if word == "culprit" and last is not None:
        where = _at(last, seen)
        step = Interval(last.estimate, last.low, last.high, last.blocks)
        several = _several(state, seen, last)
        word = "culprit" if where.size == 1 else "one of"
    return SearchAnswer(
        outcome=word,
        ends=_ends(state, layouts=False),
        varied=_ends(state, layouts=True),
        of=dict(seen.belief.of) if seen.belief else {},
        tested=seen.tested,
        where=where,
        step=step,
        several=several,
        placed=_placed(seen),
    )


def _at(attempt: Attempt, seen: View) -> Where:
    """Where the confirmed step is, with its probability from the search."""
    belief = seen.belief
    share = 1.0
    if belief is not None and attempt.parent in belief.bounds[:-1]:
        gap = belief.bounds.index(attempt.parent)
        share = float(belief.some[gap]) / max(belief.step, 1e-300)
    return Where(attempt.parent + 1, attempt.culprit, min(share, 1.0))


def _several(state: State, seen: View, attempt: Attempt) -> bool:
    """Whether the step is not all of the ends' difference."""
    ends = _ends(state, layouts=attempt.layouts)
    if ends is not None and (attempt.low > ends.high or attempt.high < ends.low):
        return True
    belief = seen.belief
    return belief is not None and belief.of["several"] > SEVERAL * belief.step


def _placed(seen: View) -> tuple[Where, ...]:
    """Steps found as linked that vanished over layouts, while the difference did not.

    After the first such, candidates are measured over layouts, so there is at most one.
    """
    if seen.tested != "change" or not seen.differ:
        return ()
    failed = [t for t in seen.tries if t.layouts and t.outcome == "refuted"][:1]
    return tuple(Where(t.parent + 1, t.culprit, 1.0) for t in failed)


def _ends(state: State, *, layouts: bool) -> Interval | None:
    """The ends' log ratio from all blocks as linked or all over layouts; None without any."""
    d = np.array([o.ends for o in state.observations if o.layouts == layouts])
    if not d.size:
        return None
    low, high = interval(tuple(d.tolist()), ALPHA)
    return Interval(float(np.median(d)), low, high, len(d))


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
    return attempt.outcome == "open" and not {attempt.parent, attempt.culprit} & set(state.skipped)


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
        (t.parent, t.culprit, t.outcome) == (where.parent, where.last, "confirmed")
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
