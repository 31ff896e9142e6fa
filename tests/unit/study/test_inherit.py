"""extends, and what is missing after it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.model.variant import Variant
from whyfast.study import load_study

CASES = {
    "toolchain missing by hand": (
        '[variant.taildup]\nextends = "clang19-goto"\ntoolchain = "zig:clang-19"',
        '[variant.taildup]\nextends = "base"',
        (
            "study.toml:19: variant.taildup: has no toolchain; write toolchain = "
            '"path:gcc", or extend a variant that has one'
        ),
    ),
    "toolchain missing in product": (
        '[axes.compiler.clang18]\ntoolchain = "zig:clang-18"',
        "[axes.compiler.clang18]",
        (
            "study.toml:28: axes: clang18-goto has no toolchain; write toolchain = "
            '"path:gcc", or extend a variant that has one'
        ),
    ),
    "extends missing": (
        'extends = "clang19-goto"',
        'extends = "clang19-gotoo"',
        (
            'study.toml:20: variant.taildup.extends: no variant "clang19-gotoo"; did you '
            'mean "clang19-goto"?'
        ),
    ),
    "extends missing in list": (
        'extends = "clang19-goto"',
        'extends = ["base",\n  "nothing"]',
        (
            'study.toml:21: variant.taildup.extends[1]: no variant "nothing"; valid: '
            "clang18-goto, clang19-goto, clang19-tail, base"
        ),
    ),
    "axes extend missing": (
        'extends = "base"\nexclude',
        'extends = "bse"\nexclude',
        'study.toml:29: axes.extends: no variant "bse"; did you mean "base"?',
    ),
    "extends itself": (
        'extends = "clang19-goto"',
        'extends = "taildup"',
        ("study.toml:20: variant.taildup.extends: extends itself in a circle: taildup → taildup"),
    ),
    "circle of two": (
        "abstract = true",
        'abstract = true\nextends = "taildup"',
        (
            "study.toml:30: axes.extends: extends itself in a circle: base → taildup → "
            "clang19-goto → base"
        ),
    ),
    "circle of two only": (
        '[variant.taildup]\nextends = "clang19-goto"',
        '[variant.a]\nextends = "b"\n[variant.b]\nextends = "a"\n[variant.taildup]',
        "study.toml:22: variant.b.extends: extends itself in a circle: a → b → a",
    ),
    "clash": (
        "[variant.taildup]",
        "[variant.clang19-tail]",
        (
            "study.toml:19: variant.clang19-tail: [axes] spans a variant of this name too; "
            "rename it, or exclude that combination"
        ),
    ),
}


@pytest.mark.parametrize(("old", "new", "expected"), CASES.values(), ids=CASES.keys())
def test_mistake(
    old: str, new: str, expected: str, valid: str, message: Callable[[str], str]
) -> None:
    assert valid.count(old) == 1
    assert message(valid.replace(old, new)) == expected


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
