"""Variants: inheritance, axes and what is compared along them, fixes."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.study.conftest import Message, Write

from whyfast.investigate.study_run import narrow
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
def x(write: Write) -> Callable[[str], Variant]:
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


def test_extends_a_product_variant_without_its_axes(x: Callable[[str], Variant]) -> None:
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


def test_abstract_variants_are_checked_too(message: Message, golden: Hear) -> None:
    text = HEAD + '[variant.x]\ntoolchain = "path:cc"\n'
    golden(message(text + '[variant.y]\nabstract = true\nextends = "xx"\n'))


HEAD_AXES = HEAD.replace('"x"', '"BASELINE"')

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
def names(write: Write) -> Callable[[str, str], list[str]]:
    def of(text: str, baseline: str) -> list[str]:
        study = load_study(write(HEAD_AXES.replace("BASELINE", baseline) + text))
        return [variant.name for variant in study.variants]

    return of


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ("", ["gcc-O2", "gcc-O3", "clang-O2", "clang-O3"]),  # the last axis varies fastest
        ('[axes]\nname = "vm_{opt}.{cc}"\nonly = [{ cc = "gcc" }]\n', ["vm_O2.gcc", "vm_O3.gcc"]),
        (  # what matches one entry
            '[axes]\nonly = [{ cc = "gcc", opt = "O3" }, { cc = ["clang"] }]\n',
            ["gcc-O3", "clang-O2", "clang-O3"],
        ),
        ('[[axes.exclude]]\ncc = "gcc"\n[[axes.exclude]]\nopt = "O2"\n', ["clang-O3"]),
    ],
)
def test_names_and_filters(
    names: Callable[[str, str], list[str]], filters: str, expected: list[str]
) -> None:
    assert names(filters + AXES, expected[0]) == expected


def test_exclude_goes_after_only(names: Callable[[str, str], list[str]]) -> None:
    text = '[axes]\nonly = [{ opt = "O2" }]\nexclude = [{ cc = ["gcc", "gcc"] }]\n' + AXES
    with pytest.raises(Exception, match="in the list twice"):
        names(text, "clang-O2")
    text = text.replace('["gcc", "gcc"]', '["gcc"]')
    assert names(text, "clang-O2") == ["clang-O2"]


def test_settings_of_values_apply_in_the_order_of_the_axes(write: Write, golden: Hear) -> None:
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
    (variant,) = load_study(write(HEAD_AXES.replace("BASELINE", "x-y") + text)).variants
    assert variant.cflags == ("-g", "-1", "-2")
    assert variant.env == {"A": "base", "B": "first", "C": "second"}
    golden(variant.about)
    assert variant.axes == {"first": "x", "second": "y"}


def test_name_that_cannot_be_one(message: Message, golden: Hear) -> None:
    text = HEAD_AXES.replace("BASELINE", "x") + '[axes]\nname = "{cc} {opt}"\n' + AXES
    golden(message(text))


def test_axes_without_axes(message: Message, golden: Hear) -> None:
    golden(message(HEAD_AXES + '[axes]\nname = "x"\n'))


def test_key_that_is_no_axis(message: Message, golden: Hear) -> None:
    golden(message(HEAD_AXES + '[axes]\nexcludes = "x"\n' + AXES))


def test_too_many_combinations(message: Message, golden: Hear) -> None:
    axes = "".join(f"[axes.a{axis}.v{value}]\n" for axis in range(5) for value in range(10))
    golden(message(HEAD_AXES + axes))


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


def test_each_is_compared_with_the_one_that_is_equal_but_for_the_axis(write: Write) -> None:
    study = load_study(write(STUDY))
    assert study.along == {"dispatch": "switch"}
    assert study.baselines == ("gcc-switch", "clang-switch")
    assert study.compared([v.name for v in study.variants], study.baselines) == (
        ("gcc-goto", "gcc-switch"),
        ("clang-goto", "clang-switch"),
    )


def test_only_keeps_the_baselines_of_what_is_wanted(write: Write) -> None:
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


def test_mistakes(message: Message, golden: Hear) -> None:
    for name, (old, new) in CASES.items():
        assert STUDY.count(old) == 1, name
        golden(f"{name}: {message(STUDY.replace(old, new))}")


def test_a_study_without_axes_has_none_to_compare_along(message: Message, golden: Hear) -> None:
    start = STUDY[: STUDY.index("[axes")]
    text = (
        f'{start}[variant.a]\ntoolchain = "path:cc"\n[benchmarks.one]\ncommand = ["{{program}}"]\n'
    )
    golden(message(text))


def test_a_variant_for_evidence_only_needs_no_counterpart(write: Write) -> None:
    text = STUDY.replace(
        "[axes.compiler.gcc]",
        '[variant.other]\nevidence_only = true\ntoolchain = "path:cc"\n[axes.compiler.gcc]',
    )
    assert len(load_study(write(text)).variants) == 5


STUDY_FIXES = """
[study]
title = "Is it placement?"
baseline = ["fast", "slow"]
[source]
path = "."
[build]
steps = ["{cc} {cflags} -c {source}/vm.c"]
link = "{cc} -o {program} vm.o {layout}"
program = "vm"
[variant.base]
abstract = true
toolchain = "path:gcc"
[variant.fast]
extends = "base"
[variant.slow]
extends = "base"
[variant.hot]
extends = "slow"
fixes = "slow"
keep = [".text.hot.*"]
[variant.hotter]
extends = "hot"
keep.add = [".text.step_?"]
[benchmarks.run]
command = ["{program}"]
"""


def test_a_fix_names_what_it_fixes_and_what_stays_together(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY_FIXES)
    study = load_study(tmp_path)
    assert [(v.name, v.fixes, v.keep) for v in study.variants] == [
        ("fast", None, ()),
        ("slow", None, ()),
        ("hot", "slow", (".text.hot.*",)),
        # What stays together is inherited, being a fix is not.
        ("hotter", None, (".text.hot.*", ".text.step_?")),
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('fixes = "slow"', 'fixes = "slw"'),
        ('fixes = "slow"', 'fixes = "hot"'),
        ('fixes = "slow"', 'fixes = "base"'),
        ('keep = [".text.hot.*"]', 'keep = ["hot_*"]'),
    ],
)
def test_mistake(old: str, new: str, message: Message, golden: Hear) -> None:
    assert STUDY_FIXES.count(old) == 1
    golden(message(STUDY_FIXES.replace(old, new)))
