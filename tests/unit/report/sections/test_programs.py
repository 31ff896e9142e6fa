"""Variants that are read and not measured, in the answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.unit.build.example import study as example

from whyfast.model.build import Build, BuildFailure
from whyfast.model.study import Study
from whyfast.model.variant import Variant
from whyfast.report.sections.programs import measured_builds, unmeasured_sentences

BUILDS = (
    Build("base", "d1", Path("/p"), "s1", {}, False),
    Build("old", "d2", Path("/p"), "s1", {}, False),
    Build("older", "d3", Path("/p"), "s3", {}, False),
    BuildFailure("oldest", "failed", "reason"),
)


def _study(*unmeasured: str) -> Study:
    names = ("base", "old", "older", "oldest")
    variants = tuple(Variant(n, "path:cc", evidence_only=n in unmeasured) for n in names)
    return replace(example(Path("/nowhere/subject")), variants=variants)


def test_those_that_were_built_are_named() -> None:
    assert unmeasured_sentences(_study("old", "older", "oldest"), BUILDS) == [
        "old and older are evidence only: the machine code was read, nothing was measured."
    ]
    assert unmeasured_sentences(_study("old"), BUILDS) == [
        "old is evidence only: the machine code was read, nothing was measured."
    ]


def test_nothing_is_said_where_all_or_none_are() -> None:
    assert unmeasured_sentences(_study(), BUILDS) == []
    assert unmeasured_sentences(_study("base", "old", "older", "oldest"), BUILDS) == []
    assert unmeasured_sentences(_study("oldest"), BUILDS) == []


def test_the_builds_without_them() -> None:
    assert [b.variant for b in measured_builds(_study("old", "oldest"), BUILDS)] == [
        "base",
        "older",
    ]
