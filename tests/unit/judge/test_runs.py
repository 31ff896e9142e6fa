"""Verdicts on recorded runs."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.unit.judge.runs_example import noisy, recording

from whyfast.judge import runs
from whyfast.judge.comparisons import carriers
from whyfast.judge.decide import coverage_level, outcome_of
from whyfast.judge.noise import Contrast, calibrate_noise, contrast, log_mean
from whyfast.model.sample import SECOND, Recording, Series
from whyfast.model.verdict import Verdict


def series(*processes: tuple[float, ...]) -> Series:
    return Series("b", SECOND, processes)


def single(base: Series, head: Series, margin: float = 0.01) -> Verdict:
    def of(name: str, s: Series) -> Recording:
        return Recording(name, name, "pyperf", {"b": s})

    (verdict,) = runs.compare_runs(
        of("base", base), [of("head", head)], ["b"], margin=margin
    ).verdicts
    return verdict


def test_the_estimate_is_the_ratio_of_means_over_processes() -> None:
    head, base = series((2.0, 4.0), (5.0,)), series((1.0,), (3.0,))
    assert math.exp(log_mean(head) - log_mean(base)) == pytest.approx(4.0 / 2.0)


def test_two_processes_are_judged_by_welch() -> None:
    """Untrimmed: the t interval for means of 2 logs each, worked out by hand."""
    found = contrast(series((math.e**0.2,), (math.e**0.4,)), series((1.0,), (math.e**0.2,)))
    assert found is not None
    assert found.location == pytest.approx(0.2)
    assert found.error == pytest.approx(math.sqrt(0.01 + 0.01))  # variances 0.02 over 2
    assert found.freedom == pytest.approx(2.0)


def test_a_ratio_read_from_the_other_side_is_the_same() -> None:
    rng = np.random.default_rng(3)
    base, head = noisy("base", rng), noisy("head", rng, effect=0.1)
    there = runs.compare_runs(base, [head], list(base.series), margin=0.01)
    back = runs.compare_runs(head, [base], list(base.series), margin=0.01)
    for v, w in zip(there.verdicts, back.verdicts, strict=True):
        assert v.ratio == pytest.approx(1 / w.ratio)
        assert v.low == pytest.approx(1 / w.high)
        assert {v.outcome, w.outcome} <= {"slower", "faster"}
    assert there.suites[0].verdict.ratio == pytest.approx(1 / back.suites[0].verdict.ratio)


@pytest.mark.parametrize(
    ("effect", "said_of_all"), [(0.05, "slower"), (-0.05, "faster"), (0.0, "same")]
)
def test_the_words(effect: float, said_of_all: str) -> None:
    rng = np.random.default_rng(1)
    base, head = noisy("a", rng, spread=0.003), noisy("b", rng, spread=0.003, effect=effect)
    said = runs.compare_runs(base, [head], list(base.series), margin=0.02)
    assert {v.outcome for v in said.verdicts} == {said_of_all}
    assert said.suites[0].verdict.outcome == said_of_all


@pytest.mark.parametrize(
    ("base", "head", "why"),
    [
        (series((1.0, 1.1)), series((1.05,), (1.15,)), runs.ONE_PROCESS),
        (series((1.0,), (1.0,)), series((1.02,), (1.02,)), runs.NO_SPREAD),
        (replace(series((1.0, 1.1)), process_known=False), series((1.1,)), runs.UNKNOWN_PROCESSES),
    ],
)
def test_what_has_no_spread_is_judged_by_same_builds(base: Series, head: Series, why: str) -> None:
    verdict = single(base, head)
    assert verdict.outcome == "undecided"
    assert 0.8 < verdict.low < 1 < verdict.high < 1.4
    assert verdict.notes == (why,)
    doubled = Series("b", SECOND, tuple(tuple(2 * v for v in p) for p in head.processes))
    assert single(base, doubled).outcome == "slower"


@pytest.mark.parametrize(("scatter", "outcome"), [(0.01, "slower"), (0.6, "undecided")])
def test_values_of_one_process_say_how_well_its_mean_is_known(scatter: float, outcome: str) -> None:
    """Two runs of one program under Criterion, at a load of 14, lay 16 % apart: 100 samples each,
    with a standard deviation of 60 %. On a quiet machine it is 1 %."""
    rng = np.random.default_rng(3)
    once = tuple(float(x) for x in np.exp(scatter * rng.normal(size=100)))
    again = tuple(1.16 * x for x in rng.permutation(once))
    assert single(series(once), series(again)).outcome == outcome


def test_a_few_wild_values_of_one_process_make_no_difference_and_are_named() -> None:
    """Two runs of one program under pytest-benchmark, on a busy machine, lay 29 % apart by their
    means and 1 % by their medians: now and then a call of 14 µs had taken milliseconds."""
    rng = np.random.default_rng(4)
    calm = tuple(float(x) for x in np.exp(0.05 * rng.normal(size=2000)))
    wild = (*(float(x) for x in np.exp(0.05 * rng.normal(size=1994))), *[100.0] * 6)
    verdict = single(series(calm), series(wild))
    assert verdict.ratio == pytest.approx(1.3, abs=0.01)
    assert verdict.outcome == "undecided"
    assert verdict.low < 1 < verdict.ratio <= verdict.high
    assert verdict.notes == (runs.ONE_PROCESS, runs.FEW_VALUES_CARRY)
    slower = tuple(1.5 * x for x in wild)
    assert single(series(calm), series(slower)).outcome == "slower"


def _one_wild_process(effect: float) -> Verdict:
    rng = np.random.default_rng(2)
    calm = [(float(x),) for x in np.exp(0.002 * rng.normal(size=20))]
    wild = [(3.0,), *[(float(x),) for x in np.exp(effect + 0.002 * rng.normal(size=19))]]
    return single(series(*calm), series(*wild))


def test_one_wild_process_makes_no_difference_and_is_named() -> None:
    verdict = _one_wild_process(0.0)
    assert verdict.ratio == pytest.approx(1.1, rel=0.01)
    assert verdict.outcome == "undecided"
    assert verdict.low < 1 < verdict.ratio <= verdict.high
    assert verdict.notes == (runs.FEW_CARRY,)


def test_one_wild_process_hides_no_difference() -> None:
    assert _one_wild_process(0.05).outcome == "slower"


@pytest.mark.parametrize("processes", [2, 3, 5, 20])
def test_few_verdicts_are_wrong_without_drift(processes: int) -> None:
    rng = np.random.default_rng(7)
    called = []
    for _ in range(60):
        base, head = (noisy(n, rng, processes=processes) for n in "ab")
        said = runs.compare_runs(base, [head], list(base.series), margin=1e-6)
        called += [v.outcome in ("faster", "slower") for v in said.verdicts]
    assert np.mean(called) <= 0.02


def test_the_level_is_the_share_of_verdicts() -> None:
    """3 of 4 intervals exclude 0 at any level, so they are reported at alpha·3/(4·H₄)."""
    h = 1 + 1 / 2 + 1 / 3 + 1 / 4
    assert coverage_level([0.0, 0.0, 0.0, 1.0], 0.05) == pytest.approx(0.05 * 3 / (4 * h))
    assert coverage_level([1.0] * 4, 0.05) == pytest.approx(0.05 / (4 * h))
    assert coverage_level([0.0], 0.05) == 0.05


def test_the_least_level_is_where_the_word_changes() -> None:
    """Of contrasts of every kind, the interval is undecided just below it and decided above."""
    rng = np.random.default_rng(5)
    for _ in range(50):
        point = float(rng.normal(0, 0.02))
        parts = tuple(
            Contrast(point, point + float(rng.normal(0, 0.003)), error, freedom)
            for error, freedom in ((0.002, 3.0), (0.004, 10.0))
        )
        found = runs.RunsCompared("b", "head", "base", point, parts, 5)
        level = found.least_level(0.01)
        if not 1e-9 < level < 0.99:
            continue
        assert outcome_of(*runs.interval_of(parts, level * 0.99), 0.01) == "undecided"
        assert outcome_of(*runs.interval_of(parts, level * 1.01), 0.01) != "undecided"


def test_e_values_come_from_p_values() -> None:
    assert runs.e_value_of(1.0) == pytest.approx(math.log(0.5))
    assert runs.e_value_of(1e-6) == pytest.approx(math.log(500))
    assert math.isfinite(runs.e_value_of(0.0))


def test_the_geometric_mean_counts_every_benchmark_once() -> None:
    base = recording("base", {"a": [0.0, 0.01], "b": [0.0, 0.01], "only": [1.0, 1.1]})
    head = recording("head", {"a": [0.2, 0.21], "b": [-0.1, -0.09]})
    said = runs.compare_runs(base, [head], ["a", "b", "only"], margin=0.01)
    (suite,) = said.suites
    assert suite.verdict.ratio == pytest.approx(math.exp(0.05))
    assert suite.influence == {
        "a": pytest.approx(math.exp(-0.1)),
        "b": pytest.approx(math.exp(0.2)),
    }


def test_a_carrier_moves_more_than_a_third_or_the_verdict() -> None:
    suite = replace(single(series((1.0,), (1.1,)), series((2.0,), (2.1,))), ratio=1.03)
    suite = replace(suite, outcome="slower")
    without = {
        "third": (math.log(1.015), "slower"),
        "little": (math.log(1.029), "slower"),
        "verdict": (math.log(1.028), "same"),
    }
    found = carriers(suite, without, 0.01)  # type: ignore[arg-type]
    assert [c.benchmark for c in found] == ["third", "verdict"]
    assert found[0].share == pytest.approx(0.496, abs=0.001)


def test_noise_alone_judges_single_processes() -> None:
    rng = np.random.default_rng(4)
    reruns = [noisy(f"n{i}", rng, processes=1, drift=0.003, spread=0) for i in range(5)]
    base = noisy("base", rng, processes=1, drift=0.003, spread=0)
    head = noisy("head", rng, processes=1, drift=0.003, spread=0, effect=0.2)
    noise = calibrate_noise(reruns)
    said = runs.compare_runs(base, [head], list(base.series), margin=0.01, noise=noise)
    assert {v.outcome for v in said.verdicts} == {"slower"}
    assert all(not v.notes for v in said.verdicts)
