"""First values that are set aside, whichever variants a benchmark still has."""

from __future__ import annotations

from tests.unit.example_blocks import block

from whyfast.judge.comparisons import ComparisonPlan
from whyfast.judge.placement import judge_levels
from whyfast.judge.stationarity import judge_stationarity
from whyfast.model.variant import Benchmark
from whyfast.model.verdict import NonStationary

WARM = [1.3, 1.2, *[1.0] * 8]


def test_a_benchmark_without_the_main_baseline_still_warms_up() -> None:
    blocks = [block({"b": WARM, "c": WARM}, benchmark="loop", index=i) for i in range(6)]
    benchmarks = [Benchmark("loop", "turn", ("loop",))]
    non_stationary = judge_stationarity(blocks, benchmarks=benchmarks, variants=("a", "b", "c"))
    assert non_stationary == tuple(
        NonStationary(v, "loop", "warms up", 2, 10, 1.3) for v in ("b", "c")
    )
    found = {
        baseline: judge_levels(
            ComparisonPlan(blocks, ["loop"], [], 0.01, ("a", "b", "c")), baseline, non_stationary
        )
        for baseline in ("a", "b")
    }
    assert found["a"] == ()
    assert [(x.variant, x.non_stationary, x.drifts) for x in found["b"]] == [("c", 2, False)]


def test_commands_cannot_warm_up() -> None:
    blocks = [block({"a": WARM, "b": WARM}, benchmark="ls", index=i) for i in range(6)]
    benchmarks = [Benchmark("ls", "command", ("ls",))]
    assert judge_stationarity(blocks, benchmarks=benchmarks, variants=("a", "b")) == ()
