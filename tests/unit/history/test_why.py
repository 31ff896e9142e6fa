"""What is on record on both sides of a step."""

from __future__ import annotations

from whyfast.history.detect import detect
from whyfast.history.findings import changed_facts, coincidence
from whyfast.model.history import PointSeries, Timeline

NOISE = (1.004, 0.991, 1.012, 0.998, 1.003, 0.985, 1.009, 1.001, 0.994, 1.007)
POINTS = tuple("abcdefghij")


def facts(kernel_from: int) -> tuple[dict[str, str], ...]:
    return tuple(
        {
            "platform": "6.1" if i < kernel_from else "6.12",
            "commit_id": f"{i}0aabbcc",
            "boot_time": f"2026-01-01 10:00:0{i % 2}",
            "load_avg_1min": str(i),
        }
        for i in range(10)
    )


def series(name: str, machine: str, step: float) -> PointSeries:
    values = tuple(e * (step if i >= 5 else 1.0) for i, e in enumerate(NOISE))
    return PointSeries(name, values, machine=machine)


def test_what_seldom_changes_comes_before_what_always_does() -> None:
    timeline = Timeline(POINTS, (), facts={"": facts(5)})
    kernel, commit = changed_facts(timeline, "", 4, 5)
    assert (kernel.label, kernel.old, kernel.new) == ("kernel", "6.1", "6.12")
    assert (kernel.kind, kernel.often, kernel.telling) == ("machine", 1 / 9, True)
    assert (commit.label, commit.kind, commit.telling) == ("commit", "subject", False)
    assert [c.label for c in changed_facts(timeline, "", 5, 6)] == ["commit"]


def test_a_point_that_the_machine_lacks_says_nothing() -> None:
    known = (*facts(5)[:5], None, *facts(5)[6:])
    assert changed_facts(Timeline(POINTS, (), facts={"": known}), "", 4, 5) == ()
    assert changed_facts(Timeline(POINTS, ()), "", 4, 5) == ()


def test_other_machines_have_no_such_step() -> None:
    timeline = Timeline(
        POINTS,
        (series("x on a", "a", 2.0), series("x on b", "b", 1.0), series("x on c", "c", 2.0)),
        facts={"a": facts(5), "b": facts(99), "c": facts(5)},
    )
    history = detect(timeline)
    (finding,) = history.findings
    found = coincidence(history, finding)
    assert (found.machines, found.none_on) == (("a", "c"), ("b",))
    assert [c.label for c in found.machine_changes] == ["kernel"]


def test_what_changed_on_one_of_two_machines_is_not_shared() -> None:
    timeline = Timeline(
        POINTS,
        (series("x on a", "a", 2.0), series("x on b", "b", 2.0)),
        facts={"a": facts(5), "b": facts(99)},
    )
    history = detect(timeline)
    found = coincidence(history, history.findings[0])
    assert [c.label for c in found.changes] == ["commit"]


def test_a_machine_that_was_not_measured_there_is_not_named() -> None:
    late = PointSeries("x on b", (*(None,) * 5, *NOISE[5:]), machine="b")
    history = detect(Timeline(POINTS, (series("x on a", "a", 2.0), late)))
    assert coincidence(history, history.findings[0]).none_on == ()
