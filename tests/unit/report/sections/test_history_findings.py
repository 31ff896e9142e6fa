"""The first lines of a history, and what stands beside a step."""

from __future__ import annotations

from tests.unit.report.examples import VERSIONS, facts, series

from whyfast.history.detect import detect
from whyfast.model.history import Timeline
from whyfast.report.sections.history import headline, largest, search_commands, suite_wide


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
