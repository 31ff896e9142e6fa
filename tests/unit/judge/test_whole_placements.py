"""From blocks as linked and in drawn layouts to placements, and to the verdicts beside them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.unit.example_blocks import block

from whyfast.judge.comparisons import ComparisonPlan
from whyfast.judge.judge_run import judge_study
from whyfast.judge.placement import judge_placements
from whyfast.judge.ratios import over_layouts
from whyfast.model.sample import Block

NAMES = ("fib", "sort")


def _blocks(linked: float, varied: float, number: int = 20) -> list[Block]:
    """``b`` takes so many times as long as ``a``, as linked and in layouts, with 0.1 % of noise."""
    rng = np.random.default_rng(3)
    made = []
    for index in range(2 * number):
        for name in NAMES:
            ratio = (varied if index % 2 else linked) * float(np.exp(rng.normal(0, 0.001)))
            plain = block({"a": [1.0], "b": [ratio]}, benchmark=name, index=index)
            drawn = {"a": index, "b": index} if index % 2 else {}
            made.append(replace(plain, layouts=drawn))
    return made


def test_what_is_only_in_the_blocks_as_linked_is_placement() -> None:
    found = judge_placements(ComparisonPlan(_blocks(1.5, 1.0), NAMES, [("b", "a")], 0.01))
    assert [(p.linked.benchmark, p.outcome, p.layouts) for p in found] == [
        (None, "placement", 20),
        ("fib", "placement", 20),
        ("sort", "placement", 20),
    ]


def test_what_is_in_both_is_the_change() -> None:
    found = judge_placements(ComparisonPlan(_blocks(1.05, 1.05), NAMES, [("b", "a")], 0.01))
    assert {p.outcome for p in found} == {"change"}


def test_the_verdicts_over_layouts_are_those_of_the_main_table() -> None:
    blocks = _blocks(1.5, 1.02)
    placements = judge_placements(ComparisonPlan(blocks, NAMES, [("b", "a")], 0.01))
    verdicts, suites = judge_study(ComparisonPlan(over_layouts(blocks), NAMES, [("b", "a")], 0.01))
    wanted = [*(s.verdict for s in suites), *verdicts]
    for p, v in zip(placements, wanted, strict=True):
        assert (p.varied.benchmark, p.varied.outcome, p.varied.low, p.varied.high) == (
            v.benchmark,
            v.outcome,
            v.low,
            v.high,
        )


def test_first_values_that_are_not_steady_are_set_aside_here_too() -> None:
    blocks = [
        replace(b, values={"a": (1.0,) * 4, "b": (9.0, 9.0, b.values["b"][0], b.values["b"][0])})
        for b in _blocks(1.5, 1.02)
    ]
    warming = {"fib": 2, "sort": 2}
    placements = judge_placements(
        ComparisonPlan(blocks, NAMES, [("b", "a")], 0.01, warming=warming)
    )
    verdicts, suites = judge_study(
        ComparisonPlan(over_layouts(blocks), NAMES, [("b", "a")], 0.01, warming=warming)
    )
    assert [p.varied.ratio for p in placements] == [
        v.ratio for v in (*(s.verdict for s in suites), *verdicts)
    ]
    assert placements[0].varied.ratio == pytest.approx(1.02, rel=0.001)


def test_without_blocks_in_layouts_there_are_none() -> None:
    linked = [b for b in _blocks(1.5, 1.0) if not b.layouts]
    assert judge_placements(ComparisonPlan(linked, NAMES, [("b", "a")], 0.01)) == ()
