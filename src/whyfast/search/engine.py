"""Bisection as a plain state and functions: the next step, and the state after it.

    state = State(task)
    while not isinstance(step := next_step(state), Done):
        state = observe(state, …), or built(state, …), or skip(state, …)

Everything else is computed from the state, so a search goes on from any state that was kept."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from whyfast.judge.ratios import Floats
from whyfast.search.posterior import Posterior
from whyfast.search.state import (
    Interval,
    Observation,
    Outcome,
    SearchAnswer,
    State,
    Where,
    exact,
    jumps,
)
from whyfast.search.view import (
    ALPHA,
    SURE,
    Attempt,
    View,
    attempts,
    bounded,
    interval_of,
    likely,
    located,
    surely_above,
    view,
)

#: How strongly a candidate fails together with its neighbour, and over how many candidates that
#: falls off: code that does not build stays broken for some commits.
TOGETHER = 0.8
STRETCH = 4.0
#: A build costs as much as a block, and serves about this many measurements: the candidates beside
#: the culprit are measured again and again, so the first one pays for a part only.
SERVES = 10.0
#: Where :func:`information` is computed: at these log odds, by Gauss and Hermite's quadrature.
_ODDS: Floats = np.linspace(-20.0, 20.0, 401)
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(24)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
#: A witness is clear after (CLEAR · noise / effect)² blocks, but MOST_WITNESS are enough.
CLEAR = 2.5
MOST_WITNESS = 4.0


def below(posterior: Posterior) -> Floats:
    """F(c), the probability that the largest step is at c or before, for c = 1 … positions − 1.
    Given that there is a step. Within a gap it spreads evenly over the positions."""
    width = np.diff(posterior.bounds)
    return np.cumsum(np.repeat(posterior.largest / width, width))[:-1]


def next_candidate(posterior: Posterior, state: State) -> int | None:
    """The candidate with the most expected information for its cost; None when there is none. It is
    largest where a step before and after are equally likely: around the median of the posterior,
    which itself would be measured forever once it holds most of it."""
    bits = information(below(posterior), posterior.effect / posterior.noise)
    costs = np.full(state.task.positions - 1, 1 + 1 / SERVES)
    for candidate in state.built:
        costs[candidate - 1] = 1.0
    worth = bits * _succeeds(state) / costs
    for candidate in state.skipped:
        worth[candidate - 1] = -1.0
    best = int(np.argmax(worth)) if worth.size else 0
    return best + 1 if worth.size and worth[best] >= 0 else None


def witness(posterior: Posterior, state: State) -> int | None:
    """A candidate far from those that led to the step; None when all are measured or skipped. It
    distinguishes a step from gradual and scattered levels; candidates near the step cannot. A
    witness is measured until it is clear which end it is like."""
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
    """The mutual information, in bits, of one measurement and a coin with this probability. Heads
    have the mean of tails plus ``effect`` standard deviations of normal noise."""
    p = 1 / (1 + np.exp(-_ODDS))
    bits = np.zeros_like(p)
    ratio = np.exp(-effect * (_NODES + effect / 2))
    # For each side the mean of log(likelihood / likelihood of both), over the noise.
    for side in (p, 1 - p):
        bits -= side * (np.log2(side[:, None] + (1 - side[:, None]) * ratio) @ _WEIGHTS)
    return np.asarray(np.interp(share, p, bits, left=0.0, right=0.0))


def entropy(share: Floats) -> Floats:
    """Of a coin with this probability, in bits."""
    p = np.clip(share, 1e-12, 1 - 1e-12)
    return -(p * np.log2(p) + (1 - p) * np.log2(1 - p))


def _succeeds(state: State) -> Floats:
    """How likely each candidate is to build: seldom beside one that did not."""
    out = np.ones(state.task.positions - 1)
    for candidate in state.skipped:
        away = np.abs(np.arange(1, state.task.positions) - candidate)
        out = np.minimum(out, 1 - TOGETHER * np.exp(-away / STRETCH))
    for candidate in state.built:
        out[candidate - 1] = 1.0
    return out


#: The answer mentions a second step from this probability on.
SEVERAL = 0.9


def conclude(state: State, seen: View, outcome: Outcome) -> SearchAnswer:
    """The answer with its evidence; "culprit" needs a confirmation."""
    last = seen.tries[-1] if seen.tries else None
    where, step, several = None, None, False
    if outcome == "undecided" and seen.belief is not None:
        where = located(seen.belief, state) or likely(seen.belief)
    if outcome == "culprit" and last is not None:
        where = _at(last, seen)
        step = Interval(last.estimate, last.low, last.high, last.blocks)
        several = _several(state, seen, last)
        outcome = "culprit" if where.size == 1 else "one of"
    return SearchAnswer(
        outcome=outcome,
        ends=_ends(state, layouts=False),
        varied=_ends(state, layouts=True),
        posterior=dict(seen.belief.hypotheses) if seen.belief else {},
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
    """Whether the step explains only part of the ends' difference: what is left is certain, and
    more than the margin."""
    ends = _ends(state, layouts=attempt.layouts)
    if ends is not None:
        if abs(ends.estimate - attempt.estimate) <= math.log1p(state.task.margin):
            return False
        if attempt.low > ends.high or attempt.high < ends.low:
            return True
    belief = seen.belief
    return belief is not None and belief.hypotheses["several"] > SEVERAL * belief.step


def _placed(seen: View) -> tuple[Where, ...]:
    """Steps found as linked that vanished over layouts, while the difference did not. After the
    first such, candidates are measured over layouts, so there is at most one."""
    if seen.tested != "change" or not seen.differ:
        return ()
    failed = [t for t in seen.tries if t.layouts and t.outcome == "refuted"][:1]
    return tuple(Where(t.parent + 1, t.culprit, 1.0) for t in failed)


def _ends(state: State, *, layouts: bool) -> Interval | None:
    """The ends' log ratio from all blocks as linked or all over layouts; None without any."""
    return interval_of([o.ends for o in state.observations if o.layouts == layouts])


