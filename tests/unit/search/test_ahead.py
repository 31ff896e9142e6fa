"""What a search is likely to want next."""

from __future__ import annotations

from whyfast.search.ahead import likely_next, likely_subsets
from whyfast.search.ddmin import Differences, Try, next_try
from whyfast.search.engine import BuildCandidate, begin, built, next_step, observe, skip
from whyfast.search.state import Observation, Reading, State, Task
from whyfast.search.subsets import Trial

EFFECT = 0.1


def ends_seen(positions: int) -> State:
    """A search that is about to build the middle."""
    state = begin(Task(positions))
    while not isinstance(next_step(state), BuildCandidate):
        state = observe(state, Observation(EFFECT))
    return state


def test_before_anything_was_seen_the_middle_then_the_quarters_then_the_eighths() -> None:
    first = list(likely_next(begin(Task(16))))[:7]
    assert first == [8, 12, 4, 14, 10, 6, 2]


def test_the_one_that_is_wanted_now_is_not_among_them() -> None:
    state = ends_seen(16)
    assert next_step(state) == BuildCandidate(8)
    assert list(likely_next(state))[:2] == [12, 4]


def test_what_is_measured_decides_which_half_comes_next() -> None:
    state = built(ends_seen(16), 8)
    for like_bad in (True, False):
        reading = Reading(8, EFFECT, 0.0) if like_bad else Reading(8, 0.0, -EFFECT)
        seen = state
        while not isinstance(next_step(seen), BuildCandidate):
            seen = observe(seen, Observation(EFFECT, (reading,)))
        near = list(likely_next(seen))[:2]
        assert near == ([6, 2] if like_bad else [14, 10])


def test_what_cannot_be_built_and_what_is_built_is_not_foreseen() -> None:
    state = skip(built(ends_seen(16), 12), 4, "does not build")
    assert not {4, 12} & set(likely_next(state))


def test_the_subsets_of_a_search_for_a_set() -> None:
    task = Differences(8)
    events: tuple[Trial, ...] = ()
    while True:
        wanted = next_try(task, events)
        assert isinstance(wanted, Try)
        if wanted.subset is not None:
            break
        events = (*events, Trial(EFFECT))
    assert wanted.subset == frozenset(range(4))
    assert list(likely_subsets(task, events))[:2] == [frozenset(range(6)), frozenset(range(2))]
