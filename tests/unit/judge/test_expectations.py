"""Variants that are not what their names say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from whyfast.judge.comparisons import find_failed_expectations, refuted
from whyfast.model.evidence import DispatchFacts, Evidence, FailedExpectation
from whyfast.model.study import BuildSpec, Source, Study
from whyfast.model.variant import Variant

STUDY = Study(
    name="demo",
    title="demo",
    folder=Path("demo"),
    baselines=("old",),
    margin=0.01,
    source=Source("path", "src", Path("demo/src")),
    build=BuildSpec((), "vm"),
    variants=(Variant("old", "path:gcc"), Variant("new", "path:gcc")),
    benchmarks=(),
)
LOOP = DispatchFacts("loop", "replicated", 20, 18, 1, 900, 4000, "20 jumps")


def _study(wanted: str) -> Study:
    old, new = STUDY.variants
    return replace(STUDY, variants=(old, replace(new, expect={"dispatch": wanted})))


def _evidence(dispatch: DispatchFacts | None) -> list[Evidence]:
    return [Evidence("new", "x86-64", dispatch, ())]


@pytest.mark.parametrize("wanted", ["loop", "replicated"])
def test_what_is_as_expected_is_not_named(wanted: str) -> None:
    assert find_failed_expectations(_study(wanted), _evidence(LOOP)) == ()


@pytest.mark.parametrize(
    ("wanted", "found"),
    [("tail-call", "loop"), ("merged", "replicated"), ("none", "replicated")],
)
def test_what_the_program_has_instead(wanted: str, found: str) -> None:
    study = _study(wanted)
    failed_expectations = find_failed_expectations(study, _evidence(LOOP))
    assert failed_expectations == (FailedExpectation("new", "dispatch", wanted, found, "20 jumps"),)
    assert refuted(study, failed_expectations) == {"new"}


@pytest.mark.parametrize(
    "facts", [None, DispatchFacts("none", "unknown", 0, None, 0, 0, 0, "no function")]
)
def test_what_cannot_be_seen_is_not_refuted(facts: DispatchFacts | None) -> None:
    study = _study("tail-call")
    (one,) = find_failed_expectations(study, _evidence(facts))
    assert one.found is None
    assert refuted(study, [one]) == frozenset()


def test_a_program_without_indirect_jumps_dispatches_nowhere() -> None:
    facts = DispatchFacts("none", "none", 0, None, 1, 9, 40, "no jump")
    assert find_failed_expectations(_study("none"), _evidence(facts)) == ()
    (one,) = find_failed_expectations(_study("loop"), _evidence(facts))
    assert one.found == "none"


def test_a_twin_is_as_true_as_its_original() -> None:
    study = _study("merged")
    study = replace(study, variants=(*study.variants, Variant("new twin", "", twin_of="new")))
    assert refuted(study, find_failed_expectations(study, _evidence(LOOP))) == {"new", "new twin"}


def test_what_was_not_built_is_passed_over() -> None:
    assert find_failed_expectations(_study("merged"), []) == ()
