"""Baselines along axes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.investigate.context import narrow
from whyfast.study.load import load_study

STUDY = """
[study]
title = "What does goto gain, under each compiler?"
baseline = { dispatch = "switch" }
[source]
path = "src"
[build]
steps = ["make"]
program = "vm"
[axes.compiler.gcc]
toolchain = "path:gcc"
[axes.compiler.clang]
toolchain = "path:clang"
[axes.dispatch.goto]
[axes.dispatch.switch]
[benchmarks.one]
command = ["{program}"]
"""


def test_each_is_compared_with_the_one_that_is_equal_but_for_the_axis(
    write: Callable[[str], Path],
) -> None:
    study = load_study(write(STUDY))
    assert study.along == {"dispatch": "switch"}
    assert study.baselines == ("gcc-switch", "clang-switch")
    assert study.compared([v.name for v in study.variants], study.baselines) == (
        ("gcc-goto", "gcc-switch"),
        ("clang-goto", "clang-switch"),
    )


def test_only_keeps_the_baselines_of_what_is_wanted(write: Callable[[str], Path]) -> None:
    study = narrow(load_study(write(STUDY)), ["clang-goto"], [])
    assert [v.name for v in study.variants] == ["clang-goto", "clang-switch"]
    assert study.baselines == ("clang-switch",)


CASES = {
    "no such axis": (
        'dispatch = "switch" }',
        'dispach = "switch" }',
        'study.toml:4: study.baseline.dispach: no axis "dispach"; did you mean "dispatch"?',
    ),
    "no such value": (
        '"switch" }',
        '"swich" }',
        'study.toml:4: study.baseline.dispatch: no value of the axis dispatch "swich"; did you '
        'mean "switch"?',
    ),
    "nothing": (
        '{ dispatch = "switch" }',
        "{}",
        'study.toml:4: study.baseline: names no axis; write baseline = { AXIS = "VALUE" }',
    ),
    "a variant without an axis": (
        "[axes.compiler.gcc]",
        '[variant.other]\ntoolchain = "path:cc"\n[axes.compiler.gcc]',
        'study.toml:4: study.baseline: "other" stands on no axis, and so has no baseline with '
        'dispatch "switch"; make it a value of an axis, or evidence_only, or name baselines '
        "instead",
    ),
    "a counterpart that is excluded": (
        "[axes.compiler.gcc]",
        '[axes]\nexclude = [{ compiler = "gcc", dispatch = "switch" }]\n[axes.compiler.gcc]',
        'study.toml:4: study.baseline: "gcc-goto" has no counterpart with dispatch "switch"; '
        "exclude it under [axes] too, or leave its counterpart in",
    ),
}


@pytest.mark.parametrize(("old", "new", "expected"), CASES.values(), ids=CASES.keys())
def test_mistake(old: str, new: str, expected: str, message: Callable[[str], str]) -> None:
    assert STUDY.count(old) == 1
    assert message(STUDY.replace(old, new)) == expected


def test_a_study_without_axes_has_none_to_compare_along(
    message: Callable[[str], str], golden: Hear
) -> None:
    start = STUDY[: STUDY.index("[axes")]
    text = (
        f'{start}[variant.a]\ntoolchain = "path:cc"\n[benchmarks.one]\ncommand = ["{{program}}"]\n'
    )
    golden(message(text))


def test_a_variant_for_evidence_only_needs_no_counterpart(write: Callable[[str], Path]) -> None:
    text = STUDY.replace(
        "[axes.compiler.gcc]",
        '[variant.other]\nevidence_only = true\ntoolchain = "path:cc"\n[axes.compiler.gcc]',
    )
    assert len(load_study(write(text)).variants) == 5
