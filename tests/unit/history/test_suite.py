"""The mean and the median of a suite, point by point."""

from __future__ import annotations

import pytest

from whyfast.history.detect import detect, suite_series
from whyfast.model.history import PointSeries, Timeline


def test_what_all_series_do_is_what_the_suite_does() -> None:
    # Sizes differ, the third series lacks a point, one series alone is halved.
    series = (
        PointSeries("a", (1.0, 2.0, 2.0)),
        PointSeries("b", (50.0, 100.0, 100.0)),
        PointSeries("c", (3.0, 6.0, None)),
        PointSeries("d", (8.0, 16.0, 16.0)),
    )
    mean, median = suite_series(series)
    assert (mean.name, median.name) == ("geometric mean of 4 series", "median of 4 series")
    for whole in (mean, median):
        first, *rest = (v for v in whole.values if v is not None)
        assert [v / first for v in rest] == [pytest.approx(2.0), pytest.approx(2.0)]


def test_one_series_moves_the_mean_and_not_the_median() -> None:
    flat = tuple(PointSeries(name, (1.0, 1.0)) for name in "abcd")
    mean, median = suite_series((*flat, PointSeries("e", (1.0, 32.0))))
    assert mean.values[1] / mean.values[0] == pytest.approx(2.0)  # type: ignore[operator]
    assert median.values[1] / median.values[0] == pytest.approx(1.0)  # type: ignore[operator]


def test_a_few_series_are_no_suite() -> None:
    assert suite_series((PointSeries("a", (1.0,)), PointSeries("b", (1.0,)))) == ()


def test_the_suite_has_steps_of_its_own() -> None:
    noise = (1.004, 0.991, 1.012, 0.998, 1.003, 0.985, 1.009, 1.001, 0.994, 1.007)
    values = tuple(e * (1.0 if i < 5 else 2.0) for i, e in enumerate(noise))
    series = tuple(PointSeries(name, values) for name in "abc")
    history = detect(Timeline(tuple("abcdefghij"), series))
    assert [(s.before, s.at) for h in history.suite for s in h.shifts] == [(4, 5), (4, 5)]
    assert len(history.series) == 3
