"""Findings over several series, and what coincides with them."""

import pytest

from whyfast.history.detect import detect
from whyfast.history.findings import at_least, changed_facts, coincidence, has_changed
from whyfast.model.history import PointSeries, Timeline

NOISE = (1.004, 0.991, 1.012, 0.998, 1.003, 0.985, 1.009, 1.001, 0.994, 1.007)


def timeline(*steps: float, higher: bool = False) -> Timeline:
    series = (
        PointSeries(
            f"s{step}",
            tuple(e * (step if i >= 5 else 1.0) for i, e in enumerate(NOISE)),
            higher=higher,
        )
        for step in steps
    )
    return Timeline(tuple("abcdefghij"), tuple(series))


def test_small_changes_are_left_out_and_levels_stay() -> None:
    history = detect(timeline(1.1, 2.0))
    kept = at_least(history, 0.5)
    assert sorted(history.findings[0].ratios) == ["s1.1", "s2.0"]
    assert sorted(kept.findings[0].ratios) == ["s2.0"]
    assert kept.series[0].shifts == ()
    assert kept.series[0].levels == history.series[0].levels
    assert at_least(history, 0.0) is history


def test_half_is_as_much_as_twice() -> None:
    assert at_least(detect(timeline(0.5)), 0.9).findings != ()


@pytest.mark.parametrize(
    ("steps", "words"),
    [((1.5,), ["slower", "changed"]), ((0.6,), ["faster", "changed"]), ((1.0,), [])],
)
def test_has_changed(steps: tuple[float, ...], words: list[str]) -> None:
    history = detect(timeline(*steps))
    assert [w for w in ("slower", "faster", "changed") if has_changed(history, w)] == words


def test_more_of_a_rate_is_faster() -> None:
    history = detect(timeline(2.0, higher=True))
    (shift,) = history.series[0].shifts
    assert shift.ratio == pytest.approx(0.5, rel=0.02)
    assert shift.low < 0.5 < shift.high
    assert history.series[0].levels[9] == pytest.approx(2.0, rel=0.01)
    assert has_changed(history, "faster")


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
