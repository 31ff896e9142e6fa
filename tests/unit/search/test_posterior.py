"""The posterior over hypotheses and positions, and the likelihood of one step and of two."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.search.worlds import Range, step_at

from whyfast.search.posterior import BlockTable, Posterior, masses, one_step, posterior, two_steps
from whyfast.search.state import BAD, GOOD, LEVELS, MIDDLE, KnownEnds, Observation, Reading, Task

KNOWN = Task(16, known=KnownEnds(4.0, 1.0))


def _seen(*readings: tuple[int, float], ends: float = 4.0) -> tuple[Observation, ...]:
    """Blocks by candidate and its offset from the middle of the ends."""
    return tuple(
        Observation(ends, (Reading(c, offset + ends / 2, offset - ends / 2),))
        for c, offset in readings
    )


def _at(belief: Posterior, low: int, high: int) -> float:
    gaps = zip(belief.bounds, belief.bounds[1:], belief.largest, strict=False)
    return float(sum(mass for a, b, mass in gaps if low < b and a < high))


def test_before_any_block_the_posterior_is_the_prior() -> None:
    belief = posterior((), KNOWN)
    assert belief.bounds == (0, 16)
    assert belief.largest.tolist() == [1.0]
    assert dict(belief.of) == pytest.approx(
        {
            "none": 0.1,
            "swapped": 0.02,
            "single": 0.88 * 0.8,
            "several": 0.88 * 0.08,
            "gradual": 0.88 * 0.02,
            "scattered": 0.88 * 0.1,
        }
    )


def test_a_block_moves_the_step_to_one_side_of_its_candidate() -> None:
    bad, good = (posterior(_seen((8, offset)), KNOWN) for offset in (2.0, -2.0))
    assert bad.bounds == good.bounds == (0, 8, 16)
    assert bad.largest[0] > 0.98
    assert good.largest[1] > 0.98


def test_evidence_only_accumulates_and_its_order_does_not_matter() -> None:
    seen = _seen((8, 1.4), (4, -1.8), (6, -2.5), (7, 0.3), (7, 2.2))
    one, other = posterior(seen, KNOWN), posterior(tuple(reversed(seen)), KNOWN)
    assert one.bounds == other.bounds
    np.testing.assert_allclose(one.largest, other.largest, rtol=1e-9)
    assert dict(one.of) == pytest.approx(dict(other.of))


def test_ends_that_do_not_differ_in_any_block_are_none() -> None:
    belief = posterior(_seen((8, 0.1), (4, -0.3), (12, 0.2), ends=0.1), KNOWN)
    assert belief.of["none"] > 0.99


def test_levels_between_those_of_the_ends_are_two_steps() -> None:
    seen = 3 * _seen((4, -2), (6, -2), (8, 0.1), (9, 0), (10, -0.1), (11, 0), (13, 2), (14, 2))
    belief = posterior(seen, KNOWN)
    assert belief.of["several"] > 0.9
    # One of the steps is between 6 and 8, the other between 11 and 13.
    assert belief.some[belief.bounds.index(6)] > 0.9
    assert belief.some[belief.bounds.index(11)] > 0.9


def test_a_partial_repair_is_two_steps_and_the_drop_is_the_larger() -> None:
    seen = 3 * _seen((3, -2), (6, 4), (8, 4), (9, 4), (12, 2), (14, 2))
    belief = posterior(seen, KNOWN)
    assert belief.of["several"] > 0.99
    assert _at(belief, 3, 6) > 0.95


def test_levels_that_grow_evenly_are_gradual() -> None:
    seen = _seen(*((c, 4 * (c / 16 - 0.5)) for c in range(1, 16)))
    assert posterior(seen, KNOWN).of["gradual"] > 0.99


def test_levels_without_any_order_are_scattered() -> None:
    offsets = (2, -2, 2, 2, -2, -2, 2, -2)
    seen = _seen(*((2 * i + 1, float(u)) for i, u in enumerate(offsets)))
    assert posterior(seen, KNOWN).of["scattered"] > 0.9


def test_unknown_effect_and_noise_come_out_of_the_ends() -> None:
    world = Range(step_at(300, 1024, 0.03), noise=0.006, seed=3)
    seen = tuple(world.take((512,), False) for _ in range(30))
    belief = posterior(seen, Task(1024))
    assert belief.effect == pytest.approx(0.03, abs=0.004)
    assert belief.noise == pytest.approx(0.006 * np.sqrt(1.5), rel=0.3)
    assert _at(belief, 0, 512) > 0.999


@given(
    st.lists(st.tuples(st.integers(1, 15), st.floats(-12, 12)), max_size=12),
    st.floats(-12, 12),
)
def test_probabilities_are_such(readings: list[tuple[int, float]], ends: float) -> None:
    belief = posterior(_seen(*readings, ends=ends), KNOWN)
    assert sum(belief.of.values()) == pytest.approx(1)
    assert float(belief.largest.sum()) == pytest.approx(1)
    assert np.all(belief.some >= 0)
    assert np.all(belief.some <= belief.step + 1e-9)


@given(st.lists(st.tuples(st.integers(1, 15), st.floats(-6, 6)), min_size=1, max_size=8))
def test_reading_the_range_backwards_mirrors_the_posterior(
    readings: list[tuple[int, float]],
) -> None:
    """Exchanging the ends and turning the order around is the same question."""
    ahead = posterior(_seen(*readings), KNOWN)
    back = posterior(_seen(*((16 - c, -u) for c, u in readings)), KNOWN)
    assert back.bounds == tuple(16 - b for b in reversed(ahead.bounds))
    np.testing.assert_allclose(back.some, ahead.some[::-1], rtol=1e-6, atol=1e-12)


# ---- One step and two.

POSITIONS = 9


@st.composite
def _tables(draw: st.DrawFn) -> BlockTable:
    candidates = tuple(sorted(draw(st.sets(st.integers(1, POSITIONS - 1), max_size=6))))
    seed = draw(st.integers(0, 10_000))
    scale = draw(st.sampled_from([0.1, 3.0, 200.0]))
    level = scale * np.random.default_rng(seed).standard_normal((2, len(candidates), len(LEVELS)))
    return BlockTable(candidates, level, level[..., 0], np.zeros(2))


def _path(table: BlockTable, levels: list[int]) -> np.ndarray:
    """Log likelihood of one level (as an index) for each candidate 0 … POSITIONS."""
    return sum((table.level[:, i, levels[c]] for i, c in enumerate(table.candidates)), np.zeros(2))


def _gap(bounds: tuple[int, ...], position: int) -> int:
    return next(i for i in range(len(bounds) - 1) if bounds[i] < position <= bounds[i + 1])


def _one(k: int) -> list[int]:
    return [BAD if c >= k else GOOD for c in range(POSITIONS + 1)]


def _two(a: int, b: int, middle: int) -> list[int]:
    return [GOOD if c < a else middle if c < b else BAD for c in range(POSITIONS + 1)]


@given(_tables())
def test_one_step_is_the_sum_over_all_positions(table: BlockTable) -> None:
    bounds = (0, *table.candidates, POSITIONS)
    expected = np.full((2, len(bounds) - 1), -np.inf)
    for k in range(1, POSITIONS + 1):
        gap = _gap(bounds, k)
        one = _path(table, _one(k)) + np.log(1 / POSITIONS)
        expected[:, gap] = np.logaddexp(expected[:, gap], one)
    found = one_step(table, masses(bounds))
    np.testing.assert_allclose(found.largest, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.total, np.logaddexp.reduce(expected, axis=1), atol=1e-9)


@given(_tables())
def test_two_steps_are_the_sum_over_all_pairs_and_levels(table: BlockTable) -> None:
    bounds = (0, *table.candidates, POSITIONS)
    pairs = list(combinations(range(1, POSITIONS + 1), 2))
    largest = np.full((2, len(bounds) - 1), -np.inf)
    some = largest.copy()
    for a, b in pairs:
        for middle in MIDDLE:
            one = _path(table, _two(a, b, middle)) - np.log(len(pairs) * len(MIDDLE))
            first = abs(LEVELS[middle]) >= abs(1 - LEVELS[middle])
            at = _gap(bounds, a if first else b)
            largest[:, at] = np.logaddexp(largest[:, at], one)
            for gap in {_gap(bounds, a), _gap(bounds, b)}:
                some[:, gap] = np.logaddexp(some[:, gap], one)
    found = two_steps(table, masses(bounds))
    np.testing.assert_allclose(found.largest, largest, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(found.some, some, rtol=1e-7, atol=1e-7)


def test_one_position_has_room_for_one_step_only() -> None:
    mass = masses((0, 1))
    assert np.exp(mass.one).tolist() == [1.0]
    assert mass.both.tolist() == [-np.inf]


def test_without_blocks_the_gaps_weigh_what_their_positions_do() -> None:
    assert np.exp(masses((0, 2, 8)).one).tolist() == pytest.approx([0.25, 0.75])
