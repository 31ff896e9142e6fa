"""Whole searches in worlds with a known answer, step by step."""

from collections.abc import Callable

import numpy as np
import pytest
from tests.unit.search.worlds import Range, block, place, step_at

from whyfast.search import engine
from whyfast.search.state import (
    KnownEnds,
    Observation,
    Pair,
    SearchAnswer,
    State,
    Task,
    jumps,
    remainders,
)


def _answer(world: Range, task: Task) -> SearchAnswer:
    step = world.search(task)[1]
    assert isinstance(step, engine.Done)
    return step.answer


def _kinds(world: Range) -> list[str]:
    """The steps, runs of the same kind as one."""
    out: list[str] = []
    for step in world.steps:
        name = type(step).__name__
        if not out or out[-1] != name:
            out.append(name)
    return out


def test_without_noise_the_ends_come_first_then_candidates_by_halves() -> None:
    world = Range(step_at(5, 8, 0.05))
    answer = _answer(world, Task(8))
    assert world.steps[:11] == [
        *[engine.MeasureEnds(layouts=False)] * 4,
        engine.BuildCandidate(4),
        engine.Measure(4, layouts=False),
        engine.BuildCandidate(6),
        engine.Measure(6, layouts=False),
        engine.BuildCandidate(5),
        engine.Measure(5, layouts=False),
        engine.Confirm(4, 5, layouts=False, attempt=1),
    ]
    assert place(answer) == ("culprit", 5, 5)
    assert answer.where is not None
    assert answer.where.parent == 4
    assert answer.step is not None
    assert answer.step.estimate == pytest.approx(0.05)
    assert answer.tested == "not tested"
    assert not answer.several


def test_further_candidates_bear_witness_that_it_is_a_step() -> None:
    world = Range(step_at(300, 1024, 0.05), noise=0.008, seed=1)
    _answer(world, Task(1024))
    last = max(i for i, s in enumerate(world.steps) if isinstance(s, engine.Confirm))
    witnesses = [s.candidate for s in world.steps[last:] if isinstance(s, engine.BuildCandidate)]
    assert 1 <= len(witnesses) <= 4
    assert all(abs(c - 300) > 20 for c in witnesses)


@pytest.mark.parametrize("at", [1, 2, 511, 1023, 1024])
def test_a_step_is_found_wherever_it_is(at: int) -> None:
    answer = _answer(Range(step_at(at, 1024, 0.05), noise=0.01, seed=at), Task(1024))
    assert place(answer) == ("culprit", at, at)


def test_a_range_of_one_needs_no_candidate() -> None:
    world = Range([0.0, 0.05], noise=0.005)
    answer = _answer(world, Task(1))
    assert _kinds(world) == ["MeasureEnds", "Confirm"]
    assert place(answer) == ("culprit", 1, 1)


def test_candidates_that_do_not_build_leave_a_set() -> None:
    broken = frozenset(range(290, 300))
    world = Range(step_at(295, 1024, 0.05), noise=0.008, seed=2, broken=broken)
    state, step = world.search(Task(1024))
    assert isinstance(step, engine.Done)
    answer = step.answer
    assert place(answer) == ("one of", 290, 300)
    assert answer.where is not None
    assert answer.where.size == 11
    assert set(state.skipped) <= broken
    assert not [s for s in world.steps if isinstance(s, engine.Measure) and s.candidate in broken]


def test_when_nothing_between_the_ends_builds_the_answer_is_all_of_it() -> None:
    world = Range(step_at(3, 6, 0.05), noise=0.005, broken=frozenset(range(1, 6)))
    assert place(_answer(world, Task(6))) == ("one of", 1, 6)


def test_a_candidate_that_crashes_while_confirming_widens_the_place() -> None:
    world = Range(step_at(300, 1024, 0.05), noise=0.008, seed=3)
    state, step = world.search(Task(1024), stop=lambda s: any(o.pair for o in s.observations))
    assert step == engine.Confirm(299, 300, layouts=False, attempt=1)
    state = engine.skip(state, 300, "crashed")
    while not isinstance(step := engine.next_step(state), engine.Done):
        state = world.react(state, step)
    assert place(step.answer) == ("one of", 300, 301)


