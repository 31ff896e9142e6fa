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
    wider = loop_time(blocks([float(i) for i in range(1, 12)]), "a", alpha=0.05)
    assert wider is not None
    assert (wider.low, wider.high) == (2.0, 10.0)
    assert wider.confidence == pytest.approx(1 - 24 / 2048)


def test_few_blocks_have_the_confidence_of_their_range() -> None:
    found = loop_time(blocks([2.0, 1.0, 3.0]), "a")
    assert found is not None
    assert (found.seconds, found.low, found.high, found.confidence) == (2.0, 1.0, 3.0, 0.75)
    assert loop_time([], "a") is None
