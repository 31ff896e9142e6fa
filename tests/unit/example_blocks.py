"""Blocks of values for tests of what is made from them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from whyfast.model.sample import Block


def block(
    values: Mapping[str, Sequence[float]],
    *,
    benchmark: str = "fib",
    index: int = 0,
    session: str = "s1",
    seconds: float = 0.25,
    **more: Any,
) -> Block:
    """A block with these values, and ``more`` of its fields; its turns were taken in the order of
    the variants."""
    order = tuple(values)
    turns = len(next(iter(values.values()), ()))
    plain = Block(
        benchmark=benchmark,
        index=index,
        seed=7,
        session=session,
        cpu=1,
        loops=3,
        warmups=1,
        start_order=order,
        order=(order,) * turns,
        values={v: tuple(x) for v, x in values.items()},
        started=1_700_000_000.25,
        seconds=seconds,
    )
    return replace(plain, **more)
