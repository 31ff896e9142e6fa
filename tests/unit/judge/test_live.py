"""Verdicts that are kept up to date block by block."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.example_blocks import block

from whyfast.judge.estimate import over_layouts
from whyfast.judge.live import LiveJudge
from whyfast.judge.whole import judge_study
from whyfast.model.sample import Block


def _alternating(number: int) -> list[Block]:
    """Every second block in drawn layouts, where ``b`` is another 1 % slower each time; as linked
    it takes nine times as long."""
    made = []
    for index in range(number):
        ratio = 1 + index / 100 if index % 2 else 9.0
        plain = block({"a": [1.0], "b": [ratio]}, index=index)
        made.append(replace(plain, layouts={"a": index, "b": index} if index % 2 else {}))
    return made


@pytest.mark.parametrize(
    ("number", "ratio"), [(1, 9.0), (2, 1.01), (3, 1.01), (4, 1.02), (12, 1.0594)]
)
def test_block_by_block_as_all_at_once(number: int, ratio: float) -> None:
    blocks = _alternating(number)
    live = LiveJudge(0.01)
    for end in range(1, number + 1):
        said = live.update("fib", blocks[:end], ("a", "b"), "a")
    whole, _ = judge_study(
        over_layouts(blocks) or blocks,
        benchmarks=("fib",),
        variants=("a", "b"),
        baselines=("a",),
        margin=0.01,
    )
    (verdict,) = said
    assert (verdict.blocks, verdict.ratio) == (whole[0].blocks, whole[0].ratio)
    assert verdict.ratio == pytest.approx(ratio, abs=1e-4)


def test_fewer_blocks_than_before_begin_anew() -> None:
    live = LiveJudge(0.01)
    slow = [block({"a": [1.0], "b": [2.0]}, index=i) for i in range(3)]
    live.update("fib", slow, ("a", "b"), "a")
    live.update("sort", slow, ("a", "b"), "a")
    (said,) = live.update("fib", [block({"a": [1.0], "b": [1.5]})], ("a", "b"), "a")
    assert said.blocks == 1
    assert said.ratio == pytest.approx(1.5)
