"""How long a check may build, and what is left of its time for measuring."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.investigate.conftest import TRACED, Bench, found
from tests.unit.investigate.doubles import ratios
from tests.unit.measure.doubles import FakeRunner, steady

from whyfast.build.recipe import Recipe
from whyfast.investigate import check_run
from whyfast.investigate.services import Note
from whyfast.measure.invocation import LaunchArguments
from whyfast.model.build import BuildFailure
from whyfast.model.code import ChangeCoverage
from whyfast.model.errors import UserError
from whyfast.model.study import Study
from whyfast.model.variant import RunnerName
from whyfast.report.document import Cell
from whyfast.report.pages.results import check_page
from whyfast.report.sections.check import check_table
from whyfast.store.builds import BuildStore


def test_a_build_that_is_late_says_how_to_give_it_longer(bench: Bench) -> None:
    limits = list[float]()

    def build(recipes: Sequence[Recipe], store: BuildStore, note: Note, seconds: float) -> Any:
        limits.append(seconds)
        late = BuildFailure("head", "late", "building takes longer than 180 s, in the step: make")
        return [*bench.world.build(recipes[:1], store), late]

    with pytest.raises(UserError, match="--build-limit 360s") as caught:
        bench.run(build=build)
    assert "what was built is kept" in str(caught.value)
    bench.change_study("[build]", '[build]\ntakes = "5m"')
    with pytest.raises(UserError, match="--build-limit 2400s"):
        bench.run(build=build)
    assert limits == [180.0, 1200.0]


@pytest.mark.parametrize(("took", "budget"), [(50.0, 130.0), (170.0, 60.0)])
def test_what_building_takes_is_taken_from_the_time_for_measuring(
    bench: Bench, took: float, budget: float
) -> None:
    def build(recipes: Sequence[Recipe], store: BuildStore, *given: Any) -> Any:
        bench.world.clock.seconds += took
        return bench.world.build(recipes, store)

    for asked, given in ((None, budget), (300.0, 300.0)):
        question = bench.run(budget=asked, build=build).question
        assert isinstance(question, Study)
        assert question.measure.budget == given


def test_undecided_says_how_far_off_and_how_long(bench: Bench) -> None:
    noise = iter(range(10**6))

    def script(variant: str, loops: int, before: int) -> Any:
        n = next(noise)
        wave = 1 + 0.15 * math.sin(n * 1.7 + (1 if variant == "head" else 0) * n)
        return ratios({"base": wave, "head": wave})(variant, loops, before)

    bench.world.script = script
    result = bench.run()
    headline = check_page(result).headline
    assert headline.startswith("No difference found on ")
    wide = [replace(v, low=v.low / 2) for v in result.judged.verdicts]
    far = replace(result, judged=replace(result.judged, verdicts=tuple(wide)))
    assert check_page(far).headline.startswith("Undecided on ")
    assert "one (± " in headline
    assert ", needs over 60 min" in headline
    unbounded = [replace(v, low=0.0, high=math.inf) for v in result.judged.verdicts]
    result = replace(result, judged=replace(result.judged, verdicts=tuple(unbounded)))
    assert check_page(result).headline.startswith("Undecided on ")
    table = check_table(result)
    assert table is not None
    cells = [row[2] for row in table.rows[: len(unbounded)]]
    assert all(isinstance(c, Cell) and "too few" in c.text and not c.detail for c in cells)


def test_where_no_benchmark_executes_what_has_changed_nothing_is_measured(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    idle = [ChangeCoverage(name, (), "", (100.0, 100.0)) for name in ("one", "two")]
    monkeypatch.setattr(check_run, "same_builds", lambda *sides: TRACED)
    monkeypatch.setattr(check_run, "reached_by", lambda *given: tuple(idle))
    result = bench.run()
    assert (result.recorded.blocks, found(result).reaches) == ((), tuple(idle))
    assert "so nothing was measured" in check_page(result).headline
    idle[1] = replace(idle[1], executes=("hot",))
    assert {b.benchmark for b in bench.run().recorded.blocks} == {"one", "two"}


@pytest.mark.usefixtures("traced")
@pytest.mark.parametrize(("head", "apart"), [(1.5, True), (14.0, False)])
def test_a_run_that_is_too_long_tells_what_one_of_each_side_shows(
    bench: Bench, head: float, apart: bool
) -> None:
    def runner(name: RunnerName, arguments: LaunchArguments) -> FakeRunner:
        long = arguments.commands["base"][-1] == "2"
        script = ratios({"base": 14.4, "head": head} if long else {"base": 9.0, "head": 9.0})
        return FakeRunner(script, bench.world.clock, loops_vary=False)

    (note,) = [n for n in found(bench.run(runner=runner)).notes if n.startswith("Not measured")]
    assert ("two took 14.4 s in base and 1.5 s in head" in note) == apart


@pytest.mark.usefixtures("traced")
@pytest.mark.parametrize(
    ("kind", "seconds", "left_out"),
    [
        ("command", {"1": 1.0, "2": 1.0}, []),
        ("command", {"1": 9.0, "2": 0.1}, ["two"]),
        ("criterion", {"1": 1.0, "2": 1.0}, []),
        ("criterion", {"1": 9.0, "2": 0.1}, ["two"]),
        # With its turns, a process takes longer than for its first value.
        ("turn", {"1": 1.0, "2": 1.0}, []),
        ("turn", {"1": 4.0, "2": 0.1}, ["two"]),
        ("command", {"1": 4.0, "2": 0.1}, []),
    ],
)
def test_runs_for_which_there_is_no_time_are_named_and_not_measured(
    bench: Bench, kind: str, seconds: dict[str, float], left_out: list[str]
) -> None:
    bench.change_study('runner = "command"', f'runner = "{kind}"')

    def runner(name: RunnerName, arguments: LaunchArguments) -> FakeRunner:
        script = steady(seconds[arguments.commands["base"][-1]])
        return FakeRunner(script, bench.world.clock, loops_vary=kind == "turn")

    result = bench.run(runner=runner)
    named = [n for n in found(result).notes if n.startswith("Not measured")]
    assert [n for n in ("one", "two") if any(n in note for note in named)] == left_out
    assert {b.benchmark for b in result.recorded.blocks} == {"one", "two"} - set(left_out)