#: Before a candidate is built, the ends must differ this surely; once some are measured, blocks
#: of the ends alone are taken only when they are in doubt again.
DOUBT_BEFORE = 0.02
DOUBT_LATER = 0.5
#: The probability of a step, rather than a slope or scatter, before one is confirmed, and before it
#: is the answer where no layouts could be drawn. Candidates near a step never contradict it; only
#: those away from it show scatter.
LIKELY = 0.5
THERE = 0.98
#: This many further candidates that agree with the step are enough; the answer states the doubt.
WITNESSES = 4
#: Confirmations before the search gives up.
ATTEMPTS = 3


@dataclass(frozen=True)
class MeasureEnds:
    """Take a block of the two ends alone, over ``layouts`` or as linked."""

    layouts: bool


@dataclass(frozen=True)
class BuildCandidate:
    """Build a candidate: then ``built``, or ``skip`` when that fails."""

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


def observe(state: State, observation: Observation) -> State:
    """The state with one more block."""
    return replace(state, observations=(*state.observations, observation))


def built(state: State, candidate: int) -> State:
    """The state after a candidate was built."""
    return replace(state, built=state.built | {candidate})


def skip(state: State, candidate: int, reason: str) -> State:
    """The state after a candidate did not build, crashed or gave wrong results. It keeps its share
    of the posterior."""
    return replace(
        state, built=state.built - {candidate}, skipped={**state.skipped, candidate: reason}
    )


def next_step(state: State) -> Step:
    """What to do next."""
    task = state.task
    spent = task.budget is not None and len(state.observations) >= task.budget
    tries = attempts(state.observations, task.known)
    if tries and not spent and tries[-1].outcome == "open":
        last = tries[-1]
        if not {last.parent, last.culprit} & set(state.skipped):
            return Confirm(last.parent, last.culprit, last.layouts, last.number)
    seen = view(state, tries)
    if spent:
        return Done(conclude(state, seen, "undecided"))
    return _about_ends(state, seen) or _about_step(state, seen)


