"""The product and its filters."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.study.load import load_study

HEAD = """
[study]
title = "Which?"
baseline = "BASELINE"
[source]
path = "src"
[build]
steps = ["make"]
program = "vm"
[benchmarks.one]
command = ["{program}"]
"""

AXES = """
[axes.cc.gcc]
toolchain = "path:gcc"
about = "GCC"
[axes.cc.clang]
toolchain = "path:clang"
[axes.opt.O2]
cflags = ["-O2"]
about = "usual flags"
[axes.opt.O3]
cflags = ["-O3"]
"""


@pytest.fixture
def names(write: Callable[[str], Path]) -> Callable[[str, str], list[str]]:
    """The names of the variants that some axes span."""

    def of(text: str, baseline: str) -> list[str]:
        study = load_study(write(HEAD.replace("BASELINE", baseline) + text))
        return [variant.name for variant in study.variants]

    return of


def test_last_axis_varies_fastest(names: Callable[[str, str], list[str]]) -> None:
    assert names(AXES, "gcc-O2") == ["gcc-O2", "gcc-O3", "clang-O2", "clang-O3"]


def test_name(names: Callable[[str, str], list[str]]) -> None:
    text = '[axes]\nname = "vm_{opt}.{cc}"\nonly = [{ cc = "gcc" }]\n' + AXES
    assert names(text, "vm_O2.gcc") == ["vm_O2.gcc", "vm_O3.gcc"]


def test_only_keeps_what_matches_one_entry(names: Callable[[str, str], list[str]]) -> None:
    text = '[axes]\nonly = [{ cc = "gcc", opt = "O3" }, { cc = ["clang"] }]\n' + AXES
    assert names(text, "gcc-O3") == ["gcc-O3", "clang-O2", "clang-O3"]


def test_exclude_goes_after_only(names: Callable[[str, str], list[str]]) -> None:
    text = '[axes]\nonly = [{ opt = "O2" }]\nexclude = [{ cc = ["gcc", "gcc"] }]\n' + AXES
    with pytest.raises(Exception, match="in the list twice"):
        names(text, "clang-O2")
    text = text.replace('["gcc", "gcc"]', '["gcc"]')
    assert names(text, "clang-O2") == ["clang-O2"]


def test_filters_as_tables(names: Callable[[str, str], list[str]]) -> None:
    text = '[[axes.exclude]]\ncc = "gcc"\n[[axes.exclude]]\nopt = "O2"\n' + AXES
    assert names(text, "clang-O3") == ["clang-O3"]


def test_settings_of_values_apply_in_the_order_of_the_axes(
    write: Callable[[str], Path], golden: Hear
) -> None:
    text = """
[variant.base]
abstract = true
cflags = ["-g"]
env = { A = "base", B = "base" }
[axes]
extends = "base"
[axes.first.x]
toolchain = "path:cc"
cflags.add = ["-1"]
env = { B = "first", C = "first" }
about = "the first"
[axes.second.y]
cflags.add = ["-2"]
env = { C = "second" }
about = "the second"
"""
    (variant,) = load_study(write(HEAD.replace("BASELINE", "x-y") + text)).variants
    assert variant.cflags == ("-g", "-1", "-2")
    assert variant.env == {"A": "base", "B": "first", "C": "second"}
    golden(variant.about)
    assert variant.axes == {"first": "x", "second": "y"}


def test_name_that_cannot_be_one(message: Callable[[str], str], golden: Hear) -> None:
    text = HEAD.replace("BASELINE", "x") + '[axes]\nname = "{cc} {opt}"\n' + AXES
    golden(message(text))


def test_axes_without_axes(message: Callable[[str], str], golden: Hear) -> None:
    golden(message(HEAD + '[axes]\nname = "x"\n'))


def test_key_that_is_no_axis(message: Callable[[str], str], golden: Hear) -> None:
    golden(message(HEAD + '[axes]\nexcludes = "x"\n' + AXES))


def test_too_many_combinations(message: Callable[[str], str], golden: Hear) -> None:
    axes = "".join(f"[axes.a{axis}.v{value}]\n" for axis in range(5) for value in range(10))
    golden(message(HEAD + axes))
