"""extends, and what is missing after it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.model.variant import Variant
from whyfast.study.load import load_study

HEAD = """
[study]
title = "Which?"
baseline = "x"
[source]
path = "src"
[build]
steps = ["make"]
program = "vm"
[benchmarks.one]
command = ["{program}"]
"""


@pytest.fixture
def x(write: Callable[[str], Path]) -> Callable[[str], Variant]:
    """The variant ``x`` of a study with these variants."""
    return lambda text: load_study(write(HEAD + text)).variant("x")


def test_plain_replaces_and_add_appends(x: Callable[[str], Variant]) -> None:
    variant = x("""
[variant.a]
toolchain = "path:cc"
cflags = ["-O2"]
ldflags = ["-s"]
configure = ["--with-lto"]
requires = ["musttail"]
[variant.x]
extends = "a"
cflags.add = ["-g"]
ldflags = ["-z"]
configure.add = []
requires.add = ["computed-goto", "musttail"]
""")
    assert variant.cflags == ("-O2", "-g")
    assert variant.ldflags == ("-z",)
    assert variant.configure == ("--with-lto",)
    assert variant.requires == ("computed-goto", "musttail")


def test_plain_empty_list_clears(x: Callable[[str], Variant]) -> None:
    text = '[variant.a]\ntoolchain = "path:cc"\ncflags = ["-O2"]\n'
    assert x(text + '[variant.x]\nextends = "a"\ncflags = []\n').cflags == ()


def test_tables_are_merged_and_about_is_not_inherited(x: Callable[[str], Variant]) -> None:
    variant = x("""
[variant.a]
toolchain = "path:cc"
about = "of a"
env = { A = "a", B = "a" }
expect = { dispatch = "merged" }
[variant.x]
extends = "a"
toolchain = "path:gcc"
env = { B = "", C = "x" }
expect = { dispatch = "tail-call" }
""")
    assert variant.toolchain == "path:gcc"
    assert variant.env == {"A": "a", "B": "", "C": "x"}
    assert variant.expect == {"dispatch": "tail-call"}
    assert variant.about == ""


def test_several_are_merged_from_left_to_right(x: Callable[[str], Variant]) -> None:
    variant = x("""
[variant.x]
extends = ["a", "b"]
[variant.a]
abstract = true
toolchain = "path:a"
cflags.add = ["-a"]
[variant.b]
abstract = true
toolchain = "path:b"
cflags.add = ["-b"]
""")
    assert variant.toolchain == "path:b"
    assert variant.cflags == ("-a", "-b")


def test_common_ancestor_applies_once(x: Callable[[str], Variant]) -> None:
    # Applied again before b, the base would wipe out what a had added.
    variant = x("""
[variant.base]
abstract = true
toolchain = "path:cc"
cflags = ["-O2"]
[variant.a]
extends = "base"
cflags.add = ["-a"]
[variant.b]
extends = "base"
cflags.add = ["-b"]
[variant.x]
extends = ["a", "b"]
""")
    assert variant.cflags == ("-O2", "-a", "-b")


def test_extends_a_product_variant_without_its_place_on_the_axes(
    x: Callable[[str], Variant],
) -> None:
    variant = x("""
[variant.x]
extends = "cc-O2"
cflags.add = ["-x"]
[axes.cc.cc]
toolchain = "path:cc"
[axes.opt.O2]
cflags.add = ["-O2"]
""")
    assert variant == Variant("x", "path:cc", cflags=("-O2", "-x"))


def test_long_chain(x: Callable[[str], Variant]) -> None:
    links = [f'[variant.v{i}]\nextends = "v{i + 1}"\nabstract = true\n' for i in range(1200)]
    text = "".join(links) + '[variant.v1200]\ntoolchain = "path:cc"\n[variant.x]\nextends = "v0"\n'
    assert x(text).toolchain == "path:cc"


def test_abstract_variants_are_checked_too(message: Callable[[str], str], golden: Hear) -> None:
    text = HEAD + '[variant.x]\ntoolchain = "path:cc"\n'
    golden(message(text + '[variant.y]\nabstract = true\nextends = "xx"\n'))