def _about_ends(state: State, seen: View) -> Step | None:
    """Whether the ends differ, in the right direction, and not by placement alone."""
    belief = seen.belief
    if belief is None:
        return MeasureEnds(seen.layouts)
    if belief.hypotheses["none"] >= SURE:
        placed = seen.layouts and seen.differ  # as linked they do
        return _conclude_ends(state, seen, "placement" if placed else "none")
    if belief.hypotheses["swapped"] >= SURE:
        return _conclude_ends(state, seen, "swapped")
    fresh = len(belief.bounds) == 2 and state.task.known is None
    doubt = belief.hypotheses["none"] + belief.hypotheses["swapped"]
    if doubt > (DOUBT_BEFORE if fresh else DOUBT_LATER):
        return MeasureEnds(seen.layouts)
    if seen.tested == "placement":
        return _conclude_ends(state, seen, "placement")
    if seen.tested == "undecided" and not seen.layouts:
        return MeasureEnds(layouts=True)
    return None


def _conclude_ends(
    state: State, seen: View, outcome: Literal["none", "swapped", "placement"]
) -> Step:
    """That outcome of the ends, once their intervals support it: these err with at most
    :data:`ALPHA`, which a posterior does not promise. Known ends need no interval."""
    kinds = {"none": {False, seen.layouts}, "swapped": {seen.layouts}, "placement": {False}}
    for layouts in sorted(kinds[outcome]) if state.task.known is None else ():
        ends = [o.ends for o in state.observations if o.layouts == layouts]
        supported = {
            "none": bounded(ends, ALPHA),
            "swapped": surely_above([-x for x in ends], ALPHA),
            "placement": surely_above(ends, ALPHA),
        }
        if not supported[outcome]:
            return MeasureEnds(layouts)
    return Done(conclude(state, seen, outcome))


def _about_step(state: State, seen: View) -> Step:
    """Where the step is; the ends differ."""
    belief = seen.belief
    assert belief is not None
    for outcome in _STEPLESS:
        if belief.hypotheses[outcome] >= SURE:
            between = _within_jump(state)
            done = Done(conclude(state, seen, outcome))
            return done if between is None else _measure(between, state, seen)
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
        if exact(state) and belief.step < LIKELY:
            # Every level is known, and a step explains them less well than none.
            stepless = max(_STEPLESS, key=belief.hypotheses.__getitem__)
            return Done(conclude(state, seen, stepless))
    if confirmed:
        return Done(conclude(state, seen, "culprit"))
    if len(seen.tries) >= ATTEMPTS:
        return Done(conclude(state, seen, "undecided"))
    return Confirm(where.parent, where.last, state.task.relinkable, len(seen.tries) + 1)


#: Where there is no single step.
_STEPLESS: tuple[Literal["gradual", "scattered"], ...] = ("gradual", "scattered")


def _within_jump(state: State) -> int | None:
    """The middle of the largest jump above the margin that is not of one candidate yet, where
    numbers are exact, so that each step is told by one look; None when there is none."""
    for low, high, jump in jumps(state) if exact(state) else ():
        free = [c for c in range(low + 1, high) if c not in state.skipped]
        if free and abs(jump) > math.log1p(state.task.margin):
            return free[len(free) // 2]
    return None


def _enough(state: State, confirmed: bool) -> float:
    """How surely there must be a step before it is confirmed, or the answer. Over layouts scatter
    averages out, so the confirmation needs no witness."""
    done = state.task.relinkable or witnesses(state) >= WITNESSES
    return THERE if confirmed and not done else LIKELY


def _measure(candidate: int | None, state: State, seen: View) -> Step:
    """A block of the candidate, after it is built."""
    assert candidate is not None, "a place that is not sure has a candidate to measure"
    if candidate not in state.built:
        return BuildCandidate(candidate)
    return Measure(candidate, seen.layouts)
