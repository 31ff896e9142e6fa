"""First values that are set aside, whichever variants a benchmark still has."""

from __future__ import annotations

from tests.unit.example_blocks import block

from whyfast.judge.whole import judge_levels, judge_warming
from whyfast.model.variant import Benchmark

WARM = [1.3, 1.2, *[1.0] * 8]


def test_a_benchmark_without_the_main_baseline_still_warms_up() -> None:
    blocks = [block({"b": WARM, "c": WARM}, benchmark="loop", index=i) for i in range(6)]
    benchmarks = [Benchmark("loop", "turn", ("loop",))]
    warming = judge_warming(blocks, benchmarks=benchmarks, variants=("a", "b", "c"))
    assert warming == {"loop": (2, False)}
    found = {
        baseline: judge_levels(
            blocks,
            benchmarks=benchmarks,
            variants=("a", "b", "c"),
            baseline=baseline,
            warming=warming,
        )
        for baseline in ("a", "b")
    }
    assert found["a"] == ()
    assert [(x.variant, x.unsteady) for x in found["b"]] == [("c", 2)]


def test_commands_cannot_warm_up() -> None:
    blocks = [block({"a": WARM, "b": WARM}, benchmark="ls", index=i) for i in range(6)]
    benchmarks = [Benchmark("ls", "command", ("ls",))]
    assert judge_warming(blocks, benchmarks=benchmarks, variants=("a", "b")) == {}