def test_ends_that_do_not_differ_are_told_before_anything_is_built() -> None:
    world = Range(step_at(2000, 1024, 0.0), noise=0.004, seed=1)
    answer = _answer(world, Task(1024))
    assert (answer.outcome, answer.where) == ("none", None)
    assert _kinds(world) == ["MeasureEnds"]
    assert answer.ends is not None
    assert answer.ends.low < 0 < answer.ends.high
    assert answer.posterior["none"] > 0.99


def test_swapped_ends_are_told_before_anything_is_built() -> None:
    world = Range(step_at(300, 1024, -0.05), noise=0.004, seed=1)
    assert _answer(world, Task(1024)).outcome == "swapped"
    assert _kinds(world) == ["MeasureEnds"]


SLOPE = [0.05 * c / 256 for c in range(257)]
SCATTER = [0.0, *(0.05 * np.random.default_rng(4).integers(0, 2, 257)).tolist()[1:-1], 0.05]
SAME, KNOWN = step_at(2000, 1024, 0.0), KnownEnds(3.0, 1.0)


@pytest.mark.parametrize(
    ("world", "task", "outcome"),
    [
        (Range(SAME, noise=0.8, seed=1), Task(1024, known=KNOWN), "none"),
        (Range(SLOPE, noise=0.005, seed=1), Task(256), "gradual"),
        (Range(SCATTER, noise=0.008, seed=5), Task(256), "scattered"),
    ],
    ids=["known ends that turn out to be the same", "a slope", "scatter without relinking"],
)
def test_without_a_step_no_candidate_is_named(world: Range, task: Task, outcome: str) -> None:
    answer = _answer(world, task)
    assert (answer.outcome, answer.where, answer.tested) == (outcome, None, "not tested")


def test_each_step_of_counts_is_found_where_there_are_several() -> None:
    steps = (40, 101, 170, 233)
    world = Range([0.02 * sum(c >= step for step in steps) for c in range(257)])
    state = State(Task(256))
    while not isinstance(step := engine.next_step(state), engine.Done):
        state = world.react(state, step)
    assert step.answer.outcome in ("gradual", "scattered")
    assert {(a, b) for a, b, jump in jumps(state) if jump > 0.01} == {(s - 1, s) for s in steps}
    assert len(state.built) < 60


def test_counts_that_go_back_and_forth_have_no_culprit_once_all_are_known() -> None:
    world = Range([0.0, 0.0, 0.0004, 0.005, 0.017, 0.053, 0.053, 0.121, 0.146, 0.003, 0.0165])
    answer = _answer(world, Task(10))
    assert (answer.outcome, answer.where) == ("scattered", None)


def test_a_drop_and_its_partial_repair_are_told() -> None:
    levels = [0.0 if c < 100 else 0.09 if c < 200 else 0.05 for c in range(257)]
    answer = _answer(Range(levels, noise=0.008, seed=1), Task(256))
    assert place(answer) == ("culprit", 100, 100)
    assert answer.several
    assert answer.step is not None
    assert answer.step.low > 0.06
    assert remainders(answer, 256) == ((0, 99), (100, 256))


@pytest.mark.parametrize(("rest", "several"), [(0.005, False), (0.03, True)])
def test_what_is_left_of_counts_matters_beyond_the_margin(rest: float, several: bool) -> None:
    levels = [0.0 if c < 100 else 0.5 if c < 200 else 0.5 + rest for c in range(257)]
    answer = _answer(Range(levels), Task(256, margin=0.01))
    assert place(answer) == ("culprit", 100, 100)
    assert answer.several == several


def test_the_budget_ends_a_search_with_what_is_likely() -> None:
    world = Range(step_at(300, 1024, 0.02), noise=0.01, seed=1)
    answer = _answer(world, Task(1024, budget=20))
    outcome, first, last = place(answer)
    assert outcome == "undecided"
    assert first <= 300 <= last
    assert answer.step is None


def _placed(at: int, effect: float, positions: int = 256) -> Range:
    """A commit that only moves code: as linked a step, over layouts none."""
    return Range(
        step_at(at, positions, effect),
        noise=0.005,
        seed=at,
        true=[0.0] * (positions + 1),
        spread=effect / 2,
    )


