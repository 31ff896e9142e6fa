"""One search from begin to end in a simulated world."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from bench.search.world import World
from whyfast.search.engine import (
    BuildCandidate,
    Confirm,
    Done,
    Measure,
    MeasureEnds,
    built,
    next_step,
    observe,
    skip,
)
from whyfast.search.state import SearchAnswer, State, Task


@dataclass(frozen=True)
class Played:
    """The answer, and what it took.

    ``measured``: blocks with a candidate until the place was first found, ``later``: after that.
    ``ends``: blocks of the ends alone. ``confirming``: blocks of culprit and parent. ``built`` and
    ``failed``: builds until the place was found, ``built_later`` after that. ``found``: that place.
    """

    answer: SearchAnswer
    measured: int
    later: int
    ends: int
    confirming: int
    built: int
    failed: int
    built_later: int
    found: tuple[int, int] | None


def play(world: World, task: Task) -> Played:
    """Search until done."""
    state: State = State(task)
    took = Counter[str]()
    found = None
    while True:
        step = next_step(state)
        later = "later" if found else ""
        match step:
            case Done(answer):
                break
            case MeasureEnds(layouts):
                took["ends"] += 1
                state = observe(state, world.observe((), layouts))
            case BuildCandidate(candidate) if candidate in world.broken:
                took["failed"] += 1
                state = skip(state, candidate, "does not build")
            case BuildCandidate(candidate):
                took["built" + later] += 1
                state = built(state, candidate)
            case Measure(candidate, layouts):
                took["measured" + later] += 1
                state = observe(state, world.observe((candidate,), layouts))
            case Confirm(parent, culprit, layouts, attempt):
                took["confirming"] += 1
                found = found or (parent + 1, culprit)
                block = world.observe((parent, culprit), layouts, (parent, culprit, attempt))
                state = observe(state, block)
    return Played(
        answer=answer,
        measured=took["measured"],
        later=took["measuredlater"],
        ends=took["ends"],
        confirming=took["confirming"],
        built=took["built"],
        failed=took["failed"],
        built_later=took["builtlater"],
        found=found,
    )
