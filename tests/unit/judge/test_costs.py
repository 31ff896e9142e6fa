"""Costs against the baseline's, what exceeds its margin, and what nothing beats."""

import math
from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.unit.report.example import sample_result, sample_study, verdict
from tests.unit.report.parts import changed

from whyfast.judge.judge_run import cost_changes, exceeded, unbeaten
from whyfast.model.cost import CostsSpec, VariantCost
from whyfast.model.result import Result

BASE, OTHER = "clang18-goto", "clang19-tail"


def result(
    *costs: VariantCost, margins: Mapping[str, float] | None = None, **more: object
) -> Result:
    question = replace(sample_study(), costs=CostsSpec(margins or {}), baselines=(BASE,))
    return changed(sample_result(), question=question, costs=costs, evidence=(), **more)


def pair(
    key: str, before: float | None, after: float | None, **more: float
) -> tuple[VariantCost, VariantCost]:
    return VariantCost(key, BASE, before), VariantCost(key, OTHER, after, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("before", "after", "outcome", "ratio"),
    [
        (1000, 1000, "same", 1.0),
        (1000, 1009, "same", 1.009),
        (1000, 1011, "more", 1.011),
        (1000, 980, "less", 0.98),
        (0, 10, "more", math.inf),
        (0, 0, "same", 1.0),
    ],
)
def test_an_exact_cost_has_no_chance(
    before: float, after: float, outcome: str, ratio: float
) -> None:
    (change,) = cost_changes(result(*pair("size", before, after)))
    assert (change.outcome, change.ratio, change.low, change.high) == (outcome, *[ratio] * 3)
    assert (change.variant, change.baseline) == (OTHER, BASE)
    assert change.equal == (before == after)


def test_what_does_not_repeat_has_no_verdict() -> None:
    (change,) = cost_changes(result(*pair("allocations", 1000, 1200, again=1201)))
    assert change.outcome == "undecided"
    (change,) = cost_changes(result(*pair("allocations", 1000, 1200, again=1200)))
    assert change.outcome == "more"


def test_what_is_unavailable_is_not_compared() -> None:
    assert cost_changes(result(*pair("allocations", 1000, None))) == ()


def test_measured_costs_have_their_intervals() -> None:
    memory = replace(verdict(OTHER, BASE, "slower", 1.2, 1.1, 1.3), metric="maxrss")
    (change,) = cost_changes(result(metrics=(memory,)))
    assert (change.key, change.outcome, change.low) == ("peak-memory", "more", 1.1)


def test_a_median_is_no_exact_cost() -> None:
    time = replace(verdict(OTHER, BASE, "undecided", 0.8, 0.0, math.inf), metric="build-time")
    (change,) = cost_changes(result(*pair("build-time", 10.0, 8.0), metrics=(time,)))
    assert (change.outcome, change.low) == ("undecided", 0.0)


def test_a_margin_of_its_own() -> None:
    costs = (*pair("size", 1000, 1030), *pair("file", 1000, 1500))
    assert [c.key for c in exceeded(result(*costs))] == ["size"]
    assert exceeded(result(*costs, margins={"size": 0.05})) == ()
    assert [c.key for c in exceeded(result(*costs, margins={"size": 0.05, "file": 0.01}))] == [
        "file"
    ]


def test_less_is_not_larger() -> None:
    assert exceeded(result(*pair("size", 1000, 500))) == ()


def test_unbeaten() -> None:
    times = {"base": 1.0, "fast": 0.9, "bloated": 0.95, "small": 1.05, "alike": 1.001}
    sizes = {"base": 1.0, "fast": 1.1, "bloated": 1.3, "small": 0.8, "alike": 1.001}
    # What is worse by less than the margin is not beaten.
    assert unbeaten(times, sizes, 0.01) == {"base", "fast", "small", "alike"}
