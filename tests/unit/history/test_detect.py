"""Timelines with known steps, drifts and outliers."""

import math

import numpy as np
import pytest

from whyfast.history.changes import FALSE_STEP, single_chance
from whyfast.history.detect import detect, find_outliers, judged, suite_series
from whyfast.history.findings import only_series
from whyfast.model.errors import UserError
from whyfast.model.history import Finding, PointSeries, Timeline

POINTS = tuple("abcdefghijkl")

# Measured once, and as uneven as noise of about 1 % is.
NOISE = (1.004, 0.991, 1.012, 0.998, 1.003, 0.985, 1.009, 1.001, 0.994, 1.007, 0.996, 1.002)


def series(name: str, levels: list[float], **keys: str) -> PointSeries:
    values = tuple(level * e for level, e in zip(levels, NOISE, strict=True))
    return PointSeries(name, values, keys)


def flat(name: str, **keys: str) -> PointSeries:
    return series(name, [1.0] * 12, **keys)


def test_a_step_is_named_with_its_points_and_size() -> None:
    history = detect(Timeline(POINTS, (series("x", [2.0] * 5 + [1.0] * 7),)))
    (shift,) = history.series[0].shifts
    assert (POINTS[shift.before], POINTS[shift.at]) == ("e", "f")
    assert shift.ratio == pytest.approx(0.5, rel=0.02)
    assert shift.low < 0.5 < shift.high
    assert history.findings == (Finding("step", 4, 5, {"x": shift.ratio}, 1),)


def test_a_point_that_its_neighbours_do_not_follow_is_an_outlier() -> None:
    history = detect(Timeline(POINTS, (series("x", [1.0] * 6 + [1.4] + [1.0] * 5),)))
    assert history.series[0].shifts == ()
    (outlier,) = history.series[0].outliers
    assert POINTS[outlier.at] == "g"
    assert outlier.ratio == pytest.approx(1.4, rel=0.02)
    assert history.series[0].levels[6] == pytest.approx(1.0, rel=0.01)


def test_what_many_series_share_is_one_finding_with_what_they_share() -> None:
    slow = [series(f"n{i}", [1.0] * 6 + [2.0] * 6, mode="n", size=str(i)) for i in range(3)]
    same = [flat(f"y{i}", mode="y", size=str(i)) for i in range(3)]
    (finding,) = detect(Timeline(POINTS, (*slow, *same))).findings
    assert (finding.kind, finding.before, finding.at) == ("step", 5, 6)
    assert sorted(finding.ratios) == ["n0", "n1", "n2"]
    assert finding.where == {"mode": "n"}
    assert finding.of == 3


def test_opposite_directions_are_two_findings() -> None:
    up = series("up", [1.0] * 6 + [2.0] * 6)
    down = series("down", [2.0] * 6 + [1.0] * 6)
    assert len(detect(Timeline(POINTS, (up, down))).findings) == 2


def test_points_that_a_series_lacks_are_passed_over() -> None:
    whole = series("x", [1.0] * 6 + [3.0] * 6).values
    values = tuple(None if i in (5, 6) else v for i, v in enumerate(whole))
    history = detect(Timeline(POINTS, (PointSeries("x", values),)))
    (shift,) = history.series[0].shifts
    assert (shift.before, shift.at) == (4, 7)
    assert history.series[0].levels[5:7] == (None, None)


def test_constant_values_have_no_step_and_no_error() -> None:
    assert detect(Timeline(POINTS, (PointSeries("x", (1.0,) * 12),))).findings == ()


def test_rounded_values_are_not_read_more_exactly_than_they_are_written() -> None:
    values = (3e-9,) * 6 + (4e-9,) + (3e-9,) * 5
    exact = detect(Timeline(POINTS, (PointSeries("x", values),)))
    rounded = detect(Timeline(POINTS, (PointSeries("x", values, {}, 1e-9),)))
    assert len(exact.findings) == 1
    assert rounded.findings == ()


def test_a_wild_point_beside_a_small_step_is_an_outlier_and_the_step_is_found() -> None:
    levels = [1.0] * 6 + [2.0] + [1.08] * 5
    (found,) = detect(Timeline(POINTS, (series("x", levels),))).series
    (shift,), (outlier,) = found.shifts, found.outliers
    assert POINTS[outlier.at] == "g"
    assert POINTS[shift.at] in "gh"
    assert shift.ratio == pytest.approx(1.08, rel=0.01)


