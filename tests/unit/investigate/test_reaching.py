"""Which benchmarks execute what has changed, with counts that nothing has run for."""

from __future__ import annotations

from typing import Any, cast

import pytest

from whyfast.investigate.check_run import _reach
from whyfast.investigate.counting import BuildCounter
from whyfast.measure.harnesses import LONG, ONCE
from whyfast.model.code import ChangeCoverage, CodeComparison, FunctionChange
from whyfast.model.counters import Counts, FunctionCost, Profile
from whyfast.model.variant import Benchmark, RunnerName

HOT = FunctionChange("hot", "changed", (10, 12))
TRACED = CodeComparison(False, False, (HOT,), (), traced=True)
NAMES: dict[str, dict[str, str]] = {"base": {}, "head": {}}


class Counter:
    """Answers with the functions that a way of running executes."""

    def __init__(self, executed: dict[int, tuple[str, ...]]) -> None:
        self.executed = executed
        self.asked: list[int] = []

    def seen(self, benchmark: Benchmark, way: int) -> list[Counts]:
        self.asked.append(way)
        functions = tuple(FunctionCost(f, "p", {"Ir": 5.0}) for f in self.executed[way])
        profile = Profile("callgrind", "simulated", ("Ir",), functions, {"Ir": 9.0})
        return [Counts(side, (), (), profile, ()) for side in ("base", "head")]


def _reached(
    counter: Any, runner: RunnerName = "go", code: CodeComparison = TRACED
) -> ChangeCoverage:
    benchmark = Benchmark("one", runner, ("{program}",))
    return _reach(cast("BuildCounter", counter), benchmark, NAMES, code)


@pytest.mark.parametrize("runner", ["go", "google-benchmark", "criterion"])
def test_one_iteration_shows_that_a_harness_executes_it(runner: RunnerName) -> None:
    counter = Counter({ONCE: ("main", "hot")})
    # Iterations are not counted: they are of no defined work.
    assert _reached(counter, runner) == ChangeCoverage("one", ("hot",), "", None)
    assert counter.asked == [ONCE]


def test_what_takes_other_numbers_of_instructions_comes_first() -> None:
    costs = {"base": {"busy": 900.0, "hot": 5.0}, "head": {"busy": 900.0, "hot": 9.0}}

    def seen(benchmark: Benchmark, way: int) -> list[Counts]:
        made = []
        for side, own in costs.items():
            functions = tuple(FunctionCost(n, "p", {"Ir": cost}) for n, cost in own.items())
            profile = Profile("callgrind", "simulated", ("Ir",), functions, {"Ir": 999.0})
            made.append(Counts(side, (), (), profile, ()))
        return made

    counter = Counter({})
    counter.seen = seen  # type: ignore[method-assign]
    code = CodeComparison(False, False, (FunctionChange("busy", "changed", (8, 8)), HOT), ())
    assert _reached(counter, code=code).executes == ("hot", "busy")


DATA = CodeComparison(False, False, (HOT,), ("the data in x differs",))


@pytest.mark.parametrize(
    ("executed", "code", "expected"),
    [
        ({ONCE: ("main",), LONG: ("main", "hot")}, TRACED, (("hot",), "")),
        ({ONCE: ("main",), LONG: ("main",)}, TRACED, ((), "")),
        ({ONCE: ("main",)}, DATA, (None, "the data in x differs")),
    ],
    ids=["another iteration may", "else it is placement", "not where the answer would not hold"],
)
def test_what_one_iteration_does_not_execute_is_run_for_long(
    executed: dict[int, tuple[str, ...]],
    code: CodeComparison,
    expected: tuple[tuple[str, ...] | None, str],
) -> None:
    counter = Counter(executed)
    reach = _reached(counter, code=code)
    assert reach == ChangeCoverage("one", *expected, None)
    assert reach.placement_only == (expected[0] == ())
    assert counter.asked == list(executed)


def test_a_benchmark_that_runs_in_the_kernel_is_not_simulated() -> None:
    counter = Counter({})
    assert _reached(counter, "bpf") == ChangeCoverage(
        "one", None, "a bpf benchmark cannot be simulated"
    )
    assert counter.asked == []
