"""One search from begin to end in a simulated world."""

from __future__ import annotations

from dataclasses import dataclass

from bench.search.world import World
from whyfast.search.answer import Answer
from whyfast.search.engine import (
    Build,
    Confirm,
    Done,
    Measure,
    MeasureEnds,
    begin,
    built,
    next_step,
    observe,
    skip,
)
from whyfast.search.state import State, Task


@dataclass(frozen=True)
class Played:
    """The answer, and what it took: blocks with a candidate, of the ends alone, to confirm;
    candidates built, and builds that failed. ``found``: the place before it was confirmed."""

    answer: Answer
    measured: int
    ends: int
    confirming: int
    built: int
    failed: int
    found: tuple[int, int] | None


def play(world: World, task: Task) -> Played:
    """Search until done."""
    state: State = begin(task)
    measured = ends = confirming = made = failed = 0
    found = None
    while True:
        step = next_step(state)
        match step:
            case Done(answer):
                return Played(answer, measured, ends, confirming, made, failed, found)
            case MeasureEnds(layouts):
                ends += 1
                state = observe(state, world.observe((), layouts))
            case Build(candidate):
                if candidate in world.broken:
                    failed += 1
                    state = skip(state, candidate, "does not build")
                else:
                    made += 1
                    state = built(state, candidate)
            case Measure(candidate, layouts):
                measured += 1
                state = observe(state, world.observe((candidate,), layouts))
            case Confirm(parent, culprit, layouts, attempt):
                confirming += 1
                found = found or (parent + 1, culprit)
                block = world.observe((parent, culprit), layouts, (parent, culprit, attempt))
                state = observe(state, block)
