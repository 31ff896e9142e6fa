"""Is the ends' difference the change, or where the linker put the code?"""

from __future__ import annotations

import numpy as np
import pytest

from whyfast.search.state import KnownEnds
from whyfast.search.view import SHARES, believe


def _normal(center: float, spread: float, n: int, seed: int = 1) -> np.ndarray:
    return center + spread * np.random.default_rng(seed).standard_normal(n)


LINKED = _normal(0.06, 0.005, 12)


def test_the_same_difference_over_layouts_is_the_change() -> None:
    belief = believe(LINKED, _normal(0.06, 0.007, 8, seed=2), 0.01, None)
    assert belief.alike > 0.99
    assert belief.within < 0.001


def test_a_difference_that_vanishes_over_layouts_is_placement() -> None:
    belief = believe(LINKED, _normal(0.0, 0.05, 60, seed=2), 0.01, None)
    assert belief.within > 0.95
    assert belief.alike < 0.01
    assert believe(LINKED, _normal(0.0, 0.01, 30, seed=2), 0.01, None).within > 0.99


def test_half_of_a_difference_is_neither() -> None:
    belief = believe(LINKED, _normal(0.03, 0.01, 60, seed=2), 0.01, None)
    assert belief.within < 0.01
    assert belief.alike < 0.01


def test_few_layouts_decide_nothing() -> None:
    belief = believe(LINKED, _normal(0.02, 0.05, 3, seed=2), 0.01, None)
    assert 0.01 < belief.within < 0.99


def test_one_odd_layout_of_many_decides_nothing() -> None:
    varied = np.append(_normal(0.06, 0.007, 8, seed=2), -1.0)
    assert believe(LINKED, varied, 0.01, None).alike > 0.9


def test_the_direction_does_not_matter() -> None:
    varied = _normal(0.03, 0.02, 20, seed=2)
    ahead, back = believe(LINKED, varied, 0.01, None), believe(-LINKED, -varied, 0.01, None)
    assert (ahead.within, ahead.alike) == pytest.approx((back.within, back.alike))


def test_known_ends_need_no_blocks_as_linked() -> None:
    belief = believe(np.array([]), _normal(0.06, 0.007, 8), 0.01, KnownEnds(0.06, 0.004))
    assert belief.alike > 0.99


def test_the_shares_hold_nothing_and_all() -> None:
    assert 0.0 in SHARES
    assert 1.0 in SHARES
    assert np.all(np.diff(SHARES) > 0)
