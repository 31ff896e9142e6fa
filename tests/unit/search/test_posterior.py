"""The posterior over hypotheses and positions, and the likelihood of one step and of two. The
likelihood of blocks, sums of logarithms, and the grid of effect and noise."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.search.worlds import Range, step_at

from whyfast.search import state
from whyfast.search.posterior import (
    DISTURBED,
    ENDS_NOISE,
    FEWEST,
    BlockTable,
    Posterior,
    doubt,
    grid,
    log_block,
    log_candidate,
    log_disturbed,
    log_ends,
    log_running,
    log_sum,
    masses,
    normal,
    one_step,
    posterior,
    robust_noise,
    two_steps,
    wide,
)

KNOWN = state.Task(16, known=state.KnownEnds(4.0, 1.0))


def _seen(*readings: tuple[int, float], ends: float = 4.0) -> tuple[state.Observation, ...]:
    """Blocks by candidate and its offset from the middle of the ends."""
    return tuple(
        state.Observation(ends, (state.Reading(c, offset + ends / 2, offset - ends / 2),))
        for c, offset in readings
    )


def _at(belief: Posterior, low: int, high: int) -> float:
    gaps = zip(belief.bounds, belief.bounds[1:], belief.largest, strict=False)
    return float(sum(mass for a, b, mass in gaps if low < b and a < high))


def test_before_any_block_the_posterior_is_the_prior() -> None:
    belief = posterior((), KNOWN)
    assert belief.bounds == (0, 16)
    assert belief.largest.tolist() == [1.0]
    assert dict(belief.hypotheses) == pytest.approx(
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
    assert dict(one.hypotheses) == pytest.approx(dict(other.hypotheses))


def test_levels_between_those_of_the_ends_are_two_steps() -> None:
    seen = 3 * _seen((4, -2), (6, -2), (8, 0.1), (9, 0), (10, -0.1), (11, 0), (13, 2), (14, 2))
    belief = posterior(seen, KNOWN)
    assert belief.hypotheses["several"] > 0.9
    # One of the steps is between 6 and 8, the other between 11 and 13.
    assert belief.some[belief.bounds.index(6)] > 0.9
    assert belief.some[belief.bounds.index(11)] > 0.9


def test_a_partial_repair_is_two_steps_and_the_drop_is_the_larger() -> None:
    seen = 3 * _seen((3, -2), (6, 4), (8, 4), (9, 4), (12, 2), (14, 2))
    belief = posterior(seen, KNOWN)
    assert belief.hypotheses["several"] > 0.99
    assert _at(belief, 3, 6) > 0.95


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("none", _seen((8, 0.1), (4, -0.3), (12, 0.2), ends=0.1)),
        ("gradual", _seen(*((c, 4 * (c / 16 - 0.5)) for c in range(1, 16)))),
        ("scattered", _seen(*zip(range(1, 17, 2), (2, -2, 2, 2, -2, -2, 2, -2), strict=True))),
    ],
)
def test_hypotheses_without_a_step(
    name: state.Hypothesis, seen: tuple[state.Observation, ...]
) -> None:
    assert posterior(seen, KNOWN).hypotheses[name] > 0.9


def test_unknown_effect_and_noise_come_out_of_the_ends() -> None:
    world = Range(step_at(300, 1024, 0.03), noise=0.006, seed=3)
    seen = tuple(world.take((512,), False) for _ in range(30))
    belief = posterior(seen, state.Task(1024))
    assert belief.effect == pytest.approx(0.03, abs=0.004)
    assert belief.noise == pytest.approx(0.006 * np.sqrt(1.5), rel=0.3)
    assert _at(belief, 0, 512) > 0.999


@given(st.lists(st.tuples(st.integers(1, 15), st.floats(-12, 12)), max_size=12), st.floats(-12, 12))
def test_probabilities_are_such(readings: list[tuple[int, float]], ends: float) -> None:
    belief = posterior(_seen(*readings, ends=ends), KNOWN)
    assert sum(belief.hypotheses.values()) == pytest.approx(1)
    assert float(belief.largest.sum()) == pytest.approx(1)
    assert np.all(belief.some >= 0)
    assert np.all(belief.some <= belief.step + 1e-9)


@given(st.lists(st.tuples(st.integers(1, 15), st.floats(-6, 6)), min_size=1, max_size=8))
def test_a_reversed_range_mirrors_the_posterior(readings: list[tuple[int, float]]) -> None:
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
    level = scale * np.random.default_rng(seed).standard_normal(
        (2, len(candidates), len(state.LEVELS))
    )
    return BlockTable(candidates, level, level[..., 0], np.zeros(2))


def _path(table: BlockTable, levels: list[int]) -> np.ndarray:
    """Log likelihood of one level (as an index) for each candidate 0 … POSITIONS."""
    return sum((table.level[:, i, levels[c]] for i, c in enumerate(table.candidates)), np.zeros(2))


def _gap(bounds: tuple[int, ...], position: int) -> int:
    return next(i for i in range(len(bounds) - 1) if bounds[i] < position <= bounds[i + 1])


def _one(k: int) -> list[int]:
    return [state.BAD if c >= k else state.GOOD for c in range(POSITIONS + 1)]


def _two(a: int, b: int, middle: int) -> list[int]:
    return [state.GOOD if c < a else middle if c < b else state.BAD for c in range(POSITIONS + 1)]


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
        for middle in state.MIDDLE:
            one = _path(table, _two(a, b, middle)) - np.log(len(pairs) * len(state.MIDDLE))
            first = abs(state.LEVELS[middle]) >= abs(1 - state.LEVELS[middle])
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


_LINE = np.linspace(-4000, 4000, 800_001)


def _area(density: np.ndarray) -> float:
    return float(np.trapezoid(density, _LINE))


def test_the_densities_integrate_to_one() -> None:
    assert _area(normal(_LINE)) == pytest.approx(1, abs=1e-9)
    assert _area(wide(_LINE)) == pytest.approx(1, abs=1e-5)
    assert _area(np.exp(log_disturbed(_LINE))) == pytest.approx(1, abs=1e-6)
    one, three = np.array(1.0), np.array(3.0)
    assert _area(np.exp(log_ends(_LINE, one, three))) == pytest.approx(1, abs=1e-5)
    assert _area(np.exp(log_candidate(_LINE, one, three))) == pytest.approx(1, abs=1e-5)


def test_the_ends_own_part_of_a_block_is_what_is_left_without_the_candidate() -> None:
    effect, noise, mean = np.array(2.0), np.array(1.0), np.array(1.0)
    for w in (2.0, 4.0, 30.0):
        both = np.exp(log_block(_LINE, np.array(w), mean, effect, noise))
        alone = math.exp(float(log_ends(np.array(w), effect, noise)))
        assert _area(both) == pytest.approx(alone, rel=1e-4)


def test_the_ends_are_noisier_than_the_candidate_to_their_middle() -> None:
    # Three programs of variance 1: w = b − g has 2, u = c − (g + b)/2 has 3/2.
    assert pytest.approx(math.sqrt(2 / 1.5)) == ENDS_NOISE


def test_a_wild_block_refutes_nothing() -> None:
    # 40 standard deviations beyond the bad end: by the normal core alone, e^80 to 1 against good.
    good, bad = (log_candidate(np.array(40.0), np.array(m), np.array(1.0)) for m in (-1.0, 1.0))
    assert 0 < float(bad - good) < 0.2


def test_when_the_ends_are_disturbed_the_candidate_counts_little() -> None:
    def says(w: float) -> float:
        u, effect, noise = np.array(2.0), np.array(4.0), np.array(1.0)
        bad = log_block(u, np.array(w), np.array(2.0), effect, noise)
        good = log_block(u, np.array(w), np.array(-2.0), effect, noise)
        return float(bad - good)

    # By hand: 0.3875 against 0.00111.
    assert says(4.0) == pytest.approx(5.86, abs=0.01)
    assert says(30.0) < 0.8
    assert DISTURBED < 0.05


def test_halves_make_a_whole() -> None:
    assert log_sum(np.log([[0.5, 0.25, 0.25]]), axis=1)[0] == pytest.approx(0.0)
    assert np.exp(log_running(np.log([[0.5, 0.25, 0.25]])))[0] == pytest.approx([0.5, 0.75, 1.0])


def test_nothing_stays_nothing() -> None:
    assert log_sum(np.array([[-math.inf, -math.inf], [0.0, -math.inf]]), axis=1).tolist() == [
        -math.inf,
        0.0,
    ]


@given(st.lists(st.floats(-1e5, 1e5), min_size=1, max_size=8))
def test_they_are_those_of_numpy_however_far_apart(terms: list[float]) -> None:
    row = np.array([terms])
    assert log_running(row) == pytest.approx(np.logaddexp.accumulate(row, axis=1), abs=1e-9)
    assert log_sum(row, axis=1) == pytest.approx(np.logaddexp.reduce(row, axis=1), abs=1e-9)


def _ends(effect: float, noise: float, n: int, seed: int = 1) -> np.ndarray:
    return effect + ENDS_NOISE * noise * np.random.default_rng(seed).standard_normal(n)


def test_known_ends_are_one_point_a_sign() -> None:
    points = grid(np.array([]), 0.01, state.KnownEnds(0.03, 0.01))
    assert points.effect.tolist() == [0.03, 0.0, -0.03]
    assert points.noise.tolist() == [0.01, 0.01, 0.01]
    assert np.exp(points.log_prior).tolist() == pytest.approx([0.88, 0.1, 0.02])


def test_too_few_blocks_say_nothing_of_the_noise() -> None:
    with pytest.raises(ValueError, match="3 blocks of the ends, at least 4"):
        grid(np.array([0.1, 0.1, 0.1]), 0.01, None)
    assert all(math.isnan(p) for p in doubt(np.array([0.1, 0.1, 0.1]), 0.01))


def test_the_robust_noise_is_that_of_one_measurement_and_never_zero() -> None:
    assert robust_noise(_ends(0.0, 0.01, 20_001)) == pytest.approx(0.01, rel=0.03)
    assert robust_noise(np.array([0.05] * 4)) == 0.05 / 16
    assert robust_noise(np.zeros(4)) == 1e-9


def test_the_weight_lies_at_the_true_effect_and_noise() -> None:
    ends = _ends(0.03, 0.01, 60)
    points = grid(ends, 0.01, None)
    fit = points.log_prior + log_ends(ends, points.effect[:, None], points.noise[:, None]).sum(1)
    weight = np.exp(fit - fit.max())
    weight /= weight.sum()
    assert float(points.effect @ weight) == pytest.approx(0.03, abs=0.004)
    assert float(points.noise @ weight) == pytest.approx(0.01, rel=0.25)


@pytest.mark.parametrize(
    ("effect", "none", "swapped"), [(0.03, 0.0, 0.0), (0.0, 1.0, 0.0), (-0.03, 0.0, 1.0)]
)
def test_sixty_blocks_tell_whether_ends_differ(effect: float, none: float, swapped: float) -> None:
    assert doubt(_ends(effect, 0.01, 60), 0.01) == pytest.approx((none, swapped), abs=0.01)


def test_a_difference_below_the_margin_is_none() -> None:
    assert doubt(_ends(0.002, 0.01, 400), 0.01)[0] > 0.9


def test_identical_blocks_as_of_counted_instructions_are_a_difference() -> None:
    assert doubt(np.array([0.05] * FEWEST), 0.01)[0] < 1e-6
    assert doubt(np.zeros(FEWEST), 0.01)[0] > 0.99


@given(st.lists(st.floats(-0.5, 0.5), min_size=FEWEST, max_size=30), st.floats(0.001, 0.2))
def test_exchanging_the_ends_exchanges_the_effects(ends: list[float], margin: float) -> None:
    ahead, back = (grid(np.array(x), margin, None) for x in (ends, [-e for e in ends]))
    assert sorted(ahead.effect.tolist()) == pytest.approx(sorted((-back.effect).tolist()))
    assert np.all(np.isfinite(ahead.log_prior))
    assert np.all(ahead.noise > 0)
    sizes = np.abs(ahead.effect[ahead.effect != 0])
    assert np.all(sizes >= math.log1p(margin))
