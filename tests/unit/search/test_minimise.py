"""Which of many differences carry the difference in time, on simulated flags."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest

from whyfast.search.minimise import Differences, Failed, Minimal, Try, minimise
from whyfast.search.subsets import Subset, Trial

EFFECT, NOISE = 0.05, 0.005
Level = Callable[[Subset], float]


def _search(level: Level, *, count: int = 12, broken: frozenset[int] = frozenset()) -> Minimal:
    """``level``: the share of the difference that a subset carries; a subset with some of
    ``broken``, but not all, cannot be built."""
    rng = random.Random(3)

    def oracle(wanted: Try) -> Trial | Failed:
        ends = EFFECT * level(frozenset(range(count))) + rng.gauss(0, NOISE)
        if wanted.subset is None:
            return Trial(ends)
        if broken & wanted.subset and not broken <= wanted.subset:
            return Failed(wanted.subset)
        own = EFFECT * (level(wanted.subset) - 0.5) + rng.gauss(0, NOISE)
        return Trial(ends, wanted.subset, own, wanted.fresh)

    return minimise(Differences(count), oracle)


def test_one_flag_among_twelve() -> None:
    found = _search(lambda subset: float(7 in subset))
    assert (found.word, found.parts) == ("set", ((7,),))
    assert found.whole is not None
    assert found.whole[0] == pytest.approx(1, abs=0.2)


def test_two_flags_that_work_only_together() -> None:
    found = _search(lambda subset: float({2, 9} <= subset))
    assert found.word == "set"
    assert sorted(found.parts) == [(2,), (9,)]
    assert found.together == "interplay"


def test_ends_that_do_not_differ() -> None:
    assert _search(lambda subset: 0.0).word == "none"


def test_ends_that_are_swapped() -> None:
    assert _search(lambda subset: -float(7 in subset)).word == "swapped"


def test_what_cannot_be_measured_apart_is_one_part() -> None:
    found = _search(lambda subset: float(7 in subset), broken=frozenset({6, 7}))
    assert found.word == "set"
    assert found.parts in (((6, 7),), ((7, 6),))


def test_what_comes_and_goes_with_what_should_not_matter_is_no_set() -> None:
    def placed(subset: Subset) -> float:
        if len(subset) == 12:
            return 1.0
        return float(random.Random(f"{sorted(subset)}").random() < 0.5) if subset else 0.0

    assert _search(placed).word in ("mixed", "undecided")
    assert math.isfinite(_search(placed).blocks)
