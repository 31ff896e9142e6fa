"""Looking things up in a study. What differs between two variants. Errors as the user reads them.
Units of which more is better."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.golden_files import Hear

from whyfast.model.codec import decode, encode
from whyfast.model.errors import StudyError, UserError
from whyfast.model.sample import rate
from whyfast.model.study import BuildSpec, Source, Study
from whyfast.model.variant import (
    ASPECTS,
    Difference,
    Variant,
    alike,
    differ_in,
    differences,
    same_source,
)


def test_a_variant_is_found_by_its_name() -> None:
    old, new = Variant("old", "path:gcc"), Variant("new", "path:gcc", ("-O3",))
    study = Study(
        name="demo",
        title="demo",
        folder=Path("demo"),
        baselines=("old",),
        margin=0.01,
        source=Source("path", "src", Path("demo/src")),
        build=BuildSpec((), "vm"),
        variants=(old, new),
        benchmarks=(),
    )
    assert study.variant("new") is new
    with pytest.raises(KeyError):
        study.variant("newer")


PLAIN = Variant("a", "path:gcc", ("-O2", "-g"))

#: Every field of a variant, another value of it, and what then differs.
CHANGED: dict[str, tuple[Any, Difference | None]] = {
    "name": ("b", None),
    "toolchain": ("path:clang", Difference("toolchain", ("path:gcc",), ("path:clang",))),
    "cflags": (("-O3", "-g"), Difference("cflags", ("-O2",), ("-O3",))),
    "ldflags": (("-flto",), Difference("ldflags", added=("-flto",))),
    "configure": (("--with-lto",), Difference("configure", added=("--with-lto",))),
    "env": ({"A": "1"}, Difference("env", added=("A=1",))),
    "requires": (("musttail",), None),
    "expect": ({"dispatch": "loop"}, None),
    "axes": ({"compiler": "gcc"}, None),
    "about": ("one line", None),
    "control_of": ("a", Difference("control_of", added=("a",))),
    "run": (("--fast",), Difference("run", added=("--fast",))),
    "sysctl": ({"vm.swappiness": "0"}, Difference("sysctl", added=("vm.swappiness=0",))),
    "evidence_only": (True, None),
    "packages": (("zlib1g-dev",), Difference("packages", added=("zlib1g-dev",))),
    "fixes": ("c", None),
    "keep": ((".text.hot",), Difference("keep", added=(".text.hot",))),
    "revision": ("0123abc", Difference("revision", added=("0123abc",))),
    "kernel": ("debian:linux-6.12", Difference("kernel", added=("debian:linux-6.12",))),
    "python": ("pyenv:3.12", Difference("python", added=("pyenv:3.12",))),
    "boot": (("quiet",), Difference("boot", added=("quiet",))),
}


def test_every_field_of_a_variant_is_a_difference_or_said_to_be_none() -> None:
    names = {f.name for f in fields(Variant)}
    assert names == set(CHANGED)
    assert {name for name, (_, expected) in CHANGED.items() if expected} == set(ASPECTS)


@pytest.mark.parametrize("name", CHANGED)
def test_what_a_changed_field_makes(name: str) -> None:
    value, expected = CHANGED[name]
    found = differences(PLAIN, replace(PLAIN, **{name: value}))
    assert found == ((expected,) if expected else ())


def test_a_flag_keeps_its_value() -> None:
    one = replace(PLAIN, cflags=("-O2", "-mllvm", "-a=1", "-g"))
    other = replace(PLAIN, cflags=("-O2", "-mllvm", "-b=1", "-g", "-mllvm", "-a=1"))
    assert differences(one, other) == (
        Difference("cflags", added=("-mllvm -b=1",), reordered=True),
    )
    assert differences(other, PLAIN) == (Difference("cflags", ("-mllvm -b=1", "-mllvm -a=1")),)


def test_the_order_of_flags_is_a_difference_and_that_of_mappings_none() -> None:
    swapped = replace(PLAIN, cflags=("-g", "-O2"))
    assert differences(PLAIN, swapped) == (Difference("cflags", reordered=True),)
    twice = replace(PLAIN, cflags=("-O2", "-g", "-g"))
    assert differences(PLAIN, twice) == (Difference("cflags", added=("-g",)),)
    one, other = replace(PLAIN, env={"A": "1", "B": "2"}), replace(PLAIN, env={"B": "2", "A": "1"})
    assert differences(one, other) == ()


def test_differences_come_in_the_order_of_the_flow() -> None:
    other = replace(PLAIN, run=("x",), toolchain="path:clang", revision="abc", boot=("quiet",))
    assert [d.aspect for d in differences(PLAIN, other)] == ["revision", "toolchain", "boot", "run"]


@pytest.mark.parametrize(
    ("changed", "same"),
    [
        ({"cflags": ("-O3",), "toolchain": "path:clang", "run": ("x",)}, True),
        ({"cflags": ("-O2", "-g", "-DNDEBUG")}, False),
        ({"cflags": ("-O2", "-g", "-std=gnu17")}, False),
        ({"cflags": ("-O2", "-g", "-include", "x.h")}, False),
        ({"configure": ("--debug",)}, False),
        ({"revision": "0123abc"}, False),
        ({"env": {"A": "1"}}, False),
    ],
)
def test_the_same_source(changed: dict[str, Any], same: bool) -> None:
    assert same_source(PLAIN, replace(PLAIN, **changed)) is same


def test_groups_in_which_nothing_else_differs() -> None:
    old, new = replace(PLAIN, name="old", kernel="5.10"), replace(PLAIN, name="new", kernel="6.12")
    fast = replace(old, name="fast", cflags=("-O3",))
    assert alike([old, fast, new], but=("kernel",)) == [[old, new], [fast]]
    assert alike([old, fast, new]) == [[old], [fast], [new]]


WORDS = st.lists(st.sampled_from(["-O2", "-O3", "-g", "-mllvm", "-x=1"])).map(tuple)


@given(WORDS, WORDS, st.sampled_from(["", "abc"]), st.sampled_from(["", "abc"]))
def test_differences_are_those_of_the_other_side_turned_round(
    one: tuple[str, ...], other: tuple[str, ...], before: str, after: str
) -> None:
    a = replace(PLAIN, cflags=one, revision=before)
    b = replace(PLAIN, cflags=other, revision=after)
    assert differences(a, a) == ()
    assert differences(a, b) == tuple(
        replace(d, removed=d.added, added=d.removed) for d in differences(b, a)
    )
    assert ("cflags" in differ_in(a, b)) == (one != other)


def test_where_comes_first(golden: Hear) -> None:
    assert str(UserError("there is nothing")) == "there is nothing"
    golden(str(UserError("there is nothing", where="--only")))
    assert str(UserError("there is nothing", where=Path("a/b"))) == "a/b: there is nothing"


def test_a_mistake_in_a_study_names_line_key_and_what_would_be_right(golden: Hear) -> None:
    error = StudyError(
        "is not a margin", file=Path("study.toml"), line=3, key="study.margin", hint='write "1%"'
    )
    golden(str(error))
    assert (error.where, error.line, error.key) == ("study.toml:3", 3, "study.margin")


def test_line_key_and_hint_may_be_missing(golden: Hear) -> None:
    error = StudyError("is empty", file=Path("study.toml"), line=None, key=None)
    golden(str(error))


@pytest.mark.parametrize(
    "unit", ["MB/s", "ops/sec", "qps", "items_per_second", "req per sec", "IOPS"]
)
def test_rates(unit: str) -> None:
    assert rate(unit)


@pytest.mark.parametrize("unit", ["ns/op", "B/op", "second", "byte", "allocs/op", "steps", "score"])
def test_no_rates(unit: str) -> None:
    assert not rate(unit)


@pytest.mark.parametrize("key", ["control_of", "twin_of"])
def test_the_control_of_a_variant_is_read_by_its_former_name_too(key: str) -> None:
    control = Variant("a control", control_of="a")
    assert "control_of" in encode(control)
    assert decode(Variant, {"name": "a control", key: "a"}) == control
