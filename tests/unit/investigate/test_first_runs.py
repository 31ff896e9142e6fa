"""What first runs leave to others: the peak memory of small programs, in runs of their own."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.investigate.doubles import ratios
from tests.unit.investigate.test_ab_run import TIMES, Bench
from tests.unit.measure.doubles import FakeRunner

from whyfast.measure.commands import ProbeRun
from whyfast.measure.invocation import LaunchArguments, Sample
from whyfast.measure.process import Usage
from whyfast.model.variant import RunnerName

SMALL = Usage(0.1, 0.0, None, 1.0, 0.0, 1.0, 1.0, maxrss_below=1e8)


@pytest.mark.parametrize(("more", "outcome"), [(9e5, "slower"), (1e3, None), (None, None)])
def test_the_peak_memory_of_small_programs_has_runs_of_its_own_where_it_differs(
    tmp_path: Path, more: float | None, outcome: str | None
) -> None:
    bench = Bench(tmp_path)
    peaks = {"old": 2e6, "new": None if more is None else 2e6 + more}
    bench.probe = lambda name: ProbeRun(False, 0.1, 0.1, usage=SMALL)
    usual, traced = ratios(TIMES), [False]

    def script(variant: str, *how: Any) -> Sample:
        peak = peaks.get(variant) if traced[-1] else None
        return replace(usual(variant, *how), extra={} if peak is None else {"maxrss": peak})

    def runner(name: RunnerName, arguments: LaunchArguments) -> FakeRunner:
        traced.append(arguments.traced)
        return bench.world.runner(name, arguments)

    bench.world.script = script
    result = bench.run(runner=runner)
    outcomes = {v.metric: v.outcome for v in result.judged.metrics}
    assert outcomes.get("maxrss") == outcome
    medians = {c.variant: c.value for c in result.found.costs if c.key == "peak-memory"}
    assert medians == (peaks if outcome else {})
