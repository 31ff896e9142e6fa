"""Programs that have more than one speed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.unit.example_blocks import block

from whyfast.judge.outliers import process_modes, split
from whyfast.model.sample import Block

Floats = NDArray[np.float64]


def _blocks(slow: NDArray[np.bool_], seed: int = 1, drift: float = 0.0) -> list[Block]:
    """``b`` is 30 % slower in the processes that ``slow`` says, on a machine that drifts."""
    rng = np.random.default_rng(seed)
    made = []
    for i, is_slow in enumerate(slow):
        machine = drift * math.sin(i / 9)
        a, b = np.exp(machine + 0.01 * rng.standard_normal((2, 7)))
        made.append(block({"a": list(a), "b": list(b * (1.3 if is_slow else 1.0))}))
    return made


@pytest.mark.parametrize("share", [0.1, 0.5, 0.8])
def test_modes_of_one_variant_with_their_counts_and_ratio(share: float) -> None:
    slow = np.random.default_rng(2).random(80) < share
    (found,) = process_modes(_blocks(slow, drift=0.1), ["a", "b"], 0.01)
    assert (found.variant, found.benchmark) == ("b", "fib")
    assert found.counts == (80 - int(slow.sum()), int(slow.sum()))
    usual = 1.0 if share <= 0.5 and slow.sum() <= 40 else 1 / 1.3
    assert found.ratios == pytest.approx((usual, usual * 1.3), rel=0.03)


def test_three_modes() -> None:
    rng = np.random.default_rng(3)
    values = np.concatenate([rng.normal(m, 0.01, 30) for m in (0.0, 0.3, 0.8)])
    assert [len(h) for h in split(rng.permutation(values), 0.01)] == [30, 30, 30]


def test_modes_nearer_than_the_margin_are_one() -> None:
    rng = np.random.default_rng(4)
    values = np.concatenate([rng.normal(m, 0.0002, 30) for m in (0.0, 0.005)])
    assert len(split(values, math.log1p(0.001))) == 2
    assert len(split(values, math.log1p(0.01))) == 1


def test_the_turns_of_commands_are_processes() -> None:
    rng = np.random.default_rng(5)
    slow = rng.random((8, 10)) < 0.2
    blocks = [
        block(
            {
                "a": list(np.exp(0.01 * rng.standard_normal(10))),
                "b": list(np.exp(0.01 * rng.standard_normal(10) + 0.3 * is_slow)),
            }
        )
        for is_slow in slow
    ]
    (found,) = process_modes(blocks, ["a", "b"], 0.01, each_turn=True)
    assert found.counts == (80 - int(slow.sum()), int(slow.sum()))
    assert process_modes(blocks, ["a", "b"], 0.01) == ()


def test_other_numbers_of_loops_are_no_modes() -> None:
    plain = _blocks(np.zeros(40, dtype=bool))
    more = [
        replace(
            b, loops=2 * b.loops, values={v: tuple(2 * y for y in x) for v, x in b.values.items()}
        )
        for b in _blocks(np.zeros(40, dtype=bool), seed=2)
    ]
    assert process_modes([*plain, *more], ["a", "b"], 0.01) == ()


@pytest.mark.parametrize("noise", ["normal", "t3", "uniform", "skewed"])
@pytest.mark.parametrize("n", [20, 40, 150])
def test_noise_of_one_speed_has_one_mode(noise: str, n: int) -> None:
    rng = np.random.default_rng(6)
    draws: dict[str, Callable[[], Floats]] = {
        "normal": lambda: rng.standard_normal(n),
        "t3": lambda: rng.standard_t(3, n),
        "uniform": lambda: rng.random(n),
        "skewed": lambda: rng.exponential(1.0, n),
    }
    draw = draws[noise]
    assert sum(len(split(0.1 * draw(), 0.01)) > 1 for _ in range(200)) <= 20


def test_too_few_or_equal_processes_have_one_mode() -> None:
    assert len(split(np.array([0.0] * 10 + [1.0] * 9), 0.01)) == 1
    assert len(split(np.zeros(50), 0.01)) == 1
    assert process_modes([], ["a"], 0.01) == ()
