"""Running sums over gaps against the sum over every position, one by one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyfast.search.likelihood import BlockTable
from whyfast.search.posterior import masses, one_step, two_steps
from whyfast.search.state import BAD, GOOD, LEVELS, MIDDLE

POSITIONS = 9


@st.composite
def _tables(draw: st.DrawFn) -> BlockTable:
    candidates = tuple(sorted(draw(st.sets(st.integers(1, POSITIONS - 1), max_size=6))))
    seed = draw(st.integers(0, 10_000))
    scale = draw(st.sampled_from([0.1, 3.0, 200.0]))
    level = scale * np.random.default_rng(seed).standard_normal((2, len(candidates), len(LEVELS)))
    return BlockTable(candidates, level, level[..., 0], np.zeros(2))


def _weights(seed: int) -> tuple[float, ...]:
    return tuple(np.random.default_rng(seed).uniform(0.1, 3, POSITIONS).tolist())


def _path(table: BlockTable, levels: list[int]) -> np.ndarray:
    """Log likelihood of one level (as an index) for each candidate 0 … POSITIONS."""
    return sum((table.level[:, i, levels[c]] for i, c in enumerate(table.candidates)), np.zeros(2))


def _gap(bounds: tuple[int, ...], position: int) -> int:
    return next(i for i in range(len(bounds) - 1) if bounds[i] < position <= bounds[i + 1])


def _one(k: int) -> list[int]:
    return [BAD if c >= k else GOOD for c in range(POSITIONS + 1)]


def _two(a: int, b: int, middle: int) -> list[int]:
    return [GOOD if c < a else middle if c < b else BAD for c in range(POSITIONS + 1)]


@given(_tables(), st.integers(0, 50))
def test_one_step_is_the_sum_over_all_positions(table: BlockTable, seed: int) -> None:
    weights = _weights(seed)
    share = np.array(weights) / sum(weights)
    bounds = (0, *table.candidates, POSITIONS)
    expected = np.full((2, len(bounds) - 1), -np.inf)
    for k in range(1, POSITIONS + 1):
        gap = _gap(bounds, k)
        one = _path(table, _one(k)) + np.log(share[k - 1])
        expected[:, gap] = np.logaddexp(expected[:, gap], one)
    found = one_step(table, masses(bounds, weights))
    np.testing.assert_allclose(found.largest, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.total, np.logaddexp.reduce(expected, axis=1), atol=1e-9)


@given(_tables(), st.integers(0, 50))
def test_two_steps_are_the_sum_over_all_pairs_and_levels(table: BlockTable, seed: int) -> None:
    weights = _weights(seed)
    share = np.array(weights) / sum(weights)
    bounds = (0, *table.candidates, POSITIONS)
    pairs = list(combinations(range(1, POSITIONS + 1), 2))
    norm = sum(share[a - 1] * share[b - 1] for a, b in pairs)
    largest = np.full((2, len(bounds) - 1), -np.inf)
    some = largest.copy()
    for a, b in pairs:
        prior = np.log(share[a - 1] * share[b - 1] / norm / len(MIDDLE))
        for middle in MIDDLE:
            one = _path(table, _two(a, b, middle)) + prior
            first = abs(LEVELS[middle]) >= abs(1 - LEVELS[middle])
            at = _gap(bounds, a if first else b)
            largest[:, at] = np.logaddexp(largest[:, at], one)
            for gap in {_gap(bounds, a), _gap(bounds, b)}:
                some[:, gap] = np.logaddexp(some[:, gap], one)
    found = two_steps(table, masses(bounds, weights))
    np.testing.assert_allclose(found.largest, largest, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(found.some, some, rtol=1e-7, atol=1e-7)


def test_one_position_has_room_for_one_step_only() -> None:
    mass = masses((0, 1), None)
    assert np.exp(mass.one).tolist() == [1.0]
    assert mass.both.tolist() == [-np.inf]


def test_without_blocks_the_gaps_weigh_what_their_positions_do() -> None:
    mass = masses((0, 2, 8), (1, 1, 1, 1, 1, 1, 1, 3))
    assert np.exp(mass.one).tolist() == pytest.approx([0.2, 0.8])
