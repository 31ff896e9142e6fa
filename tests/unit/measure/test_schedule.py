"""Drawing a block: reproducible, uniform, and blind to which variant is which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from whyfast.measure.block import MAX_PAD, Plan, draw

VARIANTS = ("a", "b", "c")


def _looks_uniform(seen: Iterable[Hashable], possible: Iterable[Hashable]) -> bool:
    """Whether a chi-square test, which is wrong once in a million times, finds nothing."""
    counts = Counter(seen)
    cells = list(possible)
    assert set(counts) <= set(cells)
    expected = counts.total() / len(cells)
    distance = sum((counts[c] - expected) ** 2 / expected for c in cells)
    return bool(distance < chi2.isf(1e-6, len(cells) - 1))


def _plans(n: int, turns: int = 1) -> list[Plan]:
    return [draw(seed, VARIANTS, turns, (0, 1, 2, 3)) for seed in range(n)]


def test_a_seed_draws_the_same_block_again() -> None:
    assert draw(5, VARIANTS, 20, (0, 1)) == draw(5, VARIANTS, 20, (0, 1))
    assert draw(5, VARIANTS, 20, (0, 1)) != draw(6, VARIANTS, 20, (0, 1))
    assert draw(5, VARIANTS, 20, (0, 1)).seed == 5


@given(st.integers(0, 2**48), st.lists(st.text(), min_size=1, max_size=6, unique=True))
def test_every_variant_starts_once_and_takes_every_turn_once(seed: int, names: list[str]) -> None:
    plan = draw(seed, names, 7, (3, 5))
    assert sorted(plan.start_order) == sorted(names)
    assert len(plan.order) == 7
    assert all(sorted(order) == sorted(names) for order in plan.order)
    assert set(plan.pads) == set(names)
    assert all(0 <= pad <= MAX_PAD for pad in plan.pads.values())
    assert plan.cpu in (3, 5)


@given(st.integers(0, 2**48), st.permutations(VARIANTS))
def test_exchanging_variants_exchanges_them_in_the_block_and_nothing_else(
    seed: int, others: list[str]
) -> None:
    rename = dict(zip(VARIANTS, others, strict=True))
    plan, renamed = draw(seed, VARIANTS, 5, (0, 1)), draw(seed, others, 5, (0, 1))
    assert renamed.cpu == plan.cpu
    assert renamed.start_order == tuple(rename[v] for v in plan.start_order)
    assert renamed.pads == {rename[v]: pad for v, pad in plan.pads.items()}
    assert renamed.order == tuple(tuple(rename[v] for v in order) for order in plan.order)


def test_every_order_of_turns_occurs_about_equally_often() -> None:
    seen = [order for plan in _plans(60, turns=100) for order in plan.order]
    assert _looks_uniform(seen, permutations(VARIANTS))


def test_every_order_of_starting_occurs_about_equally_often() -> None:
    assert _looks_uniform((p.start_order for p in _plans(3000)), permutations(VARIANTS))


def test_every_cpu_occurs_about_equally_often() -> None:
    assert _looks_uniform((p.cpu for p in _plans(3000)), (0, 1, 2, 3))


def test_paddings_are_spread_evenly_over_a_page() -> None:
    seen = [pad * 16 // (MAX_PAD + 1) for plan in _plans(2000) for pad in plan.pads.values()]
    assert _looks_uniform(seen, range(16))
    assert all(len(set(plan.pads.values())) > 1 for plan in _plans(20))


@pytest.mark.parametrize("turn", [0, 1])
def test_who_starts_first_says_nothing_about_who_runs_first(turn: int) -> None:
    plans = _plans(4500, turns=2)
    seen = ((p.start_order[0], p.order[turn][0]) for p in plans)
    assert _looks_uniform(seen, [(x, y) for x in VARIANTS for y in VARIANTS])


def test_neighbouring_turns_are_drawn_apart() -> None:
    order = draw(1, ("a", "b"), 4000, ()).order
    pairs = [order[i] + order[i + 1] for i in range(0, len(order), 2)]
    orders = list(permutations(("a", "b")))
    assert _looks_uniform(pairs, [x + y for x in orders for y in orders])


def test_without_cpus_to_choose_from_nothing_is_pinned() -> None:
    assert draw(1, VARIANTS, 1, ()).cpu is None
