"""Blocks by the time when they were taken, and unusual ones in sentences. The first lines of a
history, and what stands beside a step. Times of single runs, and figures of a headline that agree
with their interval."""

from dataclasses import replace

import pytest
from tests.golden_files import check_golden, paragraphs
from tests.unit.report.example import STARTED, sample_blocks, sample_result, verdict
from tests.unit.report.examples import VERSIONS, facts, series
from tests.unit.report.parts import changed

from whyfast.history.detect import detect
from whyfast.model.history import Timeline
from whyfast.model.sample import Session
from whyfast.model.verdict import AsymmetricOutliers, SmallSample
from whyfast.report.sections.history import headline, largest, search_commands, suite_wide
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
    "few blocks, perhaps correlated": [
        replace(PLAIN, outcome="slower", ratio=1.02, blocks=11, assumes_independence=True)
    ],
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


def test_findings_of_single_series_are_in_the_headline_with_size_and_place() -> None:
    flat = [series(f"s{i}") for i in range(8)]
    history = detect(Timeline(VERSIONS, (*flat, series("twice", 2.0), series("much", 21.0))))
    assert suite_wide(history) == ()
    assert headline(history) == (
        "1 finding in 2 of 10 series: much 20.9x slower, step v4 → v5 (and in 1 more)."
    )


def test_what_the_suite_shares_comes_before_what_single_series_do() -> None:
    many = [series(f"s{i}", 1.2) for i in range(5)]
    history = detect(Timeline(VERSIONS, (*many, series("quick", 0.5), *map(series, "abcd"))))
    assert headline(history) == (
        "Step v4 → v5: 1.20x slower in 5 of 10 series (median). "
        "1 more finding in 1 of 10 series: quick 2.00x faster, step v4 → v5."
    )
    assert [(one.series, one.others) for one in largest(history)] == [("quick", 0)]


def test_a_step_to_slower_between_two_revisions_can_be_searched() -> None:
    known = {"": facts(99)}
    history = detect(Timeline(VERSIONS, (series("x", 1.5),), facts=known, study="my study"))
    assert search_commands(history) == (
        "whyfast search 'my study' --good 40aabbcc --bad 50aabbcc --benchmark x",
    )
    faster = detect(Timeline(VERSIONS, (series("x", 0.5),), facts=known))
    assert search_commands(faster) == ()
