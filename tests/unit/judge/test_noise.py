"""Noise between runs from reruns and from what is known elsewhere."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from tests.golden_files import Hear
from tests.unit.judge.runs_example import noisy, recording

from whyfast.judge.noise import (
    MOST_BORROWED,
    MOST_FREEDOM,
    ONE_PROCESS,
    PROCESSES,
    SHARE,
    Ratio,
    Spread,
    calibrate_noise,
    fit_prior,
    with_drift,
)
from whyfast.judge.runs import NOT_IN_NOISE, compare_runs
from whyfast.model.errors import UserError
from whyfast.model.sample import Recording


def test_two_reruns_of_few_benchmarks_borrow_nothing() -> None:
    noise = calibrate_noise([recording("a", {"x": [0.0]}), recording("b", {"x": [0.1]})])
    spread = noise.benchmarks["x"]
    # s² = 0.1²/2, and a difference of two runs has twice that.
    assert spread.error == pytest.approx(0.1)
    assert spread.freedom == 1.0
    assert noise.typical is None


def test_equal_variances_are_pooled_up_to_the_cap() -> None:
    rng = np.random.default_rng(1)
    variances = 0.01**2 * rng.chisquare(3, size=2000) / 3
    borrowed, scale = fit_prior(variances, 3.0)
    assert borrowed == MOST_BORROWED
    assert math.sqrt(scale) == pytest.approx(0.01, rel=0.05)


def test_the_prior_is_found_again() -> None:
    """Variances drawn from the model itself: d0 = 3, s0 = 2 %."""
    rng = np.random.default_rng(2)
    truth = 0.02**2 * 3 / rng.chisquare(3, size=20000)
    borrowed, scale = fit_prior(truth * rng.chisquare(4, size=20000) / 4, 4.0)
    assert borrowed == pytest.approx(3, rel=0.1)
    assert math.sqrt(scale) == pytest.approx(0.02, rel=0.05)


def test_freedom_is_capped_for_heavy_tails() -> None:
    rng = np.random.default_rng(3)
    noise = calibrate_noise([noisy(f"r{i}", rng, drift=0.01) for i in range(20)])
    assert {s.freedom for s in noise.benchmarks.values()} == {MOST_FREEDOM}


def test_the_geometric_mean_takes_its_noise_from_whole_runs() -> None:
    runs = [recording(f"r{i}", {"a": [x], "b": [x]}) for i, x in enumerate((0.0, 0.1, 0.2))]
    suite = calibrate_noise(runs).suite(["a", "b"])
    assert suite is not None
    assert suite.spread() == Spread(pytest.approx(math.sqrt(2) * 0.1), 2.0)  # type: ignore[arg-type]
    partly = calibrate_noise(runs).suite(["a", "b", "c"])
    assert partly is not None
    assert partly.number == 2
    assert calibrate_noise(runs).suite(["c"]) is None


def test_an_interval_is_never_narrower_than_without_noise() -> None:
    rng = np.random.default_rng(5)
    reruns = [noisy(f"r{i}", rng) for i in range(4)]
    base, head = noisy("a", rng), noisy("b", rng, effect=0.03)
    names = list(base.series)
    alone = compare_runs(base, [head], names, margin=0.01)
    both = compare_runs(base, [head], names, margin=0.01, noise=calibrate_noise(reruns))
    for v, w in zip(alone.verdicts, both.verdicts, strict=True):
        assert w.low <= v.low + 1e-12
        assert w.high >= v.high - 1e-12
        assert w.ratio == v.ratio


def test_drift_is_no_difference() -> None:
    rng = np.random.default_rng(6)
    pooled: list[bool] = []
    alone: list[bool] = []
    calibrated: list[bool] = []
    for _ in range(25):
        *reruns, base, head = (noisy(f"r{i}", rng, drift=0.02, spread=0.005) for i in range(6))
        names = list(base.series)
        for name in names:
            x, y = (np.ravel(r.series[name].processes) for r in (base, head))
            pooled.append(stats.ttest_ind(x, y).pvalue < 0.05)
        for noise, into in ((None, alone), (calibrate_noise(reruns), calibrated)):
            said = compare_runs(base, [head], names, margin=1e-6, noise=noise)
            into += [v.outcome in ("faster", "slower") for v in said.verdicts]
    assert np.mean(pooled) > 0.7
    assert np.mean(alone) <= 0.05
    assert np.mean(calibrated) <= 0.01


def test_a_real_difference_is_still_found() -> None:
    rng = np.random.default_rng(8)
    *reruns, base = (noisy(f"r{i}", rng, drift=0.003, spread=0.005) for i in range(6))
    head = noisy("head", rng, drift=0.003, spread=0.005, effect=0.05)
    said = compare_runs(base, [head], list(base.series), margin=0.01, noise=calibrate_noise(reruns))
    assert sum(v.outcome == "slower" for v in said.verdicts) >= 18


def test_a_benchmark_that_the_reruns_lack_gets_the_typical_noise(golden: Hear) -> None:
    rng = np.random.default_rng(9)
    reruns = [noisy(f"r{i}", rng, drift=0.01) for i in range(5)]
    base, head = noisy("a", rng, benchmarks=21), noisy("b", rng, benchmarks=21)
    noise = calibrate_noise(reruns)
    said = compare_runs(base, [head], list(base.series), margin=0.01, noise=noise)
    assert said.verdicts[-1].notes[-1] == NOT_IN_NOISE
    (suite,) = said.suites
    golden(*suite.verdict.notes)


def test_a_benchmark_that_the_reruns_lack_does_not_narrow_the_mean() -> None:
    """Reruns that drift as a whole by 2 %: one missing benchmark of 21 changes nothing of that."""
    rng = np.random.default_rng(10)

    def shifted(name: str, number: int) -> Recording:
        by = math.exp(0.02 * rng.normal())
        run = noisy(name, rng, benchmarks=number, spread=0.002)
        series = {
            n: replace(s, processes=tuple((v[0] * by,) for v in s.processes))
            for n, s in run.series.items()
        }
        return replace(run, series=series)

    reruns = [shifted(f"r{i}", 20) for i in range(6)]
    base, head = shifted("a", 21), shifted("b", 21)
    noise = calibrate_noise(reruns)
    shared = [n for n in base.series if n in reruns[0].series]
    (all_,) = compare_runs(base, [head], list(base.series), margin=0.01, noise=noise).suites
    (some,) = compare_runs(base, [head], shared, margin=0.01, noise=noise).suites
    assert all_.verdict.high / all_.verdict.low == pytest.approx(
        some.verdict.high / some.verdict.low, rel=0.01
    )
    assert all_.verdict.high / all_.verdict.low > 1.08


def test_a_benchmark_of_some_reruns_has_the_noise_of_those() -> None:
    rng = np.random.default_rng(11)
    reruns = [noisy(f"r{i}", rng, benchmarks=20 + (i > 1)) for i in range(6)]
    noise = calibrate_noise(reruns)
    assert "b20" in noise.benchmarks
    assert "b20" not in noise.names
    assert noise.benchmarks["b20"].freedom < noise.benchmarks["b0"].freedom


def test_reruns_of_other_benchmarks_leave_the_mean_to_the_prior() -> None:
    rng = np.random.default_rng(9)
    reruns = [noisy(f"r{i}", rng, benchmarks=1) for i in range(5)]
    other = [
        replace(r, series={"other": replace(r.series["b0"], benchmark="other")}) for r in reruns
    ]
    base, head = (noisy(name, rng, benchmarks=2, processes=1) for name in ("a", "b"))
    said = compare_runs(base, [head], list(base.series), margin=0.01, noise=calibrate_noise(other))
    (suite,) = said.suites
    assert 0.9 < suite.verdict.low < suite.verdict.high < 1.1
    assert "share 0 of its 2 benchmarks" in suite.verdict.notes[0]


def test_memory_in_one_rerun_is_no_time_of_another() -> None:
    times, others = (recording(n, {"a": [x], "b": [x]}) for n, x in (("r0", 0.0), ("r1", 0.1)))
    memory = replace(others.series["b"], unit="byte")
    mixed = replace(others, series={**others.series, "b": memory})
    assert list(calibrate_noise([times, mixed]).benchmarks) == ["a"]


RERUN = recording("a", {"x": [0.0, 0.1]})


@pytest.mark.parametrize(
    ("reruns", "message"),
    [
        ([RERUN], "at least two runs"),
        ([RERUN, replace(RERUN, name="copy")], "a and copy hold the same values"),
        ([RERUN, recording("b", {"y": [0.0]})], "no benchmark in common"),
    ],
)
def test_reruns_that_tell_nothing_are_refused(reruns: list[Recording], message: str) -> None:
    with pytest.raises(UserError, match=message):
        calibrate_noise(reruns)


def ratio(point: float, deviation: float = 0.0) -> Ratio:
    return Ratio(point, point, 0.0, math.inf, deviation, PROCESSES)


def test_few_benchmarks_get_the_upper_bound() -> None:
    (found,), (a,) = with_drift([ratio(0.1, deviation=0.02)])
    assert a == PROCESSES.high
    assert found.error == pytest.approx(math.hypot(PROCESSES.high, SHARE * 0.02))
    assert found.freedom == pytest.approx(8)


def test_the_bulk_of_the_pair_shows_its_drift_within_bounds() -> None:
    rng = np.random.default_rng(1)
    for truth, taken in ((0.001, PROCESSES.low), (0.008, 0.008), (0.05, PROCESSES.high)):
        points = truth * rng.standard_t(8, 2001)
        _, drifts = with_drift([ratio(float(p)) for p in points])
        assert drifts[0] == pytest.approx(taken, rel=0.1)


def test_a_change_of_some_benchmarks_does_not_hide_in_the_bulk() -> None:
    rng = np.random.default_rng(2)
    points = [float(x) for x in 0.004 * rng.standard_t(8, 100)]
    _, (before, *_) = with_drift([ratio(p) for p in points])
    _, (after, *_) = with_drift([ratio(p + 0.3 * (i < 20)) for i, p in enumerate(points)])
    assert after < 1.6 * before


def test_one_process_is_a_kind_of_its_own() -> None:
    one = Ratio(0.0, 0.0, 0.0, math.inf, 0.0, ONE_PROCESS)
    _, drifts = with_drift([one] * 9 + [ratio(0.0)] * 9)
    assert drifts == [ONE_PROCESS.low] * 9 + [PROCESSES.low] * 9


@pytest.mark.parametrize("drift", [0.0, 0.003, 0.01, 0.02])
def test_two_files_of_one_build_are_seldom_called_different(drift: float) -> None:
    """At most 5 % of the benchmarks; and of true differences of 10 % at least 90 % are named."""
    rng = np.random.default_rng(3)
    called, named = [], []
    for _ in range(15):
        base, head = noisy("a", rng, drift=drift), noisy("b", rng, drift=drift)
        said = compare_runs(base, [head], list(base.series), margin=0.01)
        called += [v.outcome in ("faster", "slower") for v in said.verdicts]
        changed = noisy("b", rng, drift=drift, effect=math.log(1.1))
        mixed = {n: (changed if i < 4 else head).series[n] for i, n in enumerate(base.series)}
        both = type(head)("b", "b", "pyperf", mixed)
        said = compare_runs(base, [both], list(base.series), margin=0.01)
        named += [v.outcome == "slower" for v in said.verdicts[:4]]
    assert np.mean(called) <= 0.05
    assert np.mean(named) >= (0.9 if drift <= 0.01 else 0.4)
