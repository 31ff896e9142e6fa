"""The interval of a loop's time."""

from dataclasses import replace

import pytest

from whyfast.judge.lines import loop_time
from whyfast.model.sample import Block


def blocks(times: list[float], benchmark: str = "loop") -> list[Block]:
    """Of two turns of 10 loops each."""
    one = Block(
        benchmark=benchmark,
        index=0,
        seed=0,
        session="s",
        cpu=0,
        loops=10,
        warmups=1,
        start_order=("a",),
        order=(("a",), ("a",)),
        values={},
        started=0.0,
        seconds=0.1,
    )
    return [replace(one, index=i, values={"a": (9 * t, 11 * t)}) for i, t in enumerate(times)]


def test_the_median_over_blocks_and_its_order_statistics() -> None:
    found = loop_time(blocks([float(i) for i in range(1, 12)]), "a")
    assert found is not None
    # Of 11 fair coins at most one shows heads with probability 12/2048.
    assert (found.seconds, found.low, found.high, found.blocks) == (6.0, 1.0, 11.0, 11)
    assert found.confidence == pytest.approx(1 - 2 / 2048)


def test_of_thousands_of_blocks_too() -> None:
    found = loop_time(blocks([float(i) for i in range(1, 4001)]), "a")
    assert found is not None
    # 2.576 standard deviations of 4,000 coins, each of 31.6.
    assert (found.low, found.high) == (1919.0, 2082.0)
    assert 0.99 <= found.confidence < 0.991


def test_few_blocks_have_the_confidence_of_their_range() -> None:
    found = loop_time(blocks([2.0, 1.0, 3.0]), "a")
    assert found is not None
    assert (found.seconds, found.low, found.high, found.confidence) == (2.0, 1.0, 3.0, 0.75)
    assert loop_time([], "a") is None
