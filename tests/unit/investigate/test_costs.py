"""Costs beside time: builds that are repeated, and what nothing counts."""

import json
from pathlib import Path

import pytest
from tests.unit.investigate.test_study_run import Bench

from whyfast.build.recipe import Recipe
from whyfast.build.run import Rebuilt
from whyfast.investigate.costs import BUILD_ROUNDS
from whyfast.model.build import BuildFailure
from whyfast.model.cost import CostsSpec
from whyfast.model.result import Result
from whyfast.model.study import EvidenceSpec, MeasureSpec
from whyfast.report.result_json import from_json, to_json
from whyfast.store.home import Home


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def _built_again(
    bench: Bench, seconds: dict[str, float], budget: float = 1e6, peak: float | None = 1e8
) -> Result:
    """A run that repeats builds, each of which takes as long as ``seconds`` says."""

    def rebuild(recipe: Recipe, home: Home) -> Rebuilt:
        bench.world.built.append(recipe.variant)
        bench.world.clock.seconds += seconds[recipe.variant]
        return Rebuilt(seconds[recipe.variant], peak)

    spec = MeasureSpec(budget=budget, turns=2)
    costs = CostsSpec(build=True)
    return bench.run(services={"rebuild": rebuild}, measure=spec, costs=costs)


def test_builds_are_repeated_in_rounds_and_judged(bench: Bench) -> None:
    result = _built_again(bench, {"a": 10.0, "b": 13.0, "c": 10.0})
    again = bench.world.built[3:]
    assert len(again) == 3 * BUILD_ROUNDS
    rounds = [again[i : i + 3] for i in range(0, len(again), 3)]
    assert all(sorted(names) == ["a", "b", "c"] for names in rounds)
    assert len({tuple(names) for names in rounds}) > 1  # in an order drawn at random
    outcomes = {
        v.variant: (v.outcome, round(v.ratio, 3))
        for v in result.judged.metrics
        if v.metric == "build-time"
    }
    assert outcomes == {"b": ("slower", 1.3), "c": ("same", 1.0)}
    medians = {(c.key, c.variant): c.value for c in result.found.costs}
    assert medians["build-time", "b"] == 13.0
    assert medians["build-memory", "a"] == 1e8
    assert from_json(json.loads(json.dumps(to_json(result)))).found.costs == result.found.costs


def test_memory_below_that_of_whyfast_is_unavailable(bench: Bench) -> None:
    result = _built_again(bench, {"a": 10.0, "b": 13.0, "c": 10.0}, peak=None)
    memory = [c for c in result.found.costs if c.key == "build-memory"]
    assert [(c.value, bool(c.note)) for c in memory] == [(None, True)] * 3
    assert {v.metric for v in result.judged.metrics} == {"build-time"}


def test_builds_are_repeated_within_the_budget(bench: Bench) -> None:
    _built_again(bench, {"a": 100.0, "b": 100.0, "c": 100.0}, budget=700.0)
    assert len(bench.world.built[3:]) == 2 * 3


def test_a_build_that_fails_the_second_time_is_no_cost(bench: Bench) -> None:
    failed = BuildFailure("a", "failed", "disk full")
    services = {"rebuild": lambda recipe, home: failed}
    result = bench.run(services=services, costs=CostsSpec(build=True))
    assert not result.found.costs
    assert any("disk full" in text for text in bench.watcher.heard)


def test_costs_that_nothing_counts_are_unavailable_and_never_0(bench: Bench) -> None:
    result = bench.run(costs=CostsSpec(count=True))
    counted = [c for c in result.found.costs if c.key != "energy"]
    assert {c.value for c in counted} == {None}
    assert {c.variant for c in counted} == {"a", "b", "c"}
    assert all(c.note for c in counted)


def test_a_quick_look_counts_costs_as_far_as_its_limit_goes(bench: Bench) -> None:
    evidence = EvidenceSpec(limit=0.0)
    result = bench.run(costs=CostsSpec(count=True), evidence=evidence)
    assert not [c for c in result.found.costs if c.key == "instructions"]
    assert any(text.startswith("not counted") for text in bench.watcher.heard)
