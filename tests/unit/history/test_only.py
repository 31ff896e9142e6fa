"""Which findings are kept, and whether any is the word that was asked for."""

from __future__ import annotations

import pytest

from whyfast.history.detect import detect
from whyfast.history.findings import at_least, has_changed
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
