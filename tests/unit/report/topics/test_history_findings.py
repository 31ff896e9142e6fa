"""The first lines of a history, and what stands beside a step."""

from __future__ import annotations

from whyfast.history.detect import detect
from whyfast.model.history import History, PointSeries, Timeline
from whyfast.report.topics.history_findings import headline, largest, suite_wide
from whyfast.report.topics.history_why import search_commands, why_sentences

NOISE = (1.004, 0.991, 1.012, 0.998, 1.003, 0.985, 1.009, 1.001, 0.994, 1.007)
POINTS = tuple(f"v{i}" for i in range(10))


def series(name: str, step: float = 1.0, machine: str = "") -> PointSeries:
    values = tuple(e * (step if i >= 5 else 1.0) for i, e in enumerate(NOISE))
    keys = {"machine": machine} if machine else {}
    return PointSeries(f"{name} on {machine}" if machine else name, values, keys, machine=machine)


def facts(kernel_from: int) -> tuple[dict[str, str], ...]:
    return tuple(
        {"platform": "6.1" if i < kernel_from else "6.12", "commit_id": f"{i}0aabbcc"}
        for i in range(10)
    )


def two_machines() -> History:
    """Ten benchmarks; on machine a all step, where its kernel changes; k on both."""
    many = [series(f"s{i}", 1.2, "a") for i in range(10)]
    same = [series(f"s{i}", 1.0, "b") for i in range(10)]
    known = {"a": facts(5), "b": facts(99)}
    return detect(Timeline(POINTS, (*many, *same), facts=known, study="mine"))


def test_findings_of_single_series_are_in_the_headline_with_size_and_place() -> None:
    flat = [series(f"s{i}") for i in range(8)]
    history = detect(Timeline(POINTS, (*flat, series("twice", 2.0), series("much", 21.0))))
    assert suite_wide(history) == ()
    assert headline(history) == (
        "1 finding in 2 of 10 series: much 20.95x slower, step v4 → v5 (and in 1 more)."
    )


def test_what_the_suite_shares_comes_before_what_single_series_do() -> None:
    many = [series(f"s{i}", 1.2) for i in range(5)]
    history = detect(Timeline(POINTS, (*many, series("quick", 0.5), *map(series, "abcd"))))
    assert headline(history) == (
        "Step v4 → v5: 1.20x slower in 5 of 10 series (median). "
        "1 more finding in 1 of 10 series: quick 2.00x faster, step v4 → v5."
    )
    assert [(one.series, one.others) for one in largest(history)] == [("quick", 0)]


def test_nothing_is_said_as_nothing() -> None:
    history = detect(Timeline(POINTS, tuple(map(series, "abc"))))
    assert headline(history) == "No step, no drift and no odd point in 10 points of 3 series."


def test_what_changed_of_the_machine_is_in_the_headline() -> None:
    assert headline(two_machines()) == (
        "Step v4 → v5: 1.20x slower in 10 of 10 series with machine=a (median), with another "
        "kernel and none on b."
    )


def test_what_else_changed_is_told_and_no_search_is_offered_where_it_is_the_machine() -> None:
    history = two_machines()
    assert list(why_sentences(history)) == [
        "Step v4 → v5 on a coincides with another kernel (6.1 → 6.12). What changes at most points "
        "did here too: another commit (40aabbcc → 50aabbcc). On b there is none. Suspect the "
        "machine first."
    ]
    assert search_commands(history) == ()


def test_a_step_to_slower_between_two_revisions_can_be_searched() -> None:
    known = {"": facts(99)}
    history = detect(Timeline(POINTS, (series("x", 1.5),), facts=known, study="my study"))
    assert search_commands(history) == (
        "whyfast search 'my study' --good 40aabbcc --bad 50aabbcc --benchmark x",
    )
    faster = detect(Timeline(POINTS, (series("x", 0.5),), facts=known))
    assert search_commands(faster) == ()


def test_files_that_say_nothing_are_named_as_that() -> None:
    history = detect(Timeline(POINTS, (series("x", 1.5),)))
    assert list(why_sentences(history)) == [
        "Nothing is on record of the points (kernel, boot, compiler, revision), so what else "
        "changed where the results did cannot be told."
    ]
