"""Blocks by the time when they were taken, and unusual ones in sentences."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.golden_files import check_golden, paragraphs
from tests.unit.report.example import STARTED, sample_blocks, sample_result, verdict
from tests.unit.report.parts import changed

from whyfast.model.sample import Session
from whyfast.model.verdict import AsymmetricOutliers, SmallSample
from whyfast.report.document import Plot
from whyfast.report.sections.timeline import timeline_data, timeline_section, unusual_sentences


def test_a_block_that_took_twice_as_long_is_at_two() -> None:
    first = replace(sample_blocks(1, 2)[0], session="s")
    blocks = [replace(first, index=i, started=STARTED + 60 * i) for i in range(5)]
    slow = {name: tuple(2 * v for v in values) for name, values in first.values.items()}
    blocks[3] = replace(blocks[3], values=slow, layouts={"clang19-goto": 7})
    data = timeline_data(blocks, [Session("s", STARTED - 30, {"load": 2.5}), Session("x", 0, {})])
    (series,) = data["series"]
    assert series["name"] == "sieve"
    assert [p["at"] for p in series["points"]] == [0, 1, 2, 3, 4]
    assert [p["level"] for p in series["points"]] == [1, 1, 1, pytest.approx(2), 1]
    assert series["points"][3]["text"] == "block 3, CPU 0, drawn layouts: 2.000x"
    assert data["sessions"] == [{"at": -0.5, "text": "start, load 2.5"}]


def test_every_block_of_a_result_has_a_point() -> None:
    found = timeline_section(sample_result())
    assert found is not None
    plot = found.blocks[1]
    assert isinstance(plot, Plot)
    assert [len(s["points"]) for s in plot.data["series"]] == [8] * 6


def test_one_block_has_no_line_of_time() -> None:
    assert timeline_section(changed(sample_result(), blocks=sample_blocks(1)[:1])) is None


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
