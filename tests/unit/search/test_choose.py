"""The next candidate: near the middle of the posterior, and cheap."""

from __future__ import annotations

import numpy as np
import pytest
from bench.search.bound import capacity
from hypothesis import given
from hypothesis import strategies as st

from whyfast.search.engine import below, entropy, information, next_candidate, witness, witnesses
from whyfast.search.posterior import Posterior
from whyfast.search.state import Hypothesis, Observation, Pair, Reading, State, Task

_OF: dict[Hypothesis, float] = {
    "none": 0.0,
    "swapped": 0.0,
    "single": 1.0,
    "several": 0.0,
    "gradual": 0.0,
    "scattered": 0.0,
}


def _belief(bounds: tuple[int, ...], largest: list[float]) -> Posterior:
    mass = np.array(largest)
    return Posterior(_OF, bounds, mass, mass, effect=2.0, noise=1.0)


def test_the_first_candidate_is_the_middle() -> None:
    assert next_candidate(_belief((0, 1024), [1.0]), State(Task(1024))) == 512


def test_a_step_that_holds_most_of_the_posterior_is_asked_from_its_likelier_wrong_side() -> None:
    # The step is at 5 with 90 %. Were 5 asked for ever, its answer would be known beforehand.
    left = _belief((0, 4, 5, 10), [0.07, 0.9, 0.03])
    right = _belief((0, 4, 5, 10), [0.03, 0.9, 0.07])
    built = frozenset({4, 5})
    assert next_candidate(left, State(Task(10), built=built)) == 4
    assert next_candidate(right, State(Task(10), built=built)) == 5


def test_a_candidate_already_built_is_preferred_as_far_as_it_saves() -> None:
    belief = _belief((0, 10, 20), [0.3, 0.7])  # the half lies at about 13
    assert next_candidate(belief, State(Task(20), built=frozenset({12}))) == 12
    assert next_candidate(belief, State(Task(20), built=frozenset({5}))) == 13


def test_a_skipped_candidate_is_never_chosen_and_its_neighbours_seldom() -> None:
    state = State(Task(64), skipped={32: "does not build"})
    chosen = next_candidate(_belief((0, 64), [1.0]), state)
    assert chosen is not None
    assert 4 <= abs(chosen - 32) <= 16


def test_with_all_candidates_skipped_there_is_none_to_choose() -> None:
    state = State(Task(3), skipped={1: "no", 2: "no"})
    assert next_candidate(_belief((0, 3), [1.0]), state) is None
    assert next_candidate(_belief((0, 1), [1.0]), State(Task(1))) is None


def test_within_a_gap_every_position_is_as_likely() -> None:
    expected = [0.15, 0.3, 0.65]
    assert below(_belief((0, 2, 4), [0.3, 0.7])).tolist() == pytest.approx(expected)


@given(
    st.lists(st.floats(0.001, 1), min_size=2, max_size=30),
    st.data(),
)
def test_at_one_cost_the_choice_is_next_to_the_median(
    masses: list[float], data: st.DataObject
) -> None:
    largest = np.array(masses) / sum(masses)
    belief = _belief(tuple(range(len(masses) + 1)), largest.tolist())
    state = State(Task(len(masses)), built=frozenset(range(1, len(masses))))
    share = np.cumsum(largest)
    median = int(np.searchsorted(share, 0.5)) + 1
    chosen = next_candidate(belief, state)
    assert chosen in (median, median - 1)
    assert chosen is not None
    others = [abs(float(share[c - 1]) - 0.5) for c in (median, median - 1) if 0 < c < len(masses)]
    assert abs(float(share[chosen - 1]) - 0.5) <= min(others) + 1e-9


def test_entropy_is_that_of_a_coin() -> None:
    assert entropy(np.array([0.5, 0.11, 0.0])).tolist() == pytest.approx(
        [1.0, 0.49992, 0.0], abs=1e-5
    )


def _measured(candidate: int) -> Observation:
    return Observation(2.0, (Reading(candidate, 2.0, 0.0),))


def test_a_witness_is_far_from_all_that_were_measured() -> None:
    belief = _belief((0, 50, 51, 52, 100), [0, 1, 0, 0])
    assert witness(belief, State(Task(100))) == 25
    assert witness(belief, State(Task(100), skipped={25: "no"})) == 76


def test_a_witness_is_measured_until_it_is_clear() -> None:
    belief = _belief((0, 25, 50, 51, 52, 100), [0, 0, 1, 0, 0])
    state = State(Task(100), (_measured(25),), built=frozenset({25}))
    assert witness(belief, state) == 25  # at 2σ, twice
    state = State(Task(100), (_measured(25), _measured(25)), built=frozenset({25}))
    assert witness(belief, state) == 76


def test_no_witness_is_left_when_all_are_measured() -> None:
    assert witness(_belief((0, 1, 2, 3), [0, 1, 0]), State(Task(3))) is None


def test_witnesses_are_those_measured_first_after_a_confirmation() -> None:
    confirmed = Observation(2.0, pair=Pair(50, 51, 1, 2.0))
    seen = (_measured(50), _measured(51), confirmed, _measured(25), _measured(25), _measured(50))
    assert witnesses(State(Task(100), seen)) == 1
    assert witnesses(State(Task(100), seen[:2])) == 0


def test_information_is_the_entropy_where_there_is_no_noise() -> None:
    share = np.array([0.0, 0.01, 0.3, 0.5, 0.9, 1.0])
    assert information(share, 40.0).tolist() == pytest.approx(
        [0.0, *entropy(share[1:5]).tolist(), 0.0], abs=1e-3
    )


def test_information_of_an_even_coin_is_the_capacity_of_the_bound() -> None:
    for effect in (0.5, 1.0, 2.0, 4.0):
        (told,) = information(np.array([0.5]), effect)
        assert told == pytest.approx(capacity(effect), abs=1e-3)


@given(st.floats(0.001, 0.999), st.floats(0.1, 8.0))
def test_information_is_less_than_entropy_and_does_not_know_sides(
    share: float, effect: float
) -> None:
    one, other = information(np.array([share, 1 - share]), effect)
    assert one == pytest.approx(other, abs=1e-6)
    assert 0 < one <= float(entropy(np.array([share]))[0]) + 1e-4