def test_a_drift_is_named_with_its_ends_and_what_it_makes_a_week() -> None:
    levels = [1.02**i for i in range(12)]
    days = tuple(86400.0 * i for i in range(12))
    history = detect(Timeline(POINTS, (series("x", levels),), when=days))
    (found,) = history.series
    (drift,) = found.drifts
    assert found.shifts == ()
    assert (POINTS[drift.start], POINTS[drift.end]) == ("a", "l")
    assert drift.per_point == pytest.approx(1.02, abs=0.002)
    assert drift.per_week == pytest.approx(1.02**7, abs=0.015)
    assert drift.low < 1.02**11 < drift.high
    assert history.drifts == (Finding("drift", 0, 11, {"x": drift.ratio}, 1),)
    assert history.findings == ()


def test_a_drift_without_dates_has_no_week() -> None:
    levels = [1.02**i for i in range(12)]
    (found,) = detect(Timeline(POINTS, (series("x", levels),))).series
    assert found.drifts[0].per_week is None


def test_drifts_over_about_the_same_points_are_one_finding() -> None:
    # From c on, from d on, and one that goes the other way.
    def drifting(name: str, start: int, ratio: float) -> PointSeries:
        rng = np.random.default_rng(len(name))
        values = [
            ratio ** max(0, i - start) * np.exp(0.004 * rng.standard_normal()) for i in range(30)
        ]
        return PointSeries(name, tuple(values))

    timeline = Timeline(
        tuple(f"p{i}" for i in range(30)),
        (drifting("a", 0, 1.01), drifting("bb", 2, 1.01), drifting("ccc", 0, 0.99)),
    )
    drifts = detect(timeline).drifts
    assert [sorted(d.ratios) for d in drifts] == [["a", "bb"], ["ccc"]]
    assert (drifts[0].kind, drifts[0].of) == ("drift", 3)


def test_too_few_points_is_said() -> None:
    with pytest.raises(UserError, match=r": 4 in .* 5$"):
        detect(Timeline(POINTS[:4], (PointSeries("x", (1.0, 2.0, 3.0, 4.0)),)))


def test_one_series_in_a_hundred_without_change_is_given_one() -> None:
    rng = np.random.default_rng(3)
    values = np.exp(0.02 * rng.standard_normal((300, 12)))
    alone = [detect(Timeline(POINTS, (PointSeries("x", tuple(v)),))) for v in values]
    share = sum(bool(h.series[0].shifts) for h in alone) / len(alone)
    assert share < FALSE_STEP + 4 * math.sqrt(FALSE_STEP / len(alone))


def test_ten_series_together_are_given_no_more() -> None:
    rng = np.random.default_rng(4)
    found = 0
    for _ in range(40):
        values = np.exp(0.02 * rng.standard_normal((10, 9)))
        many = tuple(PointSeries(f"s{i}", tuple(v)) for i, v in enumerate(values))
        found += sum(bool(s.shifts) for s in detect(Timeline(POINTS[:9], many)).series)
    assert found / 400 < FALSE_STEP + 4 * math.sqrt(FALSE_STEP / 400)


def test_only_the_series_that_match() -> None:
    timeline = Timeline(POINTS, (flat("a1"), flat("a2"), flat("b1")))
    assert [s.name for s in only_series(timeline, ["a*"]).series] == ["a1", "a2"]
    assert only_series(timeline, []) == timeline
    with pytest.raises(UserError, match="a1, a2, b1"):
        only_series(timeline, ["c*"])


def outliers(y: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[int]:
    (pruned,) = judged([y], [0.0])
    level = np.concatenate([p.values() for p in pruned.pieces])
    return find_outliers(y - level, pruned, single_chance(len(y)))


def test_a_wild_point_in_a_short_series() -> None:
    y = np.random.default_rng(1).standard_normal(12)
    assert outliers(y) == []
    y[7] += 12
    assert outliers(y) == [7]


def test_noise_with_a_tail_has_to_be_exceeded_by_far() -> None:
    y = np.random.default_rng(2).laplace(size=1000)
    assert np.abs(y).max() > 6
    assert outliers(y) == []
    y[500] = 30
    assert outliers(y) == [500]


def test_of_two_points_neither_can_be_told() -> None:
    y = 0.01 * np.random.default_rng(3).standard_normal(20)
    y[18:] += (1.0, 2.0)
    assert outliers(y) == []


def test_one_in_a_hundred_series_of_normal_noise_has_one() -> None:
    y = np.random.default_rng(4).standard_normal((200, 30))
    assert sum(bool(outliers(row)) for row in y) <= 7


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
