"""Variants that are read and not measured, and what variants lack."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.build.example import study as example
from tests.unit.report.examples import LACKING

from whyfast.model.build import Build, BuildFailure
from whyfast.model.sample import RunFailure
from whyfast.model.study import Study
from whyfast.model.variant import Variant
from whyfast.report.sections.programs import (
    failure_text,
    lacking_sentences,
    measured_builds,
    unmeasured_sentences,
)

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


@pytest.mark.parametrize(
    ("unmeasured", "names"),
    [
        (("old", "older", "oldest"), "old and older are"),
        (("old",), "old is"),
        ((), ""),
        (("base", "old", "older", "oldest"), ""),
        (("oldest",), ""),
    ],
)
def test_variants_for_evidence_only_are_named(unmeasured: tuple[str, ...], names: str) -> None:
    text = f"{names} evidence only: the machine code was read, nothing was measured."
    assert unmeasured_sentences(_study(*unmeasured), BUILDS) == ([text] if names else [])


def test_the_builds_without_them() -> None:
    measured = measured_builds(_study("old", "oldest"), BUILDS)
    assert [b.variant for b in measured] == ["base", "older"]


def test_what_is_lacking_is_said_once_a_reason() -> None:
    assert failure_text(LACKING) == "old has no fastcall: METH_FASTCALL came with 3.6"
    lacking = [RunFailure(name, "old", "came later", "", (), lacks=True) for name in "abcde"]
    assert lacking_sentences(lacking) == [
        "old has no a, b, c and 2 further benchmarks: came later.",
        "A geometric mean covers the benchmarks that both sides have.",
    ]
    assert lacking_sentences([]) == []
