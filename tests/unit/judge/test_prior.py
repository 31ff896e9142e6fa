"""What two files of one build are allowed to differ by."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.unit.judge.runs_example import noisy

from whyfast.judge.noise import ONE_PROCESS, PROCESSES, SHARE, Ratio, with_drift
from whyfast.judge.runs import compare_runs


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
