"""Unusual blocks, in sentences: which verdicts get one, and with which numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.golden_files import check_golden, paragraphs
from tests.unit.report.example import verdict

from whyfast.model.verdict import AsymmetricOutliers, SmallSample
from whyfast.report.sections.timeline import unusual_sentences

PLAIN = verdict("b", "a", "same", 1.001, 0.999, 1.003, benchmark="fib")
SIDE = AsymmetricOutliers("b", True, 9, 0, 100, 0.04, 0.17, 1.3, 1.027, 1e-3)
FEW = SmallSample("slower", 1.2, 1.31, 0.75, 1.15, 1.36, 9)
SMALL = replace(PLAIN, outcome="undecided", ratio=1.25, blocks=3, small_sample=FEW)
ONE_SIDED = SmallSample("undecided", 0.81, 0.93, 1 - 2.0**-5, 0.7, 1.02, 9)
CASES = {
    "two kinds of processes": [replace(PLAIN, outcome="undecided", asymmetric_outliers=SIDE)],
    "a fast kind": [
        replace(PLAIN, asymmetric_outliers=replace(SIDE, slow=False, ratio=0.5, mean=0.97))
    ],
    "correlated": [replace(PLAIN, correlation=0.456)],
    "too few blocks": [SMALL],
    "too few, and unclear": [replace(SMALL, small_sample=replace(FEW, outcome="undecided"))],
    "all on one side": [replace(SMALL, ratio=0.87, blocks=6, small_sample=ONE_SIDED)],
    "many": [
        replace(SMALL, benchmark=f"b{i}", correlation=0.5, asymmetric_outliers=SIDE)
        for i in range(5)
    ],
}


@pytest.mark.golden
def test_each_kind_has_its_sentence() -> None:
    texts = {name: unusual_sentences(verdicts) for name, verdicts in CASES.items()}
    check_golden("report", "unusual-blocks.md", paragraphs(texts))


def test_usual_verdicts_and_a_single_outlier_have_none() -> None:
    once = AsymmetricOutliers("b", True, 1, 0, 9, 0.02, 0.43, 1.1, 1.01, 1.0)
    assert unusual_sentences([PLAIN, replace(PLAIN, asymmetric_outliers=once)]) == []


def test_of_many_of_a_kind_three_are_named() -> None:
    assert len(unusual_sentences(CASES["many"])) == 6