def test_a_commit_that_only_moves_code_is_placement_and_nothing_is_built() -> None:
    world = _placed(90, 0.06)
    answer = _answer(world, Task(256, relinkable=True))
    assert (answer.outcome, answer.tested) == ("placement", "placement")
    assert _kinds(world) == ["MeasureEnds"]
    assert answer.varied is not None
    assert answer.varied.low < 0 < answer.varied.high


@pytest.mark.parametrize(
    ("decoy", "noise", "spread", "over_layouts", "placed"),
    [
        (lambda c: 0.06 * (c >= 90), 0.005, 0.02, {True}, []),
        (lambda c: -0.03 * (c >= 90), 0.005, 0.01, {True}, []),
        (lambda c: 0.03 * (90 <= c < 150), 0.003, 0.004, {False, True}, [90]),
    ],
    ids=["beside the step", "it hides the step", "it is undone later"],
)
def test_a_decoy_as_linked_does_not_hide_the_true_step(
    decoy: Callable[[int], float],
    noise: float,
    spread: float,
    over_layouts: set[bool],
    placed: list[int],
) -> None:
    linked = [0.03 * (c >= 200) + decoy(c) for c in range(257)]
    world = Range(linked, noise, 1, true=step_at(200, 256, 0.03), spread=spread)
    answer = _answer(world, Task(256, relinkable=True))
    assert place(answer) == ("culprit", 200, 200)
    assert {s.layouts for s in world.steps if isinstance(s, engine.Measure)} == over_layouts
    assert [p.first for p in answer.placed] == placed


def test_a_confirmation_is_apart_from_what_chose_its_candidates() -> None:
    world = Range(step_at(300, 1024, 0.05), noise=0.01, seed=7)
    state, _ = world.search(Task(1024), stop=lambda s: any(o.pair for o in s.observations))
    before = engine.next_step(state)
    # Blocks that contradict everything change nothing until the confirmation has failed.
    wrong = block({0: 0.0, 299: 0.05, 300: 0.0, 1024: 0.05}, 1024, pair=(299, 300, 1))
    for _ in range(3):
        state = engine.observe(state, wrong)
        assert engine.next_step(state) == before


def test_a_refuted_confirmation_becomes_evidence_and_the_search_goes_on() -> None:
    world = Range(step_at(300, 1024, 0.05), noise=0.01, seed=7)
    state, step = world.search(Task(1024), stop=lambda s: any(o.pair for o in s.observations))
    assert step == engine.Confirm(299, 300, layouts=False, attempt=1)
    # In truth both are slow: the step is elsewhere.
    for i in range(30):
        jitter = 0.002 * (-1) ** i
        times = {0: 0.0, 299: 0.05, 300: 0.05 + jitter, 1024: 0.05}
        state = engine.observe(state, block(times, 1024, pair=(299, 300, 1)))
        if not isinstance(engine.next_step(state), engine.Confirm):
            break
    step = engine.next_step(state)
    assert isinstance(step, engine.BuildCandidate | engine.Measure)
    assert step.candidate < 299


def test_a_search_that_is_never_confirmed_ends_undecided() -> None:
    flat = [Pair(4, 5, attempt, jump) for attempt in (1, 2, 3) for jump in (0.001, -0.001) * 15]
    ends = [0.05, 0.051, 0.049, 0.05]
    state = State(
        Task(8),
        (
            *(Observation(e) for e in ends),
            *(block({0: 0, c: 0.05 * (c > 4), 8: 0.05}, 8) for c in (4, 5, 6) * 20),
            *(Observation(0.05, pair=p) for p in flat),
        ),
        built=frozenset({4, 5, 6}),
    )
    step = engine.next_step(state)
    assert isinstance(step, engine.Done)
    assert step.answer.outcome == "undecided"


def test_what_is_built_already_costs_no_build() -> None:
    task = Task(64, known=KnownEnds(0.05, 0.008))
    assert engine.next_step(State(task)) == engine.BuildCandidate(32)
    assert engine.next_step(engine.built(State(task), 30)) == engine.Measure(30, layouts=False)
    assert engine.next_step(engine.built(State(task), 32)) == engine.Measure(32, layouts=False)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Task(0), "at least one position"),
        (lambda: Task(4, margin=0.0), "margin must be above 0"),
        (lambda: KnownEnds(0.0, 1.0), "above 0"),
        (lambda: Observation(float("nan")), "finite"),
    ],
)
def test_impossible_tasks_and_blocks_are_refused(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match=message):
        make()
