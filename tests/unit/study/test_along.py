"""Baselines along axes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.golden_files import Hear

from whyfast.investigate.study_run import narrow
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
    "no such axis": ('dispatch = "switch" }', 'dispach = "switch" }'),
    "no such value": ('"switch" }', '"swich" }'),
    "nothing": ('{ dispatch = "switch" }', "{}"),
    "a variant without an axis": (
        "[axes.compiler.gcc]",
        '[variant.other]\ntoolchain = "path:cc"\n[axes.compiler.gcc]',
    ),
    "a counterpart that is excluded": (
        "[axes.compiler.gcc]",
        '[axes]\nexclude = [{ compiler = "gcc", dispatch = "switch" }]\n[axes.compiler.gcc]',
    ),
}


def test_mistakes(message: Callable[[str], str], golden: Hear) -> None:
    for name, (old, new) in CASES.items():
        assert STUDY.count(old) == 1, name
        golden(f"{name}: {message(STUDY.replace(old, new))}")


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
