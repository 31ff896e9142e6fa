"""The variance components of the bench of draws, from times with known ones."""

import numpy as np
import pytest
from bench.draws import LEVELS, ROUNDS, spread, table


def _sets(between: float, within: float, sets: int) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    shape = (LEVELS, ROUNDS)
    return [
        rng.normal(0, between, (LEVELS, 1))
        + rng.normal(0, 0.1, (1, ROUNDS))  # what moves a whole round counts for nobody
        + rng.normal(0, within, shape)
        for _ in range(sets)
    ]


def test_both_standard_deviations_are_found() -> None:
    found = spread(_sets(0.02, 0.01, 60))
    assert found.between == pytest.approx(0.02, rel=0.1)
    assert found.within == pytest.approx(0.01, rel=0.1)
    assert found.low < 0.02 < found.high
    assert found.p < 1e-6


def test_where_levels_are_alike_the_interval_reaches_zero() -> None:
    found = spread(_sets(0.0, 0.01, 60))
    assert found.low == 0.0
    assert found.high < 0.002
    assert found.p > 0.01


def test_the_order_is_that_of_places_in_rounds() -> None:
    rng = np.random.default_rng(2)
    sets = []
    for _ in range(20):
        places = np.argsort(rng.random((LEVELS, ROUNDS)), axis=0)
        values = 0.05 * (places == 0) + rng.normal(0, 0.001, (LEVELS, ROUNDS))
        sets.append(np.vstack([values, places]))
    rows = [line for line in table({("nothing", "vm"): sets}).splitlines() if line.startswith("|")]
    order = next(row for row in rows if row.startswith("| order"))
    assert "*" in order
    assert "*" not in next(row for row in rows if row.startswith("| nothing"))
