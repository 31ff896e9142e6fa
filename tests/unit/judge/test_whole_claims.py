"""The comparisons that only the audit of a claim needs."""

from __future__ import annotations

from collections.abc import Sequence

from tests.unit.example_blocks import block

from whyfast.judge.comparisons import ComparisonPlan
from whyfast.judge.judge_run import judge_study
from whyfast.model.verdict import Verdict

BLOCKS = [
    block(
        {"old": [1.0, 1.001], "mended": [1.0 + i / 9000, 1.0], "tail": [0.9, 0.9 + i / 8000]},
        index=i,
    )
    # In an order in which neighbours are not alike.
    for i in (17 * n % 40 for n in range(40))
]


def _judge(claimed: Sequence[tuple[str, str]] = ()) -> list[Verdict]:
    verdicts, _ = judge_study(
        ComparisonPlan(
            BLOCKS, ["fib"], [("mended", "old"), ("tail", "old")], 0.01, claimed=tuple(claimed)
        )
    )
    return list(verdicts)


def test_an_audit_adds_its_pairs_and_leaves_the_others_as_they_were() -> None:
    plain, audited = _judge(), _judge([("tail", "old"), ("tail", "mended")])
    assert [(v.variant, v.baseline) for v in audited] == [
        ("mended", "old"),
        ("tail", "old"),
        ("tail", "mended"),
    ]
    assert audited[:2] == plain
    assert audited[2].outcome == "faster"


def test_a_pair_that_is_judged_the_other_way_round_is_not_judged_twice() -> None:
    assert _judge([("old", "tail")]) == _judge()


def test_a_variant_that_was_not_measured_is_passed_over() -> None:
    assert _judge([("tail", "absent")]) == _judge()
