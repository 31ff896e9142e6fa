"""Where the noise comes from, and warming up, on blocks with known answers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from whyfast.judge.placement import levels
from whyfast.model.sample import Block


def block(
    index: int, a: Sequence[float], b: Sequence[float], layouts: dict[str, int] | None = None
) -> Block:
    order = tuple(("a", "b") for _ in a)
    return Block(
        "work", index, 1, "s", 0, 1, 1, ("a", "b"), order, {"a": tuple(a), "b": tuple(b)}, 0.0, 1.0,
        layouts=layouts or {},
    )  # fmt: skip


def made(
    rng: np.random.Generator, value: float, process: float, layout: float, varied: bool, index: int
) -> Block:
    """A block of 40 turns whose log ratio has the given standard deviations."""
    shift = rng.normal(0, process) + (rng.normal(0, layout) if varied else 0.0)
    b = np.exp(shift + rng.normal(0, value, 40))
    return block(index, [1.0] * 40, list(b), {"a": 1, "b": 2} if varied else None)


def test_each_level_is_found() -> None:
    rng = np.random.default_rng(3)
    blocks = [made(rng, 0.05, 0.02, 0.10, i % 2 == 1, i) for i in range(400)]
    found = levels(blocks, "b", "a")
    assert found is not None
    assert found.value == pytest.approx(0.05, rel=0.1)
    assert found.process == pytest.approx(0.02, rel=0.25)
    assert found.layout == pytest.approx(0.10, rel=0.2)
    assert found.turns == 40


def test_turns_alone_leave_nothing_for_processes() -> None:
    rng = np.random.default_rng(4)
    found = levels([made(rng, 0.05, 0.0, 0.0, False, i) for i in range(300)], "b", "a")
    assert found is not None
    assert found.process < 0.005
    assert found.layout is None


def test_few_blocks_tell_nothing() -> None:
    rng = np.random.default_rng(5)
    assert levels([made(rng, 0.1, 0.1, 0, False, i) for i in range(4)], "b", "a") is None


def test_no_more_than_half_of_the_turns_of_a_short_block_are_set_aside() -> None:
    rng = np.random.default_rng(6)
    short = [block(i, [1.0] * 4, list(np.exp(rng.normal(0, 0.01, 4)))) for i in range(8)]
    found = levels(short, "b", "a", non_stationary=5)
    assert found is not None
    assert 0 < found.value < 0.03
    assert math.isfinite(found.process)
    assert (found.turns, found.non_stationary) == (4, 5)
